# SPDX-License-Identifier: MIT
"""skcuda.cufft: each function of it, and plans of every kind beside NumPy's transforms."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import treadle

REAL = {"CUFFT_R2C": ("f4", "c8"), "CUFFT_D2Z": ("f8", "c16")}
BACK = {"CUFFT_R2C": "CUFFT_C2R", "CUFFT_D2Z": "CUFFT_Z2D"}
WHOLE = {"CUFFT_C2C": "c8", "CUFFT_Z2Z": "c16"}
SHAPES = [(8,), (15,), (4, 6), (2, 3, 4)]


@pytest.fixture
def cufft(context):
    from skcuda import cufft

    return cufft


@pytest.fixture
def gpuarray(context):
    import pycuda.gpuarray as gpuarray

    return gpuarray


def drawn(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if dtype[0] == "c" else x).astype(dtype)


def near(ours, theirs):
    bound = 1e-4 if ours.dtype.itemsize <= 4 * (1 + (ours.dtype.kind == "c")) else 1e-10
    np.testing.assert_allclose(ours.get(), theirs, rtol=bound, atol=bound)


def execute(cufft, kind, *arguments):
    """The function for plans of a kind: cufftExecC2C() of CUFFT_C2C."""
    getattr(cufft, kind.replace("CUFFT_", "cufftExec"))(*arguments)


def address(x):
    return int(x.gpudata)


@pytest.fixture(params=["Plan", "MakePlan", "PlanMany", "MakePlanMany"])
def plan_of(request, cufft):
    """A plan of a shape and kind, made in each way that there is."""

    def make(shape, kind):
        name, fft_type = f"cufft{request.param}", getattr(cufft, kind)
        lengths, rest = shape, (fft_type, 1) if len(shape) == 1 else (fft_type,)
        if name.endswith("Many"):
            numbers = np.array(shape, "i4")
            lengths = (len(shape), numbers.ctypes.data)
            rest = (None, 1, 0, None, 1, 0, fft_type, 1)
        else:
            name += f"{len(shape)}d"
        if "Make" not in name:
            return getattr(cufft, name)(*lengths, *rest)
        plan = cufft.cufftCreate()
        assert cufft.cufftGetSize(plan) == 0
        size = getattr(cufft, name)(plan, *lengths, *rest)
        assert isinstance(size, int)
        assert size == cufft.cufftGetSize(plan) > 0
        return plan

    return make


@pytest.mark.parametrize("kind", WHOLE)
@pytest.mark.parametrize("shape", SHAPES)
def test_complex_plans(cufft, gpuarray, plan_of, kind, shape):
    x = drawn(shape, WHOLE[kind])
    given, made, plan = gpuarray.to_gpu(x), gpuarray.empty(shape, x.dtype), plan_of(shape, kind)
    execute(cufft, kind, plan, address(given), address(made), cufft.CUFFT_FORWARD)
    near(made, np.fft.fftn(x))
    near(given, x)
    execute(cufft, kind, plan, address(made), address(made), cufft.CUFFT_INVERSE)
    near(made, x * np.prod(shape))
    cufft.cufftDestroy(plan)


@pytest.mark.parametrize("kind", REAL)
@pytest.mark.parametrize("shape", SHAPES)
def test_real_plans(cufft, gpuarray, plan_of, kind, shape):
    real, other = REAL[kind]
    x = drawn(shape, real)
    given, half = gpuarray.to_gpu(x), gpuarray.empty((*shape[:-1], shape[-1] // 2 + 1), other)
    execute(cufft, kind, plan_of(shape, kind), address(given), address(half))
    near(half, np.fft.rfftn(x))
    back = BACK[kind]
    execute(cufft, back, plan_of(shape, back), address(half), address(given))
    near(given, x * np.prod(shape))


def test_rows_that_lie_apart(cufft, gpuarray):
    """inembed, istride, idist: elements of two rows alternate, and the results lie in columns."""
    x = drawn((2, 6), "c8")
    given = gpuarray.to_gpu(np.ascontiguousarray(x.T))
    made = gpuarray.to_gpu(np.zeros((2, 8), "c8"))
    n, embed = (ctypes.c_int * 1)(6), (ctypes.c_int * 1)(8)
    plan = cufft.cufftPlanMany(
        1, ctypes.addressof(n), ctypes.addressof(n), 2, 1, ctypes.addressof(embed), 1, 8,
        cufft.CUFFT_C2C, 2,
    )  # fmt: skip
    cufft.cufftExecC2C(plan, address(given), address(made), cufft.CUFFT_FORWARD)
    near(made[:, :6], np.fft.fft(x))
    near(made[:, 6:], np.zeros((2, 2)))


def test_a_work_area_of_the_programs(cufft, gpuarray):
    plan = cufft.cufftCreate()
    cufft.cufftSetAutoAllocation(plan, False)
    size = cufft.cufftMakePlan1d(plan, 16, cufft.CUFFT_R2C, 2)
    area = gpuarray.empty(size, "u1")
    cufft.cufftSetWorkArea(plan, address(area))
    x = drawn((2, 16), "f4")
    given, made = gpuarray.to_gpu(x), gpuarray.empty((2, 9), "c8")
    cufft.cufftExecR2C(plan, address(given), address(made))
    near(made, np.fft.rfft(x))


def test_sizes_of_work_areas(cufft):
    kind, numbers = cufft.CUFFT_Z2Z, np.array([6, 5], "i4")
    many = (2, numbers.ctypes.data, None, 1, 30, None, 1, 30, kind, 3)
    plan = cufft.cufftPlan1d(8, kind, 4)
    for arguments, name in [
        ((8, kind, 4), "1d"),
        ((6, 5, kind), "2d"),
        ((2, 3, 4, kind), "3d"),
        (many, "Many"),
    ]:
        estimate = getattr(cufft, f"cufftEstimate{name}")(*arguments)
        assert isinstance(estimate, int) and estimate > 0
        assert getattr(cufft, f"cufftGetSize{name}")(plan, *arguments) == estimate
    assert cufft.cufftGetSize(plan) == cufft.cufftEstimate1d(8, kind, 4)


def test_versions_and_modes(cufft):
    assert cufft.cufftGetVersion() >= 9020
    with pytest.raises(treadle.NotSupported, match="9.2"):
        cufft.cufftSetCompatibilityMode(cufft.cufftCreate(), cufft.CUFFT_COMPATIBILITY_NATIVE)


def test_each_status_has_its_class(cufft):
    cufft.cufftCheckStatus(0)
    assert len(set(cufft.cufftExceptions.values())) == len(cufft.cufftExceptions) == 9
    for status, error in cufft.cufftExceptions.items():
        with pytest.raises(error):
            cufft.cufftCheckStatus(status)
    with pytest.raises(cufft.cufftError):
        cufft.cufftCheckStatus(99)


def test_mistakes_are_the_librarys(cufft, gpuarray):
    x = gpuarray.to_gpu(drawn(8, "c8"))
    plan = cufft.cufftPlan1d(8, cufft.CUFFT_C2C, 1)
    gone = cufft.cufftCreate()
    cufft.cufftDestroy(gone)
    for call, error in [
        (lambda: cufft.cufftPlan1d(-1, cufft.CUFFT_C2C, 1), cufft.cufftInvalidSize),
        (lambda: cufft.cufftPlan2d(4, 0, cufft.CUFFT_C2C), cufft.cufftInvalidSize),
        (lambda: cufft.cufftPlan1d(8, cufft.CUFFT_C2C, 0), cufft.cufftInvalidSize),
        (lambda: cufft.cufftPlan1d(8, 99, 1), cufft.cufftInvalidType),
        (lambda: cufft.cufftPlanMany(1, None, None, 1, 8, None, 1, 8, cufft.CUFFT_C2C, 1),
         cufft.cufftInvalidValue),
        (lambda: cufft.cufftExecZ2Z(plan, address(x), address(x), -1), cufft.cufftInvalidType),
        (lambda: cufft.cufftExecR2C(plan, address(x), address(x)), cufft.cufftInvalidType),
        (lambda: cufft.cufftGetSize(gone), cufft.cufftInvalidPlan),
        (lambda: cufft.cufftMakePlan1d(gone, 8, cufft.CUFFT_C2C, 1), cufft.cufftInvalidPlan),
        (lambda: cufft.cufftSetStream(None, None), cufft.cufftInvalidPlan),
        (lambda: cufft.cufftSetWorkArea(gone, address(x)), cufft.cufftInvalidPlan),
        (lambda: cufft.cufftSetAutoAllocation(gone, True), cufft.cufftInvalidPlan),
    ]:  # fmt: skip
        with pytest.raises(error):
            call()
