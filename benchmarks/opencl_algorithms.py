#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Scan, sort and lists of PyOpenCL's face beside PyOpenCL itself: one program, run by both.

    opencl_algorithms.py PLATFORM [COUNT]     on Treadle's face and, where it is, on PyOpenCL
    opencl_algorithms.py PLATFORM COUNT one   in this process, on whatever `pyopencl` is

PLATFORM is a part of its name ("Portable", "NVIDIA"). Of several runs, each with the wait
after it, the shortest counts; kernels are compiled before. Two processes, one after the other.
"""

import json
import os
import subprocess
import sys
import time

import numpy as np

MANY = 1 << 22


def shortest(call, queue, runs=7):
    times = []
    for _ in range(runs + 1):
        queue.finish()
        begin = time.perf_counter()
        made = call()
        queue.finish()
        times.append(time.perf_counter() - begin)
        del made
    return min(times[1:]) * 1e3


def measure(platform_name, count):
    """Milliseconds of each row, and whose module was at work."""
    import pyopencl as cl
    import pyopencl.algorithm as algorithm
    import pyopencl.array as arrays
    from pyopencl.scan import ExclusiveScanKernel, GenericScanKernel, InclusiveScanKernel

    platform = next(p for p in cl.get_platforms() if platform_name in p.name)
    context = cl.Context(platform.get_devices()[:1])
    queue = cl.CommandQueue(context)
    rng = np.random.default_rng(0)
    floats = arrays.to_device(queue, rng.random(count, dtype=np.float32))
    ints = arrays.to_device(queue, rng.integers(0, 100, count, dtype=np.int32))
    keys = arrays.to_device(queue, rng.integers(0, 2**32, count, dtype=np.uint32))
    out = arrays.empty_like(ints)

    inclusive = InclusiveScanKernel(context, np.int32, "a+b", "0")
    exclusive = ExclusiveScanKernel(context, np.int32, "a+b", "0")
    segmented = GenericScanKernel(
        context, np.int32, arguments="__global int *x, __global int *out",
        input_expr="x[i]", scan_expr="across_seg_boundary ? b : a+b", neutral="0",
        is_segment_start_expr="x[i] == 0", output_statement="out[i] = item;",
    )  # fmt: skip
    sort = algorithm.RadixSort(
        context, "unsigned int *keys", key_expr="keys[i]", sort_arg_names=["keys"]
    )
    lists = algorithm.ListOfListsBuilder(
        context, [("divisors", np.int32)],
        "void generate(LIST_ARG_DECL USER_ARG_DECL index_type i)"
        "{ for (int k = 0; k < x[i] % 4; ++k) APPEND_divisors(k); }",
        arg_decls=[arrays_argument("int", "x")],
    )  # fmt: skip
    rows = {
        "inclusive scan of int32": lambda: inclusive(ints, out, queue=queue),
        "exclusive scan of int32": lambda: exclusive(ints, out, queue=queue),
        "segmented scan of int32": lambda: segmented(ints, out, queue=queue),
        "copy_if(x > 0.5) of float32": lambda: algorithm.copy_if(floats, "ary[i] > 0.5f"),
        "radix sort of uint32": lambda: sort(keys, key_bits=32, queue=queue),
        "list building": lambda: lists(queue, count, ints),
    }
    named = {name: shortest(call, queue) for name, call in rows.items()}
    return {"module": cl.__file__, "device": context.devices[0].name, "rows": named}


def arrays_argument(type_name, name):
    from pyopencl.tools import VectorArg

    return VectorArg({"int": np.int32}[type_name], name)


def run(platform_name, count, treadles):
    words = [sys.executable, *(["-m", "treadle", "run"] if treadles else [])]
    words += [__file__, platform_name, str(count), "one"]
    done = subprocess.run(words, capture_output=True, text=True, env=os.environ, check=False)
    if done.returncode:
        print(done.stderr.splitlines()[-1], file=sys.stderr)
        return None
    return json.loads(done.stdout.splitlines()[-1])


def main(platform_name, count=MANY):
    ours, theirs = (run(platform_name, int(count), treadles) for treadles in (True, False))
    if ours is None:
        raise SystemExit(1)
    print(f"{ours['device']}, {count} elements\n")
    print("| row | treadle, ms | PyOpenCL, ms | times as fast |\n|---|---|---|---|")
    for name, own in ours["rows"].items():
        other = theirs["rows"][name] if theirs else float("nan")
        print(f"| {name} | {own:.2f} | {other:.2f} | {other / own:.2f} |")


if __name__ == "__main__":
    if sys.argv[3:] == ["one"]:
        print(json.dumps(measure(sys.argv[1], int(sys.argv[2]))))
    else:
        main(*sys.argv[1:])
