# SPDX-License-Identifier: MIT
"""Rows of threads that ask at once against threads that ask one by one: random kernels, whose
conditions and offsets hold for all threads, some, one or none, are told the same, and those that
pass compute the same. TREADLE_RANDOM_CHECKS=FIRST:LAST draws others."""

import contextlib
import ctypes
import os
import random
import re

import numpy as np
import pytest

BATCH = 24
SEEDS = range(*map(int, os.environ.get("TREADLE_RANDOM_CHECKS", f"0:{2 * BATCH}").split(":")))
CHECKS = ("memory", "memory,init", "memory,race,init,sync")
WORDS, WRITTEN = 192, 184
# The arrays are the ends of the only allocation: else it is up to what lies beside them whether an
# access past one is within some other.
BYTES = 1 << 18
PRELUDE = """
#define T threadIdx.x
#define Y threadIdx.y
#define B blockIdx.x
#define C blockIdx.y
#define I (B * blockDim.x + T)
#define J (C * blockDim.y + Y)
"""
SHAPES = [  # block, grid
    ((32, 1, 1), (1, 1, 1)),
    ((32, 1, 1), (4, 1, 1)),
    ((40, 1, 1), (3, 1, 1)),
    ((8, 4, 1), (1, 1, 1)),
    ((16, 4, 1), (2, 1, 1)),
    ((8, 2, 1), (3, 2, 1)),
    ((4, 3, 2), (2, 1, 1)),
    ((1, 16, 1), (2, 2, 1)),
]


class Draw:
    """A kernel `name(int *x, int *z, int n, unsigned w)`: n is about what fits, w + a few wraps."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.name = f"k{seed}"
        self.block, self.grid = self.random.choice(SHAPES)
        self.n = self.random.choice([1, 7, 8, 31, 32, 33, 64, 120, 128])
        self.w = self.random.choice([2**32 - 4, 2**32 - 28, 2**31 - 16, 3])
        self.uses_shared = self.random.random() < 0.4
        self.text = self.draw_text()

    def one_of(self, *choices):
        return self.random.choice(choices)

    def near(self):
        ends = [0, 1, self.n, self.block[0], self.block[0] * self.grid[0], self.block[1], 8, 30]
        return self.random.choice(ends) + self.random.choice([-1, 0, 0, 0, 1])

    def atom(self):
        return self.one_of("T", "T", "I", "I", "I", "Y", "J", "B", "C", "n", "w", "threadIdx.z")

    def term(self):
        factor = self.one_of("", "", "", "2 * ", "4 * ", "n * ", "-", "(T + 1) * ")
        return f"{factor}{self.atom()}"

    def value(self, terms=2):
        text = " + ".join(self.term() for _ in range(self.random.randint(1, terms)))
        if self.random.random() < 0.5:
            text += f" + {self.near()}"
        cast = self.one_of("", "", "(int)", "(int)", "(unsigned)", "(long long)", "(size_t)")
        cast = self.one_of(cast, cast, cast, "(short)", "(unsigned char)")
        return f"{cast}({text})"

    def comparison(self):
        left = self.one_of(self.value(2), f"(int){self.one_of('I', 'T', 'J', 'Y')}", "I", "T", "J")
        right = self.one_of("n", "n - 1", "w", str(self.near()), str(self.near()), "(int)n - T")
        return f"{left} {self.one_of('<', '<', '<=', '>', '>=', '==', '!=', '!=')} {right}"

    def condition(self):
        words = self.comparison()
        for _ in range(self.random.choice([0, 0, 1, 1, 2])):
            words = f"{words} {self.one_of('&&', '&&', '||')} {self.comparison()}"
        return f"!({words})" if self.random.random() < 0.2 else words

    def own(self):
        """A place of the thread's own, mostly."""
        width = self.block[0] * self.grid[0]
        return self.one_of("I", f"I + {width} * J", f"(int)(I + {width} * J)", "I + n * J")

    def index(self, most):
        """Mostly right; some are wrong for some threads."""
        kind = self.random.random()
        if kind < 0.45:
            text = self.own()
        elif kind < 0.6:
            text = f"{most - 1} - {self.own()}"
        elif kind < 0.85:
            text = f"{self.own()} + {self.near()}"
        else:
            text = self.value(3)
        return f"({text}) % {most}" if self.random.random() < 0.1 else text

    def statement(self):
        place = f"x[{self.index(WORDS)}]"
        read = self.one_of("1", "(int)T", f"z[{self.index(WORDS)}]", f"z[{self.index(WORDS)}] + 1")
        if self.uses_shared and self.random.random() < 0.5:
            place = f"s[{self.one_of('T', 'T + blockDim.x * Y', self.index(64))}]"
        elif self.uses_shared and self.random.random() < 0.5:
            read = f"s[{self.one_of('T', '63 - T', 'T + blockDim.x * Y', self.index(64))}]"
        text = f"{place} {self.one_of('=', '=', '=', '+=')} {read};"
        if self.random.random() < 0.8:
            text = f"if ({self.condition()}) {text}"
            if self.random.random() < 0.15:
                text += f" else x[{self.index(WORDS)}] = 2;"
        if self.uses_shared and self.random.random() < 0.6:
            text += " __syncthreads();"
        return text

    def draw_text(self):
        lines = [self.statement() for _ in range(self.random.randint(1, 3))]
        if self.random.random() < 0.2:
            lines.insert(0, f"if ({self.condition()}) return;" if not self.uses_shared else "")
        shared = "__shared__ int s[64]; s[T + blockDim.x * Y & 63] = 1; __syncthreads();"
        lines.insert(0, shared if self.uses_shared else "")
        return (
            f'extern "C" __global__ void {self.name}(int *x, const int *z, int n, unsigned w)\n'
            "{\n    " + "\n    ".join(lines) + "\n}\n"
        )


class Runs:
    """What the kernels of a module are told, each with arrays as they were."""

    def __init__(self, device, text, checks, *options):
        self.device = device
        self.image = device.image(text, f"--treadle-check={checks}", *options)
        self.fault = device._driver.treadleCpuLastFault
        self.fault.restype, self.fault.argtypes = ctypes.c_char_p, [ctypes.c_void_p]

    def __call__(self, kernels):
        told, open_kernels = [], list(kernels)
        while open_kernels:  # a fault ends a context
            with self.context() as launch:
                while open_kernels:
                    told.append(launch(open_kernels.pop(0)))
                    if told[-1][0]:
                        break
        return told

    @contextlib.contextmanager
    def context(self):
        check, context, module = self.device.check, ctypes.c_void_p(), ctypes.c_void_p()
        check("cuCtxCreate_v2", ctypes.byref(context), 0, 0)
        check("cuModuleLoadData", ctypes.byref(module), self.image)
        first = ctypes.c_uint64()
        check("cuMemAlloc_v2", ctypes.byref(first), ctypes.c_size_t(BYTES))
        arrays = [first, ctypes.c_uint64(first.value + BYTES - 4 * WORDS)]
        yield lambda kernel: self.launch(kernel, context, module, arrays)
        check("cuCtxDestroy_v2", context)

    def launch(self, kernel, context, module, arrays):
        check, function = self.device.check, ctypes.c_void_p()
        check("cuModuleGetFunction", ctypes.byref(function), module, kernel.name.encode())
        for array, count in zip(arrays, (WRITTEN, WORDS), strict=True):
            check("cuMemsetD32_v2", array, 5, ctypes.c_size_t(count))
        values = [np.array(a.value, np.uint64) for a in arrays]
        values += [np.array(kernel.n, np.int32), np.array(kernel.w, np.uint32)]
        pointers = (ctypes.c_void_p * 4)(*[value.ctypes.data for value in values])
        check("cuLaunchKernel", function, *kernel.grid, *kernel.block, 0, None, pointers, None)
        code = self.device._driver.cuCtxSynchronize()
        if code:
            return code, self.fault(context).decode()
        result = np.zeros(WORDS, np.int32)
        data = result.ctypes.data_as(ctypes.c_void_p)
        check("cuMemcpyDtoH_v2", data, arrays[0], ctypes.c_size_t(4 * WORDS))
        return 0, result[:WRITTEN].tolist()


def plain(told, is_one_block):
    """Which block is the first one that a worker finds to be wrong is not said, nor where arrays
    lie."""
    code, text = told
    if code and not is_one_block:
        return "wrong"
    return (code, re.sub(r"0x\w+", "", text)) if code else told


@pytest.mark.parametrize("checks", CHECKS)
@pytest.mark.parametrize("first", SEEDS[::BATCH])
def test_random_rows_are_told_what_each_thread_is_told(opened_device, first, checks):
    kernels = [Draw(seed) for seed in range(first, min(first + BATCH, SEEDS.stop))]
    text = PRELUDE + "".join(kernel.text for kernel in kernels)
    one_by_one = Runs(opened_device, text, checks, "--treadle-disable=row-checks")(kernels)
    at_once = Runs(opened_device, text, checks)(kernels)
    for kernel, one, other in zip(kernels, one_by_one, at_once, strict=True):
        is_one_block = kernel.grid == (1, 1, 1)
        expected, found = (plain(told, is_one_block) for told in (one, other))
        if "race" not in checks and 0 in (one[0], other[0]):  # what a race leaves is not told
            expected, found = one[0], other[0]
        assert expected == found, f"{kernel.text} n={kernel.n} w={kernel.w} {kernel.block}"
