# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# ledger explain: in which functions the instructions of one row are.

# Where a program lies that is not moved (norandmaps).
readonly explain_base=0x555555554000

# explain_symbols CONSOLE PROGRAM: "ADDRESS S NAME" of the kernel, which has said
# them last, and of the program.
explain_symbols() {
	local at kind name

	sed -n 's/^@S\([0-9a-f]\{16\}\) . \([^ \t]*\).*/\1 S \2/p' "$1"
	while read -r at kind name; do
		[[ $at =~ ^[0-9a-f]{16}$ && $kind == [tT] ]] || continue
		printf '%016x S %s\n' $((explain_base + 16#$at)) "$name"
	done < <(nm "$2")
	printf '%s S %s\n' 0000000000000000 elsewhere 0000560000000000 elsewhere \
		00007f0000000000 libraries
}

# explain_plugin PROGRAM PROFILE: QEMU's option; the function that times a batch.
explain_plugin() {
	local at size

	read -r at size < <(nm -S "$1" | awk '$4 ~ /^time_batch(\.|$)/ { print $1, $2 }') || :
	[[ $at =~ ^[0-9a-f]{16}$ ]] || die 2 "$1 has no symbol time_batch"
	[[ $size =~ ^[0-9a-f]{16}$ ]] || die 2 "$1: time_batch has no size"
	printf -- '-plugin %s,begin=%x,end=%x,out=%s\n' "$explain_so" \
		$((explain_base + 16#$at)) $((explain_base + 16#$at + 16#$size)) "$2"
}

# explain_row CONSOLE: its value, operations in the shorter batch, and the
# instructions of so many.
explain_row() {
	local row

	row=$(grep -a '^{' "$1" | head -n 1)
	[[ -n $row ]] || die 1 "no row: is '$case' a case of $program? ($program --list)"
	jq -er 'select(.status == "ok" and .estimator == "difference") |
		"\(.value) \(.iters) \(.value * .iters | round)"' <<<"$row" ||
		die 1 "$program $case: only a row of repeated operations can be explained;" \
			"$(jq -r '"\(.status), \(.estimator)"' <<<"$row")"
}

# explain_folded: a line "PROGRAM CASE;kernel;FUNCTION COUNT" for each function.
explain_folded() { # OPS STEP
	{
		explain_symbols "$work/1/boot" "${conf[bin]}/$program"
		awk -v step="$2" -f "$here/lib/explain.awk" "$work/profile" "$work/profile"
	} | sort | awk -v name=1 -f "$here/lib/explain.awk" | sort -k 2,2nr -k 1,1 |
		sed "s/^/$program $case;/"
}

# explain PROGRAM CASE OPTION...
explain() {
	local program=${1-} case=${2-} value ops step row

	[[ $case =~ ^[A-Za-z0-9_.,=-]+$ ]] || die 2 "explain PROGRAM CASE; see $0 --help"
	parse_args "${@:3}" --only "$program"
	[[ ${conf[arch]} == x86_64 ]] ||
		die 2 "explain: on x86_64 only; the static file of ${conf[arch]} has no names of functions"
	check_place
	explain_so=${conf[bin]%/*}/ledger_plugin.so
	[[ -r $explain_so ]] || die 2 "no plugin $explain_so; run make ledger-plugin"
	open_out
	counted_programs=$(sed -E "s/^($program +[0-9]+).*/\\1 --case $case/" <<<"$counted_programs")
	mkdir -p "$work/1"
	on_disk counted_initrd "$place" "$work/root" "$work/1/initrd" 1 "$program" \
		"/bin/busybox sed -n 's/ [tTwW] /&/; t p; b; :p s/^/@S/p' /proc/kallsyms"
	emulator+=" $(explain_plugin "${conf[bin]}/$program" "$work/profile")"
	counted_boot boot "${image[${kernels[0]}]}" "$work/1" "${conf[cpu]}" "${conf[options]}"
	counted_ended "$work/1/boot" || die 1 "${kernels[0]}: $(why_stopped "$work/1/boot")"
	row=$(explain_row "$work/1/boot")
	read -r value ops step <<<"$row"
	explain_folded "$ops" "$step" >"$work/folded" ||
		die 1 "$program $case: no two batches of one path differ by $ops operations"
	mv "$work/folded" "$out/explain.folded"
	awk -F '[; ]' -v ops="$ops" -v value="$value" -v what="$program $case" '
		{ n = $NF / ops; sum += $NF; line[NR] = sprintf("%12s  %5.1f %%  %-7s %s", \
			sprintf(n == int(n) ? "%d" : "%.3f", n), 100 * n / value, $(NF - 2), $(NF - 1)) }
		END {
			printf "%s: %s instructions\n\n", what, value
			for (i = 1; i <= NR; i++) print line[i]
			printf "%12s  the sum\n", sum / ops
		}' "$out/explain.folded" | tee "$out/explain.txt"
	log "table: $out/explain.txt; for flame graphs, of $ops operations: $out/explain.folded"
}
