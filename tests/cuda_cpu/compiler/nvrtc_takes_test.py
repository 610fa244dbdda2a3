# SPDX-License-Identifier: MIT
"""NVRTC takes every device function of the lists, so that the lists are CUDA's and not ours. What
it takes and our compiler does not is written down with its reason: device_functions/nvrtc_only.txt.
"""

import ctypes
import importlib.util
from pathlib import Path

import block_tiles_test
import cooperative_groups_test
import cuda_barrier_test
import cuda_std_test
import device_functions
import fp8_test
import grid_test
import mma_test
import pytest
import short_floats_test
import small_floats_test
import thread_functions

ROOT = Path(__file__).resolve().parents[3]
HEADERS = [ROOT / ".cache/cuda-headers", Path("/usr/local/cuda/include")]
PROGRAMS = [
    *(cooperative_groups_test, block_tiles_test, cuda_barrier_test, cuda_std_test),
    *(fp8_test, grid_test, mma_test, short_floats_test, small_floats_test),
]
FAMILIES = "math rounding simd integer conversion fast half bfloat16".split()


def written_list():
    """[(statements of a kernel, reason)]"""
    lines = (device_functions.LISTS / "nvrtc_only.txt").read_text().splitlines()
    return [tuple(line.split("  # ")) for line in lines if line]


@pytest.fixture(scope="module")
def nvrtc():
    spec = importlib.util.find_spec("nvidia")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        for path in Path(folder).glob("cu13/lib/libnvrtc.so.*"):
            # It opens this one by its name alone, and finds it where it is open already.
            for builtins in path.parent.glob("libnvrtc-builtins.so.*"):
                ctypes.CDLL(str(builtins))
            return ctypes.CDLL(str(path))
    pytest.skip("NVRTC's wheel is not installed")


def log_of(library, text):
    """What NVRTC has against a program; empty where it takes it."""
    include = next((folder for folder in HEADERS if (folder / "cuda_fp8.h").exists()), None)
    if include is None:
        pytest.skip("CUDA's headers are not here: tools/fetch_cuda_headers.py .cache/cuda-headers")
    program = ctypes.c_void_p()
    library.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"list.cu", 0, None, None)
    folders = [include, include / "cccl"]
    options = [b"--gpu-architecture=compute_90", *(b"-I" + bytes(folder) for folder in folders)]
    failed = library.nvrtcCompileProgram(program, 3, (ctypes.c_char_p * 3)(*options))
    size = ctypes.c_size_t()
    library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    library.nvrtcGetProgramLog(program, log)
    library.nvrtcDestroyProgram(ctypes.byref(program))
    return log.value.decode() if failed else ""


@pytest.mark.parametrize("family", FAMILIES)
def test_nvrtc_takes_the_family(nvrtc, family):
    assert not log_of(nvrtc, device_functions.program(family))


@pytest.mark.parametrize("family", thread_functions.PROGRAMS)
def test_nvrtc_takes_the_functions_of_threads(nvrtc, family):
    assert not log_of(nvrtc, thread_functions.PROGRAMS[family]())


@pytest.mark.parametrize("program", PROGRAMS)
def test_nvrtc_takes_the_groups_of_threads_with_cudas_own_headers(nvrtc, program):
    assert not log_of(nvrtc, program.SOURCE)


def kernel_of(statements):
    return f'extern "C" __global__ void k(float* out) {{ {statements} }}\n'


def test_what_only_nvrtc_takes_is_a_short_list_with_reasons():
    entries = written_list()
    assert 0 < len(entries) <= 20
    assert all(len(entry) == 2 and entry[1] for entry in entries)


@pytest.mark.parametrize("statements", [entry[0] for entry in written_list()])
def test_nvrtc_takes_it_and_our_compiler_does_not(nvrtc, device, compile_error, statements):
    assert not log_of(nvrtc, kernel_of(statements))
    with pytest.raises(compile_error):
        device.image(kernel_of(statements))
