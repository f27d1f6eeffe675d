/* SPDX-License-Identifier: BSD-3-Clause
 * The script of the page: a click, or the enter key, on the head of a column sorts its table; again,
 * the other way round. Names go by the alphabet, numbers inside of them by their size, and begin with
 * the first; numbers begin with the largest, unless the head says data-first=up, as times do. A cell
 * whose text is not what it is sorted by has data-key, a number. What is missing is always last.
 * Without scripts the tables are as they were written. */
#include "html.h"

const char *const html_sort = "document.querySelectorAll('table').forEach(t=>{"
			      "const head=t.rows[0];if(!head||t.rows.length<3)return;"
			      "const key=(r,c,text)=>{const d=r.cells[c];if(!d)return null;"
			      "const s=d.dataset.key||d.textContent.trim();"
			      "if(text&&!d.dataset.key)return s||null;"
			      "const n=Number(s.replace(/,/g,''));return s==''||isNaN(n)?null:n};"
			      "const order=(a,b,up)=>a===null||b===null?(a===null)-(b===null):"
			      "(up?1:-1)*(typeof a=='number'&&typeof b=='number'?a-b:"
			      "String(a).localeCompare(String(b),'en',{numeric:true}));"
			      "[...head.cells].forEach((h,c)=>{h.tabIndex=0;h.title='sort';"
			      "const text=!c||h.classList.contains('l');"
			      "const sort=()=>{const was=h.getAttribute('aria-sort'),"
			      "up=was?was=='descending':text||h.dataset.first=='up';"
			      "[...head.cells].forEach(o=>o.removeAttribute('aria-sort'));"
			      "h.setAttribute('aria-sort',up?'ascending':'descending');"
			      "const rows=[...t.rows].slice(1);"
			      "rows.sort((a,b)=>order(key(a,c,text),key(b,c,text),up));"
			      "rows.forEach(r=>head.parentNode.appendChild(r))};"
			      "h.addEventListener('click',sort);"
			      "h.addEventListener('keydown',e=>{if(e.key=='Enter')sort()})})});";
