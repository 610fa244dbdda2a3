# SPDX-License-Identifier: MIT
"""skcuda.cublas: each function of it beside NumPy, on a GPU by cuBLAS, on the CPU device by the
host's library."""

import ctypes
import itertools
import re

import numpy as np
import pytest

import treadle
import treadle.compat  # noqa: F401 - imports skcuda
from treadle.skcuda import _routines, cublas

ROUTINES = {
    name: getattr(cublas, name).routine
    for name in cublas.__all__
    if hasattr(getattr(cublas, name), "routine")
}


@pytest.fixture
def handle(context):
    try:
        made = cublas.cublasCreate()
    except treadle.LibraryNotFound as missing:
        pytest.skip(str(missing))
    yield made
    cublas.cublasDestroy(made)


@pytest.fixture
def gpuarray(context):
    import pycuda.gpuarray as gpuarray

    return gpuarray


# --- each function beside NumPy ------------------------------------------------------------------


def drawn(rng, shape, dtype):
    x = rng.uniform(0.5, 1.5, shape) * rng.choice([-1, 1], shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.uniform(-1, 1, shape)
    return x.astype(dtype)


class Drawn:
    """Arguments of one call, by name: matrices and vectors as NumPy sees them, in memory with gaps
    between columns and elements."""

    def __init__(self, routine, gpuarray, seed, enumerations, step):
        self.rng = np.random.default_rng(seed)
        self.routine, self.memory, self.views, self.passed = routine, {}, {}, []
        element = routine.element
        values = {"m": 4, "n": 3, "k": 2, "kl": 2, "ku": 1, "batchCount": 3, "batchSize": 3}
        if routine.name.endswith("rotm"):
            values["sparam"] = np.array([-1, 0.5, 0.25, 2, 3], element.dtype)
        values |= {"nrhs": 2, "incx": step, "incy": 2, **enumerations}
        for p in routine.parameters:
            if p.kind in "TR":
                kind = element if p.kind == "T" else element.real
                values[p.name] = drawn(self.rng, (), kind.dtype)[()]
        self.values = values
        for p in routine.parameters:
            if p.kind == "T*":
                self._place(p, gpuarray)
            elif p.name.startswith(("ld", "stride")) and p.name not in values:
                values[p.name] = 8 if p.name.startswith("ld") else 40
            elif p.name == "sparam":
                values[p.name] = values["sparam"]
        self.arguments = [
            self.memory[p.name].gpudata if p.name in self.memory else values[p.name]
            for p in routine.parameters
        ]

    def _place(self, p, gpuarray):
        """A leading dimension of 8 rows, whatever the matrix has."""
        lengths = _routines.lengths_of(p, numbers_of(self.values))
        names, dtype = [q.name for q in self.routine.parameters], self.routine.element.dtype
        step = self.values.get(f"inc{p.name}", 1)
        if f"ld{p.name.lower()}" in names:
            count = 3 if f"stride{p.name}" in names else 1
            host = drawn(self.rng, (40 * count,), dtype)

            def view(x, rows=lengths[0], columns=lengths[-1], count=count):
                parts = [x[40 * i :][: 8 * columns] for i in range(count)]
                stack = np.array([part.reshape(columns, 8).T[:rows] for part in parts])
                return stack if count > 1 else stack[0]

        elif f"inc{p.name}" in names:
            host = drawn(self.rng, ((lengths[0] - 1) * abs(step) + 1,), dtype)

            def view(x, step=step):
                return x[::step]

        else:
            host = drawn(self.rng, tuple(lengths), dtype)

            def view(x):
                return x

        self.memory[p.name] = gpuarray.to_gpu(host)
        self.views[p.name] = view
        setattr(self, p.name, view(host))

    def __getattr__(self, name):
        try:
            return self.__dict__["values"][name]
        except KeyError:
            raise AttributeError(name) from None

    def now(self, name):
        return self.views[name](self.memory[name].get())


CHOICES = {"op": "ntc", "uplo": "lu", "side": "lr", "diag": "nu"}


def numbers_of(values):
    """With numbers for letters."""
    letters = "".join(CHOICES.values())
    return {
        name: next(c.index(v) for c in CHOICES.values() if v in c) if v in tuple(letters) else v
        for name, v in values.items()
        if np.ndim(v) == 0
    }


def turned(x, operation):
    return {"n": x, "t": x.swapaxes(-1, -2), "c": x.swapaxes(-1, -2).conj()}[operation]


def symmetric(a, d, conjugate=False):
    """Of a stored triangle."""
    kept = np.triu(a) if d.uplo == "u" else np.tril(a)
    diagonal = np.diag(np.diag(a).real if conjugate else np.diag(a))
    rest = kept - np.diag(np.diag(a))
    return rest + (rest.conj().T if conjugate else rest.T) + diagonal


def triangular(a, d):
    kept = np.triu(a) if d.uplo == "u" else np.tril(a)
    return kept - np.diag(np.diag(a)) + np.eye(len(a)) if d.diag == "u" else kept


def of_band(a, d, rows, below, above):
    n = a.shape[1]
    full = np.zeros((rows, n), a.dtype)
    for j in range(n):
        for i in range(max(0, j - above), min(rows, j + below + 1)):
            full[i, j] = a[above + i - j, j]
    return full


def of_packed(ap, d):
    full = np.zeros((d.n, d.n), ap.dtype)
    places = [
        (i, j) for j in range(d.n) for i in (range(j + 1) if d.uplo == "u" else range(j, d.n))
    ]
    full[tuple(zip(*places, strict=True))] = ap
    return full, places


def stored(d):
    """A as it is without packing or bands."""
    name = re.sub(r"^cublas[SDCZ]", "", d.routine.name)
    if hasattr(d, "AP"):
        return of_packed(d.AP, d)[0]
    if name in ("gbmv",):
        return of_band(d.A, d, d.m, d.kl, d.ku)
    if name in ("sbmv", "hbmv", "tbmv", "tbsv"):
        below, above = (0, d.k) if d.uplo == "u" else (d.k, 0)
        return of_band(d.A, d, d.n, below, above)
    return d.A


def is_hermitian(d):
    return family_of(d.routine.name)[:2] in ("he", "hp")


def updated(d, old, new):
    """`new` in the triangle that uplo names; of a Hermitian matrix its diagonal is real."""
    if is_hermitian(d):
        new = new - 1j * np.diag(np.diag(new).imag)
    if hasattr(d, "AP"):
        return np.array([new[place] for place in of_packed(old, d)[1]])
    ones = np.ones((d.n, d.n))
    return np.where((np.triu(ones) if d.uplo == "u" else np.tril(ones)) > 0, new, old)


def vector_product(full):
    return lambda d: {"y": d.alpha * full(d) @ d.x + d.beta * d.y}


def update(change):
    def expected(d):
        name = "AP" if hasattr(d, "AP") else "A"
        return {name: updated(d, getattr(d, name), stored(d) + change(d))}

    return expected


def product_with(d, a, b):
    return a @ b if d.side == "l" else b @ a


def rank_k(d, change):
    return {"C": updated(d, d.C, change + d.beta * d.C)}


def op_sum(d, adjoint):
    a, b = (turned(getattr(d, x), d.trans) for x in "AB")
    first = d.alpha * a @ adjoint(b)
    return first + (np.conj(d.alpha) if adjoint is h else d.alpha) * b @ adjoint(a)


def t(x):
    return x.T


def h(x):
    return x.conj().T


def one_norm(x):
    return abs(x.real) + abs(x.imag)


EXPECTED = {
    "amax": lambda d: np.argmax(one_norm(d.x)),
    "amin": lambda d: np.argmin(one_norm(d.x)),
    "asum": lambda d: one_norm(d.x).sum(),
    "nrm2": lambda d: np.linalg.norm(d.x),
    "axpy": lambda d: {"y": d.alpha * d.x + d.y},
    "copy": lambda d: {"y": d.x},
    "swap": lambda d: {"x": d.y, "y": d.x},
    "scal": lambda d: {"x": d.alpha * d.x},
    "rot": lambda d: {"x": d.c * d.x + d.s * d.y, "y": d.c * d.y - np.conj(d.s) * d.x},
    "rotm": lambda d: {"x": 0.5 * d.x + 2 * d.y, "y": 0.25 * d.x + 3 * d.y},
    "dot": lambda d: d.x @ d.y,
    "dotu": lambda d: d.x @ d.y,
    "dotc": lambda d: d.x.conj() @ d.y,
    "gbmv": lambda d: {"y": d.alpha * turned(stored(d), d.trans) @ d.x + d.beta * d.y},
    "gemv": lambda d: {"y": d.alpha * turned(d.A, d.trans) @ d.x + d.beta * d.y},
    "ger": lambda d: {"A": d.A + d.alpha * np.outer(d.x, d.y)},
    "geru": lambda d: {"A": d.A + d.alpha * np.outer(d.x, d.y)},
    "gerc": lambda d: {"A": d.A + d.alpha * np.outer(d.x, d.y.conj())},
    **dict.fromkeys(("sbmv", "spmv", "symv"), vector_product(lambda d: symmetric(stored(d), d))),
    **dict.fromkeys(
        ("hbmv", "hpmv", "hemv"), vector_product(lambda d: symmetric(stored(d), d, True))
    ),
    **dict.fromkeys(("spr", "syr"), update(lambda d: d.alpha * np.outer(d.x, d.x))),
    **dict.fromkeys(("hpr", "her"), update(lambda d: d.alpha * np.outer(d.x, d.x.conj()))),
    **dict.fromkeys(
        ("spr2", "syr2"), update(lambda d: d.alpha * (np.outer(d.x, d.y) + np.outer(d.y, d.x)))
    ),
    **dict.fromkeys(
        ("hpr2", "her2"),
        update(
            lambda d: (
                d.alpha * np.outer(d.x, d.y.conj()) + np.conj(d.alpha) * np.outer(d.y, d.x.conj())
            )
        ),
    ),
    **dict.fromkeys(
        ("tbmv", "tpmv", "trmv"),
        lambda d: {"x": turned(triangular(stored(d), d), d.trans) @ d.x},
    ),
    **dict.fromkeys(
        ("tbsv", "tpsv", "trsv"),
        lambda d: {"x": np.linalg.solve(turned(triangular(stored(d), d), d.trans), d.x)},
    ),
    "gemm": lambda d: {"C": d.alpha * turned(d.A, d.transa) @ turned(d.B, d.transb) + d.beta * d.C},
    "symm": lambda d: {"C": d.alpha * product_with(d, symmetric(d.A, d), d.B) + d.beta * d.C},
    "hemm": lambda d: {"C": d.alpha * product_with(d, symmetric(d.A, d, True), d.B) + d.beta * d.C},
    "syrk": lambda d: rank_k(d, d.alpha * turned(d.A, d.trans) @ turned(d.A, d.trans).T),
    "herk": lambda d: rank_k(d, d.alpha * turned(d.A, d.trans) @ h(turned(d.A, d.trans))),
    "syr2k": lambda d: rank_k(d, op_sum(d, t)),
    "her2k": lambda d: rank_k(d, op_sum(d, h)),
    "trmm": lambda d: {"C": d.alpha * product_with(d, turned(triangular(d.A, d), d.trans), d.B)},
    "trsm": lambda d: {"B": d.alpha * solved(d, turned(triangular(d.A, d), d.trans), d.B)},
    "geam": lambda d: {"C": d.alpha * turned(d.A, d.transa) + d.beta * turned(d.B, d.transb)},
    "dgmm": lambda d: {"C": np.diag(d.x) @ d.A if d.side == "l" else d.A @ np.diag(d.x)},
    "gemmStridedBatched": lambda d: EXPECTED["gemm"](d),
}


def solved(d, a, b):
    return np.linalg.solve(a, b) if d.side == "l" else np.linalg.solve(a.T, b.T).T


def family_of(name):
    two = r"(?:Sc|Dz)(?=asum|nrm2)|(?:Cs|Zd)(?=scal|rot)"
    return re.fullmatch(rf"cublas(?:I[sdcz]|{two}|[SDCZ])(\w+)", name)[1]


def letters_of(routine):
    """Each combination of op, uplo, side and diag."""
    named = [p for p in routine.parameters if p.kind in CHOICES]
    family = family_of(routine.name)
    for letters in itertools.product(*(CHOICES[p.kind] for p in named)):
        made = dict(zip((p.name for p in named), letters, strict=True))
        if made.get("trans") == "t" and family in ("herk", "her2k"):
            continue
        if made.get("trans") == "c" and family in ("syrk", "syr2k"):
            continue
        yield made


SIMPLE = [name for name in ROUTINES if family_of(name) in EXPECTED]


@pytest.mark.parametrize("family", sorted({family_of(name) for name in SIMPLE}))
def test_functions_beside_numpy(handle, gpuarray, family):
    for name in (one for one in SIMPLE if family_of(one) == family):
        routine = ROUTINES[name]
        tolerance = 2e-5 if routine.element.real.letter == "S" else 1e-12
        for number, letters in enumerate(letters_of(routine)):
            # Vectors forwards and, where the library takes it, backwards.
            step = 2 if routine.level == 1 or number % 2 == 0 else -2
            d = Drawn(routine, gpuarray, number, letters, step)
            expected = EXPECTED[family](d)
            made = getattr(cublas, name)(handle, *d.arguments)
            if not isinstance(expected, dict):
                assert np.dtype(type(made)) == np.dtype(int) or isinstance(made, np.generic)
                np.testing.assert_allclose(made, expected, rtol=tolerance, err_msg=name)
                continue
            assert made is None
            for out, values in expected.items():
                np.testing.assert_allclose(
                    d.now(out),
                    values,
                    rtol=tolerance,
                    atol=tolerance * 20,
                    err_msg=f"{name} {letters}",
                )


def test_every_function_is_compared():
    assert len(ROUTINES) == 196  # six more than scikit-cuda's: matinvBatched, complex trsmBatched
    assert len([n for n in cublas.__all__ if callable(getattr(cublas, n))]) >= 198
    special = {"rotg", "rotmg", "gemmBatched", "trsmBatched"}
    special |= {"matinvBatched", "getrfBatched", "getriBatched", "getrsBatched", "gelsBatched"}
    assert {family_of(name) for name in ROUTINES} == set(EXPECTED) | special


ALL = [("S", "f4"), ("D", "f8"), ("C", "c8"), ("Z", "c16")]


def near(ours, theirs):
    ours = ours.get() if hasattr(ours, "get") else np.asarray(ours)
    bound = 1e-3 if ours.dtype.itemsize <= 4 * (1 + (ours.dtype.kind == "c")) else 1e-9
    np.testing.assert_allclose(ours, theirs, rtol=bound, atol=bound)


@pytest.mark.parametrize(("letter", "dtype"), ALL)
def test_rotations_are_numbers_of_the_host(handle, letter, dtype):
    function = getattr(cublas, f"cublas{letter}rotg")
    a, b = drawn(np.random.default_rng(3), 2, dtype)
    r, c, s = function(handle, a, b)
    assert (r.dtype, s.dtype) == (dtype, dtype)
    near([c * a + s * b, c * b - np.conj(s) * a], [r, 0])
    if letter in "SD":
        sparam = getattr(cublas, f"cublas{letter}rotmg")(handle, 1, 2, 3, 4)
        assert sparam.dtype == dtype
        assert sparam.shape == (5,)
        near(sparam, [1, 0.375, 0, 0, 0.75])


def addresses(gpuarray, x_gpu):
    """Of the matrices of a stack, each in Fortran's order."""
    return gpuarray.to_gpu(x_gpu.ptr + x_gpu.strides[0] * np.arange(len(x_gpu), dtype=np.uintp))


def stack(gpuarray, x):
    """Each matrix column by column."""
    return gpuarray.to_gpu(np.ascontiguousarray(x.swapaxes(1, 2)))


@pytest.mark.parametrize(("letter", "dtype"), ALL)
def test_many_products_and_solutions(handle, gpuarray, letter, dtype):
    rng = np.random.default_rng(1)
    a, b, c = (drawn(rng, shape, dtype) for shape in [(5, 3, 3), (5, 3, 2), (5, 3, 2)])
    a += 4 * np.eye(3, dtype=dtype)
    a_gpu, b_gpu, c_gpu = (stack(gpuarray, x) for x in (a, b, c))
    a_at, b_at, c_at = (addresses(gpuarray, x) for x in (a_gpu, b_gpu, c_gpu))
    multiply = getattr(cublas, f"cublas{letter}gemmBatched")
    multiply(handle, "n", "n", 3, 2, 3, 2, a_at.gpudata, 3, b_at.gpudata, 3, -1, c_at.gpudata, 3, 5)
    near(c_gpu.get().swapaxes(1, 2), 2 * a @ b - c)
    solve = getattr(cublas, f"cublas{letter}trsmBatched")
    solve(handle, "l", "u", "n", "n", 3, 2, 1, a_at.gpudata, 3, b_at.gpudata, 3, 5)
    near(b_gpu.get().swapaxes(1, 2), np.linalg.solve(np.triu(a), b))
    b_gpu.set(np.ascontiguousarray(b.swapaxes(1, 2)))

    pivots, infos = gpuarray.empty((5, 3), "i4"), gpuarray.empty(5, "i4")
    inverse = gpuarray.empty((5, 3, 3), dtype)
    getattr(cublas, f"cublas{letter}matinvBatched")(
        handle, 3, a_at.gpudata, 3, addresses(gpuarray, inverse).gpudata, 3, infos.gpudata, 5
    )
    assert not infos.get().any()
    near(inverse.get().swapaxes(1, 2), np.linalg.inv(a))
    getattr(cublas, f"cublas{letter}getrfBatched")(
        handle, 3, a_at.gpudata, 3, pivots.gpudata, infos.gpudata, 5
    )
    assert not infos.get().any()
    inverse.fill(0)
    getattr(cublas, f"cublas{letter}getriBatched")(
        handle, 3, a_at.gpudata, 3, pivots.gpudata, addresses(gpuarray, inverse).gpudata, 3,
        infos.gpudata, 5,
    )  # fmt: skip
    near(inverse.get().swapaxes(1, 2), np.linalg.inv(a))
    info = ctypes.c_int(7)
    getattr(cublas, f"cublas{letter}getrsBatched")(
        handle, "t", 3, 2, a_at.gpudata, 3, pivots.gpudata, b_at.gpudata, 3,
        ctypes.addressof(info), 5,
    )  # fmt: skip
    assert info.value == 0
    near(b_gpu.get().swapaxes(1, 2), np.linalg.solve(a.swapaxes(1, 2), b))


@pytest.mark.parametrize(("letter", "dtype"), ALL)
def test_factors_without_pivots_and_least_squares(handle, gpuarray, letter, dtype):
    rng = np.random.default_rng(2)
    a = drawn(rng, (2, 3, 3), dtype) + 4 * np.eye(3, dtype=dtype)
    a[1, 0] = 0
    a_gpu, infos = stack(gpuarray, a), gpuarray.empty(2, "i4")
    getattr(cublas, f"cublas{letter}getrfBatched")(
        handle, 3, addresses(gpuarray, a_gpu).gpudata, 3, None, infos.gpudata, 2
    )
    made = a_gpu.get()[0].T
    near((np.tril(made, -1) + np.eye(3, dtype=dtype)) @ np.triu(made), a[0])
    assert list(infos.get()) == [0, 1]
    wide, right = drawn(rng, (2, 5, 3), dtype), drawn(rng, (2, 5, 1), dtype)
    wide_gpu, right_gpu, info = stack(gpuarray, wide), stack(gpuarray, right), ctypes.c_int(7)
    getattr(cublas, f"cublas{letter}gelsBatched")(
        handle, "n", 5, 3, 1, addresses(gpuarray, wide_gpu).gpudata, 5,
        addresses(gpuarray, right_gpu).gpudata, 5, ctypes.addressof(info), infos.gpudata, 2,
    )  # fmt: skip
    assert info.value == 0
    solved = right_gpu.get()[:, 0, :3]
    near(solved, [np.linalg.lstsq(x, y[:, 0], None)[0] for x, y in zip(wide, right, strict=True)])


# --- the library of NVIDIA's ---------------------------------------------------------------------


class Gpu:
    """The CPU device, as if it were a GPU."""

    kind = "gpu"

    def __init__(self, device):
        self._device = device

    def __getattr__(self, name):
        return getattr(self._device, name)


@pytest.fixture
def calls(context, monkeypatch):
    """Calls of a library that only writes down what it is asked for."""
    from treadle.skcuda import _handles

    device, made = Gpu(_handles.current_device()), []
    monkeypatch.setattr(_handles, "current_device", lambda: device)

    def function(name):
        def record(*arguments):
            made.append((name, arguments))
            if name == "cublasCreate":
                arguments[0]._obj.value = 0x7000_0000
            elif name == "cublasIsamax":
                arguments[-1]._obj.value = 3
            elif name == "cublasCdotc":
                arguments[-1]._obj.x, arguments[-1]._obj.y = 1, 2
            return 13 if name == "cublasSswap" else 0

        return record

    monkeypatch.setattr(cublas._library, "function", function)
    return made


def test_calls_of_the_library_have_the_types_of_c(calls, gpuarray):
    x, h = gpuarray.zeros(8, "c8"), cublas.cublasCreate()
    assert h == 0x7000_0000
    cublas.cublasSetStream(h, 0x5000)
    assert cublas.cublasGetStream(h) == 0x5000
    cublas.cublasSetStream(h, None)
    pending = x + 1
    cublas.cublasCgemmStridedBatched(
        h, "t", 0, 2, 1, 2, 3 - 1j, x.gpudata, 2, 4, x.gpudata, 2, 2**33, 0, x.gpudata, 2, 0, 1
    )
    name, arguments = calls[-1]
    assert name == "cublasCgemmStridedBatched"
    plain = [getattr(a, "value", a) for a in arguments if not hasattr(a, "_obj")]
    assert plain == [h, 1, 0, 2, 1, 2, x.ptr, 2, 4, x.ptr, 2, 2**33, x.ptr, 2, 0, 1]
    assert {type(arguments[i]) for i in (9, 12, 16)} == {ctypes.c_longlong}
    assert (arguments[6]._obj.x, arguments[6]._obj.y) == (3, -1)
    near(pending, np.ones(8))
    assert cublas.cublasIsamax(h, 8, x.gpudata, 1) == 2
    assert cublas.cublasCdotc(h, 8, x.gpudata, 1, x.gpudata, 1) == np.complex64(1 + 2j)
    with pytest.raises(cublas.cublasExecutionFailed, match="cublasSswap failed with status 13"):
        cublas.cublasSswap(h, 0, 0, 1, 0, 1)
    cublas.cublasDestroy(h)
    assert calls[-1][0] == "cublasDestroy"


def test_a_library_that_is_not_there_says_where_it_was_looked_for(run_python, monkeypatch):
    monkeypatch.setenv("TREADLE_LIBRARIES", "cublas=/nowhere/libcublas.so.12")
    program = """
        import treadle, treadle.compat, skcuda.cublas as cublas
        try:
            cublas._libcublas
        except treadle.LibraryNotFound as error:
            assert "/nowhere/libcublas.so.12" in str(error) and "nvidia-cublas" in str(error)
        assert cublas._cublas_version >= 5000
    """
    done = run_python("-c", "\n".join(line[8:] for line in program.split("\n")))
    assert done.returncode == 0, done.stderr


# --- errors --------------------------------------------------------------------------------------


def test_mistakes_are_refused_before_anything_runs(handle, gpuarray):
    x = gpuarray.zeros(8, "f4")
    at = x.gpudata
    for wrong, kind, text in [
        (lambda: cublas.cublasSaxpy(handle, 9, 1, at, 1, at, 1), cublas.cublasInvalidValue, "36 b"),
        (lambda: cublas.cublasSscal(handle, -1, 1, at, 1), cublas.cublasInvalidValue, "n=-1"),
        (lambda: cublas.cublasSscal(handle, 8, 1, 0, 1), cublas.cublasInvalidValue, "null"),
        (lambda: cublas.cublasSscal(handle, 8, 1, x, 1), TypeError, "x.gpudata"),
        (lambda: cublas.cublasSscal(handle, 8, 1j, at, 1), TypeError, "complex"),
        (lambda: cublas.cublasSscal(0x99, 8, 1, at, 1), cublas.cublasNotInitialized, "153"),
        (lambda: cublas.cublasSscal(handle, 8, 1, at), TypeError, "incx"),
        (lambda: cublas.cublasSgemm(handle, "x", "n", *[1] * 11), KeyError, "transa='x'"),
        (lambda: cublas.cublasSgemm(handle, "x", "n", *[1] * 11), ValueError, "'n'"),
        (
            lambda: cublas.cublasSgemv(handle, "n", 2, 2, 1, at, 1, at, 1, 0, at, 1),
            cublas.cublasInvalidValue,
            "lda=1",
        ),
        (
            lambda: cublas.cublasSgemv(handle, "n", 2, 2, 1, at, 2, at, 0, 0, at, 1),
            cublas.cublasInvalidValue,
            "incx=0",
        ),
        (
            lambda: cublas.cublasCherk(handle, "l", "t", 1, 1, 1, at, 1, 0, at, 1),
            cublas.cublasInvalidValue,
            "trans|status 7",
        ),
        (lambda: cublas.cublasSetPointerMode(handle, 2), cublas.cublasInvalidValue, "mode=2"),
        (lambda: cublas.cublasCheckStatus(15), cublas.cublasNotSupported, "^$"),
        (lambda: cublas.cublasCheckStatus(99), cublas.cublasError, "^$"),
    ]:
        with pytest.raises(kind, match=text):
            wrong()
    with pytest.raises(AttributeError, match="nonsense"):
        cublas.nonsense  # noqa: B018


def test_calls_come_after_what_the_default_stream_does(handle, gpuarray, build):
    import pycuda.driver as drv

    slow = build(
        "__global__ void slow(float *x, int n) { volatile float s = 0;"
        " for (int i = 0; i < n; ++i) s += 1; x[threadIdx.x] = 3; }"
    ).get_function("slow")
    x, stream = gpuarray.zeros(4, "f4"), drv.Stream()
    cublas.cublasSetStream(handle, stream.handle)
    slow(x.gpudata, np.int32(20_000_000), block=(4, 1, 1), grid=(1, 1))
    cublas.cublasSscal(handle, 4, 2, x.gpudata, 1)
    assert (x.get() == 6).all()
