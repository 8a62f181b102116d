#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The page of a run: its parts, its size, and what it does in a browser.  axe-core
# (npm install --prefix build axe-core) looks for what not everyone can use.

load ../helpers

setup() {
	report_setup small
	cp -r "$ROOT/results/sample" .
}

make_report() { "$report" make --root "$ROOT" "$@" >/dev/null 2>&1; }

# line_of DIR WHAT: where it stands in the page.
line_of() { grep -n -m 1 -- "$2" "$1/report.html" | cut -d: -f1; }

needs_browser() { command -v chromium >/dev/null || skip "no chromium"; }

# browse DIR OPTION...: what a script (standard input) puts into `out` when it has
# run in the page of DIR.
browse() {
	local dir=$1

	shift
	{
		sed '/^<\/body>$/,$d' "$dir/report.html"
		printf '<pre id=out></pre><script>\n'
		cat
		printf '</script></body></html>\n'
	} >"$dir/probe.html"
	timeout -k 5 100 chromium --headless --no-sandbox --disable-gpu --no-first-run \
		--disable-background-networking --disable-component-update --disable-sync \
		--disable-quic --allow-file-access-from-files --user-data-dir="$PWD/profile" \
		--virtual-time-budget=60000 --dump-dom "$@" "file://$PWD/$dir/probe.html" \
		2>/dev/null </dev/null | perl -0777 -ne 'print "$1\n" if m{<pre id="out">(.*?)</pre>}s'
}

@test "card, findings, families, course: in this order, the rest folded" {
	local last=0 at part

	make_report sample
	for part in 'id="card"' '<figure>' 'id="warnings"' 'id="family-cpu"' 'id="family-task"' \
		'id="coursework"' 'id="run"'; do
		[[ $part != '<figure>' ]] || command -v gnuplot >/dev/null || continue
		at=$(line_of sample "$part")
		((at > last))
		last=$at
	done
	# At most three findings before the first fold.
	(($(sed -n '/id="warnings"/,/<\/ul>/p' sample/report.html | grep -c '<li>') <= 3))
	# All rows are there, each table of them in a fold.
	for part in $(jq -r .case sample/invocations.jsonl | sort -u); do
		grep -qF "<tr><td>${part//,/,<wbr>}" sample/report.html
	done
	[[ $(sed '/<details/,/<\/details>/d' sample/report.html | grep -c 'class="rows') -eq 0 ]]
	[[ $(grep -c 'class="rows' sample/report.html) -gt 3 ]]
}

@test "a page without script hides nothing but folds" {
	local hidden

	make_report sample
	sed -n '/<style>/,/<\/style>/p' sample/report.html >style
	grep -v '^@media print' style | grep 'display:none' >hidden
	# On a phone program and case stand in the fold below only.
	hidden=$(grep -vcE '^(\.js|\.hits:empty|\.core :is\(th,td\))' hidden) || true
	[[ $hidden -eq 0 ]]
	[[ -s hidden ]]
}

# many ROWS: the sample with so many rows; the directory many.
many() {
	cp -r sample many
	jq -cn --argjson rows "$1" '[inputs] as $all | ($all | unique_by(.benchmark, .case) | length) as $n |
		range($rows / $n | ceil) as $i | $all[] |
		if $i > 0 then .case += ",copy=\($i)" | .tier = "detail" else . end' \
		sample/invocations.jsonl >many/invocations.jsonl
}

@test "script below 10 KB, and a page of 2200 rows below 1 MB without its pictures" {
	make_report sample
	[[ $(sed -n '/^<script>$/,/^<\/script>$/p' sample/report.html | wc -c) -lt 10240 ]]
	many 2200
	make_report many
	[[ $(grep -c '^<tr><td>' many/report.html) -ge 2200 ]]
	[[ $(sed 's/src="data:[^"]*"//g' many/report.html | wc -c) -lt 1000000 ]]
}

@test "in a browser: search, sort, unfold" {
	needs_browser
	make_report sample
	browse sample >found <<-'END'
		const say = (...a) => { out.textContent += a.join(' ') + '\n'; };
		const box = document.querySelector('[role=search] input');
		const show = words => {
			box.value = words;
			box.oninput();
			return document.querySelectorAll('.hits tbody tr').length;
		};
		say('found', show('getppid') > 0, show('getppid nothing-of-that') === 0, show('') === 0);
		show('getppid');
		document.querySelector('.hits a').click();
		say('unfolded', document.querySelector('.found').closest('details').open);
		const rows = document.querySelector('table.rows');
		const first = rows.tBodies[0].rows[0];
		say('narrow', getComputedStyle(first.cells[first.cells.length - 1]).display === 'none');
		first.click();
		say('more', /self-check|min/.test(first.nextElementSibling.textContent));
		first.click();
		say('less', !rows.querySelector('.more'));
		const core = document.querySelector('table.core tbody tr');
		core.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));
		say('hover', /\bn: [0-9]/.test(core.title));
		const card = document.querySelector('#card ~ .scroll table');
		const size = { ns: 1, 'µs': 1e3, ms: 1e6 };
		const times = () => [...card.tBodies[0].rows].map(r => r.cells[1].textContent.split(' '))
			.filter(p => size[p[1]]).map(p => p[0] * size[p[1]]);
		const by = card.tHead.rows[0].cells[1].querySelector('button');
		const sorted = up => times().every((x, i, v) => !i || (up ? v[i - 1] <= x : v[i - 1] >= x));
		by.click();
		say('up', times().length > 3 && sorted(true));
		by.click();
		say('down', sorted(false) && card.querySelector('[aria-sort=descending]') !== null);
	END
	cat found
	[[ $(grep -c true found) -eq 8 ]]
	run ! grep false found
}

@test "in a browser only tables scroll sideways, on a phone too" {
	needs_browser
	make_report small
	browse small >fits <<-'END'
		for (const width of [320, 390, 1280]) {
			const frame = document.createElement('iframe');
			frame.src = 'report.html';
			frame.style = `width:${width}px;height:800px`;
			frame.onload = () => {
				const page = frame.contentDocument.documentElement;
				out.textContent += `${width} ${page.scrollWidth <= page.clientWidth}\n`;
			};
			document.body.append(frame);
		}
	END
	[[ $(sort -n fits | tr -s '\n' ' ') == *'320 true 390 true 1280 true ' ]]
}

@test "axe-core finds nothing that some people cannot use, light and dark" {
	local axe scheme

	needs_browser
	axe=${AXE:-$ROOT/build/node_modules/axe-core/axe.min.js}
	[[ -s $axe ]] || skip "no axe-core: npm install --prefix build axe-core"
	make_report small
	make_report sample
	for scheme in 0 1; do
		for dir in small sample; do
			{
				cat "$axe"
				cat <<-'END'

					document.querySelectorAll('details').forEach(e => { e.open = true; });
					document.querySelector('table.rows tbody tr').click();
					axe.run().then(r => {
						out.textContent = r.violations.map(v => v.id + ': ' + v.nodes.length + ' ' +
							v.nodes[0].html.slice(0, 200)).concat('passes ' + (r.passes.length > 10)).join('\n');
					});
				END
			} | browse "$dir" --blink-settings=preferredColorScheme=$scheme >said
			cut -c1-300 said
			[[ $(<said) == 'passes true' ]]
		done
	done
}

@test "printed, 2200 rows are 30 pages at most" {
	needs_browser
	many 2200
	make_report many
	run -0 "$ROOT/scripts/pdf" many
	[[ $(grep -ac '/Type /Page$' many/report.pdf) -ge 3 ]]
	[[ $(grep -ac '/Type /Page$' many/report.pdf) -le 30 ]]
}

# Kept as JSON, these rows would need 75 MB.
@test "24 000 rows of 2 400 cases are read with 48 MB" {
	[[ -z ${SAN-} ]] || skip 'a sanitizer needs terabytes of addresses'
	jq -c '. as $r | range(400) as $k |
		$r + {case: "\($r.case),k=\($k)"}' small/invocations.jsonl >many
	mv many small/invocations.jsonl
	(($(wc -l <small/invocations.jsonl) == 24000))
	ulimit -v $((48 << 10))
	try 0 "$report" due --all small
}
