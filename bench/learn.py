#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Learns the rules of src/plan/learned.def from records of ek bench spmv.

    ek bench spmv --suite learn --value f64,f32 --threads 1,2 --json records.json
    python3 bench/learn.py records.json --ek build/ek > src/plan/learned.def

For each matrix, types of values and indices and number of threads, and for 1, 10, 100, 1000 and 10000 products,
a case has the time of one product with its share of the preparation, of each method. Its class is a
method within 20 % of the fastest one; of several, that which is near the fastest most often, so that
chance does not decide between methods that are alike. A decision tree (CART, by scikit-learn, which
only this script needs) tells the classes apart by the features that the library finds (ek info);
each of its leaves is a rule. What the rules lose on matrices that they were not learned from is found
by leaving out a tenth of the matrices at a time, of which neither the classes nor the tree know then, and
told in the comment of the table."""
import argparse
import collections
import json
import math
import re
import subprocess
import sys
import textwrap

CALLS = [1, 10, 100, 1000, 10000]
NEAR = 1.2
SURE = 0.8  # as in src/plan/learned.c
MOST_CONDITIONS = 12  # likewise


def read_cases(paths):
    """Returns {(matrix, value, index, threads): {method: (ms, prepare_ms)}}, and the records used."""
    cases, used = collections.defaultdict(dict), []
    for path in paths:
        for line in open(path):
            r = json.loads(line)
            ours = r.get("method", "").startswith("spmv.") and r.get("device") == "cpu"
            if r["op"] != "spmv" or r["transpose"] != "n" or not ours or not r.get("ms"):
                continue
            key = r["matrix"], r["value"], r["index"], r["threads"]
            cases[key][r["method"]] = r["ms"], r["prepare_ms"]
            used.append(r)
    return cases, used


def features_of(ek, matrix):
    """Returns the features that do not depend on the case, by name."""
    out = subprocess.run([ek, "info", matrix, "--method", "learned", "--json", "-"], check=True,
                         capture_output=True, text=True).stdout
    text = re.search(r"features (.*)", json.loads(out)["explain"]).group(1)
    return {key: float(value) for key, value in (word.split("=") for word in text.split())}


def table_of(cases, features):
    """Returns names of features, rows of their values, times by method, and the matrices."""
    names, rows, times, groups = [], [], [], []
    for (matrix, value, _, threads), methods in sorted(cases.items()):
        for calls in CALLS:
            f = dict(features[matrix], calls=calls, threads=threads,
                     value_bytes={"f32": 4, "f64": 8}[value])
            names = list(f)
            rows.append(list(f.values()))
            times.append({m: ms + prepare / calls for m, (ms, prepare) in methods.items()})
            groups.append(matrix)
    return names, rows, times, groups


def configurations(cases):
    """Returns the types of values, widths of indices and numbers of threads of the cases."""
    return sorted({key[1:] for key in cases})


def classes_of(times):
    """Returns the class of each case: the most useful method among those near the fastest."""
    near = [{m for m, t in case.items() if t <= NEAR * min(case.values())} for case in times]
    open_cases, order = set(range(len(times))), []
    while open_cases:
        count = collections.Counter(m for k in open_cases for m in near[k])
        best = max(sorted(count), key=count.get)
        order.append(best)
        open_cases -= {k for k in open_cases if best in near[k]}
    return [next(m for m in order if m in case) for case in near], near


def learn(rows, classes, least, depth):
    from sklearn.tree import DecisionTreeClassifier
    return DecisionTreeClassifier(min_samples_leaf=least, max_depth=depth,
                                  random_state=0).fit(rows, classes)


def fits(row, names, when):
    return all((row[names.index(name)] > than) == above for (name, above), than in when.items())


def rules_of(tree, names, rows, near):
    """Returns (method, near, cases, {(feature, above): number}) of each leaf."""
    t, rules = tree.tree_, []

    def walk(node, when):
        if t.children_left[node] < 0:
            own = [k for k, row in enumerate(rows) if fits(row, names, when)]
            method = max(sorted(tree.classes_), key=lambda m: sum(m in near[k] for k in own))
            rules.append((method, sum(method in near[k] for k in own), len(own), when))
            return
        name, than = names[t.feature[node]], float(f"{t.threshold[node]:.4g}")
        walk(t.children_left[node], {**when, (name, False): than})
        walk(t.children_right[node], {**when, (name, True): than})

    walk(0, {})
    return rules


def left_out(rows, times, near, groups, names, o):
    """Returns what rules do on matrices that they were not learned from: the share of the cases with
    a rule that is sure, the geometric mean of the time of its method over the fastest one, and the
    share of these cases in which it is near. Where its method was refused, runs are measured."""
    every, sure, logs, good = sorted(set(groups)), 0, 0, 0
    for part in range(10):
        out = set(every[part::10])
        known = [k for k, g in enumerate(groups) if g not in out]
        classes, _ = classes_of([times[k] for k in known])
        tree = learn([rows[k] for k in known], classes, o.least, o.depth)
        rules = rules_of(tree, names, [rows[k] for k in known], [near[k] for k in known])
        for k in (k for k, g in enumerate(groups) if g in out):
            method, count, of, _ = next(r for r in rules if fits(rows[k], names, r[3]))
            if (count + 1) / (of + 2) >= SURE and method in times[k]:
                sure += 1
                logs += math.log(times[k][method] / min(times[k].values()))
                good += method in near[k]
    return sure / len(rows), math.exp(logs / max(sure, 1)), good / max(sure, 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("records", nargs="+")
    parser.add_argument("--ek", default="build/ek")
    parser.add_argument("--least", type=int, default=25, help="least cases of a rule (25)")
    parser.add_argument("--depth", type=int, default=5, help="most conditions on the way (5)")
    o = parser.parse_args()
    if o.depth > MOST_CONDITIONS:
        parser.error(f"--depth: a rule has at most {MOST_CONDITIONS} conditions")
    cases, timed = read_cases(o.records)
    if not timed:
        sys.exit("learn.py: there is no record of ek bench spmv on the processor with op N and a time")
    about = timed[-1]
    features = {m: features_of(o.ek, m) for m in sorted({key[0] for key in cases})}
    names, rows, times, groups = table_of(cases, features)
    classes, near = classes_of(times)
    rules = rules_of(learn(rows, classes, o.least, o.depth), names, rows, near)
    share, away, good = left_out(rows, times, near, groups, names, o)
    sure = sum((count + 1) / (of + 2) >= SURE for _, count, of, _ in rules)
    shaky = sum((r["disturbed"] or 0) > 0.1 for r in timed) / len(timed)
    trained = configurations(cases)
    on = ", ".join(f"{value} with indices of {index} bits on {threads} thread{'s' * (threads > 1)}"
                   for value, index, threads in trained)
    text = (f"Learned by bench/learn.py from records of ek bench spmv --suite learn on "
            f"{about['machine'].split(',')[0]}, {about['date'][:10]}, commit {about['commit']}: "
            f"{len(rows)} cases of {len(features)} matrices, for 1 to 10000 products, "
            f"{on}. Other programs disturbed {100 * shaky:.0f} % of the times by "
            f"more than a tenth. {sure} of {len(rules)} rules are sure. On matrices that were left "
            f"out, such rules decided {100 * share:.0f} % of the cases, with methods "
            f"{100 * (away - 1):.0f} % slower than the fastest in the geometric mean, and within "
            f"20 % of it in {100 * good:.0f} % of these cases. */")
    print("""/* SPDX-License-Identifier: BSD-3-Clause
 * Rules for the choice of a method (learned.c): RULE(method, near, cases, conditions). Of `cases`
 * training cases that a rule covers, its method was within 20 % of the fastest in `near`. The cases
 * had these types and threads: LEARNED_ON(type of values, type of indices, threads).
 *""")
    print(textwrap.fill(text, 100, initial_indent=" * ", subsequent_indent=" * "))
    for value, index, threads in trained:
        print(f"LEARNED_ON({value.upper()}, I{index}, {threads})")
    for method, count, of, when in rules:
        words = [f"{'ABOVE' if above else 'UP_TO'}({name},@{than:.4g})"
                 for (name, above), than in when.items()]
        rule = f"RULE(\"{method[5:]}\", {count}, {of}, {', '.join(words)})"
        print(textwrap.fill(rule, 100, subsequent_indent="     ").replace("@", " "))


main()
