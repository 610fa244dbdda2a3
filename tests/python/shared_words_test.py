# SPDX-License-Identifier: MIT
"""pycuda._cluda and pycuda._mymako: words of kernels that CUDA C and OpenCL C share."""

import re

import numpy as np
import pycuda.driver as cuda
import pytest
from pycuda._cluda import CLUDA_PREAMBLE


def test_a_kernel_in_words_of_both_languages(build):
    text = (
        CLUDA_PREAMBLE
        + """
    WITHIN_KERNEL float last(LOCAL_MEM_ARG float *part) { return part[3 - LID_0]; }
    KERNEL REQD_WG_SIZE(4, 1, 1) void turn(GLOBAL_MEM float *x) {
      LOCAL_MEM float part[4];
      part[LID_0] = x[LID_0 + LDIM_0 * GID_0];
      local_barrier();
      x[LID_0 + LDIM_0 * GID_0] = last(part) + GDIM_0 + (LID_1 - 1 < 0 ? 0 : 100);
    }"""
    )
    x = np.arange(8, dtype=np.float32)
    build(text).get_function("turn")(cuda.InOut(x), block=(4, 1, 1), grid=(2, 1))
    assert x.tolist() == [5, 4, 3, 2, 9, 8, 7, 6]


def test_both_faces_have_the_same_words():
    pytest.importorskip("mako")
    from pycuda._mymako import mako
    from pyopencl._cluda import CLUDA_PREAMBLE as OPENCL_PREAMBLE

    text = mako.template.Template(OPENCL_PREAMBLE).render(double_support=True)
    cuda_words, opencl_words = (
        set(re.findall(r"#define (\w+)", one)) for one in (CLUDA_PREAMBLE, text)
    )
    assert cuda_words == opencl_words
    assert {"KERNEL", "LID_0", "GDIM_2", "local_barrier"} <= cuda_words
