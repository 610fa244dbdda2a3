# SPDX-License-Identifier: MIT
"""NumPy dtypes and OpenCL C's names for them: a registry of this face's own."""

from treadle.pyopencl._c_names import (  # noqa: F401
    _INTEGERS,
    DTYPE_TO_NAME,
    NAME_TO_DTYPE,
    TYPE_REGISTRY,
    DTypeRegistry,
    TypeNameNotKnown,
    _UnknownTypeName,
    dtype_to_ctype,
    fill_registry_with_c99_complex_types,
    fill_registry_with_c99_stdint_types,
    fill_registry_with_c_types,
    fill_registry_with_opencl_c_types,
    get_or_register_dtype,
    parse_c_arg_backend,
    register_dtype,
)
