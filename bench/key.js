/* SPDX-License-Identifier: BSD-3-Clause
 * The keys of the charts (chart.js). An entry is a switch that brings its series to the front or puts
 * it behind the others; while the pointer is over it, the series stands out. */
document.querySelectorAll('.key button').forEach(button => {
	const series = button.closest('.chart')
		.querySelector(`g[data-series="${button.dataset.series}"]`);
	const front = on => {
		button.setAttribute('aria-pressed', on);
		series.classList.toggle('back', !on);
		if (on)
			series.parentNode.appendChild(series);
		else
			series.parentNode.insertBefore(series,
				series.parentNode.querySelector('.series'));
	};
	button.addEventListener('click', () => front(button.getAttribute('aria-pressed') != 'true'));
	button.addEventListener('pointerenter', () => series.classList.add('hot'));
	button.addEventListener('pointerleave', () => series.classList.remove('hot'));
});
