# SPDX-License-Identifier: MIT
# For scripts/ab: a command of the shell as if it were a benchmark.
#
# usage: timed.bash COMMAND --round N OPTION...
#
# It is run for 0.2 s, once at least, and has two rows: the median of its times, and
# its time on CPUs.  Exit: that of the command, if it failed.

command=$1 round=0
while (($#)); do
	[[ $1 != --round ]] || round=$2
	shift
done

row() { # CASE NANOSECONDS SAMPLES
	printf '{"schema":1,"benchmark":"command","case":"time=%s","status":"ok","unit":"ns","better":"lower",' "$1"
	printf '"estimator":"median","value":%s,"n":1,"samples":%d,"iters":1,"round":%d}\n' "$2" "$3" "$round"
}

all=0 n=0 times=''
while ((all < 200000 && n < 199)); do
	start=${EPOCHREALTIME/[.,]/}
	sh -c "$command" </dev/null >/dev/null || exit
	took=$((${EPOCHREALTIME/[.,]/} - start))
	((all += took, ++n))
	times+=$took$'\n'
done
row wall "$(sort -n <<<"${times%?}" | awk '{ v[NR] = $1 }
	END { printf "%.0f", 500 * (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) }')" "$n"
# CPU time of children that were waited for, user and system: "0m0.012s 0m0.034s".
spent=$(mktemp) || exit
times >"$spent"
cpu=$(awk -F '[ms ]+' -v n="$n" 'NR == 2 { printf "%.0f", (60 * ($1 + $3) + $2 + $4) * 1e9 / n }' "$spent")
rm -f "$spent"
[[ $cpu == 0 ]] || row cpu "$cpu" "$n"
