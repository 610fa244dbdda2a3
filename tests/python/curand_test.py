# SPDX-License-Identifier: MIT
"""<curand_kernel.h>: the same numbers as NVIDIA's for the same seed, on every device.

curand_values.json holds what NVIDIA's own header (cuRAND 10.4) gives; curand_programs.py says how
it was recorded. Where that header is installed, it is compiled here and compared bit by bit."""

import glob
import json
import os
import pathlib
import sys
import sysconfig

import numpy as np
import pycuda.driver as cuda
import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))  # tests are imported by path: what they share lies beside them

import curand_programs as programs  # noqa: E402

RECORD = json.loads((HERE / "curand_values.json").read_text())


def nvidias_folder():
    """Where curand_kernel.h of a toolkit or of the wheel nvidia-curand lies; None: nowhere."""
    site = sysconfig.get_paths()["purelib"]
    roots = [os.environ.get("CUDA_HOME", ""), "/usr/local/cuda", *glob.glob(f"{site}/nvidia/*")]
    folders = (pathlib.Path(root) / "include" for root in roots if root)
    names = "curand_kernel.h", "curand.h"  # some images have the first without what it includes
    return next((each for each in folders if all((each / name).exists() for name in names)), None)


def with_nvidias_header(folder, own_folder):
    """Options that make `#include <curand_kernel.h>` NVIDIA's. The toolkit's other headers are for
    NVIDIA's compilers: the CPU device gets what that one asks of them from here."""
    if not cuda.Context.get_device()._target().startswith("cpu"):
        return {"include_dirs": [str(folder), str(folder / "cccl")]}
    for header in folder.glob("curand*.h"):
        (own_folder / header.name).symlink_to(header)
    silent = [f"-D__NV_SILENCE_DEPRECATION_{end}=" for end in ("BEGIN", "END")]
    return {"include_dirs": [str(own_folder)], "options": silent}


def reals(kind, patterns):
    if "double" in kind:
        return np.array(patterns, np.uint64).view(np.float64)
    return np.array(patterns, np.uint64).astype(np.uint32).view(np.float32)


@pytest.mark.parametrize("generator", RECORD)
def test_draws_are_the_recorded_ones(build, generator):
    # Compiled once: the cache has it after the first generator.
    drawn = programs.draws(build(programs.source(), no_extern_c=True))[generator]
    assert drawn.keys() == RECORD[generator].keys()
    for kind, patterns in RECORD[generator].items():
        if "normal" in kind:
            # Libraries differ in a logarithm's last place; a GPU's fast sine is 5e-7 off.
            tolerance = 1e-13 if "double" in kind else 1e-5
            np.testing.assert_allclose(
                reals(kind, drawn[kind]), reals(kind, patterns), tolerance, tolerance, err_msg=kind
            )
        else:
            assert drawn[kind] == patterns, kind


def test_draws_are_bit_by_bit_those_of_nvidias_header(build, tmp_path):
    folder = nvidias_folder()
    if not folder:
        pytest.skip("NVIDIA's curand_kernel.h is not installed")
    choice = with_nvidias_header(folder, tmp_path)
    theirs = programs.draws(build(programs.source(), no_extern_c=True, **choice))
    assert programs.draws(build(programs.source(), no_extern_c=True)) == theirs


SKIPS = """#include <curand_kernel.h>
template <class State> __device__ void begin(unsigned long long n, State* s) {
  skipahead_sequence(n, s);
}
__device__ void begin(unsigned long long n, curandStateMRG32k3a_t* s) {
  skipahead_subsequence(n, s);
}
template <class State> __device__ void skips(unsigned* o) {
  State a, b;
  curand_init(7ull, 0ull, 0ull, &a);
  b = a;
  for (int i = 0; i < 1003; ++i) curand(&a);
  skipahead(1003ull, &b);
  o[0] = curand(&a) == curand(&b);
  curand_init(7ull, 11ull, 5ull, &a);
  curand_init(7ull, 0ull, 0ull, &b);
  begin(11ull, &b);
  skipahead(5ull, &b);
  o[1] = curand(&a) == curand(&b);
  skipahead_sequence(3ull, &a);
  skipahead_sequence(1ull, &b);
  skipahead_sequence(2ull, &b);
  o[2] = curand(&a) == curand(&b);
}
extern "C" __global__ void k(unsigned* o, float* means) {
  skips<curandState>(o);
  skips<curandStatePhilox4_32_10_t>(o + 3);
  skips<curandStateMRG32k3a_t>(o + 6);
  curandStatePhilox4_32_10_t zero;
  curand_init(0ull, 0ull, 0ull, &zero);
  *(uint4*)(o + 12) = curand4(&zero);
  curandState s;
  curand_init(1ull, 0ull, 0ull, &s);
  double sum = 0, squares = 0;
  for (int i = 0; i < 20000; ++i) {
    const double x = curand_poisson(&s, 200.0) - 200.0;
    sum += x;
    squares += x * x;
  }
  means[0] = sum / 20000;
  means[1] = squares / 20000;
}
"""


def test_skips_known_answers_and_moments(build):
    drawn, means = np.zeros(16, np.uint32), np.zeros(2, np.float32)
    kernel = build(SKIPS, no_extern_c=True).get_function("k")
    kernel(cuda.Out(drawn), cuda.Out(means), block=(1, 1, 1), grid=(1, 1))
    assert drawn[:9].tolist() == [1] * 9
    # The authors' test vector for a counter and a key of zero.
    assert [hex(word) for word in drawn[12:]] == [
        "0x6627e8d5", "0xe169c58d", "0xbc57ac4c", "0x9b00dbd8",
    ]  # fmt: skip
    # Between the small and the large means the sequence is our own: five standard errors.
    assert abs(means[0]) < 5 * (200 / 20000) ** 0.5
    assert abs(means[1] - 200) < 5 * 200 * (2 / 20000) ** 0.5


def test_the_header_may_stand_inside_extern_c(build):
    out = np.zeros(2, np.uint32)
    module = build(
        """#include <curand_kernel.h>
        __global__ void k(unsigned* o) {
          curandState_t s; curand_init(1234ull, 3ull, 5ull, &s); o[0] = curand(&s);
          o[1] = sizeof(curandState) + 1000 * sizeof(curandStatePhilox4_32_10_t); }"""
    )
    module.get_function("k")(cuda.Out(out), block=(1, 1, 1), grid=(1, 1))
    assert out.tolist() == [RECORD["XORWOW"]["integer"][0], 64048]
