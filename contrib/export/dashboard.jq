# SPDX-License-Identifier: MIT
# JSON of name, value, unit and range, as github-action-benchmark takes it
# (customSmallerIsBetter): the rows of which less is better.
include "rows";

[.rows[] | measured | select(.better != "higher") | point]
