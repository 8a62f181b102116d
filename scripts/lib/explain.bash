# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# ledger explain: the call paths of rows, and why they differ between kernels.
#
# QEMU counts with the plugin of ledger/ in one boot of each kernel.  Before each program is a
# mark: a program that does nothing, at an address that the plugin knows.  The visits to each
# case are known by reads of the clock.  Symbols come from the kernel's kallsyms.

# Where a program lies that is not moved (norandmaps), and the mark's first instruction.
readonly explain_base=0x555555554000 explain_mark=10000080

# The program of the mark, and of its end 16 bytes behind: _exit(0).
explain_marks() { # DIR
	mkdir -p "$1"
	perl -e 'my $exit = pack "H*", "b83c00000031ff0f05";
		my $code = "\x90" x 8 . $exit . "\x90" x 7 . $exit;
		my $at = 0x10000000;
		for my $k (0, 1) {
			open my $file, ">", "$ARGV[0]/" . ("mark", "unmark")[$k] or die "$!\n";
			print $file "\x7fELF\2\1\1", "\0" x 9,
				pack("SSLQQQLSSSSSS", 2, 62, 1, $at + 128 + 16 * $k, 64, 0, 0, 64, 56, 1, 0, 0, 0),
				pack("LLQQQQQQ", 1, 5, 0, $at, $at, 120 + length $code, 120 + length $code, 4096), $code;
			chmod 0755, $file;
		}' "$1"
}

# The plugin: that of the build, else one that is made here.
explain_plugin() {
	local source=$top/ledger/ledger_plugin.c

	explain_so=${bin%/*}/ledger_plugin.so
	[[ ! $explain_so -ot $source ]] || explain_so=$work/ledger_plugin.so
	[[ ! -e $explain_so ]] || return 0
	[[ -e $source ]] || die 2 "no plugin $explain_so, and no $source to make it"
	"${CC:-cc}" -O2 -std=gnu11 -fPIC -shared -o "$explain_so" "$source" ||
		die 2 "${CC:-cc} could not make the plugin of $source"
}

# explain_cases PROGRAM PATTERN: the cases of the ledger that match.
explain_cases() {
	local -a counted
	local all

	read -r _ _ all <<<"$(grep "^$1 " <<<"$counted_programs")"
	read -ra counted <<<"$all"
	all=$("$bin/$1" --list "${counted[@]}")
	if ! "$bin/$1" --list ${2:+--case "$2"} 2>/dev/null | grep -Fx -e "$all"; then
		mapfile -t counted <<<"$all"
		die 2 "explain: no row of $1 that is counted matches '$2';" \
			"$(meant "$2" "$1 --list has all" "${counted[@]}")"
	fi
}

# One row alone need not wait for a machine to be refused.
explain_refuse() { # PROGRAM CASE
	local row

	row=$("$bin/$1" --json -n 1 --effort 1 --dir "$work" --case "$2" 2>/dev/null |
		jq -r --arg case "$2" 'select(.case == $case and .estimator == "derived")
			| "is computed from other rows, and has no instructions of its own"') || :
	[[ -z $row ]] || die 2 "explain: $1 $2 $row; explain those"
}

# The initramfs of counted_initrd(), but for its end: each program, behind its --list; of one
# program $cases alone, if a $pattern was given.
explain_initrd() {
	local program effort counted

	mkdir -p "$work/1"
	explain_marks "$work/marks"
	counted_marks=$work/marks counted_initrd "$place" "$work/root" "$work/1/initrd" 1 '' "$(
		while read -r program effort counted; do
			[[ $program && " ${conf[only]} " == *" $program "* ]] || continue
			[[ -z $pattern ]] || counted="--case '${cases//$'\n'/\' --case \'}'"
			printf 'echo @program %s\n/suite/bin/%s --list\n/suite/mark\n' "$program" "$program"
			counted_command "$program" "$effort" 1 "--marks $counted"
		done <<<"$counted_programs"
		printf '/suite/unmark\n'
	)"
}

# The functions of a kernel to WORK/functions.KERNEL.  To print them takes longer than
# most rows, so they have a boot of their own, which later runs need not repeat.
explain_functions() { # KERNEL
	local known took dir=$work/of.$1

	known=${conf[images]}/functions-$(cksum <"${image[$1]}" | tr ' ' -)
	if [[ ! -s $known ]]; then
		mkdir -p "$dir"
		make_root "$dir/root"
		make_init "$dir/root" <<-'EOF'
			$b sed -n 's/^f*\([^ ]*\) [tTwW] /@S\1 /p' /proc/kallsyms
			echo @end
		EOF
		make_initrd "$dir/root" "$dir/initrd"
		boot_once "$dir/functions" "$1" '' "$1" || return
		perl -ne 'print "f" x (16 - length $1), "$1 $2\n" if /^\@S([0-9a-f]+) (\S+)/' \
			"$dir/functions" >"$dir/known"
		mv "$dir/known" "$known" 2>/dev/null || known=$dir/known
	fi
	cp "$known" "$work/functions.$1"
}

# The symbols that calls.pl wants of a kernel and of the programs.
explain_symbols() { # KERNEL
	local program

	cat "$work/functions.$1"
	for program in ${conf[only]}; do
		nm "$bin/$program" | perl -ne 'BEGIN { ($base, $of) = (hex shift, shift) } no warnings "portable";
			printf "%x %s %s\n", $base + hex $1, $2, $of if /^([0-9a-f]{16}) [tT] (\S+)/' \
			"$explain_base" "$program"
	done
}

# The table that calls.pl wants of the rows of a console.
explain_rows() {
	jq -Rrn 'foreach inputs as $line ({n: -1};
			.row = null
			| if $line | startswith("@program ") then {n: (.n + 1), of: $line[9:], number: {}}
			elif $line | startswith("{") then .row = ($line | fromjson? // null)
			else .number[$line] = (.number | length) end;
			select(.row.status == "ok")
			| [.n, .of, .number[.row.case], .row.case, .row.estimator, .row.unit, .row.value, .row.iters,
			   .row.baseline, .row.min, .row.max, .row.overhead] | @tsv)' "$1"
}

# Sums and ties do not depend on the order of hashes.
explain_calls() { PERL_HASH_SEED=0 perl "$here/lib/calls.pl" "$@"; }

# explain_side NUMBER KERNEL OPTION: its call paths to WORK/NUMBER.folded.
explain_side() {
	local n=$1 took

	emulator+=" -plugin $explain_so,mark=$explain_mark,out=$work/calls.$n"
	boot_once "$work/1/boot.$n" "$2" "$3" "$2 ${3:-plain}" || return
	log "$2 ${3:-plain}: $(format_us "$took")"
	explain_symbols "$2" >"$work/symbols.$n"
	explain_rows "$work/1/boot.$n" >"$work/rows.$n"
	explain_calls fold "$work/calls.$n" "$work/symbols.$n" "$work/rows.$n" "$work/classes.$n" \
		>"$work/$n.folded" 2>"$work/$n.not"
	rm -f "$work/calls.$n" "$work/calls.$n.parts"
}

# Boot each kernel with each option.
explain_sides() {
	local kernel

	for kernel in "${kernels[@]}"; do
		beside explain_functions "$kernel"
	done
	wait_for_all
	((!failed)) || return 0
	each_side begin_side
	wait_for_all
}

begin_side() { # KERNEL OPTION
	sides+=("$1${2:+ $2}")
	beside explain_side "$((${#sides[@]} - 1))" "$@"
}

# Write the counts of all sides into files; each side is compared with the first.
explain_write() {
	local n name
	local -a folded=()

	printf 'kernel\trow\tvalue\tinstructions\tlocked\tcr3\tmsr\tfence\tswapgs\tindirect\tcode_lines\tdata_lines\n' \
		>"$out/rows.tsv"
	for n in "${!sides[@]}"; do
		folded+=("${sides[n]}" "$work/$n.folded")
		sed "s,^,${sides[n]//[;,]/_};," "$work/$n.folded" >>"$out/explain.folded"
		awk -F '\t' -v OFS='\t' -v side="${sides[n]}" 'BEGIN { none = "\t\t\t\t\t\t\t\t" }
			NR == FNR { row = $1; sub(/^[^\t]*\t/, ""); of[row] = $0; next }
			{ row = $2 " " $4; print side, row, $7, row in of ? of[row] : none }' \
			"$work/classes.$n" "$work/rows.$n" >>"$out/rows.tsv"
	done
	explain_calls table "${folded[@]}" >"$out/explain.txt"
	sed 's/^/not explained: /' "$work"/*.not | sort -u >>"$out/explain.txt"
	perl "$here/lib/flame.pl" "$title: instructions" "$out/explain.folded" >"$out/explain.svg"
	if [[ -v conf[check] ]]; then
		explain_calls because baseline "$work/check" "${folded[@]:0:2}" "${conf[threshold]:-1}" \
			>"$out/because.txt" || touch "$work/beyond"
		perl "$here/lib/flame.pl" "$title: ${sides[0]}, red is more than before, blue less" \
			"$work/check" "$work/0.folded" >"$out/because.svg"
	fi
	for ((n = 1; n < ${#sides[@]}; n++)); do
		name=because
		((${#sides[@]} == 2)) || name+=-$(name_of "${sides[n]}")
		explain_calls because "${folded[@]:0:2}" "${folded[@]:2 * n:2}" >"$out/$name.txt"
		perl "$here/lib/flame.pl" "$title: ${sides[0]} to ${sides[n]}, red is more, blue less" \
			"$work/0.folded" "$work/$n.folded" >"$out/$name.svg"
	done
	((n == 1)) || explain_calls causes "${folded[@]}" >"$out/causes.tsv"
	explain_page >"$out/explain.html"
}

# One page of it all: the flame graphs of the differences, or of a kernel alone, each
# with its text.
explain_page() {
	local svg text

	printf '<!DOCTYPE html>\n<html lang="en"><meta charset="utf-8"><title>%s: instructions</title>\n' "$title"
	printf '<body style="font-family: sans-serif"><h1>%s</h1>\n' "$title"
	for svg in "$out"/because*.svg "$out/explain.svg"; do
		text=${svg%svg}txt
		[[ -e $svg ]] || continue
		[[ $svg != */explain.svg ]] || ! compgen -G "$out/because*.svg" >/dev/null || continue
		cat "$svg"
		printf '<pre>\n'
		sed 's/&/\&amp;/g; s/</\&lt;/g' "$text"
		printf '</pre>\n'
	done
}

# explain [PROGRAM [CASE|PATTERN]]
explain() {
	local program=${1-} pattern=${2-} title explain_so cases
	local -a known sides=()

	title=${program:-ledger}${pattern:+ $pattern}
	[[ ${program:-all} =~ ^[a-z0-9_]+$ && $# -lt 3 ]] || die 2 "explain PROGRAM CASE; see $called --help"
	[[ ${conf[arch]} == x86_64 ]] ||
		die 2 "explain: on x86_64 only; the static file of ${conf[arch]} has no names of functions"
	read -ra known <<<"$(counted_names)"
	[[ -z $program || " ${known[*]} " == *" $program "* ]] ||
		die 2 "explain: '$program' is no program of the ledger; $(meant "$program" \
			"these are: ${known[*]}" "${known[@]}")"
	conf[only]=${program:-${conf[only]}}
	check_programs
	cases=$(for program in ${conf[only]}; do explain_cases "$program" "$pattern" || exit; done)
	need perl nm
	needs+=(KALLSYMS)
	check_place
	open_out
	explain_plugin
	if [[ -v conf[check] ]]; then
		((${#kernels[@]} * ${#options[@]} == 1)) || die 2 "--check: of one kernel"
		# The rows of the file's first kernel.
		awk -F '[; ]' -v only=" ${conf[only]} " 'kernel == "" { kernel = substr($0, 1, index($0, ";")) }
			index($0, kernel) == 1 { $0 = substr($0, length(kernel) + 1); if (index(only, " " $1 " ")) print }' \
			"${conf[check]}" >"$work/check"
		[[ -s $work/check ]] || die 2 "--check: ${conf[check]} has no row of ${conf[only]}"
	fi
	[[ $cases == *$'\n'* ]] || explain_refuse "${conf[only]}" "$cases"
	explain_initrd
	explain_sides
	((!failed)) || return "$([[ ! -v conf[check] ]] && echo 1 || echo 125)"
	[[ -s $work/0.folded ]] || die 1 "no row of $title can be explained: they are not" \
		"repeated operations, or are computed from other rows"
	explain_write
	if [[ ! -v conf[check] ]] && ((${#sides[@]} == 1)); then
		cat "$out/explain.txt"
	elif [[ -v conf[check] || $title != ledger ]]; then
		cat "$out"/because*.txt
	else
		# The ledger's rows have megabytes of trees: the causes alone.
		awk '/^From / { trees = 0 } / to [0-9.]+ \(/ && !/^From / { trees = 1 } /^[^ ]/ && !trees' \
			"$out"/because*.txt
		log "rows and trees of each cause: ${out}/because*.txt"
	fi
	log "results: $out"
	[[ ! -e $work/beyond ]] || return 3
}

# residual RUN DIR...
residual() {
	local run=${1-} dir

	(($# > 1)) || die 2 "residual RUN DIR...; see $0 --help"
	shift
	[[ -r $run/invocations.jsonl ]] || die 2 "residual: $run has no results"
	for dir; do
		[[ -r $dir/rows.tsv ]] || die 2 "residual: $dir has no results of explain"
	done
	jq -rs 'map(select(.status == "ok" and .unit == "ns")) | group_by([.benchmark, .case])[]
		| ["\(.[0].benchmark) \(.[0].case)", (map(.value) | sort | .[length / 2 | floor])] | @tsv' \
		"$run/invocations.jsonl" | explain_calls residual /dev/stdin "${@/%//rows.tsv}" ||
		die 1 "residual: $run and these have no rows of a time in common"
}
