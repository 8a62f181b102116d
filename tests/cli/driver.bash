# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# For the tests of the driver: programs that need no harness.

load ../helpers

# stub NAME BODY: a program that knows --describe and --list and then does
# BODY; $round, $seed and $name are there for it.
stub() {
	cat >"$bin/$1" <<EOT
#!$BASH
name=$1
for word in "\$@"; do
	[[ \$word != --describe ]] || { echo '{"name": "$1"}'; exit; }
	[[ \$word != --list ]] || exit 0
done
args="\$*"
while ((\$#)); do
	case \$1 in --round) round=\$2 ;; --seed) seed=\$2 ;; esac
	shift
done
$2
EOT
	chmod +x "$bin/$1"
}

# A row with what the tests look at.
# shellcheck disable=SC2016 # expands in the stub
row='echo "{\"benchmark\": \"$name\", \"round\": $round, \"seed\": $seed}"'

# stub_report: one that counts the rows, and calls them failed if a file says so.
stub_report() {
	{ echo "#!$BASH" && cat; } >"$bin/report" <<'EOT'
case $1 in
--version) echo "report 0.1" ;;
make) echo "rows: $(grep -c . "${!#}/invocations.jsonl")" ;;
failed) [[ ! -e $0-failed ]] || { printf 'b\tx=1\tmade up\n' && exit 1; } ;;
esac
EOT
	{ echo "#!$BASH" && cat; } >"$bin/machine" <<'EOT'
[[ $1 == noise || $1 == clean-up ]] ||
	echo '{"schema": 1, "cpu": {"hz": 1}, "tsc": {"invariant": true, "hz": 2000000000.5, "rate": {"checks": [{"clock": "rtc0", "hz": 1999000000.0}]}}}'
EOT
	chmod +x "$bin/report" "$bin/machine"
}

# plan LINE...: the suite, columns separated by blanks; "-" is empty.
plan() {
	printf '%s\n' "$@" | sed -E 's/ +/\t/g; s/\t-\t/\t\t/' >"$suite"
}

# drive OPTION...: run-all with the stubs.
drive() {
	"$ROOT/scripts/run-all" --bin "$bin" --suite "$suite" "$@"
}

driver_setup() {
	cd "$BATS_TEST_TMPDIR" || return
	bin=$BATS_TEST_TMPDIR/bin
	suite=$BATS_TEST_TMPDIR/suite.tsv
	mkdir "$bin"
	stub_report
	stub good "$row"
	stub other "$row"
	stub skips 'echo "skips: needs two CPUs" >&2; exit 77'
	stub breaks 'echo "breaks: cannot open \"x\\y\": no" >&2; exit 1'
	nap=300.$$ # so that no other test's sleep is taken for ours
	stub hangs "$row; sleep $nap & sleep $nap"
	plan 'good good - 20' 'other other --size=1 20'
}

# interrupted SIGNAL ROUND OPTION...: start a run, stop it in that round, and set
# status; once there is go-on, nothing waits there any more.
interrupted() {
	local pid

	# shellcheck disable=SC2016 # expands in the stub
	stub good 'if ((round == '"$2"')) && [[ ! -e go-on ]]; then
		touch waiting; sleep '"$nap"'; fi; '"$row"
	# Children of a test are started with SIGINT ignored.
	env --default-signal=INT "$ROOT/scripts/run-all" --bin "$bin" \
		--suite "$suite" --out out --seed 3 "${@:3}" >said 2>&1 &
	pid=$!
	until_true test -e waiting
	kill -"$1" "$pid"
	status=0
	wait "$pid" || status=$?
}
