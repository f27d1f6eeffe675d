/* SPDX-License-Identifier: BSD-3-Clause
 * Sorts the tables of a page. A click, or the enter key, on the head of a column sorts the table; a
 * second one reverses it. Names are sorted alphabetically, numbers inside them by size, ascending
 * first; numbers descending first, unless the head says data-first=up, as for times. A cell that is
 * not sorted by its text has data-key, a number. Missing values are always last. */
document.querySelectorAll('table').forEach(table => {
	const head = table.rows[0];
	if (!head || table.rows.length < 3)
		return;
	const key = (row, c, text) => {
		const cell = row.cells[c];
		if (!cell)
			return null;
		const s = cell.dataset.key || cell.textContent.trim();
		if (text && !cell.dataset.key)
			return s || null;
		const n = Number(s.replace(/,/g, ''));
		return s == '' || isNaN(n) ? null : n;
	};
	const order = (a, b, up) => a === null || b === null ? (a === null) - (b === null)
		: (up ? 1 : -1) * (typeof a == 'number' && typeof b == 'number' ? a - b
			: String(a).localeCompare(String(b), 'en', {numeric: true}));
	[...head.cells].forEach((h, c) => {
		const text = !c || h.classList.contains('l');
		const sort = () => {
			const was = h.getAttribute('aria-sort');
			const up = was ? was == 'descending' : text || h.dataset.first == 'up';
			[...head.cells].forEach(other => other.removeAttribute('aria-sort'));
			h.setAttribute('aria-sort', up ? 'ascending' : 'descending');
			[...table.rows].slice(1)
				.sort((a, b) => order(key(a, c, text), key(b, c, text), up))
				.forEach(row => head.parentNode.appendChild(row));
		};
		h.tabIndex = 0;
		h.title = 'sort';
		h.addEventListener('click', sort);
		h.addEventListener('keydown', e => { if (e.key == 'Enter') sort(); });
	});
});
