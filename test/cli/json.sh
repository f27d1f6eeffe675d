# SPDX-License-Identifier: BSD-3-Clause
# Tests that every line of --json is an object with the promised fields; sourced by run.sh. Needs
# python3.
if ! command -v python3 >/dev/null; then
	echo "python3 is not installed: JSON is not checked"
	return
fi

# json EXPRESSION COMMAND: checks a Python expression on `r`, the list of COMMAND's records.
json()
{
	count=$((count + 1))
	bash -c "$2" >out 2>err || fail "$2" "$(head -n 3 err)"
	python3 -c "
import glob, json, sys
r = [json.loads(line) for line in open('out')]
sys.exit(0 if ($1) else 1)" 2>err || fail "$2" "should hold: $1" "$(head -n 2 out)" "$(tail -n 1 err)"
}

json 'len(r) == 1 and r[0]["rows"] == 3 and r[0]["histogram"] == [0, 1, 2]' 'ek info a.mtx --json -'
json 'r[0]["nnz"] == 5 and r[0]["method"].startswith("spmv.")' 'ek info a.mtx --json -'
json 'r[0]["cols"] == 4' 'ek info a.mtx --json j.json >/dev/null; cat j.json'
json 'len(r) > 3 and all("method" in x and "source" in x for x in r)' 'ek list methods --json -'
json 'any((x["type"], x["member"], x["offset"]) == ("ek_hints", "size", 0) for x in r)' 'ek list layout --json -'
json 'any(x["twin"] == "webbase-1M" and x["rows"] == 1000005 for x in r)' 'ek list twins --json -'
json 'r[0]["device"] == "cpu" and r[0]["units"] == 1 and r[0]["memory"] > 0
	and all(x["device-memory"][0] == "copy" and x["lanes"] >= 1
		and ("shared" in x["device-memory"] or not x["atomics"]) for x in r[1:])' \
	'ek list devices --threads 1 --json -'
json 'all("generator" in x for x in r)' 'ek list generators --json -'
json 'r[0]["format"] == "csr" and r[0]["methods"] > 3' 'ek list formats --json -'
json 'r[0]["parameters"] == {"order": 1} and r[0]["array_bytes"]["row_len"] == 12' \
	'ek info a.mtx --format ell:order=1 --json -'
json '[x["parameters"] for x in r if x["format"] == "csr5"][0]["omega"]["max"] == 64
	and [x["parameters"] for x in r if x["format"] == "coo"] == [{}]' 'ek list formats --json -'
json 'r[0]["format"] == "csr5" and r[0]["parameters"] == {"omega": 4, "sigma": 2}' \
	'ek spmv a.mtx --format csr5:omega=4,sigma=2 --calls 1 --json -'
json 'r[0]["format"] == "csr5" and r[0]["parameters"] == {"omega": 4, "sigma": 2}' \
	'ek bench spmv a.mtx --format csr5:omega=4,sigma=2 --rounds 1 --json - 2>/dev/null'
json 'r[0]["format"] == "hyb" and r[0]["parameters"] == {"width": 0}
	and r[1]["format"] == "csc" and r[1]["parameters"] == {}' \
	'ek bench convert a.mtx --format hyb:width=0,csc --rounds 1 --json - 2>/dev/null'
json 'r[0]["parameters"] == {"height": 3}' 'ek convert a.mtx --format scoo:height=3 -o d.ekm --json -'
json 'r[0]["format"] == "csc" and r[0]["chosen"][:9] == "spmv.csr."
	and r[1]["format"] == "coo" and r[1]["ms"] > 0' \
	'ek bench spmv a.mtx --format csc,coo --rounds 1 --json - 2>/dev/null'
json 'r[0]["format"] == "coo" and r[0]["bytes"] == 80' 'ek convert a.mtx --format coo -o d.ekm --json -'
json 'all(x["refused"] and "limit" in x["why"] and x["ms"] is None for x in r if x["format"] == "ell")
	and any(x["format"] == "ell" for x in r)' \
	'ek bench spmv powerlaw:rows=20000,cols=20000 --rounds 1 --method ell,coo --json - 2>/dev/null'
json 'r[0]["nnz"] == 33' 'ek generate poisson2d5 nx=3 ny=3 -o g.mtx --json -'
json 'r[0]["output"] == "d.ekm"' 'ek convert a.mtx -o d.ekm --json -'
json 'r[0]["error"] == 0 and r[0]["failed"] is False' 'ek spmv a.mtx x.mtx --check --json -'
json 'r[0]["calls"] == 3 and r[0]["ms"] >= r[0]["ms_min"] > 0' 'ek spmv a.mtx --calls 3 --json -'
json 'r[0]["most"] == 1' 'ek spy a.mtx --json - 2>/dev/null'
json 'len(r) > 3 and all(x["op"] == "spmv" and (x.get("refused") or x["error"] <= 1 and x["ms"] > 0) for x in r)' \
	'ek bench spmv a.mtx --rounds 2 --threads 1 --json - 2>/dev/null'
# Others take all processors, so that the shares differ between methods: each is one of its own 7 batches.
json 'len(r) > 4 and all(abs(7 * x["disturbed"] - round(7 * x["disturbed"])) < 1e-9 for x in r)' \
	'for ((k = 0; k < $(nproc); k++)); do while :; do :; done & hogs+=($!); done
	ek bench spmv a.mtx --rounds 7 --threads 1 --method csr.rows,coo,sell,csr.vector,csr5 --json - -q
	kill "${hogs[@]}"'
json 'len(r) > 1 and all(x["disturbed"] is None for x in r)' \
	'ek bench scan --n 1000 --method zhang,serial --rounds 1 --threads $(($(nproc) + 1)) --json - -q'
json '{x["method"]: x["disturbed"] for x in r if x["matrix"] == "m"}
	== {"spmv.csr.rows": 0.25, "spmv.coo": 0.25, "spmv.ell": 0.5}' \
	"for m in csr.rows:0.25 coo:0 ell:0.5; do printf '{\"op\":\"spmv\",\"method\":\"spmv.%s\",\"matrix\":\"m\",\"vs_csr\":2,
\"prepare_calls\":1,\"disturbed\":%s}' \${m%:*} \${m#*:} | tr -d '\n'; echo; done >few.json
	ek bench scenario --from few.json --calls 10 --json - 2>/dev/null"
json 'len(r) > 0 and all(x["of_bound"] is None and x["in_cache"] is True
	and ("gather_data_sampling" in x["state"]) == any(not open(leak).read().startswith("Not affected")
	for leak in glob.glob("/sys/devices/system/cpu/vulnerabilities/gather_data_sampling")) for x in r)' \
	'ek bench spmv a.mtx --rounds 2 --threads 1 --method auto --json - 2>/dev/null'
json 'all(x["op"] == "scan" and x["n"] == 1000 and x["value"] == "i32" and x["machine"] for x in r)
	and sorted(x["method"] for x in r)[0:3] == ["copy.memcpy", "copy.stream", "scan.serial"]' \
	'ek bench scan --n 1000 --type i32 --method serial --rounds 1 --json - 2>/dev/null'
json '[x.get("method_parameters") for x in r if x["method"].startswith("scan.")] == [{"block": 4096, "overlap": 0},
	{"block": 64, "overlap": 1}, {"block": 32768}, None]' \
	'ek bench scan --n 70000 --type f64 --method zhang,zhang:block=64,overlap=1,blocked,serial --rounds 1 \
		--threads 2 --json - 2>/dev/null'
json 'all(("misses_per_line" in x) != ("counters_refused" in x) for x in r if x["method"].startswith("scan."))
	and all(0 <= x["misses_per_line"] for x in r if "reused_lines" in x)' \
	'ek bench scan --n 70000 --type f64 --method zhang,serial --misses --in-place --rounds 1 --json - -q'
json '[x["parameters"]["sigma"] for x in r] == [4, 44, 48] and all(x["ms"] > 0 for x in r)' \
	'ek bench spmv poisson2d5:nx=30,ny=30 --method csr5 --sweep sigma=4,44..48+4 --rounds 1 --json - 2>/dev/null'
json '[x["parameters"]["c"] for x in r if x["method"].startswith("spmv.sell:")] == [4, 8]
	and all(x["parameters"]["sigma"] == 16 for x in r if x["format"] == "sell")' \
	'ek bench spmv poisson2d5:nx=30,ny=30 --format sell:sigma=16 --sweep c=4,8 --rounds 1 --json - 2>/dev/null'
json '[x["refused"] for x in r] == [True] and "limit" in r[0]["why"]' \
	'ek bench spmv dense:rows=1,cols=100000 --method ell --rounds 1 --json - 2>/dev/null'
json '[(x["format"], x["ms"] > 0, x["error"] <= 1) for x in r] == [("ell", True, True)]' \
	'ek bench spmv dense:rows=1,cols=100000 --method ell --max-bytes 32M --rounds 1 --json - 2>/dev/null'
json '[x["value"] for x in r] == ["f64", "f32"] and all(x["loss"] >= 1 for x in r)' \
	'ek tune --tiles --nnz 2000 --time 0.001 --threads 1 --json - 2>/dev/null'
json 'len(r) == 1 and all(len(x["value"]) == len(x["family"]) for x in r[0]["numbers"].values())' \
	'ek tune --show --json - 2>/dev/null'
json 'all(x["error"] <= 1 and x["ms"] > 0 for x in r if x["method"] != "read") and len(r) > 1' \
	'ek bench segsum --n 3000 --length 10 --type f32 --rounds 1 --json - 2>/dev/null'
json 'all(x["length"] == 64 and x["value_size"] == 4 and x["mkeys"] > 0 for x in r)' \
	'ek bench merge --total 1K --length 64 --value-size 4 --rounds 1 --json - 2>/dev/null'
json 'any(x["arity"] == 8 and x["compare"] > 0 and x["swap"] > 0 for x in r)' \
	'ek bench kselect --total 2K --length 1K --rounds 1 --json - 2>/dev/null'
json '(lambda h: len(h) == 2 and len({x["update_key_after_heapify"] for x in h}) == 1
	and all(x["update_key"] > x["update_key_after_heapify"] > 0
		and x["compare"] >= x["compare_after_heapify"] == x["find_maxchild_after_heapify"]
		and x["swap"] > x["swap_after_heapify"] for x in h))(
	[x for x in r if x["method"] == "kselect.heap"])' \
	'ek bench kselect --total 2K --length 1K --arity 2,64 --method heap --rounds 1 --json - 2>/dev/null'
json '(lambda m: m["spgemm.csr.bins"] == {"memory": 1} and m["spgemm.csr.serial"] is None)(
	{x["method"]: x.get("method_parameters") for x in r})' \
	'ek bench spgemm poisson2d5:nx=9,ny=9 --method csr.bins,csr.serial --rounds 1 --json - 2>/dev/null'
json 'all(x["op"] == "convert" and x["size"] > 0 for x in r)
	and [x["csr_cost"] for x in r if x.get("format") == "coo"][0] > 0
	and any(x.get("method") == "spmv.csr.adaptive" for x in r)' \
	'ek bench convert a.mtx --rounds 1 --threads 1 --json - 2>/dev/null'
json '[x["speedup"]["10"] for x in r if x["matrix"] == "a" and x["method"] == "spmv.coo"] == [1.0]
	and r[-1]["speedup"]["10"] is None and r[-1]["group"] == "irregular"' \
	'ek bench scenario --from records.json --calls 10 --json - 2>/dev/null'
json 'len(r) == 8 and all(x["regret"] >= 1 and x["ms_p10"] <= x["ms"] <= x["ms_p90"] for x in r)
	and all(x["best_ms"] == min(y["ms"] for y in r if y["method"] not in ("auto", "learned")
		and y["expected_calls"] == x["expected_calls"]) for x in r)
	and all(x["regret"] == 1 and not x["tie"] for x in r if x["ms"] == x["best_ms"])
	and all(x["predicted_convert_ms"] > 0 for x in r if x["method"] == "spmv.coo")' \
	'ek bench regret a.mtx --rounds 3 --method coo,csr.rows --calls 1,50 --json - 2>/dev/null'
json 'all(x["group"] == "regular" for x in r)' \
	'ek bench spmv a.mtx --rounds 1 --threads 1 --method auto --json - 2>/dev/null'
if "$EK" list devices --plain --quiet | grep -q '^opencl:0'; then
	json '(lambda m, o: len(m) == 4 and all(
		abs(x["ms"] - x["compare_ms"] - x["heapify_ms"]
			- max(x["t_cc_ms"] + x["t_cq_ms"], x["t_gc_ms"])) <= 1e-9 * x["ms"]
		and 0 < x["ms_p10"] < x["ms"] < x["ms_p90"] and x["rounds"] == 3
		and x["n_f"] == x["n_c"] >= x["n_s"] > 0 and x["n_u"] > 0 and x["mkeys"] > 0
		and abs(x["vs_scheduling"] - o[x["length"]] / x["ms"]) <= 1e-9 * x["vs_scheduling"]
		and (x["levels"], x["transactions"], x["dheap_transactions"])
			== {(64, 4): (3, 4, 6), (512, 4): (4, 5, 8),
			    (64, 32): (2, 3, 4), (512, 32): (3, 4, 6)}[x["length"], x["arity"]]
		for x in m) and not any(x["method"].startswith("part.") for x in r))(
		[x for x in r if x["method"] == "model.adheap"],
		{x["length"]: x["ms"] for x in r if x["method"] == "model.scheduling"})' \
		'ek bench kselect --model --device opencl --total 2K --length 64,512 --arity 4,32 \
		--rounds 3 --html model.html --json - 2>/dev/null'
fi

# Two runs: a change within the intervals of the medians is noise, one beyond them counts.
compares() # CODE MS SPREAD: compares a time of 1 ms with one of MS, both with percentiles SPREAD apart
{
	count=$((count + 1))
	for ms in 1 "$2"; do
		printf '{"op":"spmv","method":"spmv.coo","matrix":"m","rounds":9,"ms":%s,"ms_p10":%s,"ms_p90":%s}\n' \
			"$ms" "$(python3 -c "print($ms - $3)")" "$(python3 -c "print($ms + $3)")" >"run$ms.json"
	done
	python3 "$here/../../bench/compare.py" run1.json "run$2.json" >out 2>err
	[[ $? == "$1" ]] || fail "compare.py" "exit code $1 expected for $2 ms with a spread of $3" "$(cat out err)"
}
compares 1 1.2 0.01
compares 0 1.2 0.5
compares 0 0.8 0.01
compares 0 1.04 0.001
# Records of several sizes are not those of one.
count=$((count + 1))
for ms in 1 2; do
	for n in 1000 2000; do
		printf '{"op":"scan","method":"scan.serial","n":%s,"ms":%s}\n' "$n" $((n == 1000 ? ms : 1))
	done >"sizes$ms.json"
done
python3 "$here/../../bench/compare.py" sizes1.json sizes2.json >out 2>err
[[ $? == 1 ]] || fail "compare.py" "the slower one of two sizes is not told" "$(cat out err)"
