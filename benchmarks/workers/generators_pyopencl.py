# SPDX-License-Identifier: MIT
"""The generated kernels of pyopencl that are no arithmetic of arrays, by whichever package answers.

Run by `python -m treadle run` it measures Treadle; run by `python` it measures PyOpenCL.
"""

import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import numpy as np
from worker import Absent, Case, serve

COUNT = 1 << int(os.environ.get("BENCH_LOG2", "20"))
BATCH_S = 0.02  # runs timed together take about as long
LISTS = """
void generate(LIST_ARG_DECL USER_ARG_DECL index_type i)
{
  for (int k = 0; k < values[i] % 3; ++k) { APPEND_found(i); }
}
"""


class Generated(Case):
    """`make(a)` gives what is run, and what its result is to be; it may raise what is missing."""

    def __init__(self, device, make):
        self.device = device
        self.make = make

    def prepare(self):
        self.action, result, expected = self.make(self.device)
        self.action()
        taken = self.seconds(1)
        self.count = min(max(round(BATCH_S / taken), 1), 100)
        return all(
            np.array_equal(found.get()[: len(wanted)], wanted)
            for found, wanted in zip(result(), expected, strict=True)
        )

    def seconds(self, count):
        self.device.queue.finish()
        began = time.perf_counter()
        for _ in range(count):
            self.action()
        self.device.queue.finish()
        return (time.perf_counter() - began) / count

    def measure(self, repeats):
        return [self.seconds(self.count) for _ in range(repeats)]


class Device:
    def __init__(self):
        import pyopencl as cl
        import pyopencl.array
        from pyopencl.tools import ImmediateAllocator, MemoryPool

        wanted = os.environ.get("BENCH_OPENCL_PLATFORM", "Portable Computing")
        platforms = [p for p in cl.get_platforms() if wanted in p.name]
        if not platforms:
            raise Absent(f"no OpenCL platform is called {wanted}")
        self.context = cl.Context(platforms[0].get_devices()[:1])
        self.queue = cl.CommandQueue(self.context)
        self.pool = MemoryPool(ImmediateAllocator(self.queue))
        self.array = cl.array
        self.values = np.random.default_rng(7).integers(0, 1 << 30, COUNT, dtype="i4")
        self.on_device = self.put(self.values)

    def put(self, values):
        return self.array.to_device(self.queue, values, allocator=self.pool)

    def new(self, like):
        return self.array.empty_like(like)


def segmented_scan(device):
    from pyopencl.scan import GenericScanKernel

    starts = np.zeros(COUNT, "i1")
    starts[::1000] = 1
    kernel = GenericScanKernel(
        device.context, np.int32,
        "int *values, char *starts, int *sums",
        input_expr="values[i]",
        scan_expr="across_seg_boundary ? b : (a + b)",
        neutral="0",
        is_segment_start_expr="starts[i]",
        output_statement="sums[i] = item",
    )  # fmt: skip
    flags, sums = device.put(starts), device.new(device.on_device)
    expected = np.concatenate(
        [np.cumsum(device.values[k : k + 1000], dtype="i4") for k in range(0, COUNT, 1000)]
    )
    return lambda: kernel(device.on_device, flags, sums), lambda: [sums], [expected]


def of_algorithm(name, *texts, expected):
    """A function of pyopencl.algorithm, whose results are arrays, their length and an event."""

    def make(device):
        import pyopencl.algorithm

        function = getattr(pyopencl.algorithm, name)
        found = []

        def action():
            found[:] = function(device.on_device, *texts)[:-2]

        return action, lambda: found, expected(device.values)

    return make


def unique(device):
    from pyopencl.algorithm import unique as function

    runs = np.repeat(device.values[: COUNT // 4], 4)
    on_device, found = device.put(runs), []

    def action():
        found[:] = function(on_device)[:1]

    return action, lambda: found, [runs[np.concatenate([[True], runs[1:] != runs[:-1]])]]


def radix_sort(device):
    from pyopencl.algorithm import RadixSort

    sort = RadixSort(
        device.context, "int *keys, int *values", "keys[i]", ["keys", "values"], key_dtype=np.int32
    )
    numbers = device.put(np.arange(COUNT, dtype="i4"))
    found = []

    def action():
        found[:] = sort(device.on_device, numbers, key_bits=30)[0]

    order = np.argsort(device.values, kind="stable").astype("i4")
    return action, lambda: found, [device.values[order], order]


def key_value_sorter(device):
    from pyopencl.algorithm import KeyValueSorter

    sorter = KeyValueSorter(device.context)
    count = 1000
    keys = device.values % count
    on_device, found = device.put(keys), []

    def action():
        found[:] = sorter(device.queue, on_device, device.on_device, count, np.int32)[:2]

    starts = np.concatenate([[0], np.cumsum(np.bincount(keys, minlength=count))]).astype("i4")
    return action, lambda: found, [starts, device.values[np.argsort(keys, kind="stable")]]


def lists(device):
    from pyopencl.algorithm import ListOfListsBuilder
    from pyopencl.tools import VectorArg

    builder = ListOfListsBuilder(
        device.context, [("found", np.int32)], LISTS, [VectorArg(np.int32, "values")]
    )
    # Without a pool: PyOpenCL's does not take a buffer of one there.
    values, found = device.array.to_device(device.queue, device.values), []

    def action():
        built = builder(device.queue, COUNT, values.data)[0]["found"]
        found[:] = built.starts, built.lists

    each = device.values % 3
    starts = np.concatenate([[0], np.cumsum(each)]).astype("i4")
    return action, lambda: found, [starts, np.repeat(np.arange(COUNT, dtype="i4"), each)]


def bitonic_sort(device):
    from pyopencl.bitonic_sort import BitonicSort

    sort = BitonicSort(device.context)
    found = []

    def action():
        found[:] = [device.on_device.copy()]
        sort(found[0])

    return action, lambda: found, [np.sort(device.values)]


CASES = {
    "segmented scan": segmented_scan,
    "copy_if": of_algorithm(
        "copy_if", "ary[i] % 3 == 0", expected=lambda values: [values[values % 3 == 0]]
    ),
    "partition": of_algorithm(
        "partition",
        "ary[i] % 3 == 0",
        expected=lambda values: [values[values % 3 == 0], values[values % 3 != 0]],
    ),
    "unique": unique,
    "RadixSort of 30 bits, with values": radix_sort,
    "KeyValueSorter, 1000 keys": key_value_sorter,
    "ListOfListsBuilder": lists,
    "BitonicSort": bitonic_sort,
}


def make_cases():
    device = Device()
    return {name: (lambda make=make: Generated(device, make)) for name, make in CASES.items()}


serve(make_cases)
