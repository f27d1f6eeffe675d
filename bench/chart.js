/* SPDX-License-Identifier: BSD-3-Clause
 * The charts of the page. `page`, which html.c writes, has all figures: page.cases has for each
 * case its title, its table, and the records of its methods, with the keys that the operation lists
 * and `role`, the name of a colour in the style sheet. Missing numbers are null. page.js calls the
 * function of `charts` that an element's data-chart names to draw a chart there. */
const cases = page.cases.map(c => c.records);

const tag = (name, attributes, text = '') => `<${name}` + Object.entries(attributes)
	.map(([key, value]) => ` ${key}="${value}"`).join('') + `>${text}</${name}>`;
const quoted = text => text.replace(/[<>&"]/g, c => `&#${c.charCodeAt(0)};`);
const colour = role => /^hsl/.test(role) ? role : `var(--${role})`;
const known = list => list.filter(value => value != null && isFinite(value));
const mean = list => list.length
	? Math.exp(list.reduce((sum, value) => sum + Math.log(value), 0) / list.length) : null;
const short = name => name.replace(/^spm[vm]\./, '');
const shapes = ['M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z', 'M-4-4h8v8h-8z', 'M0-5 5 0 0 5-5 0z',
	'M0-5 5 4h-10z'];
const dashes = ['', '8 4', '2 3', '8 3 2 3', '12 4'];

/* Returns where an axis has marks: 1, 2 or 5 times a power of ten apart, or at powers of `log`. */
const marks = ({lo, hi, log}) => {
	const exponent = value => Math.log(value) / Math.log(log), near = 1e-9;
	const from = log ? exponent(lo) : lo, to = log ? exponent(hi) : hi;
	const power = 10 ** Math.floor(Math.log10((to - from) / 6));
	const step = log ? Math.ceil((to - from) / 10)
		: power * [1, 2, 5, 10].find(k => k * power > (to - from) / 6 - near);
	const list = [];
	for (let k = Math.ceil(from / step - near); k * step <= to + near; k++)
		list.push(+(log ? log ** (k * step) : k * step).toPrecision(6));
	return list;
};
const raised = (base, exponent) => `${base}<tspan dy="-5" font-size="10">${exponent}</tspan>`;
const label = (value, log) => log == 2 && value > 512 ? raised(2, Math.round(Math.log2(value)))
	: log == 10 && value >= 1e5 ? raised(10, Math.round(Math.log10(value))) : `${value}`;

/* Returns the function that maps numbers on an axis to pixels. */
const scale = ({lo, hi, log}, from, to) => {
	const f = log ? Math.log : value => value;
	return value => +(from + (f(value) - f(lo)) / (f(hi) - f(lo)) * (to - from)).toFixed(1);
};

/* Draws an axis: {label, lo, hi, log: base of a logarithmic axis, names: labels, not marks}. */
const draw_axis = (axis, at, upright, {left, right, top, bottom}) => {
	const middle = upright ? `translate(14 ${(top + bottom) / 2}) rotate(-90)`
		: `translate(${(left + right) / 2} ${bottom + 38})`;
	const list = axis.names ? axis.names.map((name, k) => [k, quoted(name)])
		: marks(axis).map(value => [value, label(value, axis.log)]);
	const grid = value => axis.names ? '' : tag('path', {stroke: colour('grid'),
		d: upright ? `M${left} ${at(value)}H${right}` : `M${at(value)} ${top}V${bottom}`});
	const place = value => upright ? {x: left - 8, y: at(value) + 4, 'text-anchor': 'end'}
		: {x: at(value), y: bottom + 18, 'text-anchor': 'middle'};
	return list.map(([value, text]) => grid(value) + tag('text', place(value), text)).join('')
		+ tag('text', {transform: middle, 'text-anchor': 'middle'}, axis.label || '')
		+ tag('path', {stroke: colour('axis'),
			d: `M${left} ${bottom}` + (upright ? `V${top}` : `H${right}`)});
};

/* Draws a series: {name, role, points: [{x, y, text, role, from, across, along}]} as bars `bar`
 * thick on either side, as a line of that `width`, or as points of a `shape`. Intervals of points
 * are drawn thin: `across` is one of x, `along` one of y. */
const draw_series = (s, x, y) => {
	const style = {fill: 'none', stroke: colour(s.role), 'stroke-width': s.width || 1.6};
	const start = p => x(p.from ?? s.from ?? 0);
	const bar = p => tag('rect', {fill: colour(p.role || s.role), x: start(p), y: y(p.y - s.bar),
		width: Math.max(x(p.x) - start(p), 0), height: y(s.bar) - y(-s.bar)})
		+ tag('text', {x: x(p.across?.[1] ?? p.x) + 6, y: y(p.y) + 4}, p.text || '');
	const point = p => tag('path', {...style, d: s.shape,
		transform: `translate(${x(p.x)} ${y(p.y)})`},
		tag('title', {}, quoted(p.text || '')));
	const line = () => tag('polyline', {...style, 'stroke-dasharray': s.dash || '',
		points: s.points.map(p => `${x(p.x)},${y(p.y)}`).join(' ')});
	const whisker = p => tag('path', {class: 'whisker', stroke: colour(s.bar ? 'ink' : s.role),
		d: (p.across ? `M${x(p.across[0])} ${y(p.y)}H${x(p.across[1])}` : '')
			+ (p.along ? `M${x(p.x)} ${y(p.along[0])}V${y(p.along[1])}` : '')});
	const whiskers = s.points.filter(p => p.across || p.along).map(whisker).join('');
	return (s.width ? line() : '') + (s.bar ? '' : whiskers)
		+ (s.bar || s.shape ? s.points.map(s.bar ? bar : point).join('') : '')
		+ (s.bar ? whiskers : '');
};

/* Draws the sample of series k in the key: a switch, which brings the series to the front or puts it
 * behind the others, thin and grey (key.js). */
const draw_key = (s, k) => {
	const points = (s.bar ? [30] : s.width ? [0, 15, 30] : [15]).map(x => ({x, y: 6}));
	return tag('button', {type: 'button', 'aria-pressed': !s.back, 'data-series': k},
		tag('svg', {viewBox: '0 0 30 12'},
			draw_series({...s, from: 0, bar: s.bar && 5, points}, x => x, y => y))
		+ quoted(s.name));
};

/* Draws a dashed line where one axis is `at`. */
const draw_guide = ({at, role, upright, text}, x, y, {left, right, top, bottom}) => {
	const px = upright ? x(at) : left, before = px > 0.6 * right;
	return tag('path', {stroke: colour(role), 'stroke-dasharray': '6 4', 'stroke-width': 1.6,
		d: upright ? `M${px} ${top}V${bottom}` : `M${left} ${y(at)}H${right}`})
		+ tag('text', {x: px + (before ? -6 : 6), y: top + 12,
			'text-anchor': before ? 'end' : 'start', style: `fill: ${colour(role)}`},
			text || '');
};

/* Fills in the ends of an axis that the chart leaves open, so that the numbers up to `most` fit.
 * Axes with log 10 end at powers of ten. */
const ranged = (axis, list) => {
	const least = Math.min(...list);
	const greatest = Math.min(axis.most ?? Infinity, Math.max(...list));
	const ten = (round, value) => 10 ** round(Math.log10(value));
	const [lo, hi] = axis.log == 10 ? [ten(Math.floor, least), ten(Math.ceil, greatest)]
		: [least / 1.05, greatest * 1.05];
	return {...axis, lo: axis.lo ?? lo, hi: axis.hi ?? hi};
};

/* Draws a chart with two axes, series and perhaps a guide. Without points, removes the card. */
const chart = (place, {width, height, x, y, series, guide}) => {
	const used = series.filter(s => s.points.length), points = used.flatMap(s => s.points);
	if (!points.length)
		return place.closest('.card').remove();
	const left = y.names ? 16 + 7.7 * Math.max(...y.names.map(name => name.length)) : 62;
	const box = {left, right: width - 26, top: 10, bottom: height - 48};
	const h = ranged(x, points.flatMap(p => [p.x, ...p.across ?? []]));
	const v = ranged(y, points.flatMap(p => [p.y, ...p.along ?? []]));
	const at = scale(h, box.left, box.right), up = scale(v, box.bottom, box.top);
	const inside = p => p.x <= h.hi && (y.names || p.y <= v.hi);
	const key = used.map((s, k) => s.name ? draw_key(s, k) : '').join('');
	const drawn = used.map((s, k) => tag('g', {class: s.back ? 'series back' : 'series',
		'data-series': k},
		draw_series({...s, points: s.points.filter(inside)}, at, up)));
	place.style.setProperty('--w', `${width}px`);
	place.innerHTML = tag('svg', {viewBox: `0 0 ${width} ${height}`},
		draw_axis(h, at, false, box) + draw_axis(v, up, true, box)
		+ (guide ? draw_guide(guide, at, up, box) : '')
		+ drawn.filter((g, k) => used[k].back).join('')
		+ drawn.filter((g, k) => !used[k].back).join(''))
		+ (key && tag('div', {class: 'key'}, key));
};
/* Of more than eight series those of other libraries, auto and the best six of ours by score(points)
 * stay in front. */
const crowded = (series, score) => {
	const ours = s => !/^(auto|peer|csr|bound)$/.test(s.role);
	const best = series.filter(ours).sort((a, b) => score(b.points) - score(a.points)).slice(0, 6);
	return series.length <= 8 ? series
		: series.map(s => ({...s, back: ours(s) && !best.includes(s)}));
};
/* Gives each series its colour: ours in front are spread around the circle of hues, those behind
 * between them, for when they are brought to the front; peers are greys. */
const hues = series => {
	const ours = series.filter(s => s.role == 'ours'), peers = series.filter(s => s.role == 'peer');
	const hue = s => {
		const alike = ours.filter(other => !other.back == !s.back);
		const turn = (alike.indexOf(s) + (s.back ? 0.5 : 0)) / alike.length;
		return Math.round(60 + (310 * turn + 150) % 310) % 360; /* blue first, without auto's orange */
	};
	const grey = s => Math.round(35 + 40 * peers.indexOf(s) / peers.length);
	return series.map(s => ({...s, role: s.role == 'ours' ? `hsl(${hue(s)} 60% 50%)`
		: s.role == 'peer' ? `hsl(265 12% ${grey(s)}%)` : s.role}));
};
const rows = (names, above = 0.6) => ({names, lo: names.length - 0.4, hi: -above});

/* The series of the charts over all matrices, each the best of some records. */
const shares = [
	{name: 'plain CSR', role: 'csr', of: r => /^spmv.csr.(rows|vector.gpu)$/.test(r.method)},
	{name: 'best peer', role: 'peer', of: r => r.role == 'peer'},
	{name: 'our best', role: 'best', of: r => r.role != 'peer'},
	{name: 'auto', role: 'auto', of: r => r.role == 'auto'},
];
/* Returns the series with a point for each matrix, at place(records, share of the bound). */
const share_series = place => shares.map((s, k) => ({...s, shape: shapes[k],
	points: cases.flatMap(records => {
		const list = known(records.filter(s.of).map(r => r.of_bound));
		const text = records[0].case;
		return list.length ? [{...place(records, Math.max(...list)), text}] : [];
	})}));

/* The methods that have a mean speed relative to plain CSR, fastest first: name, kind, and the
 * record of each case. */
const kind = r => r.role == 'peer' || r.role == 'auto' ? r.role : 'best';
const fastest = () => [...new Set(cases.flat().map(r => r.name))].map(name => {
	const list = cases.map(records => records.find(r => r.name == name));
	return {name: short(name), list, role: kind(list.find(r => r)),
		speed: mean(known(list.map(r => r && r.vs_csr)))};
}).filter(m => m.speed).sort((a, b) => b.speed - a.speed);

/* Draws a curve of value(records of the method, x), for x from 1 to `most`, for each peer, auto,
 * and our three fastest methods. */
const curves = (place, most, y, x, value, guide) => {
	const methods = fastest(), used = {};
	const lines = ['peer', 'auto', 'best'].flatMap(role =>
		methods.filter(m => m.role == role).slice(0, role == 'best' ? 3 : 12)).slice(0, 12);
	const steps = [...Array(121).keys()].map(k => most ** (k / 120));
	chart(place, {width: 620, height: 380, y, x: {...x, lo: 1, hi: most}, guide,
		series: lines.map(({name, role, list}) => ({
			name, role, width: role == 'auto' ? 3.2 : 1.9,
			dash: dashes[(used[role] = (used[role] ?? -1) + 1) % dashes.length],
			points: steps.map(x => ({x, y: value(list, x)})).filter(p => p.y != null),
		}))});
};

const charts = {};
/* Draws the speed of every method on one matrix as a bar, and the bound as a line. */
charts.bars = place => {
	const records = cases[place.dataset.case], [{bound_gbps: bound, device_name}] = records;
	const text = r => r.refused ? 'refused' : r.csr_gbps?.toFixed(1) ?? 'failed';
	chart(place, {width: 620, height: 74 + 23 * records.length,
		y: rows(records.map(r => short(r.name)), 1.2),
		x: {label: 'GB/s of CSR data (matrix, x and y once)', lo: 0,
			hi: 1.13 * Math.max(...known([bound, ...records.map(r => r.csr_gbps)]))},
		guide: bound && {upright: true, at: bound, role: 'bound',
			text: `${device_name ? 'copies' : 'reads'} ${bound.toFixed(1)}`},
		series: [{bar: 0.36, points: records.map((r, k) =>
			({x: r.csr_gbps ?? 0, y: k, role: r.role, text: text(r)}))}]});
};
/* For each matrix, the speeds of plain CSR, auto, our best and the best peer as shares of the
 * bound; below the chart, the matrices without a bound. */
charts.overview = place => {
	const shown = cases.filter(records => records.some(r => r.of_bound != null));
	const names = cases.filter(list => !shown.includes(list)).map(([r]) => quoted(r.case));
	chart(place, {width: 1240, height: 80 + 24 * shown.length,
		y: rows(shown.map(records => records[0].case)),
		x: {label: 'speed over the bound (CSR bytes / time / bound)', lo: 0, most: 3},
		guide: {upright: true, at: 1, role: 'bound'},
		series: share_series((records, x) => ({x, y: shown.indexOf(records)}))});
	if (names.length)
		place.insertAdjacentHTML('afterend', tag('p', {}, 'Not shown, because a product '
			+ `moves less than 1 MB: ${names.join(', ')}.`));
};
/* The same shares against the spread of the row lengths. */
charts.variation = place => chart(place, {width: 620, height: 380, guide: {at: 1, role: 'bound'},
	x: {label: 'spread of the row lengths: standard deviation / mean', log: 10, lo: 0.008},
	y: {label: 'speed over the bound', lo: 0, most: 3},
	series: share_series(([r], y) => ({x: Math.max(r.row_stddev / r.row_mean, 0.01), y}))});
/* The speed-up over plain CSR, preparation included, against the number of products, as the
 * geometric mean over the matrices. */
charts.preparation = place => {
	const gain = (r, n) => r && r.vs_csr && n / (r.prepare_calls + n / r.vs_csr);
	curves(place, 1e5, {label: 'speed-up over plain CSR, preparation paid', lo: 0},
		{label: 'number of products with one preparation', log: 10},
		(list, n) => mean(known(list.map(r => gain(r, n)))), {at: 1, role: 'csr'});
};
/* The performance profile (Dolan and More 2002): for each method, the share of the matrices
 * on which its time is at most t times that of the fastest method, whether ours or a peer. At
 * t = 1 the curve shows how often a method is the fastest, at large t how far it falls behind
 * at worst. A matrix that a method refused counts against it at every t. */
charts.profile = place => {
	const best = cases.map(records => Math.min(...known(records.map(r => r.ms))));
	const within = (r, k, t) => r && r.ms && r.ms <= best[k] * t * (1 + 1e-12);
	curves(place, 8, {label: 'share of the matrices', lo: 0, hi: 1.02},
		{label: 'time over that of the fastest method', log: 2},
		(list, t) => list.filter((r, k) => within(r, k, t)).length / cases.length);
};
/* The heat map, a table that is sorted like others: a row for each method, the fastest on average
 * first, a column for each matrix, the speed relative to plain CSR coloured by its logarithm. There
 * are four shades on either side of 1; each spans a factor of 2^(1/2). */
charts.heat = place => {
	const shade = value => Math.max(-4, Math.min(4, Math.round(2 * Math.log2(value))));
	const cell = value => value == null ? '<td>–</td>' : tag('td', {
		class: shade(value) < 0 ? 'c' : 'h', style: `--shade: ${Math.abs(shade(value))}`},
		value.toFixed(2));
	const row = m => tag('tr', {}, tag('td', {}, quoted(m.name)) + cell(m.speed)
		+ m.list.map(r => cell(r && r.vs_csr)).join(''));
	const heads = cases.map(([r]) => `<th><span>${quoted(r.case)}</span>`);
	place.innerHTML = tag('div', {class: 'scroll'}, tag('table', {class: 'heat'},
		tag('tr', {}, `<th>method<th>mean${heads.join('')}`) + fastest().map(row).join('')));
};
/* The rates of all methods of a primitive against the size, for the cases of one card. With data-d,
 * only heaps of that arity; with data-best, the best arity of each kind of heap. */
const heap_kind = name => name.replace(/ d=\d+$/, '');
charts.rates = place => {
	const {size, d, best} = place.dataset, {rate} = page, some = place.dataset.cases.split(',');
	const first = (r, list) => !best || !list.some(other => other[rate] > r[rate]
		&& heap_kind(other.name) == heap_kind(r.name));
	const records = some.flatMap(k => cases[k].filter(r => r[rate] != null
		&& (!d || r.name.endsWith(` d=${d}`)) && first(r, cases[k]))
		.map(r => best ? {...r, name: heap_kind(r.name)} : r));
	const all = records.map(r => r[rate]), far = Math.max(...all) > 20 * Math.min(...all);
	const names = [...new Set(records.map(r => r.name))];
	const line = (name, list, k) => ({name, role: list[0]?.role.replace('best', 'ours'),
		width: 1.9, dash: dashes[k % dashes.length], shape: shapes[k % shapes.length],
		points: list.map(r => ({x: r[size], y: r[rate], text: r.case}))});
	chart(place, {width: 900, height: 400, y: {label: unit, ...far ? {log: 10} : {lo: 0}},
		x: {label: size == 'length' ? 'length' : 'numbers', log: 2},
		series: hues(crowded(names.map((name, k) => line(name, records
			.filter(r => r.name == name), k)), points => mean(points.map(p => p.y))))});
};
/* The parts of the model of ad-heaps of one arity, as bars end to end, for the cases of one card. */
charts.parts = place => {
	const parts = [['compare_ms', 'compare'], ['heapify_ms', 'heapify'], ['t_cc_ms', 'T_cc'],
		['t_cq_ms', 'T_cq'], ['t_gc_ms', 'T_gc']];
	const list = place.dataset.cases.split(',').map(k => cases[k]
		.find(r => r.t_gc_ms != null && r.name.endsWith(` d=${place.dataset.d}`)))
		.filter(r => r);
	const until = (r, k) => parts.slice(0, k).reduce((sum, [key]) => sum + r[key], 0);
	chart(place, {width: 620, height: 80 + 24 * list.length, y: rows(list.map(r => r.case)),
		x: {label: 'ms of each part, timed alone', lo: 0},
		series: parts.map(([, name], k) => ({name, bar: 0.36,
			role: `hsl(${Math.round(360 * k / parts.length)} 50% 55%)`,
			points: list.map((r, n) =>
				({from: until(r, k), x: until(r, k + 1), y: n}))}))});
};
/* The cost of each format, as a multiple of the cost from COO to CSR. Bars for regular matrices are
 * above those for irregular ones; those of a single group are level with the names. */
charts.costs = place => {
	const used = new Set(cases.map(([r]) => r.group));
	const groups = ['regular', 'irregular'].filter(name => used.has(name));
	const records = cases.flat().filter(r => r.coo_cost != null);
	const names = [...new Set(records.map(r => r.name))];
	const cost = (name, group) => mean(records
		.filter(r => r.name == name && r.group == group).map(r => r.coo_cost));
	const apart = k => groups.length == 2 ? 0.38 * k - 0.19 : 0;
	const bars = (group, k) => names
		.map((name, n) => ({x: cost(name, group), y: n + apart(k)})).filter(p => p.x);
	chart(place, {width: 820, height: 80 + 30 * names.length, y: rows(names),
		x: {label: 'time from COO over that from COO to CSR, geometric mean',
			lo: 0.1, log: 10},
		series: groups.map((name, k) => ({name, role: name == 'regular' ? 'ours' : 'peer',
			bar: 0.17, from: 0.1, points: bars(name, k)}))});
};
/* Methods of ek bench regret, which keep their colours in all of its charts: auto as elsewhere, the
 * others around the circle of hues. */
const contest = () => {
	const names = [...new Set(cases.flat().filter(r => r.ms != null && r.role != 'peer')
		.map(r => r.name))].sort();
	const others = names.filter(name => name != 'auto');
	return names.map(name => ({name, k: others.indexOf(name), role: name == 'auto' ? 'auto'
		: `hsl(${Math.round(360 * others.indexOf(name) / others.length)} 60% 50%)`}));
};
const with_calls = calls => cases.filter(([r]) => r.expected_calls == calls);
/* The predicted against the measured times of all methods on all matrices; on the dashed line the
 * two are equal. */
charts.predicted = place => {
	const records = with_calls(place.dataset.calls).flat()
		.filter(r => r.ms != null && r.predicted_ms != null);
	const times = records.flatMap(r => [r.ms, r.predicted_ms]);
	const ends = [Math.min(...times), Math.max(...times)];
	const point = r => ({x: r.ms, y: r.predicted_ms,
		text: `${r.matrix}, ${short(r.name)}: ${r.ms} ms, predicted ${r.predicted_ms} ms`});
	const axis = {lo: 10 ** Math.floor(Math.log10(ends[0])),
		hi: 10 ** (Math.floor(Math.log10(ends[1])) + 1), log: 10};
	chart(place, {width: 620, height: 520, x: {label: 'measured ms', ...axis},
		y: {label: 'predicted ms', ...axis}, series: [
			...contest().map(({name, role, k}) => ({name: short(name), role,
				shape: shapes[(k + 1) % shapes.length],
				points: records.filter(r => r.name == name).map(point)})),
			{role: 'bound', width: 1.6, dash: '6 4', points: records.length
				? ends.map(x => ({x, y: x})) : []}]});
};
/* The performance profile (Dolan and More 2002) with the times of one of so many calls: for auto,
 * and for each method if it were always taken, the share of the matrices on which the time is at
 * most t times that of the best. What ties with the best counts as the best. */
charts.losses = place => {
	const some = with_calls(place.dataset.calls);
	const steps = [...Array(121).keys()].map(k => 8 ** (k / 120));
	const share = (name, t) => some.filter(records => records.some(r => r.name == name
		&& r.regret != null && r.regret <= t * (1 + 1e-12))).length / some.length;
	chart(place, {width: 620, height: 520, y: {label: 'share of the matrices', lo: 0, hi: 1.02},
		x: {label: 'time over that of the best in hindsight', log: 2, lo: 1, hi: 8},
		series: crowded(contest().map(({name, role, k}) => ({name: short(name), role,
			width: name == 'auto' ? 3.2 : 1.6, dash: dashes[(k + 1) % dashes.length],
			points: steps.map(x => ({x, y: share(name, x)}))})),
			points => points.reduce((sum, p) => sum + p.y, 0))});
};
