# SPDX-License-Identifier: MIT
"""Inline PTX that the CPU device does not translate is an error at its line. What it translates is
compared with a GPU's in tests/python/ptx_forms_test.py."""

import random

import numpy as np
import pytest

REFUSED = {
    "wgmma.fence.sync.aligned;": "not known",
    "frobnicate.u32 %0, %1;": "not known",
    "add.sat.u32 %0, %1, %1;": ".sat",
    "mad.hi.sat.s32 %0, %1, %1, %1;": ".sat",
    "vadd4.u32.u32.u32.add %0, %1, %1, %1;": ".add",
    "vadd.u32.u32.u32 %0, %1.b7, %1;": ".b7",
    "add.f16 %0, %1, %1;": ".f16",
    "mul.u32 %0, %1, %1;": ".lo .hi .wide",
    "mov.u32 %0, %%envreg3;": "%envreg3",
    "mov.u32 %0, nowhere;": "'nowhere'",
    "add.u32 %0, %1;": "operands",
    "bar.sync 1;": "barrier 0",
    "mov.u32 %1, %0;": "before it is written",
    "ld.shared.u32 %0, [%1];": "64 bits",
    "this is no PTX": "not a statement",
}


def test_everything_else_is_an_error_at_its_line(device, compile_error):
    kernels = "".join(
        f"__global__ void k{i}(unsigned* o) {{ unsigned r = 0, a = o[0];\n"
        f'  asm volatile("{text}" : "=r"(r) : "r"(a));\n  o[1] = r; }}\n'
        for i, text in enumerate(REFUSED)
    )
    with pytest.raises(compile_error) as error:
        device.image(kernels)
    said = str(error.value).splitlines()
    for i, (text, reason) in enumerate(REFUSED.items()):
        place = f"kernel.cu:{3 * i + 2}:"
        line = next((line for line in said if place in line and "error:" in line), "")
        assert "inline PTX" in line and reason in line, (text, line)
        assert text.split()[0].rstrip(";") in line


def test_what_no_kernel_reaches_is_not_looked_at(device):
    out = device.run(
        """__device__ void never() { asm("wgmma.fence.sync.aligned;"); }
        extern "C" __global__ void k(int* o) {
          asm("// nothing"); if (o[0]) asm("trap;"); o[0] = 1; }""",
        1,
        np.int32,
        block=(1,),
    )
    assert out.tolist() == [1]


def test_exit_in_a_function_that_stays_one_is_refused(device, compile_error):
    with pytest.raises(compile_error, match=r'kernel.cu:2:.*"exit".*recursive'):
        device.image(
            """__device__ int f(int n) {
            if (n > 9) asm("exit;");
            return n ? f(n - 1) + f(n / 2) : 1; }
            extern "C" __global__ void k(int* o) { o[0] = f(o[0]); }"""
        )


def test_random_texts_are_translated_or_refused(device, compile_error):
    """Pieces of PTX in any order: never a crash, never an accepted text that is no statement."""
    random.seed(20261121)
    pieces = ["add", "ld", ".u32", ".global", ".cc", " ", "%0 ", "%1 ", ",", ";", "[", "]", "{",
              "}", "@p", "%%tid.x", "0x7", "-", "+4", "mov", ".reg", ".pred", "p", "<3>", "//",
              "/*", "*/", "0f3F800000", "bfe", "::", "$", "setp.lt",
              "99999999999999999999"]  # fmt: skip
    kernels = ""
    for i in range(150):
        text = "".join(random.choices(pieces, k=random.randint(1, 14)))
        kernels += (
            f"__global__ void k{i}(unsigned* o) {{ unsigned r = 0;\n"
            f'  asm volatile("{text};" : "+r"(r) : "r"(1)); o[0] = r; }}\n'
        )
    with pytest.raises(compile_error) as error:
        device.image(kernels)
    assert "compiler could not finish" not in str(error.value)
    assert 10 < str(error.value).count("error:") <= 151
