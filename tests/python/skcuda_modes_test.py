# SPDX-License-Identifier: MIT
"""Dynamic modes and random samples of skcuda.linalg and rlinalg, and skcuda.utils."""

import numpy as np
import pytest

import treadle
import treadle.compat  # noqa: F401 - the tests import skcuda

FLOATS = ["f4", "f8", "c8", "c16"]


@pytest.fixture
def gpuarray(context):
    import pycuda.gpuarray as gpuarray

    return gpuarray


def near(ours, theirs):
    ours = ours.get() if hasattr(ours, "get") else np.asarray(ours)
    bound = 2e-3 if ours.dtype.itemsize <= 4 * (1 + (ours.dtype.kind == "c")) else 1e-8
    np.testing.assert_allclose(ours, theirs, rtol=bound, atol=bound)


def snapshots(dtype, order="F"):
    """Forty points at twelve times, of two waves that turn and fade."""
    x, t = np.linspace(0, 1, 40)[:, None], np.arange(12)
    if np.dtype(dtype).kind == "c":
        a = np.sin(3 * x) * np.exp(0.4j * t) + np.cos(5 * x) * np.exp((0.9j - 0.1) * t)
    else:
        a = np.sin(3 * x) * np.cos(0.4 * t) + np.sin(2 * x) * np.sin(0.4 * t)
    return np.asarray(a, dtype, order=order)


VALUES = {"c": [np.exp(0.4j), np.exp(0.9j - 0.1)], "f": [np.exp(0.4j), np.exp(-0.4j)]}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("function", ["dmd", "rdmd", "cdmd"])
def test_dynamic_modes_give_the_snapshots_back(gpuarray, function, dtype):
    from skcuda import linalg, rlinalg

    a = snapshots(dtype)
    a_gpu, run = gpuarray.to_gpu(a), getattr(linalg if function == "dmd" else rlinalg, function)
    for modes in ("exact", "standard") if function != "cdmd" else ("exact",):
        f, b, v, omega = run(
            a_gpu, k=2, modes=modes, return_amplitudes=True, return_vandermonde=True
        )
        assert (f.shape, b.shape, v.shape, omega.shape) == ((40, 2), (2,), (2, 12), (2,))
        assert f.flags.f_contiguous
        near(f.get() * b.get() @ v.get(), a)
        order = np.argsort(-omega.get().imag)
        expected = np.array(VALUES[np.dtype(dtype).kind])
        near(omega.get()[order], expected[np.argsort(-expected.imag)])
    near(a_gpu, a)
    f, omega = run(a_gpu, 2)
    assert f.shape == (40, 2)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("method", ["standard", "fast"])
@pytest.mark.parametrize("order", "CF")
def test_singular_values_by_random_samples(gpuarray, dtype, method, order):
    from skcuda import rlinalg

    rng = np.random.default_rng(0)
    left, right = rng.standard_normal((30, 4)), rng.standard_normal((4, 12))
    if np.dtype(dtype).kind == "c":
        left = left + 1j * rng.standard_normal((30, 4))
    a = np.asarray(left @ right, dtype, order=order)
    u, s, vt = rlinalg.rsvd(gpuarray.to_gpu(a), k=4, p=3, q=1, method=method)
    assert (u.shape, s.shape, vt.shape) == ((30, 4), (4,), (4, 12))
    near(u.get() * s.get() @ vt.get(), a)
    near(s, np.linalg.svd(a, compute_uv=False)[:4])


def test_failures_are_errors_of_the_module(gpuarray):
    from skcuda import rlinalg

    a = gpuarray.to_gpu(np.full((4, 3), np.nan))
    with pytest.raises(rlinalg.LinAlgError):
        rlinalg.rsvd(a, 2)


def test_mistakes_are_refused(gpuarray, monkeypatch):
    from skcuda import linalg, rlinalg

    a = gpuarray.to_gpu(snapshots("f8"))
    wide = gpuarray.to_gpu(snapshots("f8").T.copy())
    for wrong, text in [
        (lambda: linalg.dmd(a, k=12), "k=12"),
        (lambda: linalg.dmd(a, k=0), "k=0"),
        (lambda: linalg.dmd(a, k=2, modes="none"), "modes='none'"),
        (lambda: rlinalg.rsvd(a), "k=None"),
        (lambda: rlinalg.rsvd(wide, 2), "m >= n"),
        (lambda: rlinalg.rsvd(a, 2, p=-1), "p=-1"),
        (lambda: rlinalg.rsvd(a, 2, method="none"), "method='none'"),
        (lambda: rlinalg.cdmd(a, 2, c=1), "c=1"),
    ]:
        with pytest.raises(ValueError, match=text):
            wrong()
    with pytest.raises(NotImplementedError, match="standard"):
        rlinalg.cdmd(a, 2, modes="standard")
    assert issubclass(rlinalg.LinAlgError, Exception)
    monkeypatch.setattr(rlinalg.curandom, "XORWOWRandomNumberGenerator", lambda: "drawn now")
    assert rlinalg.rand == "drawn now"
    with pytest.raises(AttributeError, match="nonsense"):
        rlinalg.nonsense  # noqa: B018


def test_names_and_places_of_libraries(tmp_path):
    from skcuda import utils

    place = utils.find_lib_path("m")
    assert utils.get_soname(place).startswith("libm.so")
    assert utils.find_lib_path("of-nobody") is None
    (tmp_path / "text").write_text("no library")
    assert utils.get_soname(str(tmp_path / "text")) is None
    with pytest.raises(OSError, match="get_soname"):
        utils.get_soname(str(tmp_path / "absent"))
    blas = next(s for s in treadle._core.library.library_status() if s.name == "blas")
    if blas.problem == "":
        assert utils.find_lib_path("blas") == str(blas.path)
