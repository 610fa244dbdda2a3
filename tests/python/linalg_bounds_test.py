# SPDX-License-Identifier: MIT
"""Errors of products and decompositions against what the condition number allows: matrices whose
singular values are known, of every dtype, layout and size; and numbers that are none."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp

CASES = int(os.environ.get("TREADLE_RANDOM_CASES", "40"))
SEED = int(os.environ.get("TREADLE_RANDOM_SEED", "33"))
IDS = [d.id for d in treadle.devices() if d.traits.runs_kernels]


@pytest.fixture(params=IDS)
def device(request):
    with treadle.find_device(request.param) as device:
        yield device


def unitary(rng, n, is_complex):
    x = rng.standard_normal((n, n)) + (1j * rng.standard_normal((n, n)) if is_complex else 0)
    return np.linalg.qr(x)[0]


class Case:
    """A matrix m x n, or two of them in a batch, with singular values from 1 down to 1 / cond, as
    the device has it in some layout and the host as it was rounded, in the widest dtype."""

    def __init__(self, rng):
        self.dtype = rng.choice(list("fdFD"))
        self.eps = float(np.finfo(self.dtype).eps)
        most = 1e3 if self.dtype in "fF" else 1e9
        self.cond = float(rng.choice([1, 10, most]))
        n = int(rng.choice([1, 2, 3, 8, 33]))
        self.m, self.n = (n, n) if rng.random() < 0.6 else (int(rng.choice([1, 2, 5, 40])), n)
        k = min(self.m, self.n)
        self.s = np.geomspace(1, 1 / self.cond, k) if k > 1 else np.ones(1)
        self.cond = 1.0 if k == 1 else self.cond
        self.is_complex = self.dtype in "FD"
        u, v = (unitary(rng, e, self.is_complex)[:, :k] for e in (self.m, self.n))
        made = (u * self.s) @ np.conj(v.T)
        if rng.random() < 0.4:
            made = np.stack([made, np.conj(made)])
        self.layout = str(rng.choice(["C", "F", "turned", "apart", "shared"]))
        self.x = made.astype(self.dtype)
        self.a = self.laid_out(tnp.asarray(self.x))
        self.wide = self.x.astype("G" if self.is_complex else "g")
        self.bound = 20 * max(self.m, self.n) * self.eps

    def laid_out(self, a):
        if self.layout == "F":
            return tnp.swapaxes(tnp.swapaxes(a, -1, -2).copy(), -1, -2)
        if self.layout == "turned":
            return a[..., ::-1, ::-1].copy()[..., ::-1, ::-1]
        if self.layout == "apart":
            whole = tnp.zeros((*a.shape[:-1], 2 * a.shape[-1]), a.dtype)
            whole[..., ::2] = a
            return whole[..., ::2]
        if self.layout == "shared" and a.ndim == 2:
            self.x = np.broadcast_to(self.x, (2, *self.x.shape))
            return tnp.broadcast_to(a, self.x.shape)
        return a

    def close(self, ours, expected, allowed):
        """Within `allowed`, as a part of the largest element."""
        assert ours.dtype == np.dtype(self.dtype if np.iscomplexobj(expected) else
                                      self.dtype.lower())  # fmt: skip
        expected = np.asarray(expected)
        assert ours.shape == expected.shape
        if expected.size:
            error = np.max(np.abs(ours.get() - expected))
            assert error <= allowed * max(np.max(np.abs(expected)), 1e-300), error


def adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


def check_any(c):
    c.close(tnp.linalg.svdvals(c.a), np.broadcast_to(c.s, (*c.x.shape[:-2], len(c.s))), c.bound)
    u, s, vh = tnp.linalg.svd(c.a, full_matrices=False)
    c.close(u * s[..., None, :] @ vh, c.wide, c.bound)
    q, r = tnp.linalg.qr(c.a)
    c.close(q @ r, c.wide, c.bound)
    one = np.broadcast_to(np.eye(q.shape[-1]).astype(c.dtype), (*q.shape[:-2], *(q.shape[-1:] * 2)))
    c.close(tnp.matmul(adjoint_of(q), q), one, c.bound)
    c.close(c.a @ tnp.linalg.pinv(c.a, 0) @ c.a, c.wide, c.bound * c.cond)
    assert (tnp.linalg.matrix_rank(c.a).get() == len(c.s)).all()
    c.close(tnp.linalg.norm(c.a, 2, (-2, -1)), np.ones(c.x.shape[:-2]), c.bound)


def adjoint_of(a):
    return tnp.conj(tnp.swapaxes(a, -1, -2))


def check_square(c, rng):
    x = rng.standard_normal((c.n, 3)).astype(c.dtype)
    b = (c.wide @ x).astype(c.dtype)
    c.close(tnp.linalg.solve(c.a, tnp.asarray(b)), np.broadcast_to(x, b.shape), c.bound * c.cond)
    one = np.broadcast_to(np.eye(c.n).astype(c.dtype), c.x.shape)
    c.close(c.a @ tnp.linalg.inv(c.a), one, c.bound * c.cond)
    sign, log = tnp.linalg.slogdet(c.a)
    assert np.max(np.abs(np.abs(sign.get()) - 1)) <= c.bound
    assert np.max(np.abs(log.get() - np.log(c.s).sum())) <= c.bound * c.cond + c.eps * c.n * 20
    found = tnp.linalg.cond(c.a).get()
    assert np.max(np.abs(found / c.cond - 1)) <= c.bound * c.cond
    if c.a.ndim == 2:
        ours = tnp.linalg.lstsq(c.a, tnp.asarray(b))[0]
        c.close(ours, x, c.bound * c.cond)


def check_hermitian(c):
    made = c.a @ adjoint_of(c.a) + tnp.linalg.norm(c.a) * 0.0
    h = made.get()
    h = ((h + adjoint(h)) / 2).astype(c.dtype)
    ours = tnp.asarray(h)
    w, v = tnp.linalg.eigh(ours)
    c.close(v * w[..., None, :] @ adjoint_of(v), h, c.bound)
    shifted = h + np.eye(c.m, dtype=c.dtype)
    low = tnp.linalg.cholesky(tnp.asarray(shifted))
    c.close(low @ adjoint_of(low), shifted, c.bound)
    values = tnp.linalg.eigvals(ours).get()
    assert np.max(np.abs(np.sort(values.real, -1) - w.get())) <= c.bound * 10


def test_drawn_errors_within_the_condition_number(device):
    rng = np.random.default_rng(SEED)
    for i in range(CASES if device.id == "cpu" else CASES // 10):
        c = Case(rng)
        c.wide = c.x.astype(c.wide.dtype)
        try:
            check_any(c)
            check_hermitian(c)
            if c.m == c.n:
                check_square(c, rng)
        except AssertionError as error:
            text = f"case {i}: {c.dtype} {c.x.shape} {c.layout} cond={c.cond}"
            raise AssertionError(text) from error


@pytest.mark.parametrize("dtype", ["f", "d", "F", "D", "e"])
def test_products_are_as_exact_as_their_sums(device, dtype):
    """Each element within k roundings of the sum of magnitudes; float16 is summed in float32."""
    rng = np.random.default_rng(SEED)
    for m, k, n in ((1, 1, 1), (3, 300, 2), (65, 33, 40), (4, 0, 3)):
        x, y = (
            (rng.standard_normal(s) + (1j * rng.standard_normal(s) if dtype in "FD" else 0)).astype(
                dtype
            )
            for s in ((m, k), (k, n))
        )
        wide = "G" if dtype in "FD" else "g"
        expected = x.astype(wide) @ y.astype(wide)
        magnitude = np.abs(x).astype("g") @ np.abs(y).astype("g")
        summed = np.finfo("f" if dtype == "e" else dtype).eps
        allowed = 2 * (k + 2) * summed * magnitude + np.finfo(dtype).eps * np.abs(expected)
        for a, b in ((tnp.asarray(x), tnp.asarray(y)),
                     (tnp.asarray(x.T.copy()).T, tnp.asarray(y[::-1].copy())[::-1])):  # fmt: skip
            found = (a @ b).get()
            assert found.dtype == dtype and (np.abs(found - expected) <= allowed).all()


OF_NO_NUMBERS = {
    "solve": lambda xp, x: xp.linalg.solve(x, xp.ones((4, 1))),
    "inv": lambda xp, x: xp.linalg.inv(x),
    "det": lambda xp, x: xp.linalg.det(x),
    "slogdet": lambda xp, x: xp.linalg.slogdet(x)[1],
    "qr": lambda xp, x: xp.linalg.qr(x)[1],
    "svd": lambda xp, x: xp.linalg.svd(x)[1],
    "eig": lambda xp, x: xp.linalg.eigvals(x),
    "pinv": lambda xp, x: xp.linalg.pinv(x),
    "matrix_rank": lambda xp, x: xp.linalg.matrix_rank(x),
    "norm": lambda xp, x: xp.linalg.norm(x),
    "matmul": lambda xp, x: x @ x,
}


@pytest.mark.parametrize("name", OF_NO_NUMBERS)
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_no_number(device, name, value):
    """An error where NumPy has one, else NaN and infinities at its places. Singular values of
    infinities are an error, too: LAPACK has NaN for some, and may not end for others."""
    x = np.random.default_rng(SEED).standard_normal((4, 4))
    x[1, 2] = value
    function = OF_NO_NUMBERS[name]
    try:
        with np.errstate(all="ignore"):
            expected = np.asarray(function(np, x))
    except np.linalg.LinAlgError:
        expected = None
    if expected is None or name in ("svd", "pinv", "matrix_rank"):
        with pytest.raises(treadle.LinAlgError):
            function(tnp, tnp.asarray(x))
        return
    found = function(tnp, tnp.asarray(x)).get()
    assert (np.isfinite(found) == np.isfinite(expected)).all()


def run(program, **variables):
    environment = {**os.environ, "TREADLE_DEVICE": "cpu", **variables}
    made = subprocess.run(
        [sys.executable, "-c", program], env=environment, text=True, capture_output=True
    )
    assert made.returncode == 0, made.stderr
    return made.stdout


def test_without_lapack_the_error_says_what_to_install():
    text = run(
        "import treadle, treadle.numpy as tnp\n"
        "a = tnp.eye(3)\n"
        "for call in (tnp.linalg.solve, tnp.linalg.svdvals, tnp.linalg.expm, tnp.linalg.pinv):\n"
        "    try:\n"
        "        call(a, a) if call is tnp.linalg.solve else call(a)\n"
        "    except treadle.LibraryNotFound as error:\n"
        "        print(error)\n"
        "print((a @ a).sum().item())",
        TREADLE_LIBRARIES="blas=off",
    )
    assert text.count("TREADLE_LIBRARIES=blas=off: switched off") == 4
    assert "pip install scipy-openblas64" in text and text.endswith("3.0\n")


def test_without_memory_nothing_is_lost():
    text = run(
        "import treadle, treadle.numpy as tnp\n"
        "a = tnp.eye(1024)\n"  # 8 of 20 MB
        "a.get()\n"
        "for call in (lambda: (a @ a @ a @ a).get(), lambda: tnp.linalg.svd(a),\n"
        "             lambda: tnp.fft.fft(a).get()):\n"
        "    try:\n"
        "        call()\n"
        "    except treadle.OutOfMemory as error:\n"
        "        print('OutOfMemory')\n"
        "print(a.sum().item())",
        TREADLE_CPU_MEMORY_BYTES="20000000",
    )
    assert text == "OutOfMemory\n" * 3 + "1024.0\n"
