#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The installed tool runs from the moved tree without help from the environment and finds its suites
# there; its man page and completion lie where they are looked for.
set -eu
cd /
env -i HOME=/nonexistent "$TREE/bin/ek" list methods | grep spmv.csr.serial
env -i "$TREE/bin/ek" generate "poisson2d5:nx=20,ny=20" -o - 2>/dev/null | head -1 | grep MatrixMarket
ls "$TREE/share/man/man1/ek.1" "$TREE/share/bash-completion/completions/ek" \
	"$TREE/share/evenkeel/suites"
# A file that is not there is named only by who has read the suite, and is quicker than a measurement.
echo "not-there.mtx" >"$TREE/share/evenkeel/suites/moved.txt"
env -i HOME=/nonexistent "$TREE/bin/ek" bench spmv --suite moved --rounds 1 2>&1 | grep not-there.mtx
rm "$TREE/share/evenkeel/suites/moved.txt"
readelf -d "$TREE/bin/ek" | grep 'RUNPATH.*\[$ORIGIN/'
