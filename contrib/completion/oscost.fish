# SPDX-License-Identifier: MIT
# fish completion for oscost, which knows its words, options and rows itself.
complete -c oscost -a '(oscost --complete (commandline -cp | string collect) 2>/dev/null)'
