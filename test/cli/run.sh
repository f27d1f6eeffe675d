#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests the tool from outside: test/cli/run.sh PATH-OF-EK. Every row of cases.tsv is a command line
# with its exit code and patterns for standard output and standard error; what a row cannot say
# (files that must be equal, interrupts, JSON) is checked below. Takes a few seconds.
set -u
here=$(cd "$(dirname "$0")" && pwd)
EK=$(cd "$(dirname "${1:?the path of ek is expected}")" && pwd)/$(basename "$1")
export EK LC_ALL=C TERM=dumb COLUMNS=80
unset EK_THREADS EK_BIND EK_ISA EK_METHOD EK_MATRICES EK_DEVICE NO_COLOR
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export EK_CACHE=off # to store programs takes longer than to compile them
export EK_PROFILE=none # not the profile of whoever runs the tests
ek()
{
	"$EK" "$@"
}
export -f ek
count=0 failed=0

fail()
{
	failed=$((failed + 1))
	printf 'FAILED %s\n' "$1"
	shift
	printf '       %s\n' "$@"
}

# matches PATTERN FILE: "*" matches anything, "" an empty file; else an extended regular expression.
matches()
{
	case $1 in
	"*") true ;;
	"") [[ ! -s $2 ]] ;;
	*) grep -qE -- "$1" "$2" ;;
	esac
}

# check CODE OUT ERR COMMAND: checks the exit code and both outputs of COMMAND
check()
{
	local code
	count=$((count + 1))
	bash -c "$4" >out 2>err </dev/null
	code=$?
	[[ $code == "$1" ]] || fail "$4" "exit code $code, expected $1" "$(head -n 3 err)"
	matches "$2" out || fail "$4" "standard output should match: $2" "$(head -n 3 out)"
	matches "$3" err || fail "$4" "standard error should match: $3" "$(head -n 3 err)"
	# A failure prints one line that begins with the tool's name, and nothing on stdout.
	if [[ $1 == [234] ]]; then
		[[ $(wc -l <err) == 1 ]] || fail "$4" "one line on standard error expected" "$(cat err)"
		grep -q '^ek' err || fail "$4" "the line should start with ek" "$(cat err)"
		grep -qE '.{121}' err && fail "$4" "the line should have at most 120 columns" "$(cat err)"
	fi
}

for script in fixtures.sh; do
	. "$here/$script"
done

while IFS=$'\t' read -r code out err command; do
	[[ $code == "" || $code == "#"* ]] && continue
	[[ $out == . ]] && out=
	[[ $err == . ]] && err=
	check "$code" "$out" "$err" "$command"
done < <(sed 's/\t\t*/\t/g' "$here/cases.tsv")

for script in files.sh json.sh device.sh interrupt.sh progress.sh completion.sh; do
	. "$here/$script"
done

echo "$count command lines, $failed failures"
[[ $failed == 0 ]]
