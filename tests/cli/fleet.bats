#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# scripts/fleet on this machine, and on nodes that answer as they like: clush and
# nodeset are scripts here. A cluster with a real Slurm and a real ssh is
# tests/lab/fleet.

setup() {
	load ../helpers
	cd "$BATS_TEST_TMPDIR" || exit
	mkdir far stubs build
	export PATH=$BATS_TEST_TMPDIR/stubs:$PATH
	fleet=("$ROOT/scripts/fleet")
	short=(--bin "$PWD/build/bin" --only signal --rounds 1 --effort 1 --dir "$PWD/far")
	# The nodes are this machine: what stands for the static file calls its programs.
	ln -s "$BIN" build/bin
	cat >build/oscost-static <<END
#!/bin/sh
name=\$1
shift
[ "\$name" = --list ] && exec ls "$BIN"
exec "$BIN/\$name" "\$@"
END
	chmod +x build/oscost-static
}

# stub NAME: it is a script.
stub() {
	cat - >"stubs/$1"
	chmod +x "stubs/$1"
}

# asked NODE...: clush and nodeset know these.
asked() {
	stub nodeset <<<"#!/bin/sh
printf '%s\\n' $*"
}

# states DIR: "node=state" of all.
states() {
	awk -F '\t' '!/^#/ { printf "%s%s=%s", sep, $1, $2; sep = " " }' "$1/fleet.tsv"
}

@test "each node becomes a directory that the report reads, and nothing is left there" {
	local node

	try 0 "${fleet[@]}" run --local 2 "${short[@]}" --out out
	[[ $(states out) == 'local1=ok local2=ok' ]]
	for node in local1 local2; do
		jq -es 'length == 2 and all(.[]; .benchmark == "signal" and .tier == "core" and .status != "failed")' \
			"out/nodes/$node/invocations.jsonl"
		try 0 "$BIN/report" make --no-plots "out/nodes/$node"
	done
	[[ -z $(ls -A far) && -z $(find out -name '.work*') ]]
}

session_empty() {
	! pgrep -s "$1"
}

@test "Ctrl-C leaves nothing, and what is missing is measured later" {
	local pid ended=0 before

	asked a1 a2
	# The second node waits for a word.
	stub clush <<END
#!/bin/sh
while [ "\$1" != -w ]; do shift; done
[ "\$2" = a1 ] || [ -e "$PWD/go" ] || exec sleep 300
eval "exec \$3"
END
	setsid env --default-signal=INT "${fleet[@]}" run --hosts 'a[1-2]' "${short[@]}" --out out 2>said 3>&- &
	pid=$!
	until_true grep -qs 'a1.ok' out/fleet.tsv
	kill -INT -- "-$pid"
	wait "$pid" || ended=$?
	((ended == 130))
	grep -q 'go on with: .*fleet run --resume' said
	[[ $(states out) == a1=ok && -z $(ls -A far) && -z $(find out -name '.work*') ]]
	until_true session_empty "$pid"
	touch go
	before=$(stat -c %i out/nodes/a1)
	mkdir -p out/.work-killed/sub
	exec 7<out
	flock -n 7
	try 2 "${fleet[@]}" run --resume out --bin build/bin
	[[ $stderr == *"another fleet run is at work in"* && -e out/.work-killed ]]
	exec 7<&-
	try 0 "${fleet[@]}" run --resume out --bin build/bin
	[[ -z $(find out -name '.work*') ]]
	[[ $(states out) == 'a1=ok a2=ok' && $(stat -c %i out/nodes/a1) == "$before" ]]
}

@test "what became of a node is told apart" {
	asked down lost slow mute full
	stub clush <<'END'
#!/bin/sh
while [ "$1" != -w ]; do shift; done
case $2 in
down) echo 'ssh: connect to host down port 22: No route to host' >&2; exit 255 ;;
lost) echo @begin; echo 'Connection closed by remote host' >&2; exit 255 ;;
slow) printf '@begin\n@results\n@end 124\n' ;;
mute) printf '@begin\n@results\n@end 0\n' ;;
full) printf '@begin\n@end 126\n'; echo 'mktemp: No space left on device' >&2 ;;
esac
END
	try 1 "${fleet[@]}" run --hosts x "${short[@]}" --out out
	[[ $(states out) == 'down=down lost=lost slow=failed mute=failed full=failed' ]]
	grep -q 'No route to host' out/fleet.tsv
	grep -q 'slow: not over after' out/fleet.tsv
	grep -q 'No space left' out/fleet.tsv
}

@test "an archive that a node made up writes nowhere else" {
	asked evil
	mkdir in
	(cd in && ln -s ../../../.. up && ln -s /etc/passwd machine.json && echo '{}' >invocations.jsonl &&
		tar -cPzf ../a.tgz up machine.json invocations.jsonl --transform 's,^up$,log.txt,' \
			-C / etc/hostname --transform 's,^etc/hostname$,../../escaped,')
	stub clush <<'END'
#!/bin/sh
printf '@begin\n@results\n'; base64 a.tgz; echo '@end 0'
END
	run "${fleet[@]}" run --hosts x "${short[@]}" --out out
	[[ -s out/nodes/evil/invocations.jsonl ]]
	[[ -z $(find . -name 'escaped') && -z $(find out -type l) && ! -e out/nodes/evil/machine.json ]]
}

@test "names, sets and paths with odd characters run nothing" {
	local bad option

	asked '"-oProxyCommand=touch\$IFS"touched' x
	stub clush <<<'#!/bin/sh
touch touched'
	answers 2 "is no name of a node" "${fleet[@]}" run --hosts x "${short[@]}" --out out
	for bad in '$(touch touched)' 'a;touch touched' '`touch touched`' 'a b' $'a\nb' "'" '"' -oProxyCommand=x .. ../x 'a/b'; do
		for option in --hosts --local --dir; do
			try 2 "${fleet[@]}" run --local 1 "$option" "$bad" --out out
		done
		mkdir -p plan
		printf '@engine\thosts\n@profile\tquick\n@dir\t/tmp\nnode\t%s\n' "$bad" >plan/plan.tsv
		try 2 "${fleet[@]}" run --resume plan
	done
	[[ ! -e touched && ! -e out ]]
}
