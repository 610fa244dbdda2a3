# SPDX-License-Identifier: MIT
"""Structures: the device's layout is found, and is NumPy's from then on."""

import numpy as np
import pyopencl as cl
import pyopencl.array as cl_array
import pyopencl.cltypes as cltypes
import pyopencl.tools as tools
import pytest

MIXED = np.dtype([("flag", np.int8), ("value", np.float32), ("id", np.int64), ("tail", np.uint16)])


def test_offsets_are_the_devices(device):
    matched, text = tools.match_dtype_to_c_struct(device, "mixed_t", MIXED)
    assert [matched.fields[name][1] for name in MIXED.names] == [0, 4, 8, 16]
    assert matched.itemsize == 24 and matched.names == MIXED.names
    assert text.split() == (
        "typedef struct { char flag; float value; long id; ushort tail; } mixed_t;".split()
    )


def test_results_are_remembered(device, context):
    first = tools.match_dtype_to_c_struct(device, "kept_t", MIXED, context=context)
    assert tools.match_dtype_to_c_struct(device, "kept_t", MIXED, context=context) is first


def test_arguments_by_keyword(device, context):
    names = {"name": "named_t", "dtype": np.dtype([("a", np.int8), ("named", np.int64)])}
    first = tools.match_dtype_to_c_struct(device=device, **names, context=context)
    assert tools.match_dtype_to_c_struct(device, *names.values(), context) is first
    assert tools.match_dtype_to_c_struct(device, **names, context=context) is first
    registered = tools.get_or_register_dtype("named_t", first[0])
    text = tools.dtype_to_c_struct(dtype=registered, device=device)
    assert text == first[1]
    assert tools.dtype_to_c_struct(device, registered) is text


def test_arrays_vectors_and_structures_inside(device, queue, build):
    inner, inner_c = tools.match_dtype_to_c_struct(
        device, "inner_t", np.dtype([("a", np.int8), ("b", cltypes.float4)])
    )
    inner = tools.get_or_register_dtype("inner_t", inner)
    assert (inner.itemsize, inner.fields["b"][1]) == (32, 16)
    outer, outer_c = tools.match_dtype_to_c_struct(
        device, "outer_t", np.dtype([("n", np.int16), ("m", np.float32, (2, 3)), ("in", inner, 2)])
    )
    knl = build(
        inner_c + outer_c + "__kernel void f(__global outer_t *x) "
        "{ x->n = 7; x->m[1][2] = 0.5f; x->in[1].b.w = 9; x->in[0].a = -1; }"
    ).f
    host = np.zeros(1, outer)
    memory = cl.Buffer(queue.context, 1 | 32, hostbuf=host)
    knl(queue, (1,), None, memory)
    cl.enqueue_copy(queue, host, memory)
    assert host["n"][0] == 7 and host["m"][0, 1, 2] == 0.5 and host["m"].sum() == 0.5
    assert host["in"][0, 1]["b"]["w"] == 9 and host["in"][0, 0]["a"] == -1
    array = cl_array.to_device(queue, np.zeros(1, outer))
    knl(queue, (1,), None, array.data)
    assert array.get() == host


def test_complex_fields(device):
    matched, text = tools.match_dtype_to_c_struct(
        device, "wave_t", np.dtype([("n", np.int32), ("z", np.complex64)])
    )
    assert (matched.itemsize, matched.fields["z"][1]) == (12, 4)
    assert "cfloat_t z;" in text


def test_declarations_of_registered_types(device):
    matched, text = tools.match_dtype_to_c_struct(device, "listed_t", MIXED)
    registered = tools.get_or_register_dtype("listed_t", matched)
    assert tools.dtype_to_c_struct(device, registered) == text
    assert tools.dtype_to_c_struct(device, np.float32) == ""
    assert tools.dtype_to_c_struct(device, cltypes.float3) == ""


def test_a_layout_of_numpys_own_is_not_taken_for_the_devices(device):
    packed = tools.get_or_register_dtype(
        "packed_t", np.dtype([("flag", np.int8), ("value", np.float64)])
    )
    with pytest.raises(AssertionError, match="lays"):
        tools.dtype_to_c_struct(device, packed)


def test_what_is_no_structure_is_refused(device):
    with pytest.raises(ValueError, match="no fields"):
        tools.match_dtype_to_c_struct(device, "x_t", np.float32)
    with pytest.raises(ValueError, match="unable to map"):
        tools.match_dtype_to_c_struct(device, "x_t", np.dtype([("h", np.float16)]))
