# SPDX-License-Identifier: MIT
"""SciPy's own tests of iterative solvers, with those of treadle.sparse.linalg in their place."""

import os
import re

import numpy as np
import pytest

import treadle
from treadle import sparse
from treadle.sparse import linalg

solvers = pytest.importorskip("scipy.sparse.linalg._isolve")
DEVICE = treadle.find_device(os.environ.get("TREADLE_DEVICE", "cpu"))

# Why a test of SciPy's is not one of ours.
DIFFERENT = {
    "GMRES warns of nothing, and its callbacks are told of x where no norms are asked for": (
        r"test_maxiter.*gmres\]", r"^test_callback(_type)?$",
    ),
    "the residual is computed once more": ("test_precond_inverse",),
    "solvers that Treadle has not": (r"[-\[](bicg|cgs|gcrotmk|lgmres|qmr|tfqmr)\]",),
}  # fmt: skip
OURS = ("cg", "bicgstab", "gmres", "minres")


def on_host(x):
    return x.get() if isinstance(x, treadle.Array) else x


def operand(given):
    """A matrix of ours, or an operator around somebody's functions of arrays of the host."""
    if given is None or not hasattr(given, "matvec"):
        return given if given is None else sparse.csr_array(given)
    return linalg.LinearOperator(
        given.shape, matvec=lambda x: given.matvec(on_host(x)), dtype=given.dtype
    )


def ours(name):
    def solve(A, b, x0=None, *, M=None, callback=None, **words):
        if callback is not None:
            words["callback"] = lambda x: callback(on_host(x))
        with DEVICE:
            x, info = getattr(linalg, name)(operand(A), np.asarray(b), x0, M=operand(M), **words)
            return on_host(x), int(info)

    solve.__name__ = name
    return solve


for _name in OURS:
    setattr(solvers, _name, ours(_name))
theirs = pytest.importorskip("scipy.sparse.linalg._isolve.tests.test_iterative")
NAMES = ("test", "Test", "case", "solver")
globals().update({k: v for k, v in vars(theirs).items() if k.startswith(NAMES)})


@pytest.fixture(autouse=True)
def _applies(request):
    for reason, patterns in DIFFERENT.items():
        if any(re.search(pattern, request.node.name) for pattern in patterns):
            pytest.skip(reason)
