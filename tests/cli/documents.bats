#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# measures: the commands of the pages are run
#
# README, CONTRIBUTING and docs/: their commands run, the names in their tables and links
# exist, and their words are those of WORDS.md. Commands are the blocks without a language;
# commands in a sentence are looked up, not run.

setup() {
	load ../helpers
	cd "$BATS_TEST_TMPDIR" || exit
	pages=("$ROOT/README.md" "$ROOT"/CONTRIBUTING.md "$ROOT"/docs/*.md "$ROOT"/docs/*/*.md)
}

# Commands that are not run: a pattern and the reason. Their names are still checked.
not_run() {
	cat <<-'END'
		make*	builds, installs, or measures for minutes
		sudo *	root
		podman *	a container engine
		umoci *	an image
		scripts/kernels *	a machine to be rebooted
		scripts/fleet *	many machines
		build/oscost-static *	only there after make static
		cp build/oscost-static *	a place of the reader's
		mkdir results/there *	a place of the reader's
		build/bin/net_server *	an address of another host
		build/bin/tcp_rtt --peer *	another host
		build/bin/cpu_load -- make *	a build
		oscost bill --profile *	two runs of the reader
		oscost bill --under *	measures two places for half a minute
		oscost bill --page *	measures the costs for half a minute
	END
}

# commands: those of all blocks without a language, a line each.
commands() {
	awk '/^```/ { code = !code; mine = code && $0 == "```"; next }
		mine {
			sub(/ +# .*/, "")
			printf "%s%s", rest, $0
			rest = ""
			# One that goes on in the next line has an open quote.
			if (split(all = all $0, quotes, "\047") % 2 == 0)
				rest = " "
			else {
				print ""
				all = ""
			}
		}' "${pages[@]}"
}

# tree: a directory with all that commands name.
tree() {
	mkdir -p build results path
	cp -r "$ROOT/scripts" .
	ln -s "$ROOT"/{bench,monitor,plots,report} .
	ln -s "$BIN" build/bin
	ln -s scripts/oscost oscost
	ln -s ../scripts/oscost path/oscost
	PATH=$PWD/path:$PATH
}

# shortened COMMAND: with few samples, and an end.
shortened() {
	local quick='--effort 1 --invocations 1' end

	case $1 in
	*build/bin/cpu_load*) sed 's/cpu_load/& --duration 1s/; s/60s/1s/' <<<"$1" ;;
	'oscost bill '*) echo "oscost bill --counts ${1#oscost bill }" ;;
	'oscost lmbench '*) echo "oscost lmbench --effort 1 ${1#oscost lmbench }" ;;
	*build/bin/* | './oscost "'*)
		end=$(grep -oE ' [|>].*' <<<"$1") || end=
		echo "${1%"$end"} $quick$end"
		;;
	*) echo "$1" ;;
	esac
}

# has_options HELP OPTION...: whether HELP describes each; others than options are ignored.
has_options() {
	local word

	for word in "${@:2}"; do
		[[ $word != -- ]] || return 0
		[[ $word != --?* || $word == --help ]] || grep -qF -- "${word%%=*}" <<<"$1" || return
	done
}

# split COMMAND: into words, of which nothing is expanded.
split() { mapfile -t words < <(xargs -n 1 printf '%s\n' <<<"$1"); }

# known WORD...: whether our command and its options exist.
known() {
	local word

	case $1 in
	sudo) known "${@:2}" ;;
	chrt) known "${@:4}" ;;
	make)
		for word in "${@:2}"; do
			case $word in
			-*) ;;
			'&&') return 0 ;;
			*=*) grep -qw -- "${word%%=*}" "$ROOT"/Makefile "$ROOT"/mk/*.mk || return ;;
			*) grep -qE "^[a-z -]*\b$word\b[a-z -]*:" "$ROOT"/Makefile "$ROOT"/mk/*.mk || return ;;
			esac
		done
		;;
	oscost | ./oscost)
		[[ ${2-} ]] || return 0
		# A name of the card is no word; it is run.
		[[ $2 == *[A-Z]* ]] || grep -qx -- "$2" <<<"$(./oscost --words)"$'\nhelp' || return
		[[ ! " ${*:3}" == *' --'* ]] || has_options "$(./oscost "$2" --help)
			$([[ $2 != compare ]] || "$BIN/report" --help)" "${@:3}"
		;;
	report) [[ ${2:---help} == --* ]] || grep -q "^  report ${2-} " <<<"$("$BIN/report" --help)" || return
		has_options "$("$BIN/report" --help)" "${@:2}" ;;
	scripts/lib/*) [[ -e $1 || $1 == *NAME* ]] ;;
	scripts/*) [[ -e $1 ]] && has_options "$(cat "$1" scripts/lib/ledger* 2>/dev/null)" "${@:2}" ;;
	build/bin/*) [[ -x $1 ]] && { (($# == 1)) || has_options "$("$1" --help)" "${@:2}"; } ;;
	*) return 0 ;;
	esac
}

@test "each command of a block runs, or is named as one that cannot run here" {
	local command pattern ran=0 bad=0

	tree
	calmly
	commands >list
	not_run >patterns
	[[ $(wc -l <list) -gt 40 ]]
	cut -f 1 patterns >unused
	while read -r command <&7; do
		split "$command"
		known "${words[@]}" || {
			echo "no such command, option or target: $command"
			bad=1
		}
		while IFS= read -r pattern; do
			# shellcheck disable=SC2053 # it is a pattern
			[[ $command != $pattern ]] || {
				grep -vxF -- "$pattern" unused >left || true
				mv left unused
				continue 2
			}
		done < <(cut -f 1 patterns)
		((++ran))
		try '0|77' bash -c "$(shortened "$command")" || [[ $stderr == *below_resolution* ]] || bad=1
	done 7<list
	cat unused
	[[ ! -s unused && $ran -ge 15 && $bad -eq 0 ]]
}

@test "commands in a sentence exist, with their options" {
	local command bad=0

	tree
	sed '/^```/,/^```$/d' "${pages[@]}" | grep -oE '`[^`]+`' | tr -d '`' | sort -u |
		grep -E '^(sudo|\./oscost|oscost|make|report|scripts/[a-z_-]+|build/bin/[a-z_]+)( |$)' >list
	[[ $(wc -l <list) -gt 80 ]]
	while read -r command <&7; do
		split "$command"
		known "${words[@]}" || {
			echo "no such command, option or target: $command"
			bad=1
		}
	done 7<list
	[[ $bad -eq 0 ]]
}

@test "a command that does not exist is found" {
	tree
	run ! known make no-such-target
	run ! known make run-all PROFLE=quick
	run ! known oscost nosuchword
	run ! known oscost ab --no-such-option
	run ! known build/bin/nobody
	run ! known build/bin/syscall --no-such-option
	run ! known scripts/none
	run ! known report none DIR
	known sudo chrt -r 9 build/bin/nop --csv
}

@test "links lead somewhere" {
	local page link file anchor bad=0

	for page in "${pages[@]}"; do
		while read -r link; do
			file=${link%%#*} anchor=${link#*#}
			file=${file:+${page%/*}/$file}
			file=${file:-$page}
			[[ -e $file ]] && { [[ $link != *#* ]] || grep -qx -- "$anchor" <<<"$(anchors "$file")"; } && continue
			echo "${page#"$ROOT/"}: $link"
			bad=1
		done < <(grep -oE '\]\([^)]+\)' "$page" | sed 's/^](//; s/)$//; /^http/d')
	done
	[[ $bad -eq 0 ]]
}

anchors() {
	grep -oE '<a id="[^"]+"' "$1" | cut -d '"' -f 2
	sed -n 's/^##* //p' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; y/ /-/'
}

@test "README shows lines that the sample's report has" {
	"$BIN/report" card "$ROOT/results/sample" >printed
	sed -n '/^<!-- sample: begin/,/^<!-- sample: end/p' "$ROOT/README.md" | sed '1,2d' | sed '/^```/,$d' >shown
	[[ $(wc -l <shown) -gt 4 ]]
	run ! grep -vxFf printed shown
}

@test "code of the pages is in the house style" {
	command -v clang-format >/dev/null || skip "no clang-format"
	cp "$ROOT/.clang-format" .
	for page in CONTRIBUTING.md docs/layers.md; do
		block "$page" c >code.c
		run -0 clang-format --dry-run -Werror code.c
		[[ -s code.c ]]
	done
}

@test "README has at most 700 words, all pages 25 000" {
	[[ $(wc -w <"$ROOT/README.md") -le 700 ]]
	[[ $(cat "$ROOT/README.md" "$ROOT"/docs/*.md "$ROOT"/docs/*/*.md | wc -w) -le 25000 ]]
}

# Words that a page does not have, and the ones that it has instead.
excluded() {
	cat <<-'END'
		tell(s|ing)?|told|hear(s|d)?|believe(s|d)?|reproach(es)?	a program prints, reports, reads
		say(s|ing)?|said	prints, states, reports
		somebody|nobody|such a one	other processes, the host, an orphan
		dear(er|est)?	expensive, slower
		mend(s|ed|ing)?	fix
		price(s|d)?	cost, measure
		set aside	excluded
		others took	other work used
		below resolution|told from nothing	too small to measure
		not resolved|below the floor	no clear difference, too small to matter
		for (it|they) (is|are|has|have)	because
		invocations?	process run
		visits?	measurement
		what is no(t)?	name it
	END
}

# prose PAGE...: "PAGE: sentence", without code, links and tags.
prose() {
	perl -0777 -ne 's/^```.*?^```$//gms; s/`[^`]*`|\S+\/\S+\.\w+/CODE/g; s/\]\([^)]*\)/]/g; s/<[^>]*>//g;
		my ($name) = $ARGV =~ m{([^/]+)$};
		for (split /\n\n+|\n(?=[|#]|- |\d+\. )|\|/) { s/\s+/ /g;
			print "$name: $_\n" for grep { /\w/ } map { s/^[\s#*_|>-]+//r } split /(?<=[.!?;]["*)]?) +/ }' "$@"
}

# A sentence without its noun; a question may.
readonly headless=': (\*\*)?(What|Who|Whose|Of|So many|Such) [^?]*$'

# speaks FILE: its sentences have none of these words, and each begins with its noun.
speaks() {
	! grep -wiE -- "$(excluded | cut -f 1 | paste -sd '|')" "$1" || return
	! grep -E "$headless" "$1"
}

# comments FILE...: "FILE: sentence" of the comments of C files, scripts and makefiles.
comments() {
	perl -0777 -ne 'next unless $ARGV =~ /\.(?:[ch]|bats|bash|sh|awk|pl|jq|gp|mk)$|Makefile$/ || /^#!/;
		my $is_c = $ARGV =~ /\.[ch]$/;
		for ($is_c ? m{/\*.*?\*/}gs : /(?:^[ \t]*#.*\n)+|(?<=\s)# .*/gm) {
			s{\*/$}{};
			for (split /\n[ \t]*[*#]?[ \t]*(?=\n)/) {
				s{^[\s/*#-]+}{}gm;
				s/\s+/ /g;
				print "$ARGV: $_\n" for grep { /\w/ } split /(?<=[.!?:;]) +/;
			}
		}' "$@"
}

# help_of NAME: its opening comment, which is the man page and the report's text, too.
help_of() { "$BIN/$1" --help | sed "/^Options of every program:/,\$d; s/^/$1: /"; }

@test "pages, --help and comments speak the words of WORDS.md" {
	local -a files

	{
		prose "${pages[@]}"
		each_bench help_of
	} >sentences
	[[ $(wc -l <sentences) -gt 1000 && $(grep -c '^syscall: ' sentences) -gt 5 ]]
	speaks sentences
	mapfile -d '' files < <(find "$ROOT" \( -name .git -o -name build -o -name 'build-*' -o -name results \) -prune \
		-o -type f -size -300k -print0)
	comments "${files[@]}" >sentences
	[[ $(wc -l <sentences) -gt 10000 ]]
	prose "$ROOT"/report/words/*.md >>sentences
	! grep -E "$headless" sentences || return
}

@test "an excluded word and a sentence without its noun are found, in pages, C and scripts" {
	printf '/* What it is. */\nint a; /* A name. So many of them */\n\t/*\n\t * An end\n\t *\n\t * Of two the one.\n\t */\n' >a.c
	printf '#!/bin/sh\n# A name: that\n# of a thing. Who\n# knows.\n:  %s Such is it\n# What is it?\n' '#' >a
	printf 'What is no comment\n' >a.txt
	comments a.c a a.txt >sentences
	[[ $(grep -cE "$headless" sentences) -eq 5 ]]
	run ! speaks sentences
	# shellcheck disable=SC2016 # backquotes of a page
	printf 'It works. It is\nmeasured, as `say` and\n```\ntold\n```\n- Who cares? Nobody.\n' >page.md
	prose page.md >sentences
	[[ $(speaks sentences) == 'page.md: Nobody.' ]]
}
