'use strict';
(() => {
const doc = document;
const all = (what, within) => [...(within || doc).querySelectorAll(what)];
const make = (tag, text, name) => {
	const e = doc.createElement(tag);

	e.textContent = text || '';
	e.className = name || '';
	return e;
};
const texts = row => [...row.cells].map(c => c.textContent);
const heads = table => texts(table.tHead.rows[0]);
const key = (program, name) => program + '\t' + name;

/* Rows by program and case: those of the core tables point to them. */
const rows = [];
const byName = new Map();

for (const table of all('table.rows')) {
	const names = heads(table);

	for (const row of table.tBodies[0].rows) {
		const cells = texts(row);
		const one = { row, table, names, cells, program: table.dataset.of };

		one.words = (one.program + ' ' + cells.join(' ')).toLowerCase();
		rows.push(one);
		byName.set(key(one.program, cells[0]), one);
		byName.set(row, one);
	}
}
/* The row that a line of a core table is about: by its program and case. */
const meant = row => byName.get(row) ||
	byName.get(key(...texts(row).slice(heads(row.closest('table')).indexOf('program'))));
for (const row of all('table.core tbody tr'))
	if (meant(row))
		meant(row).words += ' ' + row.cells[0].textContent.toLowerCase();
const cell = (one, name) => one.cells[one.names.indexOf(name)] || '';

/* What a narrow table leaves out: [name, value] of each filled cell. */
function rest(one) {
	const shown = +one.table.dataset.shown;
	const list = one.names.map((n, i) => [n, one.cells[i]])
		.filter((p, i) => i >= shown && p[1]);
	const how = one.table.caption;

	return how ? list.concat([['measured', how.textContent]]) : list;
}

function unfold(row) {
	const next = row.nextElementSibling;
	const one = meant(row);

	if (next && next.className === 'more') {
		next.remove();
		return;
	}
	if (!one)
		return;
	const line = make('tr', '', 'more');
	const place = make('td');
	const list = make('dl');

	for (const [name, value] of rest(one)) {
		const pair = make('div');

		pair.append(make('dt', name), make('dd', value));
		list.append(pair);
	}
	place.colSpan = row.cells.length;
	place.append(list);
	line.append(place);
	row.after(line);
}

/* Unfold what hides E, and go there. */
function reveal(e) {
	for (let at = e; at; at = at.parentElement)
		if (at.tagName === 'DETAILS')
			at.open = true;
	e.scrollIntoView({ block: 'center' });
}

const units = { ns: 1, 'µs': 1e3, ms: 1e6, s: 1e9, kB: 1e3, MB: 1e6, GB: 1e9,
	KiB: 1024, MiB: 1048576, GiB: 1073741824 };

/* A number with its unit for comparison; NaN is text. */
function size(text) {
	const m = /^(?:est\. |< )?([+-]?[\d.]+(?:e[+-]?\d+)?) ?([^ /]*)/.exec(text);

	return m ? m[1] * (units[m[2]] || 1) : NaN;
}

function sort(table, column) {
	const th = table.tHead.rows[0].cells[column];
	const up = th.getAttribute('aria-sort') !== 'ascending';
	const keyed = [];

	all('tr.more', table).forEach(e => e.remove());
	for (const row of table.tBodies[0].rows) {
		const text = row.cells[column].textContent;

		keyed.push([size(text), text, row]);
	}
	/* What is no number stands last. */
	keyed.sort((a, b) => isNaN(a[0]) - isNaN(b[0]) ||
		(up ? 1 : -1) * (isNaN(a[0]) ? a[1].localeCompare(b[1]) : a[0] - b[0]));
	all('th', table).forEach(e => e.removeAttribute('aria-sort'));
	th.setAttribute('aria-sort', up ? 'ascending' : 'descending');
	table.tBodies[0].append(...keyed.map(k => k[2]));
}

/* Where a page may not use the clipboard, the selection may. */
function copy(text) {
	const area = make('textarea');

	area.value = text;
	doc.body.append(area);
	area.select();
	doc.execCommand('copy');
	area.remove();
}

function equip(table) {
	const button = make('button', 'copy', 'copy');

	button.title = 'copy this table, with all columns, for a spreadsheet';
	button.onclick = () => {
		const lines = all('tr:not(.more)', table).map(r => texts(r).join('\t'));

		copy(lines.join('\n') + '\n');
		button.textContent = 'copied';
	};
	table.after(button);
	all('thead th', table).forEach((th, i) => {
		const by = make('button', th.textContent);

		by.title = 'sort by this column';
		by.onclick = () => sort(table, i);
		th.replaceChildren(by);
	});
	if (!table.matches('.rows,.core'))
		return;
	const body = table.tBodies[0];
	const at = e => e.target.closest('tbody > tr:not(.more)');

	body.onmouseover = e => {
		const row = at(e);
		const one = row && !row.title && meant(row);

		if (one)
			row.title = rest(one).map(p => p.join(': ')).join('\n');
	};
	body.onclick = e => {
		if (at(e) && !e.target.closest('a') && !String(getSelection()))
			unfold(at(e));
	};
	body.onkeydown = e => {
		if (at(e) && e.key === 'Enter')
			unfold(at(e));
	};
	for (const row of body.rows)
		row.tabIndex = 0;
}

/* On a small screen the card has bars instead of its picture, by the logarithms
 * of its times and of its rates. */
function bars(table) {
	const list = [...table.tBodies[0].rows].map(r => r.cells[1])
		.map(c => [c, Math.log(size(c.textContent)), /\/s$/.test(c.textContent)])
		.filter(p => isFinite(p[1]));

	for (const [c, x, rate] of list) {
		const of = list.filter(p => p[2] === rate).map(p => p[1]);
		const least = Math.min(...of);
		const share = (x - least) / (Math.max(...of) - least || 1);

		c.style.setProperty('--bar', 4 + 96 * share + '%');
	}
}

/* Search over all rows. */
const most = 50;
const input = make('input');
const status = make('span');
const hits = make('div');

function result(one) {
	const row = make('tr');
	const link = make('a', one.cells[0]);
	const place = make('td');

	link.href = '#';
	link.onclick = () => {
		all('.found').forEach(e => e.classList.remove('found'));
		one.row.classList.add('found');
		reveal(one.row);
		return false;
	};
	place.append(link);
	row.append(make('td', one.program), place,
		make('td', cell(one, 'value'), 'n'),
		make('td', cell(one, '95 % interval'), 'n'), make('td', cell(one, 'grade')));
	return row;
}

function search() {
	const words = input.value.toLowerCase().split(/\s+/).filter(w => w);
	const found = words.length ? rows.filter(r => words.every(w => r.words.includes(w))) : [];

	hits.replaceChildren();
	status.textContent = !words.length ? '' : found.length + ' of ' + rows.length + ' rows' +
		(found.length > most ? ', the first ' + most + ' of them' : '');
	if (!found.length)
		return;
	const table = make('table');
	const head = make('tr');

	head.append(...['program', 'case', 'value', '95 % interval', 'grade'].map((n, i) =>
		make('th', n, i === 2 || i === 3 ? 'n' : '')));
	table.createTHead().append(head);
	table.createTBody().append(...found.slice(0, most).map(result));
	hits.append(table);
}

function begin() {
	const find = make('div', '', 'find');
	const label = make('label', 'Search: ');
	const whole = make('button', 'unfold all');

	input.type = 'search';
	input.placeholder = 'pipe latency';
	input.oninput = search;
	status.setAttribute('role', 'status');
	whole.onclick = () => {
		const open = whole.textContent === 'unfold all';

		all('details').forEach(e => { e.open = open; });
		whole.textContent = open ? 'fold all' : 'unfold all';
	};
	hits.className = 'scroll hits';
	hits.tabIndex = 0;
	label.append(input);
	find.setAttribute('role', 'search');
	find.append(label, whole, status);
	doc.querySelector('h1').after(find, hits);
}

function follow() {
	const e = doc.getElementById(decodeURIComponent(location.hash.slice(1)));

	if (e)
		reveal(e);
}

doc.documentElement.classList.add('js');
all('table').forEach(equip);
all('table.card').forEach(bars);
begin();
addEventListener('hashchange', follow);
follow();
})();
