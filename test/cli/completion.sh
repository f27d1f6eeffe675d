# SPDX-License-Identifier: BSD-3-Clause
# Tests what the completion for bash offers; sourced by run.sh.

# complete_word LINE WORD: checks that WORD is among the completions of LINE.
complete_word()
{
	count=$((count + 1))
	bash -c '
		. "$1"
		COMP_LINE=$2 COMP_POINT=${#2} COMP_WORDS=("$EK")
		_ek 2>/dev/null
		printf "%s\n" "${COMPREPLY[@]}"' - "$here/../../cli/ek.bash" "$1" >out
	grep -qxF -- "$2" out || fail "completion of \"$1\"" "$2 is missing" "$(head -n 3 out)"
}

complete_word "ek sp" spmv
# complete_not LINE WORD: checks that it is not.
complete_not()
{
	complete_word "$1" "$3"
	grep -qxF -- "$2" out && fail "completion of \"$1\"" "$2 is there"
}

complete_not "ek bench spmv --met" --method --method=
complete_not "ek bench " poisson2d5 scan
complete_word "ek bench spmv --suite " twins
complete_word "ek bench spmv --suite=a.m" a.mtx
complete_word "ek bench spmv --suite=tw" twins
for suite in "$here"/../../bench/suites/*.txt; do
	suite=$(basename "$suite" .txt)
	complete_word "ek bench spmv --suite=$suite" "$suite"
	ek bench spmv --help | tr '\n' ' ' | grep -qE "a suite: .*\<$suite\>,.* or a file" ||
		fail "ek bench spmv --help" "the suite $suite is missing"
done
complete_word "ek sp" spy
complete_word "ek help gen" generate
complete_word "ek info --thr" --threads=
complete_word "ek info --value " f32
complete_word "ek info --value=" f64
complete_word "ek spmv a.mtx --method spmv.csr.m" spmv.csr.merge
complete_word "ek spmv a.mtx --method csr.m" csr.merge
complete_word "ek spmm a.mtx --method csr.p" csr.panels
complete_word "ek spmm a.mtx --order " col
complete_word "ek multiply a.mtx --method csr.fl" csr.flags
complete_word "ek multiply a.mtx --op-b " t
complete_word "ek add a.mtx a.mtx --method csr.b" csr.batches
complete_word "ek multiply a.mtx --add a.m" a.mtx
complete_word "ek vector-add sx.mtx sy.mtx --method he" heap
complete_word "ek dot sx.mtx sy.mtx --method dot.g" dot.gallop
complete_word "ek vec" vector-add
complete_word "ek spmv a.mtx --method=csr.strea" csr.stream
complete_word "ek bench scan --method bl" blelloch
complete_word "ek bench spmv a.mtx --method spmv.coo,csr.me" spmv.coo,csr.merge
complete_word "ek list me" methods
complete_word "ek generate pois" poisson2d5
complete_word "ek generate poisson2d5 n" nx=
complete_word "ek spmv poisson2d5:" ny=
complete_word "ek generate twin webb" webbase-1M
complete_word "ek info twin:webb" webbase-1M
complete_word "ek info a.m" a.mtx
complete_word "ek info --json=x.m" x.mtx
complete_word "ek bench sp" spmv
complete_word "ek bench spmm --method " spmm.csr.panels
complete_word "ek bench sc" scan
complete_word "ek bench scan --in-" --in-place
complete_word "ek bench scan --method " scan.serial
complete_word "ek bench scan --kind " exclusive
complete_word "ek convert a.mtx --format cs" csr5
complete_word "ek convert a.mtx -f " ekm
complete_word "ek convert a.mtx --form " ekm
complete_word "ek spmv a.mtx --format=el" ell
complete_word "ek spmv a.mtx --format csr5:" sigma=
complete_word "ek bench spmv a.mtx --format csr5:omega=4," 4,sigma=
complete_word "ek bench spmv a.mtx --format ell,cs" ell,csr5
complete_word "ek bench convert a.mtx --format csr5:omega=4,el" 4,ell
complete_word "ek bench spmv a.mtx --format csr5:omega=4,ell,sell:" c=
complete_word "ek bench spmv a.mtx --method spmv.coo,spmv.csr.me" spmv.coo,spmv.csr.merge
complete_word "ek bench scan --method=scan.serial,scan.bl" scan.serial,scan.blocked
complete_word "ek spmv a.mtx --device " gpu
complete_word "ek spmv a.mtx --device c" cpu
complete_word "ek bench spmv a.mtx --device-memory=sh" shared
complete_word "ek bench spmv a.mtx --vectors " host
