#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes a script for the linker that puts similar functions side by side.

    order.py NM SCRIPT OBJECT...

A wheel is compressed by deflate, which looks back 32 KiB only. Kernels are compiled once for each
type and instruction set, and in an object those of one function lie far apart. By function,
instruction set and type, each finds most of itself in the one before it. The code of a function
stays as it is. Each must be a section of its own (-ffunction-sections).
"""

import re
import subprocess
import sys

KERNEL = re.compile(
    r"(ek_.+?)((?:_(?:f32|f64|i32|i64))(?:_i32|_i64|_32)*)_((?:scalar|avx2|avx512|neon)(?:_loads)?)"
)


def main():
    nm, script, *objects = sys.argv[1:]
    listed = subprocess.run(
        [nm, "-P", "--defined-only", *objects], check=True, stdout=subprocess.PIPE, text=True
    )
    first, kernels = {}, set()  # place of each function among all; what there is of them
    for name in re.findall(r"^(\w+) [tT] ", listed.stdout, re.M):
        kernel = KERNEL.fullmatch(name)
        if kernel:
            function, types, level = kernel.groups()
            first.setdefault(function, len(first))
            kernels.add((first[function], level, types, name))
    sections = "".join(f"*(.text.{name})\n" for *_, name in sorted(kernels))
    with open(script, "w", encoding="utf-8") as file:
        file.write(f"SECTIONS {{ .text.sorted : {{\n{sections}}} =0xcccccccc }}\n")
        file.write("INSERT BEFORE .text;\n")


if __name__ == "__main__":
    main()
