# SPDX-License-Identifier: MIT
"""SciPy's own tests of sparse arrays, with treadle.sparse in the place of scipy.sparse. What tests
look at comes to the host; lists of lists and dictionaries of keys stay SciPy's."""

import os

import numpy as np
import pytest

import treadle
from treadle import sparse as ours

theirs = pytest.importorskip("scipy.sparse.tests.test_base")

DEVICE = treadle.find_device(os.environ.get("TREADLE_DEVICE", "cpu"))

# Why a test of SciPy's is not one of ours.
DIFFERENT = {
    "operators in place make another matrix": ("test_inplace", "imul", "idiv", "astype_immutable"),
    "vectors are dense": (
        "get_horiz_slice", "get_vert_slice", "None_slicing", "slicing_2", "slicing_3",
        "ellipsis_slicing", "ellipsis_fancy", "fancy_indexing", "test_iterator",
        "non_unit_stride_2d_indexing", "dtype_preservation", "minmax_axis", "multidim",
        "test_resize", "self_self_assignment", "nanminmax",
        "test_fancy_indexing_ndarray", "container_type", "fancy_indexing_randomized",
    ),
    "data beyond the offsets, and casts that warn, are refused": (
        "constructor5", "constructor6", "from_list", "constructor1", "test_getnnz",
    ),
    "booleans have no sign, powers are numbers, and right to a digit": (
        "test_neg", "test_pow", "elementwise_power", "tocoo_gh10050",
    ),
    "copies are not told by objects": (
        "test_copy", "test_astype", "reshape_copy", "pickle",
        "eliminate_zeros_all_zero", "setdiag_dtype",
    ),
    "solvers and exponentials are others": ("test_solve", "test_expm", "test_inv"),
    "the text is our own": ("test_repr", "test_str", "test_bad_index", "test_missized_masking"),
    "there are no lists of lists and dictionaries of keys": (
        "sparse_format_conversions", "todok", "tolil", "size_zero_conversions",
    ),
    "what is a class there": ("add_sparse", "sub_sparse", "matmul_dia", "from_sparse"),
    "what is in order is not noted": ("setdiag_noconvert", "setdiag_cooconvert", "sorted_indices",
                                      "sort_indices", "canonical_format",
                                      "fancy_assign_ndarray", "sequence_assignment"),
    "NumPy's functions and ufuncs take arrays": (
        "ufunc", "test_numpy_", "_out", "invalid_param", "invalid_params", "test_transpose",
        "test_todense", "test_toarray",
    ),
    "indices have the dtype that they need": ("idx_dtype", "largecol", "test_constructor4"),
    "objects of others": (
        "custom_type", "test_empty_arithmetic", "rmul_scalar_type_error",
        "test_dtype_check", "large_dimensions", "count_nonzero", "generic_alias", "subscriptable",
        "test_argmax", "test_minmax",
    ),
}  # fmt: skip


def on_host(x):
    if isinstance(x, treadle.Array):
        host = x.get()
        return host[()] if host.ndim == 0 else host
    if isinstance(x, ours.sparray):
        return Seen(x)
    return tuple(map(on_host, x)) if isinstance(x, tuple) else x


def inside(x):
    if isinstance(x, Seen):
        return x.matrix
    return type(x)(map(inside, x)) if type(x) in (tuple, list) else x


class Seen:
    """A matrix of ours whose results are NumPy's."""

    __array_priority__ = 1000.0
    __array_ufunc__ = None

    def __init__(self, matrix, **keywords):
        self.matrix = matrix
        if keywords:
            with DEVICE:
                self.matrix = type(matrix.matrix)(matrix.matrix, **keywords)

    def __getattr__(self, name):
        found = getattr(self.matrix, name)
        if not callable(found):
            return on_host(found)

        def call(*arguments, **keywords):
            words = {k: inside(v) for k, v in keywords.items()}
            with DEVICE:
                made = found(*map(inside, arguments), **words)
            return self if made is self.matrix else on_host(made)

        return call

    def __bool__(self):
        return bool(self.matrix)

    def __setattr__(self, name, value):
        if name == "matrix":
            return object.__setattr__(self, name, value)
        with DEVICE:
            setattr(self.matrix, name, inside(value))

    __hash__ = object.__hash__


def operation(name):
    def apply(self, *others):
        function = getattr(type(self.matrix), name, None)
        if function is None:
            return NotImplemented
        with DEVICE:
            return on_host(function(self.matrix, *map(inside, others)))

    return apply


OPERATIONS = (
    "add radd sub rsub mul rmul truediv rtruediv matmul rmatmul pow neg abs round "
    "eq ne lt le gt ge getitem setitem iter len"
)
for _name in OPERATIONS.split():
    setattr(Seen, f"__{_name}__", operation(f"__{_name}__"))


def maker(name):
    made = getattr(ours, name)

    def make(*arguments, **keywords):
        with DEVICE:
            return Seen(made(*map(inside, arguments), **keywords))

    make.__name__ = name
    return make


FORMATS = ("csr", "csc", "coo", "bsr", "dia")
for _format in FORMATS:
    _make = maker(f"{_format}_array")
    setattr(theirs, f"{_format}_array", _make)
    setattr(theirs._TestCommon, f"{_format}_container", staticmethod(_make))
theirs.supported_dtypes = theirs._TestCommon.math_dtypes = (
    np.bool_, np.int_, np.float64, np.complex128
)  # fmt: skip
theirs.sparray = Seen
theirs.issparse = lambda x: isinstance(x, Seen)


@pytest.fixture(autouse=True)
def _applies(request):
    name = request.node.name
    for reason, words in DIFFERENT.items():
        if any(word in name for word in words):
            pytest.skip(reason)


class TestCSR(theirs.TestCSR):
    math_dtypes = [np.bool_, np.int_, np.float64, np.complex128]


class TestCSC(theirs.TestCSC):
    pass


class TestCOO(theirs.TestCOO):
    spcreator = staticmethod(theirs.coo_array)


class TestDIA(theirs.TestDIA):
    spcreator = staticmethod(theirs.dia_array)


class TestBSR(theirs.TestBSR):
    spcreator = staticmethod(theirs.bsr_array)


for _class in (TestCSR, TestCSC, TestCOO, TestDIA, TestBSR):
    _class.init_class()
