# SPDX-License-Identifier: MIT
"""Threads of Python that share arrays. A deadlock would hold the interpreter's lock, so each is a
process of its own, which has a time to end in."""

import pytest

import treadle

IDS = [d.id for d in treadle.devices()]

START = """
import sys, threading
import numpy as np
import treadle
import treadle.numpy as tnp
from treadle._core import array as _array

sys.setswitchinterval(1e-5)

def together(*functions):
    failures = []
    def run(function):
        try:
            with treadle.find_device(ID):
                function()
        except BaseException as error:
            failures.append(error)
    threads = [threading.Thread(target=run, args=(f,)) for f in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]

def computes(array, expected):
    values = array.get()
    if treadle.find_device(ID).traits.runs_kernels:
        assert (values == expected).all(), (values, expected)
"""

PROGRAMS = {
    # It is called while other threads hold the lock of Python and want that of the arrays.
    "allocator": """
blocks = []
class Allocator:
    def __call__(self, size):
        memory = treadle.Buffer(treadle.find_device(ID), size + sum(range(50)))
        (tnp.ones(3, device=ID) * 2).get()  # arrays of its own
        blocks.append(size)
        return Block(memory)

class Block:
    def __init__(self, memory):
        self.memory = memory
        self.int_ptr = memory.raw
    def __index__(self):
        return self.int_ptr
    def __del__(self):
        (tnp.zeros(3, device=ID) + 1).get()

with treadle.find_device(ID):
    shared = tnp.array(np.zeros(1000, "f4"))
    kept = tnp.array(np.ones(1000, "f4"))
    _array.set_pool(kept, Allocator())

def allocate():
    for i in range(20):
        one = kept * i + kept
        two = one + kept
        computes(two, i + 2)
        total = (two * 2).sum()
        computes(total, 1000 * (2 * i + 4))

def record():
    for i in range(100):
        values = [shared * 0 + k for k in range(8)]
        computes(values[i % 8], i % 8)

def change():
    global shared
    for _ in range(100):
        shared += 1

together(allocate, allocate, record, record, change)
computes(shared, 100)
assert len(blocks) >= 80, len(blocks)
del kept, shared  # the allocator's class knows them
""",
    # x += 1 gives the object another array while nothing has looked at it.
    "updates": """
with treadle.find_device(ID):
    x = tnp.zeros(1000, "f4", device=ID)
    ones = [tnp.ones(1000, "f4") for _ in range(4)]

def change(one):
    def run():
        global x
        for i in range(50):
            y = one
            for k in range(i % 5 * 20):  # some are computed while they are recorded
                y = y * 1
            x += y
    return run

together(*[change(one) for one in ones])
computes(x, 200)
""",
    # Functions that compute keep a share of what they were given.
    "rebound": """
with treadle.find_device(ID):
    x = tnp.zeros(1000, "f4")

done = threading.Event()

def change():
    try:
        for i in range(300):
            _array.rebind(x, tnp.zeros(1000, "f4") + i % 7)
    finally:
        done.set()

def use():
    while not done.is_set():
        for values in (tnp.roll(x, 3), tnp.concatenate([x, x]), tnp.repeat(x, 2), x.copy(),
                       x.reshape(10, 100), tnp.pad(x, 0), x[np.array([1, 2])], x.clip(0, 100)):
            host = values.get()
            if treadle.find_device(ID).traits.runs_kernels:
                assert (host == host.flat[0]).all()

together(change, use, use)
""",
}


@pytest.mark.parametrize("device", IDS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_threads(run_python, name, device):
    done = run_python("-c", f"ID = {device!r}\n" + START + PROGRAMS[name])
    assert done.returncode == 0, done.stderr
