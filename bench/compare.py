#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares two files of `ek bench --json`: bench/compare.py OLD NEW [--limit 0.05] [--by FIELD]

Pairs records with the same operation, method, matrix, block, sizes, types, op, threads and expected calls.
Compares ratios (vs_csr, regret), not times, where possible, since the machine's speed may differ between runs; --by ms
compares times. Prints what changed by more than the limit, slower first, and the geometric mean for
each method. Where both records have percentiles of the value, a change must also be beyond the 95 %
interval of the ratio (as in bench/median.c), else it is noise. Exit status: 0 no regression, 1 some, 2 usage or a bad file.
"""
import argparse
import json
import math
import sys

KEY = ("op", "method", "format", "matrix", "columns", "order", "value", "index", "transpose", "threads",
       "expected_calls", "n", "value_size", "length", "batch", "k", "arity", "variant", "device_name", "vectors",
       "step")
LESS_IS_BETTER = {"ms", "ms_min", "prepare_ms", "prepare_calls", "overhead_ns", "error", "bytes",
                  "run_ms", "first_ms", "regret", "coo_ms", "csr_ms", "coo_cost", "csr_cost", "calls", "own_calls", "size"}


def read(path):
    records = {}
    try:
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    record = json.loads(line)
                    records[tuple(record.get(name) for name in KEY)] = record
    except OSError as error:
        fail(error)
    except ValueError as error:
        fail(f"{path}:{number}: {error}")
    return records


def fail(text):
    print(f"compare.py: {text}", file=sys.stderr)
    sys.exit(2)


def student(degrees):
    """Returns the 97.5 % quantile of Student's distribution."""
    few = (12.7062, 4.3027, 3.1824, 2.7764, 2.5706)
    z, n = 1.95996, degrees
    if n < 5.5:
        return few[max(0, round(n) - 1)]
    return (z + (z**3 + z) / (4 * n) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)
            + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * n**3))


def error(record, name):
    """Returns half of the 95 % interval of the logarithm of a median; 0 where it is not known."""
    low, high = record.get(name + "_p10"), record.get(name + "_p90")
    rounds = record.get(name + "_rounds") or record.get("rounds") or 0
    if low is None or high is None or rounds < 3:
        return 0
    deviation = (high - low) / 2.563 / (1 - 1.7 / (rounds + 0.5))
    return student(rounds - 1) * 1.2533 * deviation / math.sqrt(rounds) / record[name]


def change(old, new, field):
    """Returns how many times better the new record is, and half of the interval of its logarithm; None if unknown."""
    name = field or next((n for n in ("vs_csr", "csr_cost", "regret") if old.get(n) and new.get(n)), "ms")
    a, b = old.get(name), new.get(name)
    if not a or not b or a <= 0 or b <= 0:
        return None
    return a / b if name in LESS_IS_BETTER else b / a, math.hypot(error(old, name), error(new, name))


def case(record):
    """Returns the matrix, the width and order of a block, and the expected calls."""
    block = f" x{record['columns']} {record['order']}" if "columns" in record else ""
    calls = f" {record['expected_calls']} calls" if "expected_calls" in record else ""
    return str(record.get("matrix")) + block + calls


def table(rows):
    width = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    for row in rows:
        cells = [text.ljust(w) if k < 2 else text.rjust(w) for k, (text, w) in enumerate(zip(row, width))]
        print("  ".join(cells).rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--limit", type=float, default=0.05, help="relative change that counts (0.05)")
    parser.add_argument("--by", metavar="FIELD", help="the field to compare (vs_csr, csr_cost, regret, else ms)")
    options = parser.parse_args()
    old, new = read(options.old), read(options.new)
    rows, methods, broken = [], {}, []

    for key, record in new.items():
        if record.get("failed") and not old.get(key, {}).get("failed"):
            broken.append(key)
        changed = change(old[key], record, options.by) if key in old else None
        if changed is not None:
            ratio, noise = changed
            methods.setdefault(record["method"], []).append(ratio)
            if abs(math.log(ratio)) > max(math.log1p(options.limit), noise):
                rows.append((ratio, record))
    if not methods:
        fail("the files have no record in common")
    rows.sort(key=lambda row: row[0])
    if rows:
        head = ("method", "matrix", "value", "op", "threads", "new/old")
        table([head] + [(r["method"], case(r), str(r.get("value")), str(r.get("transpose", "")),
                         str(r.get("threads")), f"{ratio:.3f}") for ratio, r in rows])
        print()
    table([("method", "", "records", "mean", "worst")] +
          [(name, "", str(len(ratios)), f"{math.exp(sum(map(math.log, ratios)) / len(ratios)):.3f}",
            f"{min(ratios):.3f}") for name, ratios in sorted(methods.items())])
    missing = [key for key in old if key not in new]
    if missing:
        print(f"{len(missing)} records of {options.old} are not in {options.new}")
    for key in broken:
        print(f"WRONG RESULT: {key[1]} on {key[2]}")
    slower = [r for ratio, r in rows if ratio < 1 and not r["method"].startswith("peer.")]
    return 1 if slower or broken else 0


if __name__ == "__main__":
    sys.exit(main())
