# SPDX-License-Identifier: BSD-3-Clause
# An interrupt ends the tool as a signal does and leaves no half-written file; sourced by run.sh.

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

# bench read makes a file of its own, in the folder for temporary files.
TMPDIR=$PWD/begun interrupt INT "$EK" bench read --size 100 --threads 1
