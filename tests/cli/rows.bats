#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The patterns of rows.tsv and of the report's tables against the names of rows
# that exist (tests/fixtures/row-names.txt).

setup() {
	load ../helpers
	report_setup
	# Names of this machine, and names of others that patterns need.
	{
		for program in $(benches); do
			"$BIN/$program" --list | sed "s/^/$program /"
		done
		cat "$ROOT/tests/fixtures/row-names.txt"
		"$BIN/file_remote" --nfslab --list | sed 's/^/file_remote /'
	} | awk '!seen[$0]++' >names
}

# patterns: kind, program and pattern of each line that names rows, without
# those of another host and of what is measured only if it is asked for.
patterns() {
	grep -v '^#' "$ROOT/report/estimates.tsv" | grep -o '\[[^]]*\]' | tr -d '[]' |
		awk '{ for (i = 2; i <= NF; i++) print "formula\t" $1 "\t" $i }' |
		grep -vE '	(net=remote|where=(mount|server)|scope=machine)'
	# The answers to the sources and to lmbench.
	cut -f 3 "$ROOT"/docs/{sources,lmbench}.tsv | grep -o '`[^`]*`' | tr -d '`' |
		awk '$2 ~ /=/ { for (i = 2; i <= NF; i++) print "answer\t" $1 "\t" $i }' |
		grep -vE '	(net=remote|make	|.*--)'
	cat "$ROOT"/bench/*/rows.tsv "$ROOT"/monitor/rows.tsv "$ROOT"/report/*.tsv |
		awk -F '\t' '
			function each(programs, cases,    p, c, i, j, n, m) {
				n = split(programs, p, " ")
				m = split(cases, c, " ")
				for (i = 1; i <= n; i++)
					for (j = 1; j <= m; j++)
						print $1 "\t" (n > 1 ? "" : p[i]) "\t" c[j]
			}
			$1 == "core" { each($2, $3) }
			$1 == "figure" && $3 != "ensembles" { each($4, $5) } # these are of a log
			$1 == "course" { program[$2] = $5; if ($6 != "-") each($5, $6) }
			$1 == "lmbench" || $1 == "mistake" { each($4, $5) }
			$1 == "mistake" { each($6, $7) }
			$1 == "pair" { each($3, $4); each($3, $5) }
			$1 == "comparison" { each(substr($5, 1, index($5, " ") - 1), substr($5, index($5, " ") + 1))
				each(substr($7, 1, index($7, " ") - 1), substr($7, index($7, " ") + 1)) }
			$1 == "limit" { if ($3 != "-") each(program[$2], $3)
				n = split($4, word, " ")
				for (i = 1; i <= n; i++)
					if (word[i] ~ /=/) each(program[$2], word[i]) }' |
		grep -vE '	(net=remote|where=(mount|server)|scope=machine|kind=)'
}

@test "each pattern of rows.tsv matches a row that exists" {
	patterns >all
	[[ $(wc -l <all) -gt 400 ]]
	awk -F '\t' 'NR == FNR { at = index($0, " "); name[NR] = substr($0, at + 1)
			of[NR] = substr($0, 1, at - 1); n = NR; next }
		{ glob = $3; gsub(/[][.(){}+?^$|\\]/, "\\\\&", glob); gsub(/\*/, ".*", glob)
			for (i = 1; i <= n; i++)
				if (($2 == "" || $2 == of[i]) && name[i] ~ "^" glob "$") next
			print "no row: " $0 }' names all >missing
	diff -u /dev/null missing
}

@test "a run that has every row leaves no operation, pair or comparison out" {
	mkdir run
	cp "$ROOT"/tests/fixtures/results/small/{machine,run}.json run
	printf '[]\n' >run/about.json
	awk '{ at = index($0, " "); program = substr($0, 1, at - 1); name = substr($0, at + 1)
		unit = "ns"
		if (program == "mem_bandwidth" || name ~ /stat=acked/) unit = "B/s"
		if (name ~ /per=byte/) unit = "ns/B"
		if (name ~ /stat=knee/) unit = "B"
		for (round = 1; round <= 6; round++)
			printf "{\"schema\": 2, \"benchmark\": \"%s\", \"case\": \"%s\", \"status\": \"ok\", \"unit\": \"%s\", \"better\": \"lower\", \"value\": %d, \"n\": 1, \"samples\": 9, \"iters\": 1, \"round\": %d}\n",
				program, name, unit, 100 + NR % 7 + round, round }' names >run/invocations.jsonl
	run -0 "$report" make --no-plots --root "$ROOT" run
	sed -n '/id="coursework"/,/id="families"/p' run/report.md | grep 'not measured' >absent || :
	diff -u /dev/null absent
	[[ $(grep -cE '^\| (vfork|clone3) against fork .* [0-9.]+ – [0-9.]+ \|' run/report.md) == 2 ]]
}
