# SPDX-License-Identifier: MIT
"""The Python tests in groups that may run at the same time, the longest first.

The groups share nothing but the device. Each is what pytest is given; together they are `tests`.
"""

PROGRAM_TESTS = ("programs", "processes", "kernel_faults", "asynchronous_errors", "command_line")
RANDOM_KERNELS = tuple(
    f"tests/cuda_cpu/compiler/{name}_test.py" for name in ("random_kernels", "same_bits")
)
ARRAY_TESTS = (
    "array",
    "array_api",
    "array_arguments",
    "array_cumulative",
    "array_functions",
    "array_indexing",
    "array_joining",
    "array_loops",
    "array_mutation",
    "array_out",
    "array_protocols",
    "array_records",
    "array_reductions",
    "array_threads",
    "pycuda/cumath",
    "pycuda/curandom_face",
    "pycuda/gpuarray",
    "pycuda/gpuarray_functions",
    "pycuda/gpuarray_masks",
    "pycuda/gpuarray_memory",
    "pycuda/gpuarray_operators",
    "pycuda/gpuarray_programs",
    "pycuda/gpuarray_views",
    "random_generator",
    "pycuda/reduction_kernels",
    "pycuda/scan_kernels",
    "user_kernels",
)
# Beside NumPy, line by line; with devices of their own for each test.
NUMPY_TESTS = (
    "array_beside_numpy",
    "array_division",
    "array_edges",
    "array_editing",
    "array_places",
    "array_signal",
    "array_stores",
    "array_sums",
    "distributions",
    "everyday_lines",
    "numpy_random",
    "numpy_shapes",
    "numpy_stores",
    "numpy_views",
    "op_text",
    "order_statistics",
)
# Products, decompositions, transforms, and the faces that stand on them.
LIBRARY_TESTS = (
    "fft",
    "linalg",
    "linalg_bounds",
    "matmul",
    "pyfft",
    "skcuda",
    "skcuda_cublas",
    "skcuda_cusolver",
    "skcuda_modes",
    "skcuda_names",
    "skcuda_programs",
    "skcuda_runtime",
    "skcuda_special",
    "sparse",
    "sparse_programs",
    "sparse_solvers",
)
ELSEWHERE = (*PROGRAM_TESTS, *ARRAY_TESTS, *NUMPY_TESTS, *LIBRARY_TESTS)
# Groups whose tests share devices, as tests/python/conftest.py has it, because PoCL would compile
# the same kernels for each test.
HOLDING = ("arrays", "pyopencl")
GROUPS = {
    "python": (
        "tests/python",
        "--ignore=tests/python/pyopencl",
        *(f"--ignore=tests/python/{name}_test.py" for name in ELSEWHERE),
    ),
    "pyopencl": ("tests/python/pyopencl",),
    "cuda_cpu": ("tests/cuda_cpu", *(f"--ignore={path}" for path in RANDOM_KERNELS)),
    "arrays": tuple(f"tests/python/{name}_test.py" for name in ARRAY_TESTS),
    "numpy": tuple(f"tests/python/{name}_test.py" for name in NUMPY_TESTS),
    "libraries": tuple(f"tests/python/{name}_test.py" for name in LIBRARY_TESTS),
    "random-kernels": RANDOM_KERNELS,
    # Each of these starts processes, or waits for some.
    "python-programs": tuple(f"tests/python/{name}_test.py" for name in PROGRAM_TESTS),
    "rest": (
        *("tests", "--ignore=tests/cuda_cpu", "--ignore=tests/python"),
        "--ignore=tests/packages",  # make packages
    ),
}
