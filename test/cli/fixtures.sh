# SPDX-License-Identifier: BSD-3-Clause
# Makes the files that the cases use in the current folder; sourced by run.sh.
head='%%MatrixMarket matrix coordinate'
printf '%s real general\n3 4 5\n1 1 2\n1 4 -1\n2 2 0.5\n3 1 4\n3 3 1\n' "$head" >a.mtx
printf '%s real general\n3 4 5\n1 1 2\n1 4 -1\n2 2 0.5\n3 9 4\n3 3 1\n' "$head" >range.mtx
printf '%s real general\n3 4 5\n1 1 2\n1 4 -1\n' "$head" >short.mtx
printf '%s real general\n2 2 1\n1 1 x\n' "$head" >number.mtx
printf '%s complex general\n1 1 1\n1 1 1 0\n' "$head" >complex.mtx
printf '%s real general\n1 1 1\n1 1 nan\n' "$head" >nan.mtx
printf '%s real symmetric\n3 3 3\n1 1 1\n2 1 2\n3 3 3\n' "$head" >symmetric.mtx
printf '%s real general\n0 0 0\n' "$head" >empty.mtx
printf '%s real general\n1 1 1\n1 1 3\n' "$head" >one.mtx
printf '%%%%MatrixMarket matrix array real general\n4 1\n1\n2\n3\n4\n' >x.mtx
printf '%%%%MatrixMarket matrix array real general\n4 1\n1\nnan\n3\n4\n' >xnan.mtx
printf '%%%%MatrixMarket vector coordinate real general\n4 2\n1 1\n4 4\n' >xv.mtx
printf '%%%%MatrixMarket matrix array real general\n3 1\n10\n20\n30\n' >y0.mtx
printf '%s integer general\n1 2 2\n1 1 16777216\n1 2 16777217\n' "$head" >large.mtx
printf 'BZh91AY&SY' >a.mtx.bz2
printf 'hello\n' >text.mtx
printf '%s real general\n3000000 2 1\n3000000 1 1\n' "$head" >tall.mtx
mkdir real
cp a.mtx real/webbase-1M.mtx
cp a.mtx real/other.mtx
# Prints what ek bench scenario reads of the output of ek bench spmv: vs_csr 2 and 1.25, preparation
# of 5 and 11.2 products of plain CSR.
record()
{
	printf '{"op":"spmv","matrix":"%s","method":"%s","threads":1,"row_max":%s,"row_mean":2,' "$1" "$2" "$3"
	printf '"vs_csr":%s,"prepare_calls":%s,"machine":"m","date":"d"}\n' "$4" "$5"
}
{
	record a spmv.csr.vector 9 1.5 0
	record a spmv.coo 9 2 5
	record b spmv.csr.vector 9 1.5 0
	record b spmv.coo 9 1.25 11.2
	record long spmv.csr.vector 5000 1 0
	record long spmv.coo 5000 null null
} >records.json

# Two sparse vectors with a common row, and a shorter one.
printf '%%%%MatrixMarket matrix coordinate real general\n8 1 4\n1 1 1\n3 1 2\n6 1 3\n8 1 4\n' >sx.mtx
printf '%%%%MatrixMarket vector coordinate real general\n8 2\n4 10\n6 20\n' >sy.mtx
printf '%%%%MatrixMarket matrix coordinate real general\n3 8 4\n1 1 5\n2 2 7\n3 3 1\n3 8 2\n' >sa.mtx
printf '%%%%MatrixMarket matrix coordinate real general\n7 1 1\n7 1 1\n' >s7.mtx
