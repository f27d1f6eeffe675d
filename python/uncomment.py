#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Copies the kernels, .cl files in the folders of SOURCE, to TARGET without comments and without
spaces at the beginnings and ends of lines, which devices do not need and a wheel has no room for.
Lines keep their numbers, for compilers' messages.

    uncomment.py SOURCE TARGET
"""
import pathlib
import re
import sys

source, target = map(pathlib.Path, sys.argv[1:])
for kernel in source.glob("*/*.cl"):
    text = re.sub(
        r"/\*.*?\*/|//[^\n]*",
        lambda comment: "\n" * comment[0].count("\n") or " ",
        kernel.read_text(),
        flags=re.S,
    )
    copy = target / kernel.relative_to(source)
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_text(re.sub(r"^[ \t]+|[ \t]+$", "", text, flags=re.M))
