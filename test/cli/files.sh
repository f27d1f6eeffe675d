# SPDX-License-Identifier: BSD-3-Clause
# Tests files that must be equal, appear only when complete, or be pictures; sourced by run.sh.

# same COMMAND FILE FILE: checks that COMMAND succeeds and that the files are equal
same()
{
	count=$((count + 1))
	bash -c "$1" >out 2>err || fail "$1" "$(head -n 3 err)"
	cmp "$2" "$3" >/dev/null 2>&1 || fail "$1" "$2 and $3 should be equal"
}

same 'ek generate circuit:n=3000,longest=900,hubs=2 -o c.mtx
	ek convert c.mtx -o c.ekm
	ek convert c.ekm -o c2.mtx' c.mtx c2.mtx
same 'ek generate circuit:n=3000,longest=900,hubs=2 --threads 1 -o c1.mtx' c.mtx c1.mtx
same 'ek generate circuit:n=3000,longest=900,hubs=2 >c-out.mtx' c.mtx c-out.mtx
same 'cat c.mtx | ek convert - -o - >c-pipe.mtx' c.mtx c-pipe.mtx
same 'ek convert c.mtx --value f32 --index 64 -o c32.ekm
	ek convert c32.ekm --value f32 -o c32a.mtx
	ek convert c.mtx --value f32 -o c32b.mtx' c32a.mtx c32b.mtx
same 'ek spmv c.mtx -o ya.mtx; ek spmv c.ekm >yb.mtx' ya.mtx yb.mtx
same 'ek spmv c.mtx --reproducible --threads 1 --isa scalar -o yc.mtx
	ek spmv c.mtx --reproducible -o yd.mtx' yc.mtx yd.mtx

# Every format converts back to the same text.
for format in $(ek list formats --plain | cut -f 1); do
	same "ek convert c.mtx --format $format --max-bytes none -o f.ekm
		ek convert f.ekm --format csr -o g.ekm
		ek convert g.ekm -o f.mtx" c.mtx f.mtx
done

# A failure keeps an older file of that name, and leaves nothing beside it.
count=$((count + 1))
cp a.mtx kept.mtx
ek convert short.mtx -o kept.mtx 2>err
cmp -s a.mtx kept.mtx || fail "ek convert short.mtx -o kept.mtx" "kept.mtx was changed"
[[ $(echo kept.mtx*) == kept.mtx ]] || fail "ek convert short.mtx" "leaves $(echo kept.mtx*)"

# Devices are written to, not replaced.
count=$((count + 1))
ek info a.mtx --json /dev/null >out 2>err || fail "ek info --json /dev/null" "$(cat err)"
[[ -c /dev/null ]] || fail "ek info --json /dev/null" "replaced the device"

# Every cell that has an entry is a Braille dot: 40 in the row, the column and on the diagonal.
dots()
{
	od -An -v -tu1 | tr -s ' \n' '\n\n' | awk '/./ && ($1 < 128 ? at = 0 : ++at) % 3 != 1 && at {
		for (bits = $1 - 128 - (at % 3 == 2 ? 32 : 0); bits > 0; bits = int(bits / 2)) sum += bits % 2
	} END { print sum }'
}
for picture in "arrow:n=100 --size 40:118" "one.mtx:1" "diagonal:n=1000 --size 50:50" \
	"powerlaw:rows=100,cols=100,max=50 --size 400:$(ek info powerlaw:rows=100,cols=100,max=50 --json - | sed -E 's/.*"nnz": *([0-9]+).*/\1/')"; do
	count=$((count + 1))
	found=$(LC_ALL=C.UTF-8 ek spy ${picture%:*} 2>err | dots)
	[[ $found == "${picture##*:}" ]] || fail "ek spy ${picture%:*}" "$found dots" "$(cat err)"
done

if command -v gnuplot >/dev/null; then
	for matrix in c.mtx a.mtx one.mtx empty.mtx lp:rows=3,cols=500,mean=9,max=50; do
		count=$((count + 1))
		ek spy "$matrix" -o p.png 2>err || fail "ek spy $matrix -o p.png" "$(cat err)"
		[[ ! -s err ]] || fail "ek spy $matrix -o p.png" "says: $(head -n 3 err)"
		[[ $(head -c 4 p.png | tail -c 3) == PNG ]] || fail "ek spy $matrix" "no PNG file"
	done
	count=$((count + 1))
	ek spy c.mtx -o - 2>err | grep -q '</svg>' || fail "ek spy c.mtx -o -" "no SVG" "$(cat err)"
	# Cells are whole pixels without seams, and SVG has an image too, so files are small.
	for picture in dense:rows=512,cols=512:png:40000 dense:rows=700,cols=512:png:40000 \
		powerlaw:rows=20000,cols=20000:svg:200000; do
		count=$((count + 1))
		name=p.$(cut -d : -f 3 <<<"$picture")
		ek spy "${picture%:*:*}" -o "$name" 2>err
		(($(wc -c <"$name") < ${picture##*:})) ||
			fail "ek spy ${picture%:*:*} -o $name" "$(wc -c <"$name") bytes" "$(cat err)"
	done
	# Labels are short, so that they do not overlap.
	count=$((count + 1))
	ek spy hypersparse:rows=1000000,cols=1000000000 -o - >p.svg 2>err
	grep -qE '> *200M<' p.svg && grep -qE '> *1G<' p.svg && ! grep -qE '> *[0-9]{6,}<' p.svg ||
		fail "ek spy of 1e9 columns" "labels: $(grep -oE '> *[0-9]+[kMG]?<' p.svg | tr '\n' ' ')"
fi
# The page has all figures and, for readers without scripts, the tables of the terminal. Node.js, if
# installed, runs the scripts on a stand-in for the page: the text must have tables, and each place
# for a chart must get a picture, or a text that says what is left out.
count=$((count + 1))
ek bench spmv a.mtx poisson2d5:nx=200,ny=200 --rounds 1 --method csr.rows,auto --html c.html >out 2>err
grep -q '^<script>const page = {.*"of_bound"' c.html || fail "ek bench --html" "no figures"
sed -n '/<noscript>/,/<.noscript>/p' c.html | grep -q '^spmv.csr.rows .* 1\.000' || fail "ek bench --html" "no tables without scripts"
if command -v node >/dev/null; then
	count=$((count + 1))
	cat >page.js <<-'END'
		const text = require('fs').readFileSync(process.argv[2], 'utf8');
		const main = {}, places = () => [...main.innerHTML
			.matchAll(/data-chart="(\w+)"([^>]*)/g)].map(([, chart, more]) => ({
			dataset: Object.fromEntries([['chart', chart],
				...[...more.matchAll(/data-(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value])]),
			style: {setProperty: () => {}}, after: '', closest: () => ({remove: () => {}}),
			insertAdjacentHTML(where, html) { this.after = html; },
		}));
		let charts = [];
		global.document = {querySelector: () => main,
			querySelectorAll: what => what == '[data-chart]' ? charts = places() : []};
		eval([...text.matchAll(/<script>([^]*?)<\/script>/g)].map(([, script]) => script).join(''));
		console.log(main.innerHTML);
		charts.forEach(p => console.log(p.dataset.chart, p.innerHTML || '', p.after));
	END
	node page.js c.html >out 2>err || fail "node page.js" "$(head -n 5 err)"
	for title in "How near to the bound" "Performance profile" "When preparation pays"; do
		grep -q "<h3>$title</h3><div class=\"chart\" data-chart=" out || fail "ek bench --html" "no chart: $title"
	done
	grep -q '<th class=l data-first=up>method<th data-first=up>ms<th>GB/s<th>of bound' out || fail "ek bench --html" "no table"
	for chart in overview variation preparation profile bars; do
		grep -q "^$chart <svg" out || fail "ek bench --html" "no chart: $chart"
	done
	grep -q '^heat .*<tr><td>csr.rows</td>\(<td class="h" style="--shade: 0">1.00</td>\)\{3\}</tr>' out || fail "ek bench --html" "no heat map"
	grep -q '<p>Not shown, because .* less than 1 MB: a\.</p>' out ||
		fail "ek bench --html" "a.mtx has no row and is not named"
	# page OPERATION-AND-ARGUMENTS PATTERN: checks that the text of the page matches PATTERN.
	page()
	{
		count=$((count + 1))
		ek bench $1 --rounds 1 --html d.html >out 2>&1
		node page.js d.html >out 2>err || fail "node page.js" "$(head -n 5 err)"
		grep -qE "$2" out || fail "ek bench $1 --html" "should have: $2"
	}
	page "spmm a.mtx --columns 3" '>a, 3 columns, row<span class="badge">file<'
	page "convert a.mtx --format csr5" '<tr class=""><td>csr5</td><td'
	page "convert a.mtx --format csr5" '^costs '
	page "scan --n 1000 --type f32 --kind exclusive" '<h3>f32.*exclusive sum'
	page "scan --n 3x2^12,1K --type f32" '<tr><td data-key="12288">3x2\^12 f32'
	page "scan --n 3x2^12,1K --type f32" '^rates <svg'
	page "spmv a.mtx nothing.mtx symmetric.mtx --method csr.rows" '<p class="warn">1 of 3 matrices could not be used: nothing.mtx\.</p>'
	page "spmv powerlaw:rows=20000,cols=20000 --method ell,coo" 'spmv.ell</td><td class="why" colspan="[78]"><div>refused: format ell would take'
	page "scenario a.mtx symmetric.mtx --method coo" '<h3>2 regular matrices: speed-up over plain CSR</h3>'
	page "regret a.mtx symmetric.mtx --method csr.rows,coo --calls 1,50" '^predicted <svg.*<title>symmetric, coo: '
	page "regret a.mtx symmetric.mtx --method csr.rows,coo --calls 1,50" '^losses <svg'
	page "regret a.mtx symmetric.mtx --method csr.rows,coo --calls 1,50" '<h3>Regret of the automatic choice</h3>.*<td>auto, 1 call</td><td class="">2</td>.*<h2>50 calls</h2>'
	page "spgemm a.mtx --method csr.flags" '<td>.*spgemm.csr.flags again</td>'
fi

# The manual page has each subcommand, and in the section of ek bench each operation.
manual=$here/../../doc/ek.1
# named TEXT NAME...: TEXT has each name in a list of commands.
named()
{
	local text=$1 name
	shift
	count=$((count + 1))
	[[ $# -gt 10 ]] || fail "ek --help, ek bench --help" "too few names: $*"
	for name in "$@"; do
		grep -qE "(It|Nm|Pq|,) Cm (bench )?([a-z_]+ , )*$name( |\$)" <<<"$text" ||
			fail "doc/ek.1" "$name is not there"
	done
}
# shellcheck disable=SC2046 # the names are several words
named "$(cat "$manual")" $(ek --help | sed -n 's/^  ek \([a-z-]*\) .*/\1/p')
# shellcheck disable=SC2046
named "$(sed -n '/^.It Cm bench/,/^.It Cm help/p' "$manual" | sed 's/^.Cm/.Pq Cm/')" \
	$(ek bench --help | sed -n 's/^  ek bench \([a-z_]*\) .*/\1/p')
