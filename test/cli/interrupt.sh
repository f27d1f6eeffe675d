# SPDX-License-Identifier: BSD-3-Clause
# Tests that a signal ends the tool and leaves no half-written file; sourced by run.sh.

# interrupt SIGNAL COMMAND...: sends the signal as soon as a file appears in the folder `begun`.
interrupt()
{
	local signal=$1 pid code tries=0
	shift
	count=$((count + 1))
	rm -rf begun && mkdir begun
	set -m # otherwise the shell makes background commands ignore SIGINT
	"$@" >/dev/null 2>err &
	pid=$!
	set +m
	while [[ -z $(ls -A begun) && $tries -lt 1000 ]]; do
		sleep 0.01
		tries=$((tries + 1))
	done
	kill -"$signal" "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	code=$?
	[[ $code == $((128 + $(kill -l "$signal"))) ]] ||
		fail "$signal: $*" "exit code $code" "$(head -n 3 err)"
	[[ -z $(ls -A begun) ]] || fail "$signal: $*" "leaves $(ls -A begun)"
}

interrupt INT "$EK" generate uniform:rows=1000000,cols=1000000,k=12 -o begun/a.mtx
interrupt TERM "$EK" generate uniform:rows=1000000,cols=1000000,k=12 -o begun/a.mtx.gz

# Measured records stay, whatever ends the run. The next matrix is a pipe that nobody writes to.
mkfifo pipe.mtx
for signal in KILL INT; do
	for operation in spmv convert scenario; do
		count=$((count + 1))
		rm -rf begun && mkdir begun
		set -m
		"$EK" bench "$operation" a.mtx pipe.mtx --rounds 1 --threads 1 --json begun/records.json >/dev/null 2>err &
		pid=$!
		set +m
		tries=0
		while [[ $(grep -c . begun/records.json 2>/dev/null) -lt 4 && $tries -lt 1000 ]]; do
			sleep 0.01
			tries=$((tries + 1))
		done
		sleep 0.2 # until the whole case is there
		kill -"$signal" "$pid" 2>/dev/null
		wait "$pid" 2>/dev/null
		[[ $(ls -A begun) == records.json ]] || fail "$signal: bench $operation --json" "leaves $(ls -A begun)"
		[[ $signal == KILL ]] || grep -qE '^ek bench .*: interrupted: begun/records.json keeps the records of 1 case;' err ||
			fail "$signal: bench $operation --json" "does not say what is kept: $(cat err)"
		if command -v python3 >/dev/null; then
			python3 -c "
import json
r = [json.loads(line) for line in open('begun/records.json')]
assert len(r) > 3 and all(x['matrix'] == 'a' and x['op'] == '$operation' for x in r)" 2>err ||
				fail "$signal: bench $operation --json" "$(tail -n 1 err)"
		fi
	done
done

# bench read makes a file of its own, in the folder for temporary files.
TMPDIR=$PWD/begun interrupt INT "$EK" bench read --size 100 --threads 1
