#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs the tests of sparse_dot_mkl with the library $1, which has MKL behind it, and compares the
# numbers of failing tests in each class with sparse_dot_mkl.txt. A test may fail only because a
# function answers that it is not done, or because MKL has a fault of its own.
#
# EK_SPARSE_DOT_MKL is the folder of the sources of sparse_dot_mkl 0.9.10, which contain its tests
# ("pip download --no-deps --no-binary :all: sparse_dot_mkl==0.9.10"); EK_PYTHON is a Python with
# NumPy, SciPy and pytest.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
python=${EK_PYTHON:-python3}
[ -d "${EK_SPARSE_DOT_MKL:-}/sparse_dot_mkl/tests" ] || exit 77
"$python" -c 'import numpy, scipy, pytest' 2>/dev/null || exit 77
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cd "$EK_SPARSE_DOT_MKL"
# The threads of MKL that NumPy's own libraries do not disturb.
COLUMNS=500 MKL_RT=$1 MKL_THREADING_LAYER=${MKL_THREADING_LAYER:-GNU} EK_PROFILE=none \
	"$python" -m pytest -q -p no:cacheprovider --tb=line -rf sparse_dot_mkl/tests >"$out/log" || true
tail -n 1 "$out/log"
grep -q ' passed' "$out/log" || {
	cat "$out/log"
	exit 1
}
sed -n 's,^FAILED sparse_dot_mkl/tests/\([a-z_]*\)\.py::\([A-Za-z]*\)::.*,\1 \2,p' "$out/log" |
	LC_ALL=C sort | uniq -c | awk '{ print $2, $3, $1 }' >"$out/failed"
diff -u <(grep -v '^#' "$here/sparse_dot_mkl.txt") "$out/failed" || {
	echo "other tests fail than test/mkl/sparse_dot_mkl.txt lists"
	exit 1
}
if grep '^FAILED' "$out/log" | grep -v 'SPARSE_STATUS_NOT_SUPPORTED\|::test_pardiso_init'; then
	echo "the tests above fail for other reasons than a function that is not done"
	exit 1
fi
