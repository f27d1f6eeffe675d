#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests ek reproduce: test/reproduce.sh PATH-OF-EK. Every experiment of every work runs at toy size, with
# its steps of a device where OpenCL has one; a run that was killed goes on without a lost and without a
# repeated step; verdicts on records that are written here; mistakes in descriptions. Takes about half a
# minute, and a quarter more with a device; EK_TEST_TIER=full has the steps of a device of all experiments.
set -u
EK=$(cd "$(dirname "${1:?the path of ek is expected}")" && pwd)/$(basename "$1")
works_here=$(cd "$(dirname "$0")/../reproduce/works" && pwd)
export LC_ALL=C TERM=dumb COLUMNS=100 EK_CACHE=off EK_PROFILE=none
unset EK_THREADS OMP_NUM_THREADS EK_ISA EK_BIND EK_METHOD EK_MATRICES EK_DEVICE
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
count=0 failed=0

# expect WHAT COMMAND...: the command must succeed.
expect()
{
	local what=$1
	shift
	count=$((count + 1))
	"$@" && return
	failed=$((failed + 1))
	echo "FAILED $what"
	head -n 5 out err 2>/dev/null
}
run() # CODE ARGUMENT...: runs ek reproduce and checks its exit code
{
	local code
	"$EK" reproduce "${@:2}" >out 2>err </dev/null
	code=$?
	expect "exit code $code of ek reproduce ${*:2}, expected $1" test "$code" = "$1"
}
ends() { grep -c '"end":.*}$' "$1/records.jsonl"; }

# ---- Every experiment at toy size ----------------------------------------------------------------

run 0 --toy --quiet -o all --json all.jsonl
"$EK" reproduce --list --toy -o all >list
expect "works have experiments" test "$(wc -l <list)" -gt 50
expect "no step is missing but for those of devices" \
	test "$(grep -cE 'failed|left for' out)" = 0
names=$(awk 'NR > 2 && $1 ~ /\./ { print $1 }' list)
for name in $names; do
	expect "$name is in the output" grep -q "^$name " out
	expect "$name is on the page" grep -q "\"name\":\"$name\"" all/index.html
done
expect "each step ended once" test \
	"$(grep '"end":' all/records.jsonl | sed 's/,"end".*//' | sort | uniq -d | wc -l)" = 0
expect "steps of a device are their own, also where the processor has the same words" \
	grep -q "^thesis.8.14 .*: 1 of 2 steps.* 1 step without --device" out
before=$(ends all)
run 0 --toy --quiet -o all
expect "nothing is measured twice" test "$(ends all)" = "$before"
if "$EK" list devices --plain --quiet | grep -q '^opencl:0'; then
	# Compiling the kernels of all experiments takes four minutes of processor time where the driver does
	# not have them, so only the full tier has all.
	case ${EK_TEST_TIER:-quick} in
	full | long) some=$names ;;
	*) some="speculative.4 thesis.9.8 today.both" ;;
	esac
	# shellcheck disable=SC2086 # the names are arguments
	EK_CACHE=$work/cache run 0 --toy --quiet -o all --device opencl $some
	expect "no step of a device is missing" test "$(grep -cE 'failed|left for|steps? without' out)" = 0
	for name in $some; do
		expect "all steps of $name were measured" \
			grep -qE "^$name \([^)]*\): ([0-9]+) of \1 steps" out
	done
	expect "both kinds of core are compared with each" \
		awk '/^today\.both/ { seen = 1; getline; bad += /no records of one side/ }
			END { exit bad || !seen }' out
else
	echo "OpenCL has no device here: steps that need one are not run"
fi

# ---- What charts and claims ask for is measured ---------------------------------------------------

# Methods of both sides of a claim are in one command, but for the claims on two settings ("across") and
# lengths that differ between matrices.
if command -v python3 >/dev/null; then
	asks() # FOLDER: prints what its descriptions ask for and do not measure
	{
		python3 - "$1" <<-'END'
			import glob, json, re, sys

			def names(f):
			    name = f.get("method") or []
			    return [name] if isinstance(name, str) else name

			# Tells whether a run measures a method: by its name, as a format, in a sweep, with --peers, or as a
			# part of --model; regret and both kinds of core have their choices by themselves.
			def measures(run, name):
			    text = " ".join(str(run.get(k, "")) for k in ("bench", "full", "quick"))
			    own = name.split(".", 1)[1] if re.match(r"\w+\.[a-z]", name) else name
			    base, _, parameter = own.partition(":")
			    if name.startswith("peer."):
			        return "--peers" in text
			    if text.startswith("regret") and own in ("auto", "learned"):
			        return True
			    if run.get("both") and "--method" not in text:
			        return own.replace(" again", "") in (
			            "auto", "csr.split.gpu", "csr.split.gpu:side=1", "csr.split.gpu:side=2")
			    if "--model" in text:
			        return name.startswith("model.") or name.startswith("kselect.")
			    listed = lambda n: re.search("[ ,.]" + re.escape(n) + "(?=[, ]|$)(?!,[a-z]+=)", text)
			    swept = parameter and f"--sweep {parameter.split('=')[0]}=" in text
			    return bool(listed(own) or listed(own.replace(".gpu", "")) or swept and listed(base))

			for path in sorted(glob.glob(sys.argv[1] + "/*.json")):
			    work = json.load(open(path, encoding="utf-8"))
			    for e in work["experiments"]:
			        runs, name = e.get("runs", []), f"{work['work']}.{e['id']}"
			        for c in e.get("charts", []) + e.get("claims", []) + e.get("numbers", []):
			            for key in ("where", "over", "best", "beside", "of"):
			                for n in names(c.get(key) or {}):
			                    if not any(measures(r, n) for r in runs):
			                        print(f"{name}: not measured: {n}")
			        for c in e.get("claims", []):
			            both = names(c["of"]) + names(c["over"])
			            if not c.get("across") and not any(all(measures(r, n) for n in both) for r in runs):
			                print(f"{name}: apart: {c['text']}")
			            for block in [c[k]["block"] for k in ("of", "over") if "block" in c[k]]:
			                if not any(re.search(f"block=[0-9,]*\\b{block}\\b", r["bench"]) for r in runs):
			                    print(f"{name}: not measured: block {block}")
			            if not both and not c["of"].keys() & {"name", "block"}:
			                print(f"{name}: no method: {c['text']}")
		END
	}
	asks "$works_here" | grep -v '^segspmv\.t1: apart:' >out
	expect "methods of charts and claims are measured, both sides in one command" test ! -s out
	mkdir asks
	cat >asks/asks.json <<-'END'
		{"work": "asks", "experiments": [{"id": "1", "runs": [{"bench": "spmv --method csr.rows,sell"},
		 {"bench": "spmv --method csr5:sigma=4"}], "charts": [{"where": {"method": "spmv.csr.row"}}],
		 "claims": [{"text": "T", "of": {"method": "bcsr"}, "over": {"method": "spmv.sell"}},
		  {"text": "U", "of": {"method": "spmv.sell"}, "over": {"method": "spmv.csr5:sigma=4"}},
		  {"text": "V", "of": {"block": 512}, "over": {"block": 1024}}, {"text": "W", "of": {}, "over": {}}]}]}
	END
	expect "what is not measured is seen" test "$(asks asks | tr '\n' ';')" = \
		"asks.1: not measured: spmv.csr.row;asks.1: not measured: bcsr;asks.1: apart: T;asks.1: apart: U;asks.1: not measured: block 512;asks.1: not measured: block 1024;asks.1: no method: W;"
fi

# ---- A run that is cut off -----------------------------------------------------------------------

mkdir works
cat >works/cut.json <<'END'
{"work": "cut", "number": "9", "authors": "A", "year": 2000, "title": "T", "experiments": [
 {"id": "1", "what": "Figure 1", "title": "many steps", "runs": [
  {"bench": "scan --method serial --type f32 --time 0.2",
   "each": {"--n": ["1000", "2000", "3000", "4000", "5000", "6000", "7000", "8000"]}}],
  "charts": [{"kind": "lines", "x": "n", "y": "ms", "series": "name", "where": {"method": "scan.serial"}}]}]}
END
exec 3>&2 2>/dev/null # the shell would tell that it was killed
"$EK" reproduce --works works -o cut >/dev/null 2>&1 &
child=$!
for ((k = 0; k < 200; k++)); do
	grep -qs '"end":' cut/records.jsonl && break
	sleep 0.05
done
kill -9 "$child"
wait "$child"
exec 2>&3
there=$(ends cut)
expect "it was cut off in the middle, after $there steps" test "$there" -ge 1 -a "$there" -lt 8
truncate -s -7 cut/records.jsonl # as after a loss of power: the last step has no end
cp cut/records.jsonl kept
run 0 --works works -o cut --quiet
expect "all steps are there" grep -q "8 of 8 steps" out
expect "the steps that had ended are not repeated" test "$(ends cut)" = 8
"$EK" reproduce --works works -o cut cut.1 --json cut.json >/dev/null 2>&1
expect "no record counts twice" test \
	"$(grep -o '"points":\[[^]]*' cut/index.html | grep -o '"x":' | wc -l)" = 8
whole=$(wc -l <kept)
expect "their records are the same" diff <(head -n "$whole" kept) <(head -n "$whole" cut/records.jsonl)

lost=$(grep -n -m 1 '"n":8000,' cut/records.jsonl | cut -d : -f 1)
sed -i "${lost}d" cut/records.jsonl
run 0 --works works -o cut --list
expect "a step that lost a record is not there" grep -q "^cut.1 .* 7 of 8" out
run 0 --works works -o cut --quiet
expect "and is measured again" test "$(ends cut)" = 9

# ---- Records that are forgotten ------------------------------------------------------------------

cat >works/other.json <<'END'
{"work": "other", "number": "8", "authors": "A", "year": 2000, "title": "T", "experiments": [
 {"id": "1", "what": "Figure 1", "title": "T", "runs": [
  {"bench": "scan --method serial --type f32 --time 0.2", "each": {"--n": ["1000", "500"]}}]}]}
END
run 0 --works works -o shared --minutes 1e-12
expect "steps that experiments share are counted once" grep -q "at most 9 steps to measure" err
run 0 --works works -o cut --quiet other
expect "a step that experiments share is measured once" test "$(ends cut)" = 10
sed -i 's/"disturbed":[0-9.e-]*/"disturbed":0/
	/--n [12]000"/s/"disturbed":0/"disturbed":0.5/' cut/records.jsonl
run 0 --works works -o cut --again=disturbed --quiet other
expect "--again=disturbed measures what was disturbed, of the named experiments" \
	test "$(ends cut)" = 11 -a "$(grep forgotten cut/records.jsonl | grep -c -- '--n 1000"')" = 1
run 2 --works works -o cut --again=some
run 0 --works works -o cut --again --minutes 1e-12 --quiet cut
expect "what no time is left for is told" grep -q "8 steps left for the next call" out
run 0 --works works -o cut --list
expect "--again forgets all of the named experiments" grep -q "^cut.1 .* 0 of 8" out
expect "and nothing of others" grep -q "^other.1 .* 1 of 2" out
run 0 --works works -o cut --quiet cut
expect "the next run goes on without --again" test "$(ends cut)" = 19

# ---- Options and variables that change measurements ----------------------------------------------

mkdir set
cat >set/set.json <<'END'
{"work": "set", "number": "6", "authors": "A", "year": 2000, "title": "T", "experiments": [
 {"id": "1", "what": "Figure 1", "title": "T", "runs": [{"bench": "scan --method serial --n 100 --rounds 1"},
  {"bench": "scan --method serial --n 200 --rounds 1 --threads 1 --isa scalar"},
  {"bench": "scan --method serial --n 300 --rounds 1", "each": {"--threads": ["1"]}},
  {"bench": "scan --n 400", "device": true}, {"bench": "scan --n 500", "device": true,
   "each": {"--device-memory": ["copy"]}}]}]}
END
steps() { sed -n 's/.*"step":"\([^"]*\)","end".*/\1/p' set/records.jsonl | tail -n 3 | tr '\n' ';'; }
run 0 --works set -o set --quiet
expect "commands have no options of their own" test "$(steps)" = \
	"scan --method serial --n 100 --rounds 1;scan --method serial --n 200 --rounds 1 --threads 1 --isa scalar;scan --method serial --n 300 --rounds 1 --threads 1;"
all_three="scan --method serial --n 100 --rounds 1 --threads 2 --isa scalar --bind;scan --method serial --n 200 --rounds 1 --threads 1 --isa scalar --bind;scan --method serial --n 300 --rounds 1 --isa scalar --bind --threads 1;"
run 0 --works set -o set --quiet --threads 2 --isa scalar --bind
expect "options are in the commands" test "$(steps)" = "$all_three"
expect "and count" grep -q '"isa":"scalar",.*"threads":2,.*--n 100 ' set/records.jsonl
before=$(ends set)
EK_THREADS=2 EK_ISA=scalar EK_BIND=1 run 0 --works set -o set --quiet
expect "variables are the same steps" test "$(ends set)" = "$before"
EK_THREADS=1 EK_METHOD=x EK_CSR5_SIGMA=x run 0 --works set -o set --quiet --threads 2 --isa scalar --bind
expect "options come before variables" test "$(ends set)" = "$before"
for wrong in EK_ISA EK_THREADS EK_BIND; do
	(
		export $wrong=nonesuch
		"$EK" reproduce --works set -o set >out 2>err
	)
	expect "a wrong value of $wrong is told" grep -q "environment variable $wrong is \"nonesuch\"" err
done
run 2 --works set -o set --device-memory copy
run 2 --works set -o set --device cpu+gpu
expect "one device is expected" grep -q -- "--device cpu+gpu: one device is expected" err
if "$EK" list devices --plain --quiet | grep -q '^opencl:0'; then
	run 0 --works set -o set --device opencl --device-memory mapped --minutes 1e-12
	expect "the memory of devices is in their commands" grep -q \
		'"scan --n 400 --device-memory mapped --device opencl"' set/index.html
	expect "unless they have their own" grep -q '"scan --n 500 --device opencl --device-memory copy"' set/index.html
fi

# ---- An interrupt --------------------------------------------------------------------------------

set -m # otherwise the shell makes background commands ignore SIGINT
"$EK" reproduce --works works -o int >out 2>err &
child=$!
set +m
for ((k = 0; k < 200; k++)); do
	grep -qs '"end":' int/records.jsonl && break
	sleep 0.05
done
sleep 0.2 # until the step is known to be kept
kill -INT "$child"
wait "$child" 2>/dev/null
expect "an interrupt ends it" test $? = 130
expect "an interrupt says what is kept" grep -qE \
	'^ek reproduce: interrupted: [1-8] steps? kept in int/records.jsonl; the same command goes on' err

# ---- Words with blanks ---------------------------------------------------------------------------

mkdir words "two words"
"$EK" generate poisson2d5:nx=9,ny=9 -o "two words/a'b.mtx" --quiet
cat >words/words.json <<'END'
{"work": "words", "number": "6", "authors": "A", "year": 2000, "title": "T", "experiments": [
 {"id": "1", "what": "Figure 1", "title": "T", "runs": [{"bench": "spmv --method 'csr.serial' --rounds 1",
  "each": {"--threads": ["1"]}, "matrices": {"full": ["two words/a'b.mtx"]}}]},
 {"id": "2", "what": "Figure 2", "title": "T", "runs": [{"bench": "spmv 'a b"}]},
 {"id": "3", "what": "Figure 3", "title": "T", "runs": [{"bench": "spmv \"a b\""}]},
 {"id": "4", "what": "Figure 4", "title": "T", "runs": [{"bench": "scan",
  "each": {"--n": ["3*", "3?", "3[", "3~", "3#", "3^", "3\"", "3$", "3!", "3{"]}}]}]}
END
run 1 --works words -o words --quiet
expect "a path with blanks is one word" grep -q "^words.1 (Figure 1): 1 of 1 steps" out
expect "commands are quoted as for a shell" grep -qFe "--threads 1 'two words/a'\\\\''b.mtx'" words/records.jsonl
expect "a quote that is not closed" grep -q "spmv 'a b: a quote is not closed" out
expect "a double quote" grep -q 'spmv "a b": a double quote is not read; single quotes are' out
for special in '*' '?' '[' '~' '#' '^' '"' '$' '!' '{'; do
	expect "a word with $special is quoted" grep -qF "'3${special//\"/\\\"}'" words/index.html
done

# ---- Verdicts ------------------------------------------------------------------------------------

# record METHOD MATRIX MS: a record of nine rounds with a spread of 1 %
record()
{
	awk -v method="$1" -v matrix="$2" -v ms="$3" -v machine="$machine" 'BEGIN {
		printf "{\"op\":\"spmv\",\"method\":\"%s\",\"matrix\":\"%s\",\"value\":\"f64\",", method, matrix
		printf "\"rounds\":9,\"ms\":%g,\"ms_p10\":%g,\"ms_p90\":%g,", ms, 0.995 * ms, 1.005 * ms
		printf "\"run_ms\":%g,\"run_ms_p10\":%g,\"run_ms_p90\":%g,", 3 * ms, 2.985 * ms, 3.015 * ms
		printf "\"speedup\":{\"50\":%g},\"speedup_p10\":{\"50\":%g},", 8 / ms, 7.96 / ms
		printf "\"speedup_p90\":{\"50\":%g},", 8.04 / ms
		printf "\"n_u\":471,\"machine\":\"%s\",\"step\":\"spmv x\"}\n", machine }'
}
machine=$(sed -n 's/.*"machine":"\([^"]*\)".*/\1/p' all/records.jsonl | head -n 1)
rm works/cut.json
cat >works/judge.json <<'END'
{"work": "judge", "number": "8", "authors": "A", "year": 2000, "title": "T", "experiments": [
 {"id": "t1", "what": "Table 1", "title": "T", "runs": [{"bench": "spmv x"}], "claims": [
  {"text": "twice and eight times", "published": 3, "mean": "geometric",
   "of": {"method": "a"}, "over": {"method": "b"}},
  {"text": "harmonic", "published": [2, 4], "mean": "harmonic",
   "of": {"method": "a"}, "over": {"method": "b"}},
  {"text": "the other way", "published": 1.5, "of": {"method": "b"}, "over": {"method": "a"}},
  {"text": "alike", "published": null, "of": {"method": "c"}, "over": {"method": "b"}},
  {"text": "slower", "published": 0.5, "of": {"method": "b"}, "over": {"best": "ours"}},
  {"text": "speed-ups", "published": 2, "value": "speedup.50", "better": "more",
   "of": {"method": "a"}, "over": {"method": "b"}},
  {"text": "another value", "published": null, "over_value": "run_ms",
   "of": {"method": "a"}, "over": {"method": "b"}},
  {"text": "counts", "published": null, "value": "n_u", "of": {"method": "a"}, "over": {"method": "b"}},
  {"text": "a peer", "published": 1.1, "of": {"method": "a"}, "over": {"method": "peer.x"}}],
  "numbers": [{"text": "updates", "published": 471, "value": "n_u", "where": {"method": "a"}, "exact": true},
   {"text": "not so many", "published": 470, "value": "n_u", "where": {"method": "a"}, "exact": true}]}]}
END
mkdir judge
{
	record a m1 1
	record b m1 2
	record c m1 2
	record a m2 1
	record b m2 8
	record c m2 8.001
	record a m3 1 # without a partner
	record a m4 1 | sed 's/"rounds"/"disturbed":0.5,"rounds"/'
	record b m4 9
	echo '{"step":"spmv x","end":true,"records":9,"seconds":1}'
} >judge/records.jsonl
run 0 --works works -o judge judge.t1
tr '\n' ' ' <out | sed 's/  */ /g' >line
says() { expect "a verdict: $1" grep -qF "$1" line; }
says "twice and eight times. The work: 3 times. Here: 4 times as fast (3.98 to 4.02), geometric mean of 2 of 3 cases, 1 left out as disturbed: holds, by more."
says "harmonic. The work: 2 to 4 times. Here: 3.2 times"
says "3.2 times as fast (3.18 to 3.22), harmonic mean of 2 of 3 cases, 1 left out as disturbed: holds, by as much."
says "the other way. The work: 1.5 times. Here: 0.25 times"
says "left out as disturbed: does not hold."
says "alike. The work says so in words. Here: 1 times"
says "geometric mean of 2 cases: tie."
says "slower. The work: 0.5 times. Here: 0.25 times"
says "speed-ups. The work: 2 times. Here: 4 times (3.98 to 4.02), geometric mean of 2 of 3 cases, 1 left out as disturbed: holds, by more."
says "another value. The work says so in words. Here: 12 times as fast (11.9 to 12.1)"
says "counts. The work says so in words. Here: 1 times, geometric mean of 3 cases: tie."
says "1 claim: Not measured here: peer.x did not take part"
says "updates. The work: 471. Here: 471: holds."
says "not so many. The work: 470. Here: 471: does not hold."
says "claims: holds 6, tie 2, does not hold 2, not judged 1"

# ---- Published values for each thread ------------------------------------------------------------

cat >works/threads.json <<'END'
{"work": "threads", "number": "4", "authors": "A", "year": 2000, "title": "T", "experiments": [
 {"id": "1", "what": "Figure 1", "title": "T", "runs": [{"bench": "spmv x"}], "claims": [
  {"text": "by threads", "published": 0.5, "per_thread": true, "of": {"method": "a"}, "over": {"method": "b"}}]}]}
END
for threads in 2 3 8; do
	mkdir threads$threads
	{
		record a m1 1 | sed "s/\"rounds\"/\"threads\":$threads,\"rounds\"/"
		record b m1 1.2 | sed "s/\"rounds\"/\"threads\":$threads,\"rounds\"/"
		echo '{"step":"spmv x","end":true,"records":2,"seconds":1}'
	} >threads$threads/records.jsonl
	run 0 --works works -o threads$threads threads.1
	tr '\n' ' ' <out | sed 's/  */ /g' >line
	case $threads in
	2) says "The work: 1 times. Here: 1.2 times as fast (1.19 to 1.21), one case: not judged, since the work expects no gain of so few threads." ;;
	3) says "The work: 1.5 times. Here: 1.2 times as fast (1.19 to 1.21), one case: holds, by less." ;;
	8) says "The work: 4 times. Here: 1.2 times as fast (1.19 to 1.21), one case: holds, by less." ;;
	esac
done

# ---- What has no verdict, and why ----------------------------------------------------------------

cat >works/none.json <<'END'
{"work": "none", "number": "3", "authors": "A", "year": 2000, "title": "T", "experiments": [
 {"id": "1", "what": "Figure 1", "title": "T", "runs": [{"bench": "spmv x"}, {"bench": "spmv y"}], "claims": [
  {"text": "in place of another", "published": 3, "stand_in": "a stands for z",
   "of": {"method": "a"}, "over": {"method": "b"}},
  {"text": "apart", "published": 3, "of": {"method": "d"}, "over": {"method": "b"}},
  {"text": "bytes apart", "published": 2, "value": "bytes", "of": {"method": "d"}, "over": {"method": "b"}},
  {"text": "ours", "ours": true, "of": {"method": "e"}, "over": {"method": "b"}},
  {"text": "ours of what varies", "ours": true, "value": "gaps", "of": {"method": "a"}, "over": {"method": "b"}},
  {"text": "mostly disturbed", "published": 2, "of": {"method": "f"}, "over": {"method": "g"}},
  {"text": "steady", "published": null, "value": "spread", "of": {"method": "a"}, "over": {"method": "b"}},
  {"text": "a slow disturbed one beside", "published": 2, "of": {"method": "f"}, "over": {"method": ["h", "i", "k"]}},
  {"text": "a near disturbed one beside", "published": 2, "of": {"method": "f"}, "over": {"method": ["h", "j"]}},
  {"text": "lone", "published": 3, "mean": "max", "of": {"method": "a"}, "over": {"method": "b"}},
  {"text": "lone of ours", "ours": true, "mean": "max", "of": {"method": "a"}, "over": {"method": "b"}}],
  "numbers": [{"text": "a mean", "published": 1.5, "value": "ms", "mean": "harmonic", "where": {"method": ["a", "b"]}},
   {"text": "not below", "section": "V", "published": 0.5, "value": "ms", "below": true, "mean": "median",
    "where": {"method": "a"}},
   {"text": "below, in place of another", "published": 9, "value": "ms", "below": true, "mean": "median",
    "stand_in": "a stands for z", "where": {"method": "a"}},
   {"text": "below", "published": 1.1, "value": "ms", "below": true, "mean": "median", "where": {"method": "a"}},
   {"text": "below, two rounds", "published": 9, "value": "ms", "below": true, "mean": "median",
    "where": {"method": "e"}},
   {"text": "not counted", "published": 0.8, "value": "reused_lines", "where": {"method": "a"}}]}]}
END
mkdir none
{
	record a m1 1 | sed 's/"rounds"/"gaps":1,"bytes":6,"counters_refused":"no counter","rounds"/'
	record b m1 2 | sed 's/"rounds"/"gaps":2,"bytes":6,"rounds"/'
	record e m1 4 | sed 's/"rounds":9/"rounds":2/'
	for m in m1 m2 m3; do
		record f $m 1
		record g $m 2
	done | sed '/"m[23]"/s/"rounds"/"disturbed":0.5,"rounds"/'
	record h m1 2
	record i m1 3 | sed 's/"rounds"/"disturbed":0.5,"rounds"/'
	record k m1 0 | sed 's/"ms":0,.*"n_u"/"ms":null,"refused":"too large","disturbed":0.5,"n_u"/'
	record j m1 2.005 | sed 's/"rounds"/"disturbed":0.5,"rounds"/'
	echo '{"step":"spmv x","end":true,"records":13,"seconds":1}'
	record d m1 1 | sed 's/"rounds"/"bytes":3,"rounds"/; s/spmv x/spmv y/'
	echo '{"step":"spmv y","end":true,"records":1,"seconds":1}'
} >none/records.jsonl
run 0 --works works -o none none.1
tr '\n' ' ' <out | sed 's/  */ /g' >line
says "in place of another. The work: 3 times. Here: 2 times as fast (1.99 to 2.01), one case: not judged, since a stands for z."
says "apart. The work: 3 times. Here: 2 times as fast (1.99 to 2.01), one case: not judged, since the sides were measured one after the other, not in the same rounds."
says "bytes apart. The work: 2 times. Here: 2 times, one case: holds, by as much."
says "ours. Here: 0.5 times as fast, one case: no interval, since 2 rounds cannot tell how values vary."
says "ours of what varies. Here: 2 times, one case: no interval, since the records have no percentiles of gaps."
says "mostly disturbed. The work: 2 times. Here: 2 times as fast (1.99 to 2.01), one of 3 cases, 2 left out as disturbed: not judged, since other programs used the machine during more than half of the measurements."
says "steady. The work says so in words. Here: 1 times, one case: not judged, since the records have no percentiles of spread."
says "a slow disturbed one beside. The work: 2 times. Here: 2 times as fast (1.99 to 2.01), one case: holds, by as much."
says "1 claim: Measured while other programs used the machine, so it is left out."
says "lone. The work: 3 times. Here there is one case, which has no largest: not judged."
expect "the largest of one case of ours is left out" test "$(grep -c "lone of ours" line)" = 0
says "a mean. The work: 1.5. Here: 1.33 (1.33 to 1.34), harmonic mean of 2 cases."
says "not below. The work (section V): below 0.5. Here: 1 (0.995 to 1), one case: does not hold."
says "below, in place of another. The work: below 9. Here: 1 (0.995 to 1), one case: not judged, since a stands for z."
says "below. The work: below 1.1. Here: 1 (0.995 to 1), one case: holds."
says "below, two rounds. The work: below 9. Here: 4, one case: not judged, since 2 rounds cannot tell how values vary."
says "1 claim: Not measured here: no counter."
expect "the page says so, too" grep -q '"sentence":"Not measured here: no counter.",[^}]*"refused":true' none/index.html
says "claims: holds 3, does not hold 1, not judged 8"
expect "a page without scripts has the sentences" grep -q \
	'^    apart\. The work: 3 times\. Here: 2 times as fast (1.99 to 2.01), one case: not judged' none/index.html

# ---- A failure of a step that is not wanted ------------------------------------------------------

cat >works/two.json <<'END'
{"work": "two", "number": "2", "authors": "A", "year": 2000, "title": "T", "experiments": [
 {"id": "1", "what": "Figure 1", "title": "T", "runs": [{"bench": "spmv x"}]},
 {"id": "2", "what": "Figure 2", "title": "T", "runs": [{"bench": "spmv slow"}]}]}
END
mkdir two
{
	record a m1 1
	echo '{"step":"spmv x","end":true,"records":1,"seconds":1}'
	echo '{"step":"spmv slow","failed_step":"took longer than 60 s"}'
} >two/records.jsonl
run 0 --works works -o two two.1
expect "a failure that was not asked for is not told" test "$(grep -c "failed" out)" = 0
run 1 --works works -o two two.2
expect "one that was asked for is" grep -q "failed: ek bench spmv slow: took longer" out
run 1 --works works -o two two

# ---- What is on the page -------------------------------------------------------------------------

# Without --device no step of these was measured, so that only the call says that they were asked for.
cat >works/asked.json <<'END'
{"work": "asked", "number": "6", "authors": "A", "year": 2000, "title": "T", "experiments": [
 {"id": "1", "what": "Figure 1", "title": "T", "runs": [{"bench": "scan", "device": true}]},
 {"id": "2", "what": "Figure 2", "title": "T", "runs": [{"bench": "scan", "device": true}]},
 {"id": "3", "what": "Figure 3", "title": "T", "cannot": "it has no measurement"}]}
END
names_on_page() { grep -o '"name":"asked.[0-9]"' "$1/index.html" | tr -dc '1-9'; }
run 0 --works works -o asked asked.3
expect "what nobody asked for is not on the page" test "$(names_on_page asked)" = 3
run 0 --works works -o asked asked
run 0 --works works -o asked asked.1
expect "what an earlier call asked for is on the page" test "$(names_on_page asked)" = 123
expect "each experiment is noted once" test "$(grep -c '"asked":' asked/records.jsonl)" = 2
run 0 --works works -o unasked --list asked
expect "--list asks for nothing" test ! -e unasked
rm works/asked.json

# ---- Wrong results -------------------------------------------------------------------------------

# Those of our methods are told each time, and are the exit status; those of others are only told.
rm -rf two
mkdir two
wrong='s/"ms":.*"n_u"/"ms":null,"failed":true,"why":"wrong result","n_u"/'
{
	record a m1 1
	record peer.q m1 1 | sed "$wrong"
	echo '{"step":"spmv x","end":true,"records":2,"seconds":1}'
	record b m1 1 | sed "$wrong; s/spmv x/spmv slow/"
	echo '{"step":"spmv slow","end":true,"records":1,"seconds":1}'
} >two/records.jsonl
run 0 --works works -o two two.1
expect "a wrong result of another library" grep -q "^wrong: ek bench spmv x: peer.q, m1: wrong result" out
run 1 --works works -o two two
expect "no step failed" test "$(grep -c '^failed:' out)" = 0
expect "a wrong result is told once" test "$(grep -c "^wrong: ek bench spmv slow: b, m1: wrong result" out)" = 1
expect "and counted" grep -q "^two.2 (Figure 2): 1 of 1 steps; 1 wrong result" out
expect "and is on the page" grep -q '"wrong":{"b, m1":"wrong result"}' two/index.html

# ---- Numbers of twins ----------------------------------------------------------------------------

cat >works/built.json <<'END'
{"work": "built", "number": "3", "authors": "A", "year": 2000, "title": "T", "experiments": [
 {"id": "1", "what": "Table 1", "title": "T", "runs": [{"bench": "spmv x"}],
  "numbers": [{"text": "a count", "published": 471, "value": "n_u", "where": {"method": "a"}},
   {"text": "a time", "published": 1, "value": "ms", "where": {"method": "a"}}]}]}
END
mkdir built
{
	record a m1 1 | sed 's/"rounds"/"source":"twin","rounds"/'
	echo '{"step":"spmv x","end":true,"records":1,"seconds":1}'
} >built/records.jsonl
run 0 --works works -o built built.1
grep -o '"claims":.*' built/index.html | sed 's/{"text"/\n&/g' >made
expect "a twin has counts by construction" grep -q '"text":"a count".*"built":true' made
expect "but no times" test "$(grep '"text":"a time"' made | grep -c '"built":true')" = 0
rm works/built.json

# ---- Charts --------------------------------------------------------------------------------------

cat >works/charts.json <<'END'
{"work": "charts", "number": "1", "authors": "A", "year": 2000, "title": "T", "experiments": [
 {"id": "1", "what": "Figure 1", "title": "T",
  "runs": [{"bench": "spmv x"}, {"bench": "spmv y", "beside": true}], "charts": [
  {"title": "over", "kind": "bars", "x": "matrix", "y": "ms", "series": "method", "where": {"method": "b"},
   "over": {"method": "a"}},
  {"title": "reduced", "kind": "bars", "x": "value", "y": "ms", "series": "method", "over": {"method": "a"},
   "reduce": "harmonic"},
  {"title": "parts", "kind": "stack", "x": "matrix", "parts": {"ms": "one", "run_ms": "three"},
   "where": {"method": "a"}},
  {"title": "best", "kind": "bars", "x": "matrix", "y": "ms", "series": "method", "where": {"method": "b"},
   "best": {}, "beside": {"method": "auto"}},
  {"title": "points", "kind": "points", "x": "ms", "y": "run_ms", "series": "method", "where": {"method": "b"}},
  {"title": "lines", "kind": "lines", "x": "ms", "y": "run_ms", "series": "value", "split": "n_u"}]}]}
END
mkdir charts
{
	record a m1 1 | sed 's/"rounds"/"state":"governor fast; load 3.00","rounds"/'
	record b m1 2 | sed 's/"rounds"/"state":"governor slow; load 0.50","rounds"/'
	record a m2 1
	record b m2 4
	record c m2 5
	echo '{"step":"spmv x","end":true,"records":5,"seconds":1}'
	record auto m1 0.5 | sed 's/spmv x/spmv y/'
	record other m1 3 | sed 's/spmv x/spmv y/'
	record peer.q.fast m1 3 | sed 's/spmv x/spmv y/; s/"rounds"/"version":"3.1","rounds"/'
	echo '{"step":"spmv y","end":true,"records":3,"seconds":1}'
	record a m1 1 | sed 's/spmv x/spmv z/; s/"rounds"/"commit":"of-old","rounds"/'
	echo '{"step":"spmv z","end":true,"records":1,"seconds":1}'
} >charts/records.jsonl
run 0 --works works -o charts charts.1 --plots svg
grep -o '"charts":.*' charts/index.html | sed 's/"published".*//; s/{"title"/\n&/g' >made
draws() { expect "a chart: $2" grep -q "\"title\":\"$1\".*$2" made; }
draws over '"y":2,"x":"m1","low":1.98[0-9]*,"high":2.01[0-9]*'
draws over '"y":4,"x":"m2"'
draws over '"spread":"95 % interval of the ratio of medians"'
draws reduced '"name":"b".*"x":"f64","y":4,"cases":1.*"name":"c"' # c has only m2
draws parts '"name":"one".*"y":1,"x":"m1","from":0.0.*"name":"three".*"y":3,"x":"m1","from":1.0'
draws best '"name":"our fastest".*"x":"m1".*"who":"auto".*"y":1,"x":"m2".*"who":"a".*"name":"auto"'
draws points '"kind":"points".*"y":6,"x":2,"who":"m1".*"y":12,"x":4,"who":"m2"'
draws "lines: n_u = 471" '"x":1,.*"x":1,.*"x":2,.*"x":4,.*"x":5,' # b of m1 comes before a of m2
expect "other records beside are not drawn" test "$(grep -c '"name":"other"' made)" = 0
expect "the states are together" grep -q "governor fast (1 of 2 records); governor slow (1 of 2 records); load 0.50 to 3.00" charts/index.html
expect "other libraries have their versions" grep -q "other libraries: peer.q 3.1 " charts/index.html
expect "what no experiment asks for is not told of" test "$(grep -c of-old charts/index.html)" = 0
expect "but said to be there" grep -q "records of 1 step that no experiment asks for" err
command -v gnuplot >/dev/null && expect "a stack and points are plotted" test -s charts/charts.1-3.svg -a -s charts/charts.1-5.svg

# ---- Means in charts -----------------------------------------------------------------------------

# The means of b leave out the matrix that others disturbed, those of c have no other.
mkdir means alone # works of its own: others would have charts of the same records
cat >alone/means.json <<'END'
{"work": "means", "number": "3", "authors": "A", "year": 2000, "title": "T", "experiments": [
 {"id": "1", "what": "Figure 1", "title": "T", "runs": [{"bench": "spmv x"}], "charts": [
  {"title": "reduced", "kind": "bars", "x": "value", "y": "ms", "series": "method", "over": {"method": "a"},
   "where": {"method": ["b", "c"]}, "reduce": "harmonic"},
  {"title": "mean", "kind": "bars", "x": "matrix", "y": "ms", "series": "method", "mean": "arithmetic"}]}]}
END
{
	record a m1 1
	record b m1 2
	record a m2 1
	record b m2 8 | sed 's/"rounds"/"disturbed":0.5,"rounds"/'
	for m in m1 m2; do record c $m 3; done | sed 's/"rounds"/"disturbed":0.5,"rounds"/'
	echo '{"step":"spmv x","end":true,"records":6,"seconds":1}'
} >means/records.jsonl
run 0 --works alone -o means means.1
grep -o '"charts":.*' means/index.html | sed 's/"published".*//; s/{"title"/\n&/g' >made
draws reduced '"name":"b",[^]]*"x":"f64","y":2,"cases":1,"left_out":1,"low"'
draws reduced '"name":"c",[^]]*"x":"f64","y":3,"cases":2,"left_out":0,"disturbed":true'
draws mean '"name":"b",[^]]*"disturbed":true[^]]*],"mean":5.0.*"name":"c",.*,"mean":3.0'

# Half of the records behind a figure may be disturbed without a warning, but no more.
expect "no warning if half was disturbed" test "$(grep -c 'were disturbed' means/index.html)" = 0
sed -i '/"method":"b","matrix":"m1"/s/"rounds"/"disturbed":0.5,"rounds"/' means/records.jsonl
run 0 --works alone -o means means.1
expect "a warning if most was" grep -q \
	'"disturbed":"4 of 6 records were disturbed: other programs .*"again":"ek reproduce --again=disturbed -o means --works alone means.1"' \
	means/index.html
expect "also without scripts" grep -q '^ek reproduce --again=disturbed' means/index.html

# ---- Intervals of few rounds, against quantiles of Student's distribution from tables ------------

# few METHOD ROUNDS: a record whose percentiles are 0.98 and 1.02
few()
{
	echo "{\"op\":\"spmv\",\"method\":\"$1\",\"matrix\":\"m\",\"rounds\":$2,\"ms\":1,\"ms_p10\":0.98," \
		"\"ms_p90\":1.02,\"machine\":\"$machine\",\"step\":\"spmv x\"}"
}
cat >works/few.json <<'END'
{"work": "few", "number": "5", "authors": "A", "year": 2000, "title": "T", "experiments": [
 {"id": "1", "what": "Table 1", "title": "T", "runs": [{"bench": "spmv x"}], "claims": [
  {"text": "few", "published": 1, "of": {"method": "a"}, "over": {"method": "b"}}]}]}
END
for case in 3:4.30265 4:3.18245 5:2.77645 6:2.57058 7:2.44691 9:2.30600 11:2.22814 31:2.04227; do
	n=${case%:*}
	rm -rf few
	mkdir few
	{
		few a "$n"
		few b "$n"
		echo '{"step":"spmv x","end":true,"records":2,"seconds":1}'
	} >few/records.jsonl
	run 0 --works works -o few few.1
	bounds=$(awk -v n="$n" -v t="${case#*:}" 'BEGIN {
		half = sqrt(2) * t * 1.2533 * 0.04 / 2.563 / (1 - 1.7 / (n + 0.5)) / sqrt(n)
		printf "(%.3g to %.3g)", exp(-half), exp(half) }')
	expect "the interval of $n rounds is $bounds" grep -qF "$bounds" <(tr '\n' ' ' <out | sed 's/  */ /g')
done

# ---- Crowded profiles ----------------------------------------------------------------------------

# One method is the fastest, three are within 1.2 times of it, and eight take seven times as long.
cat >works/crowd.json <<'END'
{"work": "crowd", "number": "4", "authors": "A", "year": 2000, "title": "T", "experiments": [
 {"id": "1", "what": "Figure 1", "title": "T", "runs": [{"bench": "spmv x"}],
  "charts": [{"kind": "profile", "x": "matrix", "y": "ms", "series": "method"}]}]}
END
mkdir crowd
{
	for m in 1 2 3; do
		record spmv.winner "m$m" 1
		for k in 1 2 3; do record "spmv.near$k" "m$m" "1.1$m$k"; done
		for k in 1 2 3 4 5 6 7 8; do record "spmv.slow$k" "m$m" "7.0$m$k"; done
	done
	record spmv.slow1 m4 1 | sed 's/"rounds"/"disturbed":0.5,"rounds"/'
	echo '{"step":"spmv x","end":true,"records":37,"seconds":1}'
} >crowd/records.jsonl
run 0 --works works -o crowd crowd.1
grep -oE '"name":"[^"]*"|"back":true' crowd/index.html >marks
expect "the profile has twelve series" test "$(grep -c spmv marks)" = 12
expect "some are behind" grep -q back marks
expect "a problem that others disturbed is left out" grep -q '"left_out":1' crowd/index.html
for name in winner near1 near2 near3; do
	expect "$name is in front" test "$(grep -A 1 "\"spmv.$name\"" marks | grep -c back)" = 0
done
rm works/few.json works/crowd.json works/none.json works/two.json works/charts.json

# ---- Mistakes ------------------------------------------------------------------------------------

run 2 --list --again
run 2 --quick --toy
run 2 --minutes 0
run 4 --device opencl:77 --toy scan.4
run 0 --list -o nowhere
expect "--list makes no folder" test ! -e nowhere
run 2 adaptive.t2
expect "a name that is near is proposed" grep -q 'there is no experiment "adaptive.t2"; did you mean adaptive.t1?' err
sed -i 's/"machine":"/"machine":"other /' judge/records.jsonl
run 1 --works works -o judge
expect "records of another machine" grep -q "records of another machine" err
# A model of the processor that is not this one's, under the same name. Records without a model are read.
mkdir model
record a m1 1 | sed 's/"rounds"/"state":"microcode 0x1","rounds"/' >model/records.jsonl
echo '{"step":"spmv x","end":true,"records":1,"seconds":1}' >>model/records.jsonl
run 0 --works works -o model
if grep -q '"state":"processor ' all/records.jsonl; then
	sed 's/"microcode/"processor family 1 model 1; microcode/; s/spmv x/spmv y/' model/records.jsonl >other
	cat other >>model/records.jsonl
	run 1 --works works -o model
	expect "records of another model" grep -q "records of another machine, .*, family 1 model 1; name" err
	sed -i "s/family 1 model 1/$(sed -n 's/.*"state":"processor \([^;"]*\).*/\1/p' all/records.jsonl |
		head -n 1)/" model/records.jsonl
	run 0 --works works -o model
fi
sed 's/"claims"/"clams"/' works/judge.json >works/wrong.json
run 3 --works works -o judge
expect "a misspelt key" grep -q 'experiment t1: unknown key "clams"\|unknown key "clams"' err
sed '0,/"mean": "geometric"/s//"mean": "geomean"/' works/judge.json >works/wrong.json
run 3 --works works -o judge
expect "an unknown mean" grep -q 'claims 1: the key "mean" has an unknown value; these exist: harmonic' err
echo '{"work": ' >works/wrong.json
run 3 --works works -o judge
expect "the place of a mistake in JSON" grep -q 'wrong.json:' err
rm works/*.json
run 3 --works works -o judge
expect "a folder without works" grep -q "has no files" err
cat >works/fails.json <<'END'
{"work": "fails", "number": "7", "authors": "A", "year": 2000, "title": "T", "experiments": [
 {"id": "1", "what": "Figure 1", "title": "T", "runs": [{"bench": "scan --method nonesuch"}]},
 {"id": "2", "what": "Figure 2", "title": "T", "cannot": "it has no measurement"},
 {"id": "3", "what": "Figure 3", "title": "T", "runs": [{"bench": "scan", "device": true}]}]}
END
run 1 --works works -o fails --quiet
expect "a step that fails says why" grep -q 'failed: ek bench scan --method nonesuch: .*no method "nonesuch" for scan' out
expect "what cannot be made says why" grep -q "it has no measurement" out
expect "what needs a device says so" grep -q "1 step without --device" out

echo "$count checks, $failed failed"
[[ $failed == 0 ]]
