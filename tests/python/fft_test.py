# SPDX-License-Identifier: MIT
"""treadle.numpy.fft beside numpy.fft. Random ones: TREADLE_RANDOM_CASES cases from
TREADLE_RANDOM_SEED on."""

import os
import threading
import time

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp

IDS = [d.id for d in treadle.devices() if d.traits.runs_kernels]
# Elsewhere each shape is a kernel to compile.
ON_HOST = [i for i in IDS if i == "cpu"]
CASES = int(os.environ.get("TREADLE_RANDOM_CASES", "60"))
SEED = int(os.environ.get("TREADLE_RANDOM_SEED", "1"))
NAMES = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
NORMS = [None, "backward", "ortho", "forward"]


@pytest.fixture(params=ON_HOST)
def device(request):
    with treadle.find_device(request.param) as device:
        yield device


@pytest.fixture(params=IDS)
def any_device(request):
    with treadle.find_device(request.param) as device:
        yield device


def drawn(shape, dtype, seed=1):
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind in "iu":
        return rng.integers(0, 100, shape).astype(dtype)
    values = rng.standard_normal(shape)
    if dtype.kind == "c":
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(dtype)


def expect(ours, theirs, wide=None):
    """`theirs` says shape and dtype; `wide`, if it is there, the values."""
    assert isinstance(ours, treadle.Array)
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    wide = theirs if wide is None else wide
    if theirs.size:
        scale = np.sqrt(np.mean(np.abs(wide) ** 2)) + 1e-30
        bound = {"e": 2e-3, "f": 2e-6, "F": 2e-6}.get(theirs.dtype.char, 4e-15)
        bound *= max(1, np.log2(wide.size) / 8)
        assert np.max(np.abs(ours.get() - wide)) <= bound * scale


def defined(x, sign):
    """The sums as they are defined, in long double, rounded once."""
    n = len(x)
    turns = (np.outer(np.arange(n), np.arange(n)) % n).astype(np.longdouble) / n
    pi = np.longdouble("3.14159265358979323846264338327950288")
    angles = sign * 2 * pi * turns
    return (np.exp(1j * angles) @ x.astype(np.clongdouble)).astype("c16")


def test_a_few_transforms_on_every_device(any_device):
    x = drawn((6, 10), "c8")
    ours = tnp.array(x)
    expect(tnp.fft.fft(ours), np.fft.fft(x), np.fft.fft(x.astype("c16")))
    expect(tnp.fft.ifft2(ours[::2, ::-1]), np.fft.ifft2(x[::2, ::-1]))
    expect(tnp.fft.rfft2(ours.real, norm="ortho"), np.fft.rfft2(x.real, norm="ortho"))
    expect(tnp.fft.irfft(ours, 17, axis=0), np.fft.irfft(x, 17, axis=0))
    out = tnp.zeros((10, 6), "c8").T
    assert tnp.fft.fft(ours, out=out) is out
    expect(out, np.fft.fft(x))


def test_every_length_up_to_64(device):
    for n in range(1, 65):
        x = drawn(n, "c16", n)
        z = tnp.array(x)
        expect(tnp.fft.fft(z), np.fft.fft(x), defined(x, -1))
        expect(tnp.fft.ifft(z, norm="forward"), np.fft.ifft(x, norm="forward"), defined(x, 1))
        real = tnp.array(x.real)
        expect(tnp.fft.rfft(real), np.fft.rfft(x.real), defined(x.real, -1)[: n // 2 + 1])
        expect(tnp.fft.irfft(z, 2 * n - 1), np.fft.irfft(x, 2 * n - 1))
        narrow = tnp.array(x.astype("c8"))
        expect(tnp.fft.fft(narrow), np.fft.fft(x.astype("c8")), np.fft.fft(x.astype("c8") + 0j * x))


LENGTHS = [67, 96, 101, 125, 243, 343, 480, 509, 625, 1001, 1009, 1250, 2048, 2187, 2401, 4099]


@pytest.mark.parametrize("dtype", ["c16", "c8"])
def test_a_spread_of_lengths(device, dtype):
    for n in LENGTHS:
        x = drawn((2, n), dtype, n)
        expect(tnp.fft.fft(tnp.array(x)), np.fft.fft(x), np.fft.fft(x.astype("c16")))
        real = tnp.array(x.real)
        expect(tnp.fft.rfft(real), np.fft.rfft(x.real), np.fft.rfft(x.real.astype("f8")))


SHORT = range(1, 513)
SMOOTH = [
    n for a in range(17) for b in range(11) for c in range(7) for d in range(6)
    if 512 < (n := 2**a * 3**b * 5**c * 7**d) <= 65536
]  # fmt: skip


def test_drawn_lengths_beside_long_double(any_device):
    """Of 1 to 512, and of products of 2, 3, 5 and 7 up to 65,536, by turns."""
    scipy_fft = pytest.importorskip("scipy.fft")
    rng = np.random.default_rng(SEED)
    for i in range(CASES if any_device.id == "cpu" else CASES // 20):
        n = int(rng.choice([SHORT, SMOOTH][i % 2]))
        x = drawn(n, "c16", n)
        for kind in ("c16", "c8"):
            given = x.astype(kind)
            ours, wide, real = tnp.array(given), given.astype("G"), given.real
            try:
                expect(tnp.fft.fft(ours), given, scipy_fft.fft(wide))
                expect(tnp.fft.ifft(ours, norm="ortho"), given, scipy_fft.ifft(wide, norm="ortho"))
                half = scipy_fft.rfft(real.astype("g"))
                expect(tnp.fft.rfft(ours.real), half.astype(kind), half)
                back = scipy_fft.irfft(wide, n, norm="forward")
                expect(tnp.fft.irfft(ours, n, norm="forward"), back.astype(real.dtype), back)
            except AssertionError as error:
                raise AssertionError(f"{kind}, {n} elements") from error


def test_long_rows_are_cut_into_columns(device):
    for n in (1 << 17, 3 * 5 * 7 * 11 * 13 * 17, 131101):
        x = drawn(n, "c16")
        expect(tnp.fft.fft(tnp.array(x)), np.fft.fft(x))
        expect(tnp.fft.irfft(tnp.fft.rfft(tnp.array(x.real)), n), x.real)


@pytest.mark.parametrize("n", [1 << 18, 2 * 3 * 5 * 7 * 11 * 13 * 17 - 2, (1 << 18) + 1])
def test_long_rows_of_real_elements(device, n):
    x = drawn(n, "f8")
    for kind, half in (("f8", "c16"), ("f4", "c8")):
        given = x.astype(kind)
        theirs = np.fft.rfft(given.astype("f8"), norm="ortho")
        expect(tnp.fft.rfft(tnp.array(given), norm="ortho"), theirs.astype(half), theirs)
        theirs = np.fft.ihfft(given.astype("f8"))
        expect(tnp.fft.ihfft(tnp.array(given)), theirs.astype(half), theirs)
        spectrum = drawn(n // 2 + 1, "c16", 3).astype(half)
        for name in ("irfft", "hfft"):
            theirs = getattr(np.fft, name)(spectrum.astype("c16"), n)
            expect(getattr(tnp.fft, name)(tnp.array(spectrum), n), theirs.astype(kind), theirs)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16", "i4", "u1", "?"])
def test_dtypes_and_norms_are_numpys(device, name, dtype):
    x = drawn((3, 8), dtype)
    if x.dtype.kind == "c" and name in ("rfft", "ihfft"):
        with pytest.raises(TypeError, match="it takes real elements"):
            getattr(tnp.fft, name)(tnp.array(x))
        return
    wide = x.astype("f4") if dtype == "f2" else x  # NumPy has factors in float16
    for norm in NORMS:
        theirs = getattr(np.fft, name)(x, norm=norm)
        expect(getattr(tnp.fft, name)(tnp.array(x), norm=norm), theirs,
               getattr(np.fft, name)(wide, norm=norm))  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_lengths_and_axes(device, name):
    x = drawn((4, 5, 6), "f8")
    for n in (None, 1, 2, 5, 9):
        for axis in (0, 1, -1):
            theirs = getattr(np.fft, name)(x, n, axis)
            expect(getattr(tnp.fft, name)(tnp.array(x), n, axis), theirs)


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft"])
def test_several_axes(device, name):
    x = drawn((4, 3, 6), "f4")
    ours, wide = tnp.array(x), x.astype("f8")
    many, two = name + "n", name + "2"
    calls = [
        (many, {}),
        (many, {"axes": (0, 2)}),
        (many, {"axes": (2, 0), "norm": "ortho"}),
        (many, {"axes": (1, 1)}),
        (many, {"axes": (1,)}),
        (many, {"s": (5, 4), "axes": (0, 1)}),
        (many, {"s": (-1, 4, 5), "axes": (0, 1, 2), "norm": "forward"}),
        (many, {"s": (4, -1), "axes": (0, 2)}),
        (two, {}),
        (two, {"axes": (0, 1)}),
    ]
    for called, options in calls:
        theirs = getattr(np.fft, called)(x, **options)
        expect(getattr(tnp.fft, called)(ours, **options), theirs,
               getattr(np.fft, called)(wide, **options))  # fmt: skip


def views(x):
    yield x[::2, ::-1]
    yield x.T
    yield x[1:, 2:7:3]
    yield np.broadcast_to(x[0], (3, x.shape[1]))
    yield np.asfortranarray(x)


@pytest.mark.parametrize("dtype", ["c8", "f8"])
def test_views_of_any_layout(device, dtype):
    x = drawn((6, 8), dtype)
    ours = tnp.array(x)
    for mine, theirs in zip(views_of(ours), views(x), strict=True):
        for axis in (0, 1):
            expect(tnp.fft.fft(mine, axis=axis), np.fft.fft(theirs, axis=axis))
        expect(tnp.fft.rfft2(mine.real), np.fft.rfft2(theirs.real))


def views_of(x):
    yield x[::2, ::-1]
    yield x.T
    yield x[1:, 2:7:3]
    yield tnp.broadcast_to(x[0], (3, x.shape[1]))
    yield tnp.asarray(x, order="F")


def test_out_and_in_place(device):
    x = drawn((4, 8), "c16")
    ours = tnp.array(x)
    out = tnp.zeros((8, 4), "c16").T
    assert tnp.fft.fft(ours, out=out) is out
    expect(out, np.fft.fft(x))
    assert tnp.fft.ifft(out, out=out) is out
    expect(out, x)
    assert tnp.fft.fftn(ours, out=ours) is ours
    expect(ours, np.fft.fftn(x))
    with pytest.raises(ValueError, match="shape"):
        tnp.fft.fft(ours, out=tnp.zeros((4, 7), "c16"))
    with pytest.raises(TypeError):
        tnp.fft.fft(ours, out=tnp.zeros((4, 8)))


def test_parts_of_an_expression(device):
    x = tnp.arange(16, dtype="f4")
    z = abs(tnp.fft.fft(x * 2)) ** 2
    expect(z, (np.abs(np.fft.fft(np.arange(16, dtype="f4") * 2)) ** 2).astype("f4"))
    spectrum = tnp.fft.rfft(x)
    x[:] = 0
    expect(spectrum, np.fft.rfft(np.arange(16, dtype="f4")))


def test_empty_batches(device):
    x = np.zeros((0, 4))
    for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fftn", "rfft2", "irfft2"):
        options = {"axes": (1,)} if name[-1] in "n2" else {}
        expect(getattr(tnp.fft, name)(tnp.array(x), **options), getattr(np.fft, name)(x, **options))


def test_frequencies_and_shifts(device):
    for n in (1, 2, 5, 8):
        expect(tnp.fft.fftfreq(n, 0.3), np.fft.fftfreq(n, 0.3))
        expect(tnp.fft.rfftfreq(n, 0.3, device), np.fft.rfftfreq(n, 0.3))
        x = drawn((n, 3), "f8")
        for axes in (None, 0, (0, 1), -1):
            for name in ("fftshift", "ifftshift"):
                theirs = getattr(np.fft, name)(x, axes)
                expect(getattr(tnp.fft, name)(tnp.array(x), axes), theirs)
    assert tnp.fft.fftfreq(4, dtype=tnp.float32, device=device).dtype == "f4"


def test_numpys_own_functions_take_arrays(device):
    x = drawn((3, 8), "f8")
    expect(np.fft.rfft(tnp.array(x), axis=0), np.fft.rfft(x, axis=0))
    expect(np.fft.fftshift(tnp.array(x)), np.fft.fftshift(x))


def test_wrong_arguments_are_named(device):
    x = tnp.ones((2, 4))
    for call, error, text in [
        (lambda: tnp.fft.fft(x, 0), ValueError, r"data points \(0\) along axis -1"),
        (lambda: tnp.fft.fft(x[:, :0]), ValueError, r"data points \(0\).*shape \(2, 0\)"),
        (lambda: tnp.fft.irfft(x[:, :1]), ValueError, r"data points \(0\)"),
        (lambda: tnp.fft.fft(x, axis=2), IndexError, "fft: axis 2 is out"),
        (lambda: tnp.fft.fft(x, norm="none"), ValueError, "norm='none'"),
        (lambda: tnp.fft.fftn(x, (4,), (0, 1)), ValueError, "1 lengths for 2 axes"),
        (lambda: tnp.fft.fft(tnp.float64(1)), ValueError, "no axes"),
        (lambda: tnp.fft.rfftn(x, axes=()), ValueError, "no axes"),
        (lambda: tnp.fft.fft(x, 2.5), TypeError, "integer"),
        (lambda: tnp.fft.fftfreq(2.5), TypeError, "n=2.5"),
        (lambda: tnp.fft.fftfreq(0), ValueError, "n=0"),
    ]:
        with pytest.raises(error, match=text):
            call()


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16", "i4"])
def test_convolutions(device, dtype):
    x, y = drawn((23, 30), dtype), drawn((5, 11), dtype, 2)
    wide = [z.astype("c16") for z in (x, y)]
    shape = tuple(a + b - 1 for a, b in zip(x.shape, y.shape, strict=True))
    full = np.fft.ifft2(np.fft.fft2(wide[0], shape) * np.fft.fft2(wide[1], shape))
    kind = {"f4": "f4", "c16": "c16"}.get(dtype, "f8")
    full = (full if kind[0] == "c" else full.real).astype(kind)
    a, b = tnp.array(x), tnp.array(y)
    expect(tnp.fft.convolve_fft(a, b), full)
    expect(tnp.fft.convolve_fft(a, b, "same"), full[2:25, 5:35])
    expect(tnp.fft.convolve_fft(a, b, "valid"), full[4:23, 10:30])
    with pytest.raises(ValueError, match="mode='all'"):
        tnp.fft.convolve_fft(a, b, "all")


def test_texts_join_a_transform(any_device):
    x, w = drawn((3, 16), "f"), np.hanning(16).astype("f")
    power = tnp.fft.Plan(
        tnp.fft.rfft,
        "const float *w, float s",
        load="x * w[i] * s",
        store="x.x * x.x + x.y * x.y",
        dtype="f4",
    )
    made = power(tnp.asarray(x), w, 2)
    expect(made, (np.abs(np.fft.rfft(x * w * 2)) ** 2).astype("f"))
    assert ("fused texts" in made.explain()) == (any_device.kind == "gpu")
    tail = tnp.asarray(np.stack([w, w]))[1]  # within an allocation
    expect(power(tnp.asarray(x), tail, 1), (np.abs(np.fft.rfft(x * w)) ** 2).astype("f"))
    z = drawn((2, 4, 6), "F")
    back = tnp.fft.Plan("ifft", load="-x", store="x / 2", axes=(0, 1), s=(3, 4), norm="ortho")
    theirs = -np.fft.ifftn(z, (3, 4), (0, 1), "ortho") / 2
    expect(back(z), theirs.astype("F"))


def test_the_faster_engine_is_known_to_other_processes(any_device, run_python, tmp_path):
    """Where cuFFT is found; elsewhere there is one engine, and nothing to tell."""
    if any_device.kind != "gpu" or any_device.language != "CUDA C":
        return
    code = (
        "import treadle, treadle.numpy as tnp\n"
        f"with treadle.find_device({any_device.id!r}):\n"
        "    made = tnp.fft.rfft(tnp.ones((6, 1000), 'f4'))\n"
        "    made.get()\n"
        "    print(made.explain())\n"
    )
    environment = {"TREADLE_CACHE_DIR": str(tmp_path), "TREADLE_MEASURE": "1"}
    told = [run_python("-c", code, **environment).stdout for _ in range(2)]
    if "cufft" not in told[0]:
        pytest.skip("no cuFFT")
    assert "measured here" in told[0] and "measured before" in told[1]
    info = run_python("-m", "treadle", "info", "--all", **environment).stdout
    assert "measured for 1 classes of problems" in info
    environment = {"TREADLE_CACHE_DIR": str(tmp_path / "other"), "TREADLE_MEASURE": "0"}
    assert "not measured: TREADLE_MEASURE=0" in run_python("-c", code, **environment).stdout


def test_what_is_no_plan_is_refused(device):
    with pytest.raises(treadle.InvalidArgument, match="'dct'"):
        tnp.fft.Plan("dct")
    for wrong in (None, 5, tnp.zeros(3)):
        with pytest.raises(TypeError, match="transform is"):
            tnp.fft.Plan(wrong)
    with pytest.raises(treadle.InvalidArgument, match="const"):
        tnp.fft.Plan("fft", "float *w")
    plan = tnp.fft.Plan("fft", "const float *w", load="x * w[i]")
    with pytest.raises(TypeError, match="array"):
        plan(tnp.ones(4), "abc")
    with pytest.raises(treadle.InvalidArgument, match="missing"):
        plan(tnp.ones(4, "f4"))
    for arguments, which in (((), "w is missing"), ((1.0, 2.0), "number 2 is not declared")):
        with pytest.raises(treadle.InvalidArgument, match=which):  # though no text needs it
            tnp.fft.Plan("fft", "float w")(tnp.ones(4, "f4"), *arguments)


def test_a_plan_is_made_while_a_stream_calls_python(any_device):
    """Making it waits for the stream: with Python's lock held neither would go on."""
    x, called = drawn((4, 1024), "D"), threading.Event()
    ours = tnp.asarray(x)
    any_device.default_stream().call_host(lambda: (time.sleep(0.1), called.set()))
    made = tnp.fft.Plan("fft", load="x * 2", store="x / 4")(ours)
    expect(made, np.fft.fft(x) / 2)
    assert called.wait(30)


def test_random_transforms(device):
    for seed in range(SEED, SEED + CASES):
        rng = np.random.default_rng(seed)
        rank = int(rng.integers(1, 5))
        shape = tuple(int(n) for n in rng.integers(1, [0, 200, 24, 12, 8][rank], rank))
        name = str(rng.choice(["fftn", "ifftn", "rfftn", "irfftn"]))
        kind = "f8" if name == "rfftn" else str(rng.choice(["f8", "c16"]))
        x = drawn(shape, kind, seed).transpose(rng.permutation(rank))
        axes = tuple(int(a) for a in rng.permutation(rank)[: rng.integers(1, rank + 1)])
        s = tuple(int(n) for n in rng.integers(1, 30, len(axes))) if rng.random() < 0.5 else None
        if name == "irfftn" and s is None and x.shape[axes[-1]] == 1:
            continue
        options = {"s": s, "axes": axes, "norm": str(rng.choice(["backward", "ortho", "forward"]))}
        try:
            expect(getattr(tnp.fft, name)(tnp.array(x), **options),
                   getattr(np.fft, name)(x, **options))  # fmt: skip
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {name} of {x.shape} {kind}, {options}") from error
