# SPDX-License-Identifier: MIT
"""What programs may call in linalg and fft: each name and parameter of NumPy's and of the array
API's 2025.12 extensions, and what differs on purpose."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import treadle.numpy as tnp

ROOMS = {
    "linalg": np.linalg.__all__,
    "fft": [name for name in np.fft.__all__ if callable(getattr(np.fft, name))],
    "": """cross diagonal dot einsum einsum_path inner kron matmul matvec outer tensordot trace
           vdot vecdot vecmat""".split(),
}
# What NumPy takes and we do not, and why.
ON_PURPOSE = {
    # Generalised ufuncs: each has one loop for each dtype, which dtype= chooses; and axis= and
    # keepdims= are refused by NumPy, too, where matrices are multiplied.
    "matmul": ["axis", "keepdims", "signature"],
    "matvec": ["axis", "keepdims", "signature"],
    "vecmat": ["axis", "keepdims", "signature"],
    "vecdot": ["signature"],
    # An order of its own, in the background of NumPy's einsum().
    "einsum_path": ["einsum_call"],
}

# The standard's signatures.
LINALG = """
    cholesky(x, /, *, upper=False)
    cross(x1, x2, /, *, axis=-1)
    det(x, /)
    diagonal(x, /, *, offset=0)
    eig(x, /)
    eigh(x, /)
    eigvals(x, /)
    eigvalsh(x, /)
    inv(x, /)
    matmul(x1, x2, /)
    matrix_norm(x, /, *, keepdims=False, ord="fro")
    matrix_power(x, n, /)
    matrix_rank(x, /, *, rtol=None)
    matrix_transpose(x, /)
    outer(x1, x2, /)
    pinv(x, /, *, rtol=None)
    qr(x, /, *, mode="reduced")
    slogdet(x, /)
    solve(x1, x2, /)
    svd(x, /, *, full_matrices=True)
    svdvals(x, /)
    tensordot(x1, x2, /, *, axes=2)
    trace(x, /, *, offset=0, dtype=None)
    vecdot(x1, x2, /, *, axis=-1)
    vector_norm(x, /, *, axis=None, keepdims=False, ord=2)
"""
FFT = """
    fft(x, /, *, n=None, axis=-1, norm="backward")
    ifft(x, /, *, n=None, axis=-1, norm="backward")
    rfft(x, /, *, n=None, axis=-1, norm="backward")
    irfft(x, /, *, n=None, axis=-1, norm="backward")
    hfft(x, /, *, n=None, axis=-1, norm="backward")
    ihfft(x, /, *, n=None, axis=-1, norm="backward")
    fftn(x, /, *, s=None, axes=None, norm="backward")
    ifftn(x, /, *, s=None, axes=None, norm="backward")
    rfftn(x, /, *, s=None, axes=None, norm="backward")
    irfftn(x, /, *, s=None, axes=None, norm="backward")
    fftfreq(n, /, *, d=1.0, dtype=None, device=None)
    rfftfreq(n, /, *, d=1.0, dtype=None, device=None)
    fftshift(x, /, *, axes=None)
    ifftshift(x, /, *, axes=None)
"""
STANDARD = [
    (room, line.strip().split("(")[0], "(" + line.strip().split("(", 1)[1])
    for room, text in (("linalg", LINALG), ("fft", FFT))
    for line in text.strip().splitlines()
]
# Names of the standard in the main namespace as well.
IN_BOTH = ["matmul", "matrix_transpose", "tensordot", "vecdot"]


def room_of(package, name):
    return getattr(package, name) if name else package


def same_default(theirs, ours):
    if theirs is ours or theirs == ours:
        return True
    # Ours is None where NumPy has a mark of its own, and where None means the same.
    return ours is None and (theirs is np._NoValue or theirs in ("backward", -1))


def lacking(theirs, ours):
    """The parameters of a signature that a call of the other does not take in the same way."""
    found = []
    places = [p for p in ours.parameters.values() if p.kind <= p.POSITIONAL_OR_KEYWORD]
    for i, (name, wanted) in enumerate(theirs.parameters.items()):
        if wanted.kind in (wanted.VAR_POSITIONAL, wanted.VAR_KEYWORD):
            if wanted.kind not in [p.kind for p in ours.parameters.values()]:
                found.append(name)
            continue
        own = ours.parameters.get(name)
        by_place = wanted.kind <= wanted.POSITIONAL_OR_KEYWORD
        if by_place:
            at_place = places[i] if i < len(places) else None
            own = at_place if wanted.kind == wanted.POSITIONAL_ONLY else own
            if own is None or at_place is not own:
                found.append(name)
                continue
        if own is None or (wanted.kind != wanted.POSITIONAL_ONLY and own.kind == 0):
            found.append(name)
        elif not same_default(wanted.default, own.default):
            found.append(f"{name}={wanted.default!r}")
    return found


@pytest.mark.parametrize("room", ROOMS)
def test_every_name_of_numpys_is_there(room):
    ours = room_of(tnp, room)
    names = [name for name in ROOMS[room] if hasattr(room_of(np, room), name)]
    assert [name for name in names if name not in ours.__all__] == []


@pytest.mark.skipif(
    np.lib.NumpyVersion(np.__version__) < "2.4.0", reason="signatures are those of NumPy 2.4"
)
@pytest.mark.parametrize(
    ("room", "name"), [(room, name) for room, names in ROOMS.items() for name in names]
)
def test_numpys_calls_are_taken(room, name):
    theirs, ours = (getattr(room_of(package, room), name) for package in (np, tnp))
    if isinstance(theirs, type):
        assert issubclass(ours, theirs)
        return
    left_out = lacking(inspect.signature(theirs), inspect.signature(ours))
    assert left_out == ([] if room else ON_PURPOSE.get(name, []))


@pytest.mark.parametrize(("room", "name", "signature"), STANDARD)
def test_the_standards_calls_are_taken(room, name, signature):
    wanted = inspect.signature(eval(f"lambda {signature[1:-1]}: None"))
    ours = getattr(tnp, room)
    assert name in ours.__all__
    assert lacking(wanted, inspect.signature(getattr(ours, name))) == []
    if name in IN_BOTH:
        assert lacking(wanted, inspect.signature(getattr(tnp, name))) == []
