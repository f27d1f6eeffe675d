# SPDX-License-Identifier: BSD-3-Clause
# Tests that progress is shown only on a terminal, after a second, without --quiet; sourced by
# run.sh. Needs script(1), which gives the tool a terminal.
if ! script -qec true /dev/null >out 2>/dev/null </dev/null; then
	echo "script(1) is not installed: progress is not checked"
	return
fi

# Prints what `ek info - ARGUMENTS` shows on a terminal while its input pauses.
slow()
{
	count=$((count + 1))
	TERM=xterm script -qec "{ head -n 3 a.mtx; sleep 1.5; tail -n +4 a.mtx; } | $EK info - $* >/dev/null" \
		/dev/null >out 2>&1 </dev/null
}

slow
grep -q "reading standard input" out || fail "ek info - on a terminal" "no progress" "$(cat out)"
slow --quiet
[[ ! -s out ]] || fail "ek info - --quiet on a terminal" "says: $(cat out)"

# What a command puts on a terminal in its first seconds.
begin()
{
	count=$((count + 1))
	TERM=xterm script -qec "timeout 4 $EK $*" /dev/null >out 2>&1 </dev/null
}

# Runs have a bar: WHAT COMMAND.
while read -r what command; do
	begin "$command --repeat 1000000000"
	grep -q "$what .*%" out || fail "ek $command on a terminal" "no progress" "$(cat out)"
done <<-END
	multiplying multiply poisson2d5:nx=30,ny=30
	multiplying triple poisson2d5:nx=30,ny=30
	transposing transpose poisson2d5:nx=30,ny=30
END
begin transpose poisson2d5:nx=30,ny=30 --repeat 1000000000 --quiet
[[ ! -s out ]] || fail "ek transpose --quiet on a terminal" "says: $(cat out)"

# Labels have the room they need, and nothing is said about the time that is left before a step ended.
mkdir works
cat >works/speculative.json <<-'END'
	{"work": "speculative", "number": "1", "authors": "A", "year": 2000, "title": "T", "experiments": [
	 {"id": "a-figure-with-a-long-name", "what": "Figure 1", "title": "T", "runs": [
	  {"bench": "scan --method serial --time 2", "each": {"--n": ["1000", "2000"]}}]}]}
END
count=$((count + 1))
TERM=xterm script -qec "stty cols 80; timeout 20 $EK reproduce --works works -o long" /dev/null >out 2>&1 </dev/null
tr '\r' '\n' <out | sed 's/\x1b\[[0-9;]*[mK]//g' | grep '\[.*%' >drawn
! grep -qv '^speculative.a-figure-with-a-long-name (1 of 1) \[[=> ]*\] ' drawn &&
	grep -q ' 0 % *$' drawn && ! grep -q ' 0 %.*left' drawn && grep -q ' 50 %  [0-9]* s left' drawn &&
	! grep -q '.\{81\}' drawn || fail "ek reproduce on a terminal of 80 columns" "$(sort -u drawn)"

# Large results are not written to a terminal, unless the user asks for them; small ones are.
while read -r entries command; do
	count=$((count + 1))
	script -qec "$EK $command" /dev/null >out 2>&1 </dev/null
	grep -q "$entries entries are too many for a terminal" out && [[ $(wc -l <out) == 1 ]] ||
		fail "ek $command on a terminal" "$(head -n 3 out)"
	script -qec "$EK $command -o -" /dev/null >out 2>&1 </dev/null
	(($(wc -l <out) > 10000)) || fail "ek $command -o - on a terminal" "$(head -n 3 out)"
	script -qec "$EK $command | wc -l" /dev/null >out 2>&1 </dev/null
	(($(tr -dc 0-9 <out) > 10000)) || fail "ek $command on a pipe" "$(head -n 3 out)"
done <<-END
	49,600 generate poisson2d5 nx=100 ny=100
	40,000 spmv poisson2d5:nx=200,ny=200
	18,000 spmm poisson2d5:nx=60,ny=100 --columns 3
	40,000 spmspv poisson2d5:nx=200,ny=200 uniform:rows=40000,cols=1,k=1
	40,000 vector-add uniform:rows=40000,cols=1,k=1 uniform:rows=40000,cols=1,k=1
END
count=$((count + 1))
script -qec "$EK spmv poisson2d5:nx=9,ny=9" /dev/null >out 2>&1 </dev/null
[[ $(wc -l <out) == 83 ]] || fail "ek spmv of 81 rows on a terminal" "$(head -n 3 out)"

# A table that is wider than the terminal is printed in parts, each with the first column;
# other outputs are 100 columns wide.
bench="$EK bench regret poisson2d5:nx=9,ny=9 --method csr.rows,csr.merge --rounds 1"
count=$((count + 2))
script -qec "unset COLUMNS; stty cols 80; $bench" /dev/null 2>&1 </dev/null | tr -d '\r' |
	sed 's/\x1b\[[0-9;]*[mK]//g' >out
! grep -q '.\{81\}' out && (($(grep -c '^spmv.csr.rows ' out) > 1)) && grep -q '^method.* regret' out ||
	fail "$bench on a terminal of 80 columns" "$(grep '.\{81\}\|^method' out)"
count=$((count + 1))
script -qec "unset COLUMNS; stty cols 80; $EK info a.mtx" /dev/null 2>&1 </dev/null | tr -d '\r' >out
! grep -q '.\{81\}' out && grep -q '^why ' out && grep -q '^           [^ ].*empty$' out ||
	fail "ek info on a terminal of 80 columns" "$(grep -A 2 '^why' out)"
(unset COLUMNS; $bench >out 2>&1)
grep -q '^method .* ms .* regret' out || fail "$bench to a file" "$(grep '^method' out)"
