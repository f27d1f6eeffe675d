/* SPDX-License-Identifier: BSD-3-Clause
 * The script of the page (html.c), which builds the text with all tables. */

/* ---- Layouts --------------------------------------------------------------------------------
 * The function of `layouts` that page.layout names builds the text of the page. */
const join = (list, f) => list.map(f).join('');
const many = (n, what) => `${n} ${what}${n == 1 ? '' : 's'}`;
const count = n => n.toLocaleString('en');
const badge = (text, more = '') => text ? tag('span', {class: 'badge' + more}, text) : '';
const card = (title, text) => tag('div', {class: 'card'}, (title && tag('h3', {}, title)) + text);
const drawn = (name, data = {}) => tag('div', {class: 'chart', 'data-chart': name, ...data});
const legend = () => card('', tag('pre', {}, quoted(page.legend)));
const unit = page.rate == 'mkeys' ? 'millions of keys a second' : 'GB/s';

/* Builds a table as html.c describes it. */
const head = c => `<th${c.left ? ' class=l' : ''}${c.up ? ' data-first=up' : ''}>${quoted(c.head)}`;
const figure = (text, c) => c.ratio && text != null
	? tag('td', {class: text >= 1.05 ? 'good' : text <= 0.95 ? 'bad' : ''}, text.toFixed(2))
	: tag('td', {class: c.left ? 'l' : ''}, quoted(text ?? '–'));
const small = text => text ? ` ${tag('small', {}, text)}` : '';
const named = (r, {swatch}) => tag('td', {},
	(swatch ? `<i style="background:${colour(r.role)}"></i>` : '') + quoted(r.name)
	+ small(r.chosen && `→ ${r.chosen}`) + small(r.version));
const table = ({columns: [first, ...others], rows}) => tag('div', {class: 'scroll'},
	tag('table', {}, tag('tr', {}, join([first, ...others], head))
	+ join(rows, r => tag('tr', {class: r.class}, named(r, first) + (r.refused
		? tag('td', {class: 'why', colspan: others.length},
			tag('div', {}, `refused: ${quoted(r.refused)}`))
		: join(others, (c, k) => figure(r.cells[k + 1], c)))))));
const tables = list => join(list, c => card(quoted(c.title), table(c.table)));

const layouts = {};
layouts.cards = () => tables(page.cases) + legend();
layouts.sums = () => tables(page.groups) + legend();
layouts.costs = () => card('From coordinates', drawn('costs')) + tables(page.groups)
	+ layouts.cards();

/* Products: tiles with means, the methods over all matrices, and each matrix. Tiles leave out what
 * was disturbed. */
const tile = (value, text) => tag('div', {class: 'tile'}, tag('b', {}, value)
	+ tag('span', {}, text));
const tiles = () => {
	const calm = page.cases.filter(c => !c.disturbed).map(c => c.records);
	const only = calm.length < cases.length ? ', the undisturbed ones' : '';
	const mean_tile = (list, text) => tile(list.length ? `${mean(list).toFixed(2)} ×` : '–',
		`${text} (${list.length} of ${cases.length} ${page.problem}${only})`);
	const auto = key => known(calm.map(list => list.find(r => r.name == 'auto')?.[key]));
	const best = list => Math.max(...known(list.filter(r => r.role != 'peer')
		.map(r => r.of_bound)));
	const worst = Math.max(...known(cases.flat().map(r => r.error)));
	const peers = cases.flat().some(r => r.role == 'peer');
	return tag('div', {class: 'tiles'}, tile(cases.length, page.problem)
		+ tile(`${page.memory_gbps.toFixed(1)} GB/s`,
			page.device ? 'bandwidth of copies on the device'
				: 'read bandwidth of the memory')
		+ mean_tile(calm.filter(([r]) => !r.in_cache).map(best).filter(isFinite),
			'our best over the bound, beyond the caches')
		+ mean_tile(auto('vs_csr'), 'automatic choice over plain CSR')
		+ (peers ? mean_tile(auto('vs_best_peer'), 'automatic choice over the best peer')
			: '')
		+ tile(worst < 1e9 ? worst.toFixed(3) : '∞', 'largest error divided by its proven '
			+ 'bound, at most 1 is accepted (all of them)'));
};
const explained = () => `<p>Each matrix is multiplied by all methods in turn, in rounds of under a
	second, and ratios are medians over the rounds. Speed is the size of the CSR arrays, x and y
	divided by the time of one product, so formats that move fewer bytes can pass the
	<span class=bad>bound</span>: the bandwidth at which ${page.device
		? 'the device copies as many bytes' : 'the same threads read as many bytes'} in the
	same rounds. <i>Plain CSR</i> is ${page.device ? `<code>spmv.csr.vector.gpu</code>, and times
	are by the clock of the device` : `<code>spmv.csr.rows</code>, a loop over rows on all
	threads`}${page.blocks ? ', for one column after the other' : ''}. Preparation is given in
	milliseconds and in products of plain CSR.${page.blocks ? '' : ` For small matrices there is
	the time beyond that of a <i>bare loop</i>, which runs on one thread without a call of the
	library; it is negative where threads are faster.`}</p>`;
const product = ({records, disturbed, table: figures}, k) => {
	const [r] = records;
	const source = {twin: 'generated twin', real: 'the real matrix'}[r.source] ?? r.source;
	return card(quoted(r.case) + badge(source) + badge(r.in_cache && 'in cache', ' hot')
		+ badge(disturbed, ' bad'), tag('p', {class: 'meta'},
		`${count(r.rows)} × ${count(r.cols)}, ${count(r.nnz)} nonzeros; rows of ${
			r.row_mean.toFixed(1)} ± ${r.row_stddev.toFixed(1)}, longest ${
			count(r.row_max)}; ${page.device ? 'copies' : 'reads'} ${
			r.bound_gbps?.toFixed(1) ?? '–'} GB/s; ${many(r.rounds, 'round')}`)
		+ tag('div', {class: 'case'}, drawn('bars', {'data-case': k}) + table(figures)));
};
layouts.products = () => {
	const several = (title, name) => cases.length > 1 ? card(title, drawn(name)) : '';
	return tiles() + '<h2>What is shown</h2>' + explained()
		+ `<h2>All ${page.problem}</h2>` + card('', table(page.sums))
		+ several('How near to the bound', 'overview')
		+ tag('div', {class: 'pair'}, several('Uneven rows', 'variation')
			+ card('When preparation pays', drawn('preparation'))
			+ several('Performance profile', 'profile'))
		+ several('Every method on every matrix: speed over plain CSR', 'heat')
		+ `<h2>The ${page.problem}</h2>` + join(page.cases, product);
};

/* The automatic choice: its losses, then for each number of calls the predictions and the
 * performance profile, then each case. */
layouts.regret = () => {
	const calls = [...new Set(cases.map(([r]) => r.expected_calls))];
	const pair = n => `<h2>${many(count(n), 'call')}</h2>` + tag('div', {class: 'pair'},
		card('Predicted and measured times', drawn('predicted', {'data-calls': n}))
		+ card('Performance profile', drawn('losses', {'data-calls': n})));
	return `<p>The regret of a choice is its time divided by that of the best of ours in hindsight,
		preparation included: the time of one of so many calls is that of a run, and that of the
		preparation divided by the number of calls. It counts as 1 where the intervals from the
		10th to the 90th percentile of the two times overlap.</p>`
		+ card('Regret of the automatic choice', table(page.sums)) + join(calls, pair)
		+ '<h2>The matrices</h2>' + tables(page.cases) + legend();
};

/* Arrays: a card for the cases that differ only in their sizes, with a chart of the rates and a
 * table of the same figures. */
const sizes = group => {
	const list = group.map(k => cases[k]), [[r]] = list;
	const size = list.some(([{length}]) => length != r.length) ? 'length' : 'n';
	const names = [...new Set(cases.flat().map(r => r.name))];
	const rate = r => r?.[page.rate]?.toFixed(1) ?? '–';
	const line = k => tag('tr', {}, tag('td', {'data-key': cases[k][0][size]},
		quoted(cases[k][0].case) + small(page.cases[k].disturbed && 'disturbed'))
		+ join(names.map(name => cases[k].find(r => r.name == name)),
			r => tag('td', {}, r?.role == 'best' ? `<b>${rate(r)}</b>` : rate(r))));
	const arities = [...new Set(list.flat().filter(r => r.t_gc_ms != null)
		.map(r => r.name.match(/\d+$/)[0]))];
	const place = {'data-size': size, 'data-cases': group};
	const model = d => tag('div', {class: 'pair'},
		card(`Heaps with d = ${d}`, drawn('rates', {...place, 'data-d': d}))
		+ card('Parts of the simulated ad-heap', drawn('parts', {...place, 'data-d': d})));
	return join(arities, model) + (arities.length ? card('The best of each',
		drawn('rates', {...place, 'data-best': 1})) : '') + card(r.value + (r.value_size ? `, values of ${r.value_size} bytes` : '')
		+ badge(r.variant), drawn('rates', {'data-size': size, 'data-cases': group})
		+ tag('div', {class: 'scroll'}, tag('table', {}, '<tr><th class=l data-first=up>case'
			+ join(names, name => `<th>${quoted(name)}`) + '</tr>' + join(group, line))));
};
layouts.arrays = () => {
	const groups = {};
	cases.forEach(([{value, value_size, variant}], k) =>
		(groups[[value, value_size, variant]] ??= []).push(k));
	return `<p>Rates in ${unit}, all methods in turn and in rounds of under a second; medians. The
		fastest of ours is bold; every result was checked.</p>`
		+ join(Object.values(groups), sizes);
};

document.querySelector('main').innerHTML = tag('h1', {}, quoted(page.heading))
	+ tag('p', {class: 'meta'}, quoted(page.meta))
	+ join(page.warnings, text => tag('p', {class: 'warn'}, quoted(text)))
	+ layouts[page.layout]()
	+ '<footer>Made by <b>ek bench</b>. Peers are other libraries, called as their manuals recommend '
	+ 'for many calls with one preparation.</footer>';
document.querySelectorAll('[data-chart]').forEach(place => charts[place.dataset.chart](place));
