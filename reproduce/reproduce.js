/* SPDX-License-Identifier: BSD-3-Clause
 * The script of the page of ek reproduce (page.c): for each work its tables and figures, the
 * verdicts on what it claims, and what it reports. The charts are drawn by chart.js. */
const join = (list, f) => (list ?? []).map(f).join('');
const badge = (text, more = '') => text ? tag('span', {class: 'badge' + more}, quoted(text)) : '';
const count = (list, verdict) => list.filter(c => c.verdict == verdict).length;
const figure = value => value == null ? '–' : quoted(typeof value != 'number'
	|| Number.isInteger(value) ? `${value}` : `${+value.toPrecision(4)}`);
const anchor = e => e.name.replace(/[^a-z0-9]/gi, '-');
const good = {holds: ' good', 'does not hold': ' bad'};

/* ---- Tables --------------------------------------------------------------------------------- */

const rows_of = (heads, lines) => tag('div', {class: 'scroll'}, tag('table', {},
	tag('tr', {}, join(heads, (h, k) => `<th${k ? '' : ' class=l'}>${quoted(`${h}`)}`))
	+ join(lines, line => tag('tr', {}, join(line, v => tag('td', {}, figure(v)))))));
/* Published values keep the digits that the work prints. */
const published = t => tag('details', {open: ''}, tag('summary', {}, quoted(t.caption))
	+ rows_of(t.columns, t.rows.map(row => row.map(v => v == null ? v : `${v}`))));
/* The values of a chart: a line for each x, of points for each matrix, a column for each series, the
 * means below. */
const values = c => {
	const line = p => c.kind == 'points' ? `${figure(p.x)} (${p.who})` : p.x;
	const xs = [...new Set(c.series.flatMap(s => s.points.map(line)))];
	const at = (s, x) => s.points.find(p => line(p) === x)?.y;
	const means = c.mean ? [[c.mean, ...c.series.map(s => s.mean)]] : [];
	return tag('details', {}, tag('summary', {}, 'The values here')
		+ rows_of([c.x, ...c.series.map(s => s.name)],
			[...xs.map(x => [x, ...c.series.map(s => at(s, x))]), ...means]));
};

/* ---- Charts --------------------------------------------------------------------------------- */

/* A single series has no key. */
const named_hues = series => hues(series)
	.map(s => ({...s, name: series.length == 1 ? '' : s.name}));
const axis = (log, letter, label) => ({label: quoted(label),
	...log?.includes(letter) ? {log: letter == 'x' ? 2 : 10} : {lo: 0}});
const styled = (s, k) => ({name: s.name, role: s.role, back: s.back, dash: dashes[k % dashes.length],
	shape: shapes[k % shapes.length]});
const cases_of = p => p.left_out ? `${p.cases} of ${p.cases + p.left_out}` : `${p.cases}`;
const text_of = (s, p) => `${s.name}${p.who ? ` (${p.who})` : ''}, ${p.x}: ${figure(p.y)}`
	+ (p.low == null ? '' : ` (${figure(p.low)} to ${figure(p.high)})`)
	+ (p.cases == null ? '' : `, mean of ${cases_of(p)} matrices`);
const interval = p => p.low == null ? null : [p.low, p.high];
/* Leaves out points that an axis cannot show; removes the chart if none is left. */
const shown = (c, good) => ({...c, series: c.series.map(s => ({...s, points: s.points
	.filter(p => good(p) && !(c.log?.includes('y') && !(p.y > 0)))}))
	.filter(s => s.points.length)});
const draw_lines = (place, c) => chart(place, {width: 760, height: 400,
	x: {...axis(c.log, 'x', c.x), lo: undefined}, y: axis(c.log, 'y', c.label ?? c.y),
	series: named_hues(c.series).map((s, k) => ({...styled(s, k),
		width: c.kind == 'points' ? 0 : 1.9,
		...c.kind == 'curves' ? {shape: ''} : {},
		points: s.points.sort((a, b) => a.x - b.x)
			.map(p => ({...p, along: interval(p), text: text_of(s, p)}))}))});
/* The words on the other axis of a chart of bars. */
const places = c => [...new Set(c.series.flatMap(s => s.points.map(p => p.x)))];
/* Bars with their values where there are few, else a line of points for each x. */
const draw_bars = (place, c) => {
	const xs = places(c), n = c.series.length;
	const bars = n <= 3 && !c.log?.includes('y'), high = bars ? 15 * n + 10 : 24;
	const most = Math.max(...c.series.flatMap(s => s.points.map(p => p.high ?? p.y)));
	const across = {...axis(c.log, 'y', c.label ?? c.y), ...bars ? {hi: 1.15 * most} : {}};
	const off = k => bars ? (k - (n - 1) / 2) * 0.8 / n : 0;
	chart(place, {width: 900, height: 80 + high * xs.length, x: across,
		y: rows(xs.map(x => `${x}`)),
		series: named_hues(c.series).map((s, k) => ({...styled(s, k),
			...bars ? {bar: 0.36 / n, from: 0} : {},
			points: s.points.map(p => ({x: p.y, y: xs.indexOf(p.x) + off(k),
				across: interval(p), text: bars ? figure(p.y) : text_of(s, p)}))}))});
};
/* The parts of a value end to end, with their sum. */
const draw_stack = (place, c) => {
	const xs = places(c), last = c.series.length - 1;
	const most = Math.max(...c.series.flatMap(s => s.points.map(p => p.from + p.y)));
	chart(place, {width: 900, height: 80 + 24 * xs.length, y: rows(xs.map(x => `${x}`)),
		x: {...axis('', 'y', c.label), hi: 1.15 * most},
		series: hues(c.series).map((s, k) => ({name: s.name, role: s.role, bar: 0.36,
			points: s.points.map(p => ({x: p.from + p.y, y: xs.indexOf(p.x), from: p.from,
				text: k == last ? figure(p.from + p.y) : ''}))}))});
};
/* Where nothing hovers, a tap shows the value of the nearest point. */
const tell_taps = place => {
	const marks = [...place.querySelectorAll('.series path')].filter(m => m.querySelector('title'));
	if (!marks.length)
		return;
	place.insertAdjacentHTML('afterend', '<p class=meta aria-live=polite></p>');
	const distance = (m, e) => {
		const {x, y, width, height} = m.getBoundingClientRect();
		return Math.hypot(x + width / 2 - e.clientX, y + height / 2 - e.clientY);
	};
	place.addEventListener('click', e => {
		if (e.target.closest('.key'))
			return;
		const [near] = marks.map(m => [distance(m, e), m]).sort((a, b) => a[0] - b[0]);
		place.nextElementSibling.textContent = near[0] < 30
			? near[1].querySelector('title').textContent : '';
	});
};
const drawn = [];
/* Says what a chart shows of intervals and of means. */
const said = c => {
	const all = c.series.flatMap(s => s.points), most = all[0]?.cases + all[0]?.left_out;
	const fewest = Math.min(...all.map(p => p.cases));
	const disturbed = c.kind == 'curves' ? 0 : all.filter(p => p.disturbed).length;
	const words = [c.reduce
		&& `Each value is the ${c.reduce} of ${most} matrices, those that all have`
			+ (fewest < most ? '; those where other processes disturbed it are left out, so '
				+ `that values are of ${fewest} to ${most}.` : '.'),
		c.spread && `Thin lines: ${c.spread}.`,
		c.left_out && `Other processes disturbed the measurement of ${c.left_out} `
			+ `${c.left_out == 1 ? 'problem, which is' : 'problems, which are'} left out.`,
		disturbed && `Other processes disturbed ${disturbed} of ${all.length} values`
			+ (c.mean ? ', which are in the means, too.' : '.')]
		.filter(w => w);
	return words.length ? tag('p', {class: 'meta'}, tag('small', {}, words.join(' '))) : '';
};
const chart_of = (c, title) => {
	drawn.push(c);
	return (c.title == title ? '' : tag('h4', {}, quoted(c.title)))
		+ tag('div', {class: 'chart', 'data-chart': drawn.length - 1}) + said(c) + values(c);
};

/* ---- The text ------------------------------------------------------------------------------- */

const verdict = c => tag('li', {}, badge(c.verdict ?? (c.refused ? 'not measured' : 'compared'),
	good[c.verdict])
	+ ` <b>${quoted(c.text)}.</b> ${quoted(c.source)} ${quoted(c.sentence)}`);
/* Claims, and numbers that the machine cannot count, as a list; numbers that were measured as a
 * table. */
const claims_of = e => {
	const list = e.claims.filter(c => c.number == null || c.refused);
	const numbers = e.claims.filter(c => c.number != null && c.cases);
	const lines = numbers.map(c => [c.text, [c.published].flat().join(' to '), c.number, c.verdict
		?? (c.built ? 'a twin has it by construction, or nearly' : '')]);
	return (list.length ? tag('ul', {class: 'claims'}, join(list, verdict)) : '')
		+ (lines.length ? tag('details', {}, tag('summary', {}, 'Numbers of the work beside ours')
			+ rows_of(['number', 'the work', 'here', ''], lines)) : '');
};
const missing = e => {
	const failed = e.steps.filter(s => s.why && !s.there);
	const absent = e.steps.filter(s => !s.why && !s.there);
	const device = page.device ? 0 : absent.filter(s => s.device).length;
	const later = absent.length - device;
	const words = [e.cannot && `Not made: ${e.cannot}.`,
		device && `${device} of ${e.steps.length} steps need a device (--device).`,
		later > 0 && `${later} of ${e.steps.length} steps are not measured yet.`,
		...failed.map(s => `Failed: ek bench ${s.command}: ${s.why}`),
		...e.steps.flatMap(s => Object.entries(s.wrong)
			.map(([what, why]) => `Wrong: ek bench ${s.command}: ${what}: ${why}`))].filter(w => w);
	return join(words, w => tag('p', {class: 'meta'}, quoted(w)));
};
const commands = e => e.steps.length ? tag('details', {}, tag('summary', {}, 'The commands')
	+ tag('pre', {}, join(e.steps, s => `ek bench ${quoted(s.command)}\n`))) : '';
const experiment = e => tag('div', {class: 'card', id: anchor(e)}, tag('h3', {}, quoted(e.title)
	+ badge(e.what + (e.page ? `, p. ${e.page}` : '')) + badge(e.name))
	+ (e.note ? tag('p', {}, quoted(e.note)) : '') + missing(e)
	+ claims_of(e)
	+ join(e.charts, c => chart_of(c, e.title)) + join(e.published, published) + commands(e));
const work = w => tag('h2', {}, `${quoted(w.title)}${badge(w.work)}`)
	+ tag('p', {class: 'meta'}, quoted([w.authors, w.year, w.venue].filter(t => t).join(', '))
	+ (w.machines ? `. Measured there on: ${quoted(w.machines)}` : ''))
	+ join(w.experiments, experiment);

const experiments = page.works.flatMap(w => w.experiments);
const claims = experiments.flatMap(e => e.claims);
/* Experiments share steps. */
const steps = [...new Map(experiments.flatMap(e => e.steps).map(s => [s.command, s])).values()];
const tile = (value, text) => tag('div', {class: 'tile'}, tag('b', {}, value)
	+ tag('span', {}, text));
const verdicts = ['holds', 'tie', 'does not hold', 'not judged'];
const heads = ['experiment', 'title', 'in the work'].map(h => `<th class=l>${h}`)
	.concat(['steps', ...verdicts].map(v => `<th>${v}`)).join('');
const line = e => tag('tr', {}, tag('td', {}, tag('a', {href: `#${anchor(e)}`}, quoted(e.name)))
	+ tag('td', {class: 'l wrap'}, quoted(e.title)) + tag('td', {class: 'l'}, quoted(e.what))
	+ tag('td', {}, `${e.steps.filter(s => s.there).length} of ${e.steps.length}`)
	+ join(verdicts, v => tag('td', {}, count(e.claims, v) || '–')));
const contents = tag('div', {class: 'card'}, tag('div', {class: 'scroll'},
	tag('table', {}, tag('tr', {}, heads) + join(experiments, line))));

document.querySelector('main').innerHTML = tag('h1', {}, 'The works, measured again')
	+ (page.disturbed ? tag('p', {class: 'warn', role: 'alert'}, quoted(page.disturbed) + '<br>'
		+ tag('code', {}, quoted(page.again))) : '')
	+ tag('p', {class: 'meta'}, quoted(`${page.place} · evenkeel ${page.version} · ${page.mode}`))
	+ tag('div', {class: 'tiles'},
		tile(experiments.filter(e => e.charts.length).length + ` of ${experiments.length}`,
			'tables and figures with records of this machine')
		+ tile(`${steps.filter(s => s.there).length} of ${steps.length}`, 'steps measured')
		+ tile(count(claims, 'holds'), 'claims of the works hold here')
		+ tile(count(claims, 'tie'), 'tie: the interval includes "no difference"')
		+ tile(count(claims, 'does not hold'), 'do not hold here')
		+ tile(count(claims, 'not judged'), 'are not judged; each says why'))
	+ '<h2>Contents</h2>' + contents + join(page.works, work)
	+ '<footer>Made by <b>ek reproduce</b> from the file records.jsonl of the folder where it wrote '
	+ 'this page. A claim holds if the whole interval of the ratio is on its side of 1; it is the '
	+ '95 % interval that the spread of the times in the rounds gives. How much faster depends on '
	+ 'the machine, and is told, but not judged. Nor are sides that were not measured in the same '
	+ 'rounds, methods that stand for what the work measured, or means of fewer than half of the '
	+ 'cases, since other processes disturbed the rest.</footer>';
document.querySelectorAll('[data-chart]').forEach(place => {
	const {[place.dataset.chart]: all} = drawn, bars = /^(bars|stack)$/.test(all.kind);
	const draw = {bars: draw_bars, stack: draw_stack}[all.kind] ?? draw_lines;
	const place_x = p => typeof p.x == 'number' && !(all.log?.includes('x') && !(p.x > 0));
	const c = shown(all, p => bars || place_x(p));
	if (!c.series.length)
		return place.remove();
	draw(place, c);
	tell_taps(place);
});
/* The place that the address names exists only now. */
if (location.hash)
	document.getElementById(location.hash.slice(1))?.scrollIntoView();
