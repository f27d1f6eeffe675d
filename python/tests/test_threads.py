# SPDX-License-Identifier: BSD-3-Clause
"""Several threads at once on one matrix, one plan and the state of the module. Results are exact.

With a global lock the threads take turns after some microseconds; without one they run at once.
"""

import itertools
import os
import queue
import subprocess
import sys
import sysconfig
import threading
import time
import weakref

import numpy as np
import pytest

import evenkeel as ek
from conftest import integers, random_matrix

THREADS = 6
SECONDS = float(os.environ.get("EVENKEEL_THREADS_SECONDS", 0.5))  # of each test


@pytest.fixture(autouse=True)
def short_turns():
    """Threads take turns as often as Python can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def together(work, count=THREADS):
    """Runs work(k) in `count` threads that begin together; returns the results in order of k."""
    barrier, results, problems = threading.Barrier(count), [None] * count, []

    def run(k):
        try:
            barrier.wait()
            results[k] = work(k)
        except BaseException as problem:  # raised again below, in the thread of the test
            problems.append(problem)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if problems:
        raise problems[0]
    return results


def rounds():
    """Numbers from 0 until the time is over."""
    end = time.monotonic() + SECONDS
    return itertools.takewhile(lambda _: time.monotonic() < end, itertools.count())


def same(result, expected):
    """Fails unless the arrays have the same type and bits."""
    assert result.dtype == expected.dtype and np.array_equal(result, expected)


class Shared:
    """A matrix, a plan and operands that all threads use, and what each use gives."""

    def __init__(self):
        self.S = S = random_matrix(300, 200, 0.1)
        self.E = E = ek.matrix(S)
        self.plan = plan = E.T.plan()
        x, u, X, U = integers(200), integers(300), integers(200, 3), integers(3, 300)
        D, out = S.toarray(), [np.empty(300) for _ in range(THREADS)]
        entries = ek.SparseVector(np.array([3, 7], np.int32), np.array([5.0, -1.0]), 200)
        text, name = plan.explain(), plan.method
        self.uses = [
            lambda k: same(E @ x, D @ x),
            lambda k: same(E.T @ u, u @ D),
            lambda k: same(u @ E, u @ D),
            lambda k: same(E.matmul(x, out=out[k]), D @ x),
            lambda k: same(E.rmatvec(u), u @ D),
            lambda k: same(E @ X, D @ X),
            lambda k: same(U @ E, U @ D),
            lambda k: same(E @ x.astype("i4"), D @ x),
            lambda k: same(E @ (x * 1j), D @ (x * 1j)),
            lambda k: same((E @ E.T).toarray(), D @ D.T),
            lambda k: same((E + S).toarray(), 2 * D),
            lambda k: same(E.toarray(), D),
            lambda k: same(E.T.tocsr().toarray(), D.T),
            lambda k: same(plan @ u, u @ D),
            lambda k: same(plan(u, alpha=2.0), 2 * (u @ D)),
            lambda k: same(E.plan(method="csr.merge") @ x, D @ x),
            lambda k: same(E.plan("spmm", width=3, reproducible=True) @ X, D @ X),
            lambda k: same(E.convert("sell:c=8") @ x, D @ x),
            lambda k: same(ek.matrix(S) @ x, D @ x),
            lambda k: same((E @ entries).toarray(), D[:, 3] * 5 - D[:, 7]),
            lambda k: self.is_text((plan.explain(), plan.method), (text, name)),
            lambda k: self.is_text((E.nnz, E.format, E.stats()["nnz"]), (S.nnz, "csr", S.nnz)),
        ]

    @staticmethod
    def is_text(found, expected):
        assert found == expected


def test_one_matrix_and_one_plan():
    """All that a matrix can do while no thread changes it, each thread in an order of its own."""
    shared = Shared()

    def work(k):
        order = np.random.default_rng(k).permutation(len(shared.uses))
        for number in rounds():
            shared.uses[order[number % len(order)]](k)

    together(work)


def test_first_uses(monkeypatch):
    """What is made when it is first needed is made once, whichever thread comes first."""
    made, make = [], ek.Plan._make
    monkeypatch.setattr(ek.Plan, "_make", lambda *given: made.append(given) or make(*given))
    S = random_matrix(40, 30, 0.3, dtype=np.float32)
    D, x, X, u = S.toarray().astype(float), integers(30), integers(30, 2), integers(40)
    for _ in rounds():
        E = ek.matrix(S)

        def work(k, E=E):
            same(E @ x, D @ x)  # of f64, so of the matrix that E.core.wide is
            same(E @ x.astype("f4"), (D @ x).astype("f4"))
            same(u @ E, u @ D)
            same(E @ X, D @ X)
            return weakref.ref(E.core.wide.handle)

        del made[:]
        assert len(set(together(work))) == 1 and len(made) == 4
        kinds = sorted(key[:2] for key in E.core.wide.plans)
        assert kinds == [("spmm", False), ("spmv", False), ("spmv", True)]
        assert list(E.core.plans) == [("spmv", False, 0)]


def test_limits_change():
    """Products while other threads change the limit of threads, and plans are made for each."""
    A = ek.generate("poisson2d5:nx=60,ny=60")
    x, plan = integers(3600), A.plan()
    expected, transposed, before = A @ x, A.T @ x, ek.threads()

    def work(k):
        for number in rounds():
            if k == 0:
                ek.set_threads(number % 4)
                assert 1 <= ek.threads() <= before
            same(A @ x, expected)
            same(plan @ x, expected)
            same(A.T @ x, transposed)

    try:
        together(work)
    finally:
        ek.set_threads(0)
    assert ek.threads() == before and len(plan._handles) <= 4 and len(plan._runs) <= 4


def test_counts():
    """No copy is left out of ek.copies(), and no thread's uses change what others count."""
    E, x = ek.matrix(random_matrix(40, 30, 0.3)), integers(30).astype(np.int64)
    E @ x

    def work(k):
        done = 0
        for _ in rounds():
            E @ x  # copies x
            for _ in range(99):
                ek.copies.add(x)
            done += 100
        return done

    before = ek.copies()
    done = sum(together(work))
    after = ek.copies()
    assert after[0] - before[0] == done and after[1] - before[1] == done * x.nbytes


def test_new_values():
    """Each thread changes the values of a matrix of its own; the array of values is shared."""
    S = random_matrix(200, 200, 0.1)
    x, D = integers(200), S.toarray()

    def work(k):
        own = ek.matrix(S, copy=True)
        borrowed = S.copy()
        E, plan = ek.matrix(borrowed), own.plan(method="csr.merge")
        for number in rounds():
            factor = k + number % 5
            own.set_values(factor * S.data)
            borrowed.data[:] = -factor * S.data
            E.values_changed()
            same(own @ x, factor * D @ x)
            same(plan @ x, factor * D @ x)
            same(E @ x, -factor * D @ x)
            if number % 10 == 0:
                same((E @ S).toarray(), -factor * D @ D)

    together(work)


def test_messages():
    """The exception of a failure has the message of its own thread."""

    def work(k):
        for number in rounds():
            name = f"nothing{k}x{number}"
            with pytest.raises(ek.Error, match=name):
                ek.generate(name)
            with pytest.raises(ek.Error, match=name):
                ek.matrix([[1.0]]).plan(method=name)

    together(work)


def test_made_here_and_dropped_there():
    """Matrices, plans and views go to other threads, and their last reference goes there."""
    S = random_matrix(60, 50, 0.2)
    D, x = S.toarray(), integers(50)
    places = [queue.SimpleQueue() for _ in range(THREADS)]
    gone = []

    def work(k):
        for number in rounds():
            data = S.data.copy()
            E = ek.from_csr(S.indptr, S.indices, data, S.shape)
            if number % 100 == 0:
                gone.append(weakref.ref(data))
            E @ x
            things = E, E.plan(), E.T, E.arrays["val"]
            for step, thing in enumerate(things):
                places[(k + step + 1) % THREADS].put(thing)
            del E, things, thing, data
            while not places[k].empty():
                use(places[k].get())

    def use(thing):
        if isinstance(thing, ek.Plan):
            same(thing @ x, D @ x)
        elif isinstance(thing, ek.Matrix):
            same((thing if thing.shape == D.shape else thing.T) @ x, D @ x)
        else:
            same(thing, S.data)

    together(work)
    for place in places:
        while not place.empty():
            use(place.get())
    assert len(gone) >= THREADS and not any(ref() is not None for ref in gone)


def test_one_heap():
    """A heap takes calls of several threads one after the other."""
    heap = ek.Heap(np.int64)

    def work(k):
        taken, given = [], 0
        for number in rounds():
            heap.insert(k * 10**6 + number)
            given += 1
            if number % 2:
                taken.append(heap.delete_max())
        return given, taken

    results = together(work)
    taken = [key for _, keys in results for key in keys]
    left = [heap.delete_max() for _ in range(len(heap))]
    keys = [range(k * 10**6, k * 10**6 + given) for k, (given, _) in enumerate(results)]
    assert sorted(taken + left) == [key for some in keys for key in some]
    assert left == sorted(left, reverse=True)


START = """
import sys, threading
import numpy as np

barrier, found = threading.Barrier(8), []

def work():
    barrier.wait()
    import evenkeel as ek
    A = ek.matrix(np.array([[2.0, 0], [1, 3]]))
    found.append((ek.default_context().pointer, A.context.pointer, *(A @ np.ones(2))))

threads = [threading.Thread(target=work) for _ in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(len(found), len(set(found)), getattr(sys, "_is_gil_enabled", lambda: None)())
"""


def test_start():
    """Threads that import the package and need the default context at once share one of each."""
    variables = {name: text for name, text in os.environ.items() if name != "PYTHON_GIL"}
    free = sysconfig.get_config_var("Py_GIL_DISABLED")
    expected = "False" if free else "True" if sys.version_info >= (3, 13) else "None"
    for _ in range(5):
        result = subprocess.run(
            [sys.executable, "-W", "error", "-c", START],
            capture_output=True,
            text=True,
            env=variables,
        )
        # Without a global lock, the package does not bring one back.
        assert (result.stdout, result.stderr) == (f"8 1 {expected}\n", "")
