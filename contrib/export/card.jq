# SPDX-License-Identifier: MIT
# The rows of the card as JSON, by the names that it has for them: what
# oscost card --json prints.
[.rows[] | select(.words) | {name: .words, benchmark, case, status, value, unit, ci95, grade, better, reason}]
