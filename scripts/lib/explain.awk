# SPDX-License-Identifier: MIT
# Which functions the instructions of an operation are in.
#
# awk -v step=N*VALUE -f explain.awk PROFILE PROFILE | sort SYMBOLS - | \
#	awk -v name=1 -f explain.awk
#
# Batches of N and of 2 N operations differ by N operations and nothing else.  So
# of the lengths that an interval had (ledger/ledger_plugin.c), the most
# frequent one is taken that has another one longer by STEP, and their counts are
# subtracted, address by address: the sum is STEP.  Then, with the symbols sorted
# in between ("ADDRESS S NAME"), each address is of the function before it.

!name && FNR == 1 { pass++ }
!name && pass == 1 { if ($1 == "=") times[$2] = $3; next }
!name && pass == 2 && FNR == 1 {
	for (length_ in times)
		if ((length_ + step) in times && (times[length_] > best ||
				(times[length_] == best && length_ + 0 < short_))) {
			best = times[length_]
			short_ = length_ + 0
		}
	if (!best)
		exit
}
!name && $1 == "=" { sign = $2 == short_ + step ? 1 : $2 == short_ ? -1 : 0; next }
!name && sign { count[$1] += sign * $2 }

name && $2 == "S" { at = $3; next }
name { count[(($1 < "8") ? "user" : "kernel") ";" at] += $3 }

END {
	if (!name && !best)
		exit 1
	for (key in count)
		if (count[key] != 0)
			print key, name ? count[key] : "~ " count[key]
}
