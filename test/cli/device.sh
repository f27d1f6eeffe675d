# SPDX-License-Identifier: BSD-3-Clause
# Tests --device: messages without a device and, where OpenCL has one (PoCL makes the processor
# one), products there; sourced by run.sh.

check 4 '' 'opencl:99' 'ek spmv a.mtx --device opencl:99'
check 4 '' 'cuda:99' 'ek bench spmv a.mtx --device cuda:99'
check 4 '' 'opencl:99' 'EK_DEVICE=opencl:99 ek spmv a.mtx'
check 2 '' 'abacus' 'ek spmv a.mtx --device abacus'
check 2 '' '--device-memory all: one of auto, copy, mapped, shared' 'ek spmv a.mtx --device-memory all'
check 2 '' 'unknown option --device' 'ek spy a.mtx --device cpu'
check 2 '' 'do not go together' 'ek tune --tiles --device opencl --quick'
check 2 '' 'are for --tiles' 'ek tune --device opencl --nnz 2000'
check 4 '' 'opencl:99' 'ek tune --device opencl:99 --dry-run'
check 2 '' '--vectors there: one of device, host' 'ek bench spmv a.mtx --vectors there'
check 4 '' 'runs on a device' 'ek spmv a.mtx --method csr.vector.gpu'
check 2 '' 'cpu\+gpu ... for both at once' 'ek spmv a.mtx --device cpu+abacus'
check 2 '' 'device "cpu\+"' 'ek spmv a.mtx --device cpu+'
check 4 '' 'cpu\+opencl:99: there is no device|opencl:99' 'ek spmv a.mtx --device cpu+opencl:99'
check 4 '' 'runs on a device' 'ek spmv a.mtx --method csr.split.gpu'
check 0 '' '' 'EK_DEVICE=opencl:99 ek convert a.mtx -o d.ekm'
check 0 '^"y"|^%%MatrixMarket' '' 'ek spmv a.mtx --device cpu'
check 0 '^cpu	' '*' 'ek list devices --plain'
check 0 '' '(cuda|opencl).*(cuda|opencl)' 'ek list devices --plain >/dev/null'
fake=$(dirname "$EK")/fake/libfake_cuda.so
if EK_CUDA=$fake ek list devices --plain --quiet | grep -q '^cuda:2'; then
	check 1 '^cuda:2' '^ek list: cuda:1: cuDeviceGetName failed' \
		"EK_CUDA=$fake EK_FAKE_BROKEN=1 ek list devices --plain --quiet"
	check 1 '"cuda:2"' '^ek list: cuda:1: ' "EK_CUDA=$fake EK_FAKE_BROKEN=1 ek list devices --json - --quiet"
fi
check 2 '' 'KEY=VALUES is expected' 'ek bench spmv a.mtx --method csr.merge --sweep w'
check 2 '' 'one method is expected' 'ek bench spmv a.mtx --sweep w=1,2'
check 2 '' 'one method is expected' 'ek bench spmv a.mtx --method all --sweep w=1,2'
check 2 '' 'ends before it begins' 'ek bench spmv a.mtx --method csr.vector.gpu --sweep lanes=8..4'
for huge in 1..2+8388608 2..4*8388608; do
	check 2 '' 'or FIRST..LAST\*FACTOR is expected' "ek bench spmv a.mtx --method csr.vector.gpu --sweep 'lanes=$huge'"
done
check 2 '' 'sweep: 8 is given twice' 'ek bench spmv a.mtx --method csr.vector.gpu --sweep lanes=2..4,8,8'
check 2 '' 'has the parameters - none' 'ek bench spmv a.mtx --method csr.merge --sweep w=1,2'
check 2 '' 'csr5 has the parameters omega sigma' 'ek bench spmv a.mtx --method csr5 --sweep w=1,2'
check 2 '' 'or one format, by --format NAME' 'ek bench spmv a.mtx --format csr5,sell --sweep sigma=1,2'

if ! ek list devices --plain --quiet | grep -q '^opencl:0'; then
	echo "OpenCL has no device here: products on one are not checked"
	return
fi
check 0 'spmv\.csr\.vector\.gpu' '' 'ek info a.mtx --device opencl --method csr.vector.gpu'
check 0 'error/bound 0$' '' 'ek spmv a.mtx --device opencl --check'
check 0 'opencl:0 .*x and y lie there' '' 'ek spmv a.mtx --device opencl --calls 2 --check'
check 0 'in a product 0 bytes there, 0 bytes back, 1 launch' '' \
	'ek spmv a.mtx --device opencl --method csr.vector.gpu --calls 2 --check'
check 0 'error/bound 0' '' 'EK_DEVICE=opencl ek spmv a.mtx --check --op t --calls 2'
check 0 '^measured (and decided|no other method.*); trials took' '' \
	'ek spmv poisson2d5:nx=100,ny=100 --device opencl --measure --calls 100'
check 0 '^measured ' '' 'ek multiply poisson2d5:nx=20,ny=20 --device opencl --measure --repeat 99'
check 0 'spmv\.csr\.vector\.gpu +[0-9.]' '*' 'ek bench spmv poisson2d5:nx=9,ny=9 --device opencl --rounds 1'
check 0 'opencl:0 .*vectors on the device' '*' 'COLUMNS=150 ek bench spmv a.mtx --device opencl --rounds 1'
check 0 'opencl:0 .*vectors on the host' '*' \
	'COLUMNS=150 ek bench spmv a.mtx --device opencl --vectors host --rounds 1'
check 0 'k\*spmv\.auto->[a-z.]+gpu +[0-9.]' '*' \
	'ek bench spmm a.mtx --device opencl --columns 3 --order row,col --rounds 1'
check 0 'spmv\.csr\.merge +[0-9.]' '*' \
	'ek bench spmv a.mtx --device opencl --rounds 1 --method csr.merge,csr.vector.gpu'
check 0 'error/bound 0$' 'reproducible: no method on a device is' \
	'ek spmv a.mtx --device opencl --reproducible --check'
if script -qec true /dev/null >out 2>/dev/null </dev/null; then
	# PoCL has its own cache. A bar appears after a second, which fast machines may not need.
	count=$((count + 1))
	TERM=xterm EK_CACHE=off POCL_CACHE_DIR=$work/pocl \
		script -qec "$EK spmv a.mtx --device opencl --calls 1" /dev/null >out 2>&1 </dev/null
	if grep -qE 'prepared in (1\.[3-9]|[2-9]|[1-9][0-9])[0-9.]* s' out; then
		grep -q 'compiling for opencl:0' out ||
			fail "ek spmv --device opencl on a terminal" "no progress" "$(head -c 300 out)"
	fi
fi
for memory in copy mapped shared; do
	ek list devices --plain --quiet | grep '^opencl:0' | cut -f 8 | grep -q $memory || continue
	check 0 'error/bound 0$' '' "ek spmv a.mtx --device opencl --device-memory $memory --check"
done
check 0 'spmv\.csr\.vector\.gpu:lanes=8 +[0-9.]' '*' \
	'ek bench spmv a.mtx --device opencl --method csr.vector.gpu --sweep lanes=2,4..8*2 --rounds 1'
check 0 '"device":"opencl:0".*"vectors":"device".*"unit":"spmv\.csr\.vector\.gpu"' '*' \
	'ek bench spmv a.mtx --device opencl --method csr.vector.gpu --rounds 1 --json -'
check 0 '"call_us":[0-9.]+,"latency_us":[0-9.]' '*' \
	'ek bench spmv a.mtx --device opencl --method csr.vector.gpu --rounds 1 --json -'
check 1 '' '*' 'ek bench spmv a.mtx --device opencl --vectors host --method csr.vector.gpu --rounds 1 --json - 2>&1 |
	grep latency_us'
check 0 'spmv\.csr\.vector\.gpu +1 ' '*' 'ek bench scenario a.mtx --device opencl --rounds 1'
check 0 'spmv\.csr\.vector\.gpu ' '*' \
	'ek bench convert a.mtx --device opencl --method csr.vector.gpu --rounds 1'

# Libraries of the processor beside a device take part only with methods of the processor.
if [[ -e $(dirname "$EK")/bench/peers/peer_std.so ]]; then
	scan='ek bench scan --n 1000 --type f32 --rounds 1 --device opencl --peers --method'
	check 0 '"method":"peer\.std","device":"cpu".*"error":[0-9]' '*' "$scan serial,tiles.gpu --json -"
	check 0 '^' 'none of those that are built does scan on devices' "$scan tiles.gpu"
fi

# A library of a device: it has the name of the device and, by its clock, the times of a sparse result.
mkdir peers
if ${CC:-cc} -shared -fPIC -I "$here/../../include" "$here/fake_peer.c" -o peers/peer_fake.so 2>/dev/null; then
	check 0 '"method":"peer\.fake","device":"opencl:0".*"ms":[0-9.]+,.*"device_ms":[0-9.]+,"device_ms_p10":' '*' \
		'EK_PEERS=peers ek bench spgemm diagonal:n=9 --value f64 --device opencl --method csr.hash.gpu --peers --rounds 1 --json -'
fi

# Sparse results, and merges with a parameter.
check 0 'spgemm\.csr\.hash\.gpu +[0-9.]+ +[0-9.]+ +[0-9.]' '*' \
	'ek bench spgemm a.mtx --device opencl --method csr.hash.gpu --rounds 1'
check 0 'spadd\.csr\.merge\.gpu +[0-9.]' '*' 'ek bench spadd a.mtx --device opencl --rounds 1'
check 0 '"method":"transpose\.csr\.radix\.gpu".*"device":"opencl:0".*"device_ms":[0-9.]' '*' \
	'ek bench transpose a.mtx --device opencl --rounds 1 --json -'
check 0 '"method":"triple\.csr\.right\.gpu again".*"device":"opencl:0".*"device_ms":[0-9.]' '*' \
	'ek bench triple poisson2d5:nx=9,ny=9 --device opencl --rounds 1 --json -'
check 0 'error/bound 0[0-9.]*$' '' \
	'ek triple poisson2d5:nx=9,ny=9 --device opencl --method csr.left.gpu:spgemm=1 --check'
check 0 'path\.gpu:group=64 +[0-9.]' '*' \
	'ek bench merge --device opencl --method path.gpu --sweep group=32,64 --length 2^5 --total 2^9 --type i32 \
		--value-size 0 --rounds 1'
check 0 '"method":"merge.path.gpu","method_parameters":\{"group":[0-9]+\}' '*' \
	'ek bench merge --device opencl --method path.gpu --length 2^5 --total 2^9 --type i32 --value-size 0 \
		--rounds 1 --json -'
check 2 '' 'is for merge, not for spmv' 'ek bench spmv a.mtx --method merge.path.gpu --sweep group=32,64'

case ${EK_TEST_TIER:-quick} in
full | long) # compiles twenty programs
	check 0 '^export EK_CSR5_SIGMA=([0-9]+,){7}[0-9]+$|not use these figures|these figures$' '*' \
		'ek tune --tiles --device opencl --nnz 2000 --time 0.001'
	;;
esac
# The profile of the device has a file of its own, and does not stand for that of the processor.
check 0 '^launch +[0-9.e+]+ +[0-9.e+]+$' '*' 'ek tune --device opencl --quick -o d.profile'
check 1 '' '*' 'test -e d.profile'
check 0 '^1$' '' 'ls d.profile.* | grep -cE "^d\.profile\.[0-9a-f]{16}$"'
check 0 '^in force: measured 20[0-9-]+$' 'profile d.profile is not used: there is no such file' \
	'EK_PROFILE=d.profile ek tune --device opencl --show'
check 0 'device measured 20[0-9-]+; profile d\.profile is not' '*' \
	'EK_PROFILE=d.profile ek info a.mtx --device opencl'
check 0 '^in force: (zen5?|xeon|gathering), built in' '*' 'EK_PROFILE=d.profile ek tune --show'
check 0 '^in force: built in, since no stored profile of opencl:0 is used' '' \
	'EK_PROFILE=none ek tune --device opencl --show'
check 0 '"device": ?"opencl:0".*"launch"' '*' 'ek tune --device opencl --show --json - --quiet'
check 0 '^in force: built in' 'd\.profile\.[0-9a-f]+ is not used: launch: value 1 is none from' \
	'sed -i "s/^launch .*/launch none/" d.profile.*; EK_PROFILE=d.profile ek tune --device opencl --show'
check 0 '^in force: built in' 'is not used: it is for "Other", this is "opencl ' \
	'sed -i "s/^device .*/device Other/" d.profile.*; EK_PROFILE=d.profile ek tune --device opencl --show'
rm -f d.profile.*
check 0 'spmv\.csr\.split\.gpu' '' 'ek info a.mtx --device cpu+opencl'
check 0 'device +cpu\+opencl:0 .*, x and y lie in the host' '' \
	'ek spmv a.mtx --device cpu+opencl:0 --calls 2 --check'
check 0 'error/bound 0$' '' 'EK_DEVICE=cpu+opencl ek spmv a.mtx --check --op t'
check 0 'error/bound 0$' '' 'ek spmm a.mtx --device cpu+opencl --columns 3 --check'
check 0 'error/bound 0$' '' 'ek spmv a.mtx --device opencl --method csr.split.gpu:share=500 --check'
check 0 '"device":"cpu\+opencl:0"' '*' 'ek spmv a.mtx --device cpu+opencl:0 --calls 2 --json - -q -o y.mtx'
check 0 'both->[a-z.]* +[0-9.].*device alone +[0-9.].*processor alone +[0-9.]' '*' \
	'ek bench spmv a.mtx --device cpu+opencl:0 --rounds 1 | tr "\n" " "'
check 0 '"device":"cpu\+opencl:0"' '*' 'ek bench spmv a.mtx --device cpu+opencl:0 --rounds 1 --json -'
check 0 'processor alone +[0-9.]' '*' \
	'ek bench spmm a.mtx --device cpu+opencl --columns 3 --rounds 1'
# Sparse products of both kinds of core, which a name leads to where the device is not the processor.
check 0 'error/bound 0[0-9.]*$' '' \
	'ek multiply a.mtx --op-b T --device cpu+opencl:0 --method csr.split.gpu:share=500 --check'
check 0 'csr\.split\.gpu:share=500 again +[0-9.]' '*' \
	'COLUMNS=150 ek bench multiply poisson2d5:nx=9,ny=9 --device cpu+opencl:0 \
		--method csr.split.gpu:share=500 --rounds 1'
check 0 '"method":"spgemm\.csr\.split\.gpu:share=500".*"device":"cpu\+opencl:0"' '*' \
	'ek bench spgemm poisson2d5:nx=9,ny=9 --device cpu+opencl:0 --method csr.split.gpu:share=500 --rounds 1 \
		--json -'
case ${EK_TEST_TIER:-quick} in
full | long) # measures all methods on the device, too
	check 0 'both again +[0-9.].*device alone +[0-9.].*processor alone +[0-9.]' '*' \
		'ek bench spgemm poisson2d5:nx=9,ny=9 --device cpu+opencl:0 --rounds 1 | tr "\n" " "'
	;;
esac
