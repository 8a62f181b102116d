# SPDX-License-Identifier: MIT
# page_fault reads a file of its own through a mapping.
uses_memory := file
