# SPDX-License-Identifier: MIT
# As dashboard.jq (customBiggerIsBetter): the rows of which more is better.
include "rows";

[.rows[] | measured | select(.better == "higher") | point]
