# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2034,SC2154 # of MMTests
FINEGRAINED_SUPPORTED=yes
NAMEEXTRA=

run_bench() {
	"$SHELLPACK_INCLUDE"/shellpack-bench-oscost \
		--only "${OSCOST_ONLY// /,}" --rounds "$OSCOST_ROUNDS"
	return $?
}
