# SPDX-License-Identifier: MIT
"""Properties that hold for every input, against NumPy, the struct module or a model of a few lines.

The examples are the same in each run, so that a failure is that of a change.
"""

import struct

import numpy as np
import pycuda._pvt_struct as pvt_struct
import pycuda.driver as cuda
import pytest
from pycuda.compiler import SourceModule
from pycuda.tools import DeviceMemoryPool

from treadle._core import codegen

hypothesis = pytest.importorskip("hypothesis")
from hypothesis import strategies as some  # noqa: E402 - only where it is installed

examples = hypothesis.settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture],
)

# --- packed structures ---------------------------------------------------------------------------

INTEGERS = {"b": 8, "B": 8, "h": 16, "H": 16, "i": 32, "I": 32, "l": 64, "L": 64, "q": 64, "Q": 64}


def value_of(code):
    if code in INTEGERS:
        bits = INTEGERS[code]
        low = -(1 << bits - 1) if code.islower() else 0
        return some.integers(low, low + (1 << bits) - 1)
    if code == "?":
        return some.booleans()
    return some.floats(width=32 if code == "f" else 64, allow_nan=False)


@some.composite
def formats(draw):
    """A native format of the struct module and values for it."""
    fmt, values = "", []
    for code in draw(some.lists(some.sampled_from([*INTEGERS, "?", "f", "d", "x"]), max_size=8)):
        count = draw(some.integers(1, 3))
        fmt += code if count == 1 else f"{count}{code}"
        if code != "x":
            values += [draw(value_of(code)) for _ in range(count)]
    return fmt, tuple(values)


@examples
@hypothesis.given(formats())
def test_structures_are_laid_out_as_the_struct_module_does(made):
    fmt, values = made
    assert pvt_struct.calcsize(fmt) == struct.calcsize("@" + fmt)
    packed = pvt_struct.pack(fmt, *values)
    assert packed == struct.pack("@" + fmt, *values)
    assert pvt_struct.unpack(fmt, packed) == struct.unpack("@" + fmt, packed)


@examples
@hypothesis.given(formats(), some.integers(0, 9), some.integers(0, 9))
def test_packing_into_a_buffer_touches_nothing_else(made, before, behind):
    fmt, values = made
    size = pvt_struct.calcsize(fmt)
    buffer = bytearray(b"\xa5" * (before + size + behind))
    pvt_struct.pack_into(fmt, buffer, before, *values)
    assert buffer[:before] == b"\xa5" * before
    assert buffer[before + size :] == b"\xa5" * behind
    assert bytes(buffer[before : before + size]) == pvt_struct.pack(fmt, *values)
    assert pvt_struct.unpack_from(fmt, buffer, before) == values


@examples
@hypothesis.given(some.sampled_from(sorted(INTEGERS)), some.integers(-(2**70), 2**70))
def test_an_integer_is_packed_or_refused_as_the_struct_module_does(code, value):
    try:
        packed = struct.pack("@" + code, value)
    except struct.error:
        with pytest.raises((pvt_struct.error, OverflowError)):
            pvt_struct.pack(code, value)
    else:
        assert pvt_struct.pack(code, value) == packed


# --- declarations --------------------------------------------------------------------------------

NAMES = some.from_regex(r"[a-z][a-z0-9_]{0,9}", fullmatch=True).filter(
    lambda name: (
        name not in {"const", "volatile", "restrict", "int", "long", "short", "char"}
        and name not in {"float", "double", "unsigned", "signed", "global", "local", "constant"}
    )
)
BLANKS = some.sampled_from([" ", "  ", "\t", "\n", " /* why */ ", " // why\n"])


@examples
@hypothesis.given(
    some.sampled_from(["float", "unsigned int", "long long", "pycuda::complex<double>", "size_t"]),
    NAMES,
    some.booleans(),
    some.booleans(),
    BLANKS,
)
def test_a_declaration_is_read_whatever_stands_between_its_words(kind, name, pointer, const, blank):
    words = (["const"] if const else []) + kind.split() + (["*"] if pointer else []) + [name]
    (declaration,) = codegen.parse_declarations(blank.join(words))
    assert (declaration.type, declaration.name) == (kind, name)
    assert declaration.is_pointer == pointer


@examples
@hypothesis.given(some.text(alphabet="ab1*&,;()[]<>:=/ \n\"'_", max_size=20))
def test_what_is_no_declaration_is_refused(text):
    try:
        declarations = codegen.parse_declarations(text)
    except ValueError as error:
        assert str(error)
    else:
        for declaration in declarations:
            assert declaration.name.isidentifier() and declaration.type


# --- memory --------------------------------------------------------------------------------------

AREAS = some.tuples(some.integers(1, 12), some.integers(1, 12), some.integers(0, 6))


@some.composite
def boxes(draw, dimensions):
    """Shapes of a source and a destination, and a box that fits at an offset into both."""
    box = [draw(some.integers(0 if i else 1, 6)) for i in range(dimensions)]
    places = [[draw(some.integers(0, 4)) for _ in range(dimensions)] for _ in range(2)]
    shapes = [
        [size + offset + draw(some.integers(0, 4)) for size, offset in zip(box, place, strict=True)]
        for place in places
    ]
    return box, places, [[max(1, size) for size in shape] for shape in shapes]


def cut(place, box):
    return tuple(slice(start, start + size) for start, size in zip(place, box, strict=True))


@examples
@hypothesis.given(some.lists(some.integers(0, 255), min_size=1, max_size=300))
def test_bytes_come_back(context, values):
    host = np.array(values, np.uint8)
    back = np.zeros_like(host)
    memory = cuda.to_device(host)
    cuda.memcpy_dtoh(back, memory)
    assert (back == host).all()
    other = cuda.mem_alloc(host.nbytes)
    cuda.memcpy_dtod(other, memory, host.nbytes)
    assert (cuda.from_device(other, host.shape, host.dtype) == host).all()


@examples
@hypothesis.given(boxes(2))
def test_rectangles_are_copied_as_numpy_slices(context, made):
    box, (source_at, target_at), (source_shape, target_shape) = made
    source = np.arange(np.prod(source_shape), dtype=np.uint8).reshape(source_shape)
    expected = np.full(target_shape, 200, np.uint8)
    memory = cuda.to_device(expected)
    copy = cuda.Memcpy2D()
    copy.set_src_host(source)
    copy.set_dst_device(memory)
    copy.src_y, copy.src_x_in_bytes = source_at
    copy.dst_y, copy.dst_x_in_bytes = target_at
    copy.src_pitch, copy.dst_pitch = source_shape[1], target_shape[1]
    copy.height, copy.width_in_bytes = box
    copy(aligned=False)
    expected[cut(target_at, box)] = source[cut(source_at, box)]
    assert (cuda.from_device(memory, target_shape, np.uint8) == expected).all()


@examples
@hypothesis.given(boxes(3))
def test_boxes_are_copied_as_numpy_slices(context, made):
    box, (source_at, target_at), (source_shape, target_shape) = made
    source = np.arange(np.prod(source_shape), dtype=np.uint32).astype(np.uint8)
    source = source.reshape(source_shape)
    expected = np.full(target_shape, 200, np.uint8)
    memory = cuda.to_device(expected)
    copy = cuda.Memcpy3D()
    copy.set_src_host(source)
    copy.set_dst_device(memory)
    copy.src_z, copy.src_y, copy.src_x_in_bytes = source_at
    copy.dst_z, copy.dst_y, copy.dst_x_in_bytes = target_at
    copy.src_pitch, copy.dst_pitch = source_shape[2], target_shape[2]
    copy.src_height, copy.dst_height = source_shape[1], target_shape[1]
    copy.depth, copy.height, copy.width_in_bytes = box
    copy()
    expected[cut(target_at, box)] = source[cut(source_at, box)]
    assert (cuda.from_device(memory, target_shape, np.uint8) == expected).all()


@examples
@hypothesis.given(some.sampled_from([8, 16, 32]), AREAS, some.integers(0, 255))
def test_fills_stay_within_their_area(context, bits, area, value):
    height, width, gap = area
    dtype = np.dtype(f"u{bits // 8}")
    expected = np.full((height, width + gap), 77, dtype)
    memory = cuda.to_device(expected)
    fill = getattr(cuda, f"memset_d2d{bits}")
    fill(memory, expected.strides[0], value, width, height)
    expected[:, :width] = value
    assert (cuda.from_device(memory, expected.shape, dtype) == expected).all()


# --- the pool ------------------------------------------------------------------------------------


@examples
@hypothesis.given(some.lists(some.one_of(some.integers(1, 5000), some.none(), some.just(0))))
def test_a_pool_counts_what_it_has(context, steps):
    """A number allocates so many bytes, None frees the oldest, 0 gives held blocks back."""
    pool, live, block = DeviceMemoryPool(), [], None
    for step in steps:
        if step is None:
            if live:
                live.pop(0).free()
        elif step == 0:
            pool.free_held()
            assert pool.held_blocks == 0
        else:
            block = pool.allocate(step)
            assert len(block) >= step
            live.append(block)
        assert pool.active_blocks == len(live)
        assert pool.managed_bytes >= pool.active_bytes
        addresses = sorted((int(block), len(block)) for block in live)
        ends = [address + size for address, size in addresses]
        following = [address for address, _ in addresses[1:]]
        assert all(end <= start for end, start in zip(ends, following, strict=False))
    del live, block
    pool.stop_holding()
    assert (pool.held_blocks, pool.active_blocks, pool.managed_bytes) == (0, 0, 0)


# --- arguments -----------------------------------------------------------------------------------

TAKES = """
struct All { long long a, b, c, d, e; float f; double g; };
__global__ void take(All *out, signed char a, unsigned short b, int c, unsigned int d, long long e,
                     float f, double g)
{ All all = {a, b, c, d, e, f, g}; *out = all; }
"""
ALL = np.dtype([(name, "i8") for name in "abcde"] + [("f", "f4"), ("g", "f8")], align=True)
PARAMETERS = (
    ("i1", some.integers(-(2**7), 2**7 - 1)),
    ("u2", some.integers(0, 2**16 - 1)),
    ("i4", some.integers(-(2**31), 2**31 - 1)),
    ("u4", some.integers(0, 2**32 - 1)),
    ("i8", some.integers(-(2**63), 2**63 - 1)),
    ("f4", some.floats(width=32, allow_nan=False)),
    ("f8", some.floats(allow_nan=False)),
)


@pytest.fixture
def take(context):
    return SourceModule(TAKES).get_function("take")


@pytest.mark.parametrize("way", ["plain", "prepared"])
@examples
@hypothesis.given(some.tuples(*(values for _, values in PARAMETERS)))
def test_arguments_arrive_as_they_were_given(take, way, values):
    scalars = [
        np.dtype(kind).type(value) for (kind, _), value in zip(PARAMETERS, values, strict=True)
    ]
    out = cuda.mem_alloc(ALL.itemsize)
    if way == "plain":
        take(out, *scalars, block=(1, 1, 1))
    else:
        take.prepare([np.intp, *(np.dtype(kind).type for kind, _ in PARAMETERS)])
        take.prepared_call((1, 1), (1, 1, 1), out, *scalars)
    found = cuda.from_device(out, (), ALL)
    assert [found[name][()] for name in "abcdefg"] == scalars
