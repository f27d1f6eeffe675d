#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests that the installed tool runs from the moved tree without environment variables and finds its
# suites there, and that its man page and completion are in the usual places.
set -eu
cd /
env -i HOME=/nonexistent "$TREE/bin/ek" list methods | grep spmv.csr.serial
env -i "$TREE/bin/ek" generate "poisson2d5:nx=20,ny=20" -o - 2>/dev/null | head -1 | grep MatrixMarket
ls "$TREE/share/man/man1/ek.1" "$TREE/share/bash-completion/completions/ek" \
	"$TREE/share/evenkeel/suites"
# A message that names the missing file proves that the suite was read, without a measurement.
echo "not-there.mtx" >"$TREE/share/evenkeel/suites/moved.txt"
env -i HOME=/nonexistent "$TREE/bin/ek" bench spmv --suite moved --rounds 1 2>&1 | grep not-there.mtx
rm "$TREE/share/evenkeel/suites/moved.txt"
readelf -d "$TREE/bin/ek" | grep 'RUNPATH.*\[$ORIGIN/'
