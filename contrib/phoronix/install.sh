#!/bin/sh
# SPDX-License-Identifier: MIT
# The Phoronix Test Suite runs this where the test lives, which it calls HOME.
# oscost itself comes from its package (make deb), or make install.

if ! command -v oscost >/dev/null; then
	echo 'oscost is not installed: install its package, or type make install in its tree'
	echo 2 >~/install-exit-status
	exit
fi
cat >~/oscost <<'END'
#!/bin/sh
# One card; a line for each of its rows goes to LOG_FILE.
rm -rf ~/run
oscost run --profile card --out ~/run >~/run.log 2>&1
status=$?
oscost report export --format tsv ~/run | awk -F '\t' '!/^#/ && $9 != "" {
	key = tolower($9)
	gsub(/[^a-z0-9]+/, "-", key)
	sub(/-$/, "", key)
	print key ": " $3
}' >"$LOG_FILE"
echo $status >~/test-exit-status
END
chmod +x ~/oscost
echo 0 >~/install-exit-status
