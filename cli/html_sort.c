/* SPDX-License-Identifier: BSD-3-Clause
 * The script of the page: a click, or the enter key, on the head of a column sorts its table; again,
 * the other way round. Numbers come first and by size, the larger before the smaller; what is none
 * goes by the alphabet. Without scripts the tables are as they were written. */
#include "html.h"

const char *const html_sort =
	"document.querySelectorAll('table').forEach(t=>{"
	"const head=t.rows[0];if(!head||t.rows.length<3)return;"
	"const key=(r,c)=>{const s=r.cells[c]?r.cells[c].textContent.trim():'',"
	"n=parseFloat(s);return isNaN(n)?s:n};"
	"const before=(a,b)=>typeof a==typeof b?(typeof a=='number'?b-a:a.localeCompare(b)):"
	"typeof a=='number'?-1:1;"
	"[...head.cells].forEach((h,c)=>{h.tabIndex=0;h.title='sort';"
	"const sort=()=>{const turn=h.getAttribute('aria-sort')=='descending';"
	"[...head.cells].forEach(o=>o.removeAttribute('aria-sort'));"
	"h.setAttribute('aria-sort',turn?'ascending':'descending');"
	"const rows=[...t.rows].slice(1);"
	"rows.sort((a,b)=>(turn?-1:1)*before(key(a,c),key(b,c)));"
	"rows.forEach(r=>head.parentNode.appendChild(r))};"
	"h.addEventListener('click',sort);"
	"h.addEventListener('keydown',e=>{if(e.key=='Enter')sort()})})});";
