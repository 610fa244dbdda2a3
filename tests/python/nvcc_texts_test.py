# SPDX-License-Identifier: MIT
"""The texts of tests/compile/nvcc_texts, which nvcc takes: each says in its second line what its
kernel `k` writes, run by four threads. tests/compile/nvcc_texts_test.cpp compiles them for sm_90.
"""

import os
import pathlib
import warnings

import numpy as np
import pycuda.driver as cuda
import pytest

ROOT = pathlib.Path(os.environ.get("TREADLE_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
TEXTS = sorted((ROOT / "tests/compile/nvcc_texts").glob("*.cu"))


def test_there_are_texts():
    assert len(TEXTS) >= 7


@pytest.mark.parametrize("path", TEXTS, ids=[path.stem for path in TEXTS])
def test_it_computes_what_it_says(build, path):
    text = path.read_text()
    expected = [int(word) for word in text.splitlines()[1].removeprefix("// Gives: ").split()]
    out = np.full(len(expected), -77, np.int64)
    kernel = build(text, no_extern_c=True).get_function("k")
    kernel(cuda.Out(out), block=(4, 1, 1), grid=(1, 1), shared=64)
    assert out.tolist() == expected


def test_what_nvcc_takes_silently_gives_no_warning(build):
    text = (ROOT / "tests/compile/nvcc_texts/implicit_names.cu").read_text()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        build(text, no_extern_c=True)
