# SPDX-License-Identifier: MIT
"""Everything that can be measured through PyCUDA's interface, by whichever package answers to it.

Run by `python -m treadle run` it measures Treadle; run by `python` it measures PyCUDA.
"""

import pathlib
import sys
from functools import partial

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import numpy as np
from bare_calls import cuda_launches
from kernel_cases import CASES, source
from worker import Case, CompileInThreads, KernelRun, LoopTiming, repeated, serve, timed, unseen

EMPTY = "__global__ void empty() {}"
FIVE = """
__global__ void five(float *out, const float *a, const float *b, float x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + x * b[i];
}
"""
# Each turn needs the one before: no compiler makes a formula of it.
TURNS = """
__global__ void turn(unsigned long long *out, long long turns)
{
    unsigned long long x = turns;
    for (long long i = 0; i < turns; ++i) x = x * 6364136223846793005ull + 1442695040888963407ull;
    *out = x;
}
"""
SIMPLE = """
__global__ void twice(float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] *= 2;
}
"""


class Device:
    """kernel_cases.Device through pycuda.driver."""

    def __init__(self, cuda, compiler):
        self.cuda = cuda
        self.compiler = compiler
        self.modules = {}

    def upload(self, array):
        return self.cuda.to_device(array)

    def download(self, buffer, like):
        return self.cuda.from_device_like(buffer, like)

    def function(self, file, name):
        if file not in self.modules:
            self.modules[file] = self.compiler.SourceModule(source(file), no_extern_c=True)
        return self.modules[file].get_function(name)

    def run(self, function, grid, block, shared, arguments):
        function(*arguments, grid=grid, block=block, shared=shared)
        self.cuda.Context.synchronize()


class Compile(Case):
    """SourceModule() of a text never seen before: what a first run pays, loading included."""

    def __init__(self, device, text, no_extern_c=False):
        self.device = device
        self.text = text
        self.no_extern_c = no_extern_c

    def prepare(self):
        self.run()

    def measure(self, repeats):
        texts = [unseen(self.text) for _ in range(repeats)]
        return [timed(lambda text=text: self.compile(text)) for text in texts]

    def compile(self, text):
        self.device.compiler.SourceModule(text, no_extern_c=self.no_extern_c)

    def run(self):
        self.compile(unseen(self.text))


class Recompile(Compile):
    """SourceModule() of a text compiled before: the cache's answer, and loading."""

    def prepare(self):
        self.text = unseen(self.text)
        self.compile(self.text)

    def measure(self, repeats):
        return [timed(lambda: self.compile(self.text)) for _ in range(repeats)]


class Lookup(Recompile):
    """pycuda.compiler.compile() of a text compiled before: the bytes, nothing loaded."""

    def compile(self, text):
        self.device.compiler.compile(text)


class LongLaunch(Case):
    """The launch of a kernel that runs for 100 ms: when the call comes back."""

    def __init__(self, device):
        self.function = device.compiler.SourceModule(TURNS).get_function("turn").prepare("Pq")
        self.out = device.cuda.mem_alloc(8)
        self.synchronize = device.cuda.Context.synchronize

    def prepare(self):
        few = 1_000_000
        self.turns = few
        self.run_and_wait()
        taken = min(timed(self.run_and_wait) for _ in range(3))
        self.turns = int(few * 0.1 / taken)

    def run(self):
        self.function.prepared_call((1, 1), (1, 1, 1), self.out, self.turns)

    def run_and_wait(self):
        self.run()
        self.synchronize()

    def measure(self, repeats):
        times = []
        for _ in range(repeats):
            times.append(timed(self.run))
            self.synchronize()
        return times


class CopyCeiling(Case):
    """Device-to-device copy of 1 GiB: each byte read once and written once."""

    def __init__(self, cuda):
        self.cuda = cuda
        self.source = cuda.mem_alloc(1 << 30)
        self.target = cuda.mem_alloc(1 << 30)

    def prepare(self):
        self.run()

    def run(self):
        self.cuda.memcpy_dtod(self.target, self.source, 1 << 30)
        self.cuda.Context.synchronize()


def launch_cases(device):
    cuda = device.cuda
    module = device.compiler.SourceModule(EMPTY + FIVE)
    out, a, b = (cuda.mem_alloc(4096) for _ in range(3))
    x, n = np.float32(2), np.int32(0)
    grid, block = (1, 1), (32, 1, 1)
    empty = module.get_function("empty").prepare("")
    prepared = module.get_function("five").prepare("PPPfi")
    plain = module.get_function("five")
    synchronize = cuda.Context.synchronize

    def empty_and_wait():
        empty.prepared_call(grid, block)
        synchronize()

    def call_prepared(count):
        for _ in count:
            prepared.prepared_call(grid, block, out, a, b, x, n)

    def call_plain(count):
        for _ in count:
            plain(out, a, b, x, n, grid=grid, block=block)

    def bare():
        return cuda_launches(plain.handle, [int(out), int(a), int(b)], x, n)

    return {
        "launch and wait": lambda: LoopTiming(repeated(empty_and_wait), 200),
        "launch prepared": lambda: LoopTiming(call_prepared, 500, synchronize),
        "launch plain": lambda: LoopTiming(call_plain, 500, synchronize),
        "launch bare": lambda: LoopTiming(bare(), 500, synchronize),
        "launch long": lambda: LongLaunch(device),
    }


def compile_cases(device):
    current = device.cuda.Context.get_current()

    def compile_bytes(text):
        current.push()  # whichever thread this is
        try:
            device.compiler.compile(text, no_extern_c=True)
        finally:
            device.cuda.Context.pop()

    cases = {
        "compile simple": lambda: Compile(device, SIMPLE),
        "recompile simple": lambda: Recompile(device, SIMPLE),
        "lookup simple": lambda: Lookup(device, SIMPLE),
        "threads 1": lambda: CompileInThreads(compile_bytes, source("bench.cu"), 1),
        "threads 2": lambda: CompileInThreads(compile_bytes, source("bench.cu"), 2),
    }
    for file in ("product.cu", "bench.cu", "bench2.cu"):
        cases[f"compile {file}"] = lambda file=file: Compile(device, source(file), True)
    return cases


def memory_cases():
    from pycuda.tools import DeviceMemoryPool

    pool = DeviceMemoryPool()
    # What allocate() gives is freed at once, for nothing refers to it.
    allocate = repeated(partial(pool.allocate, 1 << 20))
    return {"allocate and free": lambda: LoopTiming(allocate, 20_000)}


def make_cases():
    import pycuda.autoinit
    import pycuda.compiler
    import pycuda.driver

    assert pycuda.autoinit.context is not None
    device = Device(pycuda.driver, pycuda.compiler)
    cases = {name: lambda case=case: KernelRun(device, case) for name, case in CASES.items()}
    cases["ceiling copy"] = lambda: CopyCeiling(device.cuda)
    return cases | launch_cases(device) | compile_cases(device) | memory_cases()


serve(make_cases)
