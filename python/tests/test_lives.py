# SPDX-License-Identifier: BSD-3-Clause
"""Lifetimes, copies, threads, the GIL, threadpoolctl, forks."""

import concurrent.futures
import copy
import gc
import os
import pickle
import resource
import subprocess
import sys
import threading
import time
import weakref

import numpy as np
import pytest
import scipy.sparse as sp

import evenkeel as ek
from conftest import integers, is_array, random_matrix

MANY = int(os.environ.get("EVENKEEL_MAKINGS", 4000))


def resident():
    """Kilobytes of memory that the process has."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() // 1024


def test_no_cycles():
    """Everything goes with its last reference, without the collector of cycles."""
    gc.collect()
    gc.disable()
    try:
        data = np.ones(5)
        gone = weakref.ref(data)
        A = ek.from_csr([0, 2, 5], [0, 1, 0, 1, 2], data, (2, 3))
        handle = weakref.ref(A.core.handle)
        A @ np.ones(3), A.T @ np.ones(2), A @ np.ones((3, 2)), A.toarray()
        plan, view, S = A.T.plan(), A.arrays["val"], A.tocsr()
        del A, data
        assert handle() and gone() is not None
        np.testing.assert_array_equal(plan @ np.ones(2), [2, 2, 1])
        del plan, S
        assert gone() is not None and view.sum() == 5
        del view
        assert gone() is None and handle() is None
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_collected_with_a_finalizer():
    """What the collector of cycles takes together with a matrix may use it until it goes."""
    seen = []

    class Owner:
        def __init__(self, A, heap):
            self.A, self.heap, self.me = A, heap, self

        def __del__(self):
            for _ in range(5):  # these would take memory that were free
                ek.from_csr([0, 2, 5], [0, 1, 0, 1, 2], np.full(5, 7.0), (2, 3)) @ np.ones(3)
            seen.extend((self.A @ np.ones(3), self.A.T.plan() @ np.ones(2), len(self.heap)))

    def suspended(A):
        try:
            yield box
        finally:
            seen.append(A @ np.ones(3))

    context = ek.Context(threads=1)
    A = ek.from_csr([0, 2, 5], [0, 1, 0, 1, 2], np.arange(5.0), (2, 3), context=context)
    A @ np.ones(3)
    owner, box = Owner(A, ek.Heap(context=context)), {}
    box["me"] = suspended(ek.matrix(A, copy=True))
    next(box["me"])
    gone = [weakref.ref(owner.A.core.handle), weakref.ref(context.handle)]
    del A, owner, box, context
    gc.collect()
    assert [handle() for handle in gone] == [None, None] and len(seen) == 4
    seen.sort(key=np.size)  # the collector chooses the order
    assert seen[0] == 0
    np.testing.assert_array_equal(seen[1], [1, 9])
    np.testing.assert_array_equal(seen[2], [1, 9])
    np.testing.assert_array_equal(seen[3], [2, 4, 4])


def test_cycles_go():
    """Cycles through all that the package has are collected: nothing that leads back is hidden."""

    class Mine(ek.Context):
        pass

    context, S = Mine(threads=1), random_matrix(30, 30, 0.2)
    A, heap = ek.matrix(S, context=context), ek.Heap(context=context)
    A @ np.ones(30), A.T @ np.ones((30, 2))
    context.used = A, A.T, A.plan(), heap, A @ A, A.tocsr()
    S.mine = A
    gone = [weakref.ref(thing) for thing in (context, context.handle, A, A.core.handle, S)]
    del context, A, heap, S
    gc.collect()
    assert [thing() for thing in gone] == [None] * 5


@pytest.mark.parametrize("way", ["pickle", "deepcopy", "copy"])
def test_copies(way):
    """Copies of matrices in every format, of views and of transposes."""
    copied = {"pickle": lambda E: pickle.loads(pickle.dumps(E)), "deepcopy": copy.deepcopy}.get(
        way, copy.copy
    )
    A = random_matrix(40, 30, 0.3)
    x, u = integers(30), integers(40)
    for kind in (np.float64, np.float32):
        E = ek.matrix(A.astype(kind), calls=7)
        for M in (E, ek.matrix(A.tocsc().astype(kind)), E.convert("csr", index="64"), 2 * E):
            C = copied(M)
            assert (C.dtype, C.format, C.info["index"]) == (M.dtype, M.format, M.info["index"])
            assert C.core.calls == M.core.calls and C.core.is_array
            np.testing.assert_array_equal(C @ x, M @ x)
            np.testing.assert_array_equal(copied(M.T) @ u, M.T @ u)
            assert (C.core is M.core) == (way == "copy")
        for row in ek.formats():
            M = E.convert(row["name"], max_bytes=1 << 30)
            assert copied(M).format == M.format
            np.testing.assert_array_equal(copied(M.T).toarray(), M.T.toarray())
        M = E.convert("sell:c=4,sigma=64")
        assert copied(M).format == M.format
    rows = np.append(np.zeros(2000, int), np.arange(1, 400))  # one long row, so ELL is mostly fill
    sparse = sp.coo_array((np.ones(2399), (rows, np.arange(2399) % 2000)), shape=(400, 2000))
    M = ek.matrix(sparse.tocsr()).convert("ell", max_bytes=1 << 30)
    assert copied(M).format == M.format
    assert not is_array(copied(ek.matrix(sp.csr_matrix(A))).tocsr())
    C, given = copied(E), A.copy()
    del E, M
    gc.collect()
    np.testing.assert_array_equal(C.toarray(), given.toarray())
    if way != "copy":
        C.set_values(2 * given.data)
        np.testing.assert_array_equal(C.toarray(), 2 * given.toarray())
        with pytest.raises(ValueError, match="set_values"):
            C.values_changed()


def test_context_of_copies():
    """A copy by copy.deepcopy stays in its context; one of pickle is in that of its process."""
    E = ek.matrix(random_matrix(40, 30, 0.3), context=ek.Context(threads=1))
    assert copy.deepcopy(E).context is E.context
    assert pickle.loads(pickle.dumps(E)).context is ek.default_context()


def test_no_copies():
    """What cannot be copied says so, and leaves nothing behind that complains when it goes."""
    program = (
        "import copy, pickle, evenkeel as ek\n"
        "A = ek.matrix([[1.0, 2]])\n"
        "for thing in (A.plan(), ek.Context(), ek.Heap('float64')):\n"
        "    for way in (copy.deepcopy, pickle.dumps):\n"
        "        try:\n"
        "            way(thing)\n"
        "        except TypeError as problem:\n"
        "            print('a Matrix can' in str(problem))\n"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (result.stdout, result.stderr) == ("True\n" * 6, "")


def test_results_own_memory():
    A = random_matrix(50, 50, 0.2)
    C = ek.matrix(A) @ A
    gc.collect()
    [ek.matrix(A) @ A for _ in range(20)]
    np.testing.assert_array_equal(C.toarray(), (A @ A).toarray())


def test_no_leak():
    A = random_matrix(30, 30, 0.2)
    x, X = np.ones(30), np.ones((30, 2))

    def make(times):
        for _ in range(times):
            E = ek.matrix(A)
            E @ x
        for _ in range(times // 20):
            E = ek.matrix(A)
            E.T @ x, E @ X, E @ A, E + A, E.plan(method="csr.merge") @ x, E.convert("sell").tocsr()
            with pytest.raises(ek.Error):
                E.plan(method="nonsense")

    make(MANY // 4)
    before = resident()
    make(MANY)
    assert resident() - before < 1024  # a leak of 300 bytes in each of 4000 makings would show


def test_many_threads():
    A = random_matrix(400, 300, 0.1)
    E = ek.matrix(A)
    plan = E.T.plan()
    xs = [integers(300, seed=k) for k in range(8)]

    def work(k):
        for _ in range(200):
            np.testing.assert_array_equal(E @ xs[k], A @ xs[k])
            np.testing.assert_array_equal(plan @ (A @ xs[k]), A.T @ (A @ xs[k]))
            np.testing.assert_array_equal(ek.matrix(A) @ xs[k], A @ xs[k])
        return True

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))


def test_one_plan_for_all_threads():
    """Threads that make the first product at the same time share one plan."""
    A = ek.generate("poisson2d5:nx=100,ny=100")
    barrier, x = threading.Barrier(6), np.ones(10000)

    def work(_):
        barrier.wait()
        return A @ x

    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        results = list(pool.map(work, range(6)))
    assert all((y == results[0]).all() for y in results) and len(A.core.plans) == 1


def test_gil_is_released():
    """Another thread runs Python while a long product runs."""
    A = ek.generate("poisson3d7:nx=60,ny=60,nz=60")
    X, ticks, done = np.ones((A.shape[1], 32)), [], threading.Event()
    A @ X

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())

    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.perf_counter()
    A.T @ A
    end = time.perf_counter()
    done.set()
    thread.join()
    inside = sum(begin + 0.1 * (end - begin) < t < end - 0.1 * (end - begin) for t in ticks)
    assert inside > 10


def test_limits():
    A = ek.generate("poisson2d5:nx=200,ny=200")
    x = integers(40000)
    expected, plan = A @ x, A.plan()
    most = ek.threads()
    try:
        for limit in (1, 2, 0, 1):
            ek.set_threads(limit)
            assert ek.threads() == (min(limit, most) or most)
            np.testing.assert_array_equal(A @ x, expected)
            np.testing.assert_array_equal(plan @ x, expected)
            np.testing.assert_array_equal(ek.primitives.scan(np.ones(10**5))[-1:], [10**5])
        with pytest.raises(ValueError):
            ek.set_threads(-1)
        for wrong in (2.5, "2", None):
            with pytest.raises(TypeError):
                ek.set_threads(wrong)
        for large in (2**31, 2**32 + 2, 2**64, -(2**31) - 1):  # fast.c has an int
            with pytest.raises(OverflowError):
                ek.set_threads(large)
        assert ek.threads() == 1 and ek.set_threads(np.int64(1)) == 1
    finally:
        ek.set_threads(0)


def test_limit_changes_while_a_plan_is_made(monkeypatch):
    """A fast product is for the limit of its plan, and not for one that came meanwhile."""
    A = ek.generate("poisson2d5:nx=100,ny=100")
    x, plan, handle = integers(10000), A.plan(), ek.Plan.handle
    expected = plan @ x

    def and_then(self, *given):
        found = handle(self, *given)
        ek.set_threads(2)
        return found

    try:
        ek.set_threads(1)
        monkeypatch.setattr(ek.Plan, "handle", and_then)
        fast = plan.product()
        monkeypatch.undo()
        kept = fast.keep[0] if isinstance(fast.keep, tuple) else fast.keep
        assert fast.limit == 1 and kept is plan.handle(1)
        assert fast(x) is None
        np.testing.assert_array_equal(plan @ x, expected)
    finally:
        ek.set_threads(0)


def test_threadpoolctl():
    threadpoolctl = pytest.importorskip("threadpoolctl", "3.2")
    most = ek.threads()

    def mine():
        return [row for row in threadpoolctl.threadpool_info() if row["internal_api"] == "evenkeel"]

    assert len(mine()) == 1 and mine()[0]["num_threads"] == most
    assert mine()[0]["version"] == ek.__version__
    A = ek.generate("poisson2d5:nx=100,ny=100")
    with threadpoolctl.threadpool_limits(1):
        assert ek.threads() == 1 and mine()[0]["num_threads"] == 1
        A @ np.ones(10000)
    assert ek.threads() == most
    with threadpoolctl.threadpool_limits(1, user_api="blas"):
        assert ek.threads() == most


@pytest.mark.filterwarnings("ignore:.*fork")
def test_fork():
    A = ek.generate("poisson2d5:nx=100,ny=100")
    x = integers(10000)
    y = A @ x
    child = os.fork()
    if child == 0:
        os._exit(0 if ((A @ x) == y).all() and ((A.T @ x) == y).all() else 1)
    assert os.waitpid(child, 0)[1] == 0
    np.testing.assert_array_equal(A @ x, y)
