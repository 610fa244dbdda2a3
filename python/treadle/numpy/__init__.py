# SPDX-License-Identifier: MIT
"""NumPy's names for arrays on a device.

    import treadle.numpy as tnp

    x = tnp.linspace(0, 1, 1000)
    y = 5 * x + 6 * tnp.sin(x)      # one kernel, when y is looked at
    print(y)

Functions take arrays, NumPy's numbers, and Python's, which take on the dtype of arrays they meet.
They return at once: shape and dtype are known, and are refused where they do not fit.
"""

from __future__ import annotations

from numpy import (
    base_repr,
    binary_repr,
    bool_,
    broadcast_shapes,
    cdouble,
    complex64,
    complex128,
    csingle,
    double,
    e,
    errstate,
    euler_gamma,
    float16,
    float32,
    float64,
    half,
    index_exp,
    inf,
    int8,
    int16,
    int32,
    int64,
    int_,
    intp,
    isscalar,
    iterable,
    nan,
    ndindex,
    newaxis,
    pi,
    s_,
    single,
    typename,
    uint,
    uint8,
    uint16,
    uint32,
    uint64,
    uintp,
)

from treadle import random
from treadle._core.array import Array, evaluate

from . import (
    _counting,
    _creation,
    _dtypes,
    _editing,
    _element_functions,
    _elementwise,
    _files,
    _grids,
    _host_functions,
    _indexing,
    _inspection,
    _joining,
    _linear_algebra,
    _manipulation,
    _order_statistics,
    _polynomials,
    _selection,
    _sets,
    _signal,
    _sorting,
    _statistics,
    fft,
    linalg,
)
from ._counting import *
from ._creation import *
from ._dtypes import *
from ._editing import *
from ._element_functions import *
from ._elementwise import *
from ._files import *
from ._grids import *
from ._host_functions import *
from ._indexing import *
from ._inspection import *
from ._inspection import __array_api_version__ as __array_api_version__
from ._inspection import __array_namespace_info__ as __array_namespace_info__
from ._joining import *
from ._linear_algebra import *
from ._manipulation import *
from ._order_statistics import *
from ._polynomials import *
from ._selection import *
from ._sets import *
from ._signal import *
from ._sorting import *
from ._statistics import *

ndarray = Array
bool = bool_  # the array API's name


__all__ = [
    "Array",
    "base_repr",
    "binary_repr",
    "bool",
    "bool_",
    "broadcast_shapes",
    "complex64",
    "complex128",
    "e",
    "euler_gamma",
    "float16",
    "float32",
    "float64",
    "inf",
    "int8",
    "int16",
    "int32",
    "int64",
    "isscalar",
    "iterable",
    "nan",
    "newaxis",
    "pi",
    "typename",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "cdouble",
    "csingle",
    "double",
    "errstate",
    "half",
    "index_exp",
    "int_",
    "intp",
    "ndindex",
    "s_",
    "single",
    "uint",
    "uintp",
    "evaluate",
    "fft",
    "linalg",
    "ndarray",
    "random",
    *_counting.__all__,
    *_creation.__all__,
    *_dtypes.__all__,
    *_editing.__all__,
    *_element_functions.__all__,
    *_elementwise.__all__,
    *_files.__all__,
    *_grids.__all__,
    *_host_functions.__all__,
    *_indexing.__all__,
    *_inspection.__all__,
    *_joining.__all__,
    *_linear_algebra.__all__,
    *_manipulation.__all__,
    *_order_statistics.__all__,
    *_polynomials.__all__,
    *_selection.__all__,
    *_sets.__all__,
    *_signal.__all__,
    *_sorting.__all__,
    *_statistics.__all__,
]
