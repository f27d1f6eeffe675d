/* SPDX-License-Identifier: BSD-3-Clause
 * The style sheet of the page: one column of cards, system fonts, a light and a dark face. The
 * variables are also the colours of the charts (html_chart.c). Ours are blue, the automatic choice
 * orange, other libraries grey violet, so that they differ in lightness as well as in hue. */
#include "html.h"

static const char page_style[] =
	":root{color-scheme:light dark;--page:#f5f6f8;--card:#fff;--ink:#16181d;--ink2:#4b5160;"
	"--line:#e3e6ec;--axis:#b9bfcb;--grid:#e8ebf0;--ours:#8db7f0;--best:#1f5fd0;--auto:#e8710a;"
	"--peer:#a39bb8;--csr:#5b6472;--bound:#c02a4b;--faint:#d9dde5;--good:#0c7a43;--bad:#c02a4b;"
	"--tint:#eef4fe}"
	"@media(prefers-color-scheme:dark){:root{--page:#101318;--card:#181c23;--ink:#eceff4;"
	"--ink2:#aab3c2;--line:#2a303b;--axis:#4a5364;--grid:#262c36;--ours:#3d6bb0;--best:#79aefc;"
	"--auto:#ff9a3d;--peer:#7d7596;--csr:#9aa5b8;--bound:#ff6b88;--faint:#333b49;--good:#"
	"4fce8c;"
	"--bad:#ff6b88;--tint:#1b2533}}"
	"*{box-sizing:border-box}"
	"body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 Inter,system-ui,"
	"-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;"
	"font-variant-numeric:tabular-nums}"
	"main{max-width:1360px;margin:0 auto;padding:40px 28px 64px}"
	"h1{font-size:30px;line-height:1.2;letter-spacing:-.02em;margin:0 0 6px}"
	"h2{font-size:20px;letter-spacing:-.01em;margin:44px 0 14px}"
	"h3{font-size:17px;margin:0;letter-spacing:-.005em}"
	"p{margin:0 0 10px;max-width:78ch;color:var(--ink2)}"
	".meta{color:var(--ink2);margin:0;max-width:none}.meta+.card{margin-top:22px}.meta+p{"
        "margin:14px 0}"
	".tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(180px,1fr));gap:14px;"
	"margin:26px 0 0}"
	".tile,.card{background:var(--card);border:1px solid var(--line);border-radius:12px}"
	".tile{padding:16px 18px}"
	".tile b{display:block;font-size:26px;line-height:1.25;letter-spacing:-.02em}"
	".tile span{color:var(--ink2);font-size:13.5px}"
	".card{padding:20px 22px;margin:0 0 18px;overflow:hidden}"
	".pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(520px,1fr));gap:18px;"
	"margin:0 0 18px}"
	".pair .card{margin:0}"
	".case{display:grid;grid-template-columns:minmax(360px,1fr) minmax(0,max-content);gap:26px;"
	"align-items:start;margin-top:10px}"
	"@media(max-width:1340px){.case{grid-template-columns:minmax(0,1fr)}}"
	"@media(max-width:1080px){.pair{grid-template-columns:minmax(0,1fr)}}"
	".case.only{grid-template-columns:minmax(0,1fr)}"
	".scroll{overflow-x:auto}"
	".chart{overflow-x:auto}"
	"svg{display:block;width:100%;max-width:var(--w);min-width:max(min(var(--w),480px),"
	"calc(.65*var(--w)));height:auto}"
	"svg text{font-family:Inter,system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif}"
	"small{color:var(--ink2);font-size:12.5px}"
	".badge{display:inline-block;font-size:12px;font-weight:500;color:var(--ink2);border:1px "
	"solid var(--line);border-radius:99px;padding:1px 9px;margin-left:8px;vertical-align:2px}"
	".badge.bad{border-color:var(--bad)}"
	".badge.hot{color:var(--best);border-color:var(--best)}"
	".warn{max-width:none;margin:22px 0;padding:12px 18px;border:2px solid var(--bad);"
	"border-radius:12px;color:var(--bad);font-weight:600}"
	"@media(max-width:600px){main{padding:22px 12px 40px}.card{padding:14px 12px}"
	"h1{font-size:24px}.tiles{grid-template-columns:repeat(2,minmax(0,1fr))}}"
	"pre{overflow-x:auto}"
	".good{color:var(--good)}.bad{color:var(--bad)}"
	"footer{margin-top:40px;color:var(--ink2);font-size:13.5px}";

static const char table_style[] =
	"table{border-collapse:collapse;width:100%;font-size:13.5px}"
	"th[tabindex]{cursor:pointer}"
	"th[tabindex]::after{content:'\\2195';font-size:10px;opacity:.45;margin-left:3px}"
	"th[aria-sort]{color:var(--ink)}th[aria-sort]::after{opacity:1}"
	"th[aria-sort=descending]::after{content:'\\2193'}"
	"th[aria-sort=ascending]::after{content:'\\2191'}"
	"th{font-weight:600;color:var(--ink2);text-align:right;padding:6px 9px;"
	"border-bottom:1px solid var(--axis);vertical-align:bottom}"
	"td{text-align:right;padding:4.5px 9px;border-bottom:1px solid var(--line);"
	"white-space:nowrap}"
	"th:first-child,td:first-child{text-align:left;padding-left:2px}"
	"th.l,td.l{text-align:left}"
	"td.wrap{white-space:normal;min-width:14em}"
	/* As wide as the table is without it. */
	"td.why{text-align:left;white-space:normal;color:var(--ink2)}"
	"td.why div{width:0;min-width:100%}"
	"tr:last-child td{border-bottom:0}"
	"tr.best td{background:var(--tint);font-weight:600}"
	"tr.failed td{color:var(--bad)}"
	"td i{display:inline-block;width:9px;height:9px;border-radius:2.5px;margin-right:8px}"
	".ours{background:var(--ours)}.bestc{background:var(--best)}.autoc{background:var(--auto)}"
	".peer{background:var(--peer)}.csr{background:var(--csr)}"
	/* Names stay in sight while the figures scroll, on as many lines as they need. */
	"@media(max-width:600px){th:first-child,td:first-child{position:sticky;left:0;"
	"background:var(--card);white-space:normal;overflow-wrap:anywhere;font-size:12px;"
	"min-width:37vw;max-width:37vw}"
	"td.why div{width:46vw;min-width:0}}";

void html_begin(FILE *f, const char *operation)
{
	fprintf(f,
	        "<!doctype html>\n<html lang=en>\n<meta charset=utf-8>\n"
	        "<meta name=viewport content=\"width=device-width,initial-scale=1\">\n"
	        "<title>evenkeel: %s</title>\n<style>%s%s%s</style>\n<main>\n",
	        operation, page_style, table_style, html_heat_style);
}
