# SPDX-License-Identifier: MIT
"""Structures that NumPy and a device lay out alike: the device is asked where its fields lie."""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle.pyopencl import _cl
from treadle.pyopencl._c_names import dtype_to_ctype
from treadle.pyopencl._caches import first_arg_dependent_memoize
from treadle.pyopencl._copy import enqueue_copy
from treadle.pyopencl._program import Program
from treadle.pyopencl._vector_types import vec_type_to_scalar_and_count

# Size and alignment are those of the types in PyOpenCL's header for complex numbers.
_COMPLEX = """
typedef struct { float real, imag; } cfloat_t;
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64: enable
typedef struct { double real, imag; } cdouble_t;
#endif
"""


def _fields(dtype: np.dtype) -> list[tuple[str, np.dtype, tuple[int, ...]]]:
    """The name, element dtype and lengths of each field, in their order in memory."""
    table: Any = dtype.fields or {}
    names = sorted(dtype.names or (), key=lambda name: table[name][1])
    return [(name, table[name][0].base, table[name][0].shape) for name in names]


def _is_struct(dtype: np.dtype) -> bool:
    return dtype.names is not None and dtype not in vec_type_to_scalar_and_count


def parts_of(dtype: np.dtype) -> list[np.dtype]:
    """The types that the declaration of a type names, each behind those it needs, itself last."""
    found: list[np.dtype] = []
    if _is_struct(dtype):
        for _, element, _ in _fields(dtype):
            found += parts_of(element)
    return list(dict.fromkeys([*found, dtype]))


def _declaration(name: str, dtype: np.dtype) -> str:
    lines = []
    for field, element, shape in _fields(dtype):
        lengths = "".join(f"[{length}]" for length in shape)
        lines.append(f"  {dtype_to_ctype(element)} {field}{lengths};")
    return "\n".join(["typedef struct {", *lines, f"}} {name};"]) + "\n\n"


def _probe(name: str, dtype: np.dtype, declaration: str) -> str:
    """Makes a kernel that stores the structure's size and the offset of each field."""
    known = "".join(
        _declaration(dtype_to_ctype(part), part)
        for part in parts_of(dtype)[:-1]
        if _is_struct(part)
    )
    stores = "".join(
        f"  result[{i}] = (uint) ((__local char *) &dummy.{field} - (__local char *) &dummy);\n"
        for i, (field, _, _) in enumerate(_fields(dtype), 1)
    )
    return (
        f"{_COMPLEX}{known}{declaration}__kernel void layout(__global uint *result) {{\n"
        f"  __local {name} dummy;\n  result[0] = (uint) sizeof({name});\n{stores}}}\n"
    )


def _ask(device: Any, source: str, count: int, context: Any) -> list[int]:
    context = context or _cl.Context([device])
    queue = _cl.CommandQueue(context, device)
    result = np.empty(count, np.uint32)
    memory = _cl.Buffer(context, _cl.mem_flags.WRITE_ONLY, result.nbytes)
    program = Program(context, source).build(devices=[device])
    _cl.Kernel(program, "layout")(queue, (1,), (1,), memory)
    enqueue_copy(queue, result, memory)
    return [int(number) for number in result]


def match_dtype_to_c_struct(
    device: Any, name: str, dtype: Any, context: Any = None
) -> tuple[np.dtype, str]:
    """The dtype with the device's offsets and size, and the structure's typedef in OpenCL C."""
    # The cache is behind a plain signature, so that callers may pass the device by keyword.
    return _matched(device, name, np.dtype(dtype), context)


@first_arg_dependent_memoize
def _matched(device: Any, name: str, dtype: np.dtype, context: Any) -> tuple[np.dtype, str]:
    fields = _fields(dtype)
    if not fields:
        raise ValueError(f"{dtype} has no fields, so it is no structure")
    declaration = _declaration(name, dtype)
    size, *offsets = _ask(device, _probe(name, dtype, declaration), len(fields) + 1, context)
    ends = [
        offset + element.itemsize * int(np.prod(shape, dtype=np.int64))
        for offset, (_, element, shape) in zip(offsets, fields, strict=True)
    ]
    if ends[-1] > size or any(end > start for end, start in zip(ends, offsets[1:], strict=False)):
        raise RuntimeError(f"{device.name} puts the fields of {name} at {offsets} in {size} bytes")
    layout: Any = {
        "names": [field for field, _, _ in fields],
        "formats": [(element, shape) if shape else element for _, element, shape in fields],
        "offsets": offsets,
        "itemsize": size,
    }
    return np.dtype(layout), declaration


def dtype_to_c_struct(device: Any, dtype: Any) -> str:
    """The typedef of a registered structure; empty for what OpenCL C knows by itself."""
    return _declared(device, np.dtype(dtype))


@first_arg_dependent_memoize
def _declared(device: Any, dtype: np.dtype) -> str:
    if not _is_struct(dtype):
        return ""
    of_device, text = match_dtype_to_c_struct(device, dtype_to_ctype(dtype), dtype)
    assert of_device == dtype, f"{device.name} lays {dtype} out as {of_device}"
    return text
