# SPDX-License-Identifier: MIT
"""The text of every operation, compiled and run on every device in its own language, and compared
with NumPy: exact operations to the bit, the others to the digits that OpenCL promises."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

import treadle
from treadle._core.codegen import _texts as texts

sys.path.insert(0, str(Path(__file__).resolve().parent))
import op_oracle as oracle  # noqa: E402

DEVICES = [device.id for device in treadle.devices()]
OPS = texts.operations()
KERNEL = {
    "CUDA C": ('extern "C" __global__ void', "", "blockIdx.x * blockDim.x + threadIdx.x"),
    "OpenCL C": ("__kernel void", "__global ", "get_global_id(0)"),
}
SLOT = 16  # bytes a result may have


class Program:
    """A kernel of steps, each of which gives one array of results."""

    def __init__(self, language):
        self.language, self.steps, self.results = language, [], []

    def add(self, dtype, expression):
        of = self.language
        index = len(self.results)
        place = f"(({self.space}{texts.stored_type(dtype, of)} *)(out + {index * SLOT} * n))[i]"
        self.steps.append(
            f"  {{\n    {texts.value_type(dtype, of)} result = {expression};\n"
            f"    {texts.store_text(dtype, place, 'result', of)};\n  }}"
        )
        self.results.append(dtype)

    @property
    def space(self):
        return KERNEL[str(self.language)][1]

    def text(self, inputs):
        begin, space, where = KERNEL[str(self.language)]
        declared = [
            f"{space}{texts.stored_type(d, self.language)} *{name}s" for name, d in inputs.items()
        ]
        loads = [
            f"  {texts.value_type(d, self.language)} {name} = "
            f"{texts.load_text(d, name + 's[i]', self.language)};"
            for name, d in inputs.items()
        ]
        body = "\n".join([*loads, *self.steps])
        byte = texts.stored_type("uint8", self.language)
        return (
            texts.exact_preamble(self.language)
            + texts.device_functions(body, self.language)
            + f"{begin} k({', '.join(declared)}, {space}{byte} *out, unsigned n)\n{{\n"
            + f"  unsigned i = {where};\n  if (i >= n) return;\n{body}\n}}\n"
        )

    def run(self, device, **inputs):
        n = len(next(iter(inputs.values())))
        source = self.text({name: str(values.dtype) for name, values in inputs.items()})
        flags = texts.exact_flags(self.language)
        if device.traits.exact_division and (flag := texts.exact_division_flag(self.language)):
            flags.append(flag)
        program = treadle.Program(device, source, flags=flags)
        out = treadle.Buffer(device, max(1, len(self.results)) * SLOT * n)
        buffers = [treadle.Buffer(device, np.ascontiguousarray(v)) for v in inputs.values()]
        program.kernel("k")(*buffers, out, np.uint32(n), groups=(n + 63) // 64, group_size=64)
        device.default_stream().synchronize()
        host = np.empty((len(self.results), SLOT * n), np.uint8)
        out.copy_to(host)
        return [
            row[: np.dtype(dtype).itemsize * n].view(dtype)
            for row, dtype in zip(host, self.results, strict=True)
        ]


@pytest.fixture(params=DEVICES)
def device(request):
    return treadle.find_device(request.param)


def operands_of(dtype, arity, special=False):
    values = oracle.values_of(dtype, special)
    if arity == 1:
        return values, values
    a, b = np.meshgrid(values, values)
    return a.ravel(), b.ravel()


def expected_of(name, arity, a, b, condition):
    """The results, the dtype they have, and whether they are exact."""
    function = oracle.operation(name)
    operands = (condition, a, b) if arity == 3 else (a, b)[:arity]
    dtype = str(a.dtype)
    with np.errstate(all="ignore"):
        narrow = function(*operands)
        is_wide = name in oracle.ULPS or (dtype in oracle.COMPLEX and narrow.dtype != bool)
        if not is_wide or dtype not in oracle.WIDER or name == "where":
            return narrow, str(narrow.dtype)
        wide = [v.astype(oracle.WIDER[dtype]) for v in operands]
        return function(*wide), str(narrow.dtype)


def ops_of(dtype, arities):
    taken = [(n, a) for n, a in OPS if a in arities and texts.has_op_text(n, dtype)]
    return [
        (n, a) for n, a in taken if n != "ldexp" and (n != "make_complex" or dtype != "float16")
    ]


def run_ops(device, dtype, arities, special=False):
    """[(name, operands, got, expected)]"""
    arity = max(arities)
    a, b = operands_of(dtype, arity, special)
    condition = np.arange(len(a)) % 3 == 0
    program, cases = Program(device.language), []
    for name, count in ops_of(dtype, arities):
        expected, result_dtype = expected_of(name, count, a, b, condition)
        values = (
            [("c", "bool"), ("a", dtype), ("b", dtype)]
            if count == 3
            else ([("a", dtype), ("b", dtype)][:count])
        )
        program.add(result_dtype, texts.op_text(name, values, device.language))
        cases.append((name, expected))
    got = program.run(device, a=a, b=b, c=condition)
    return [(name, (a, b)[:arity], g, e) for (name, e), g in zip(cases, got, strict=True)]


def ulps_between(got, expected):
    """How many numbers of got's dtype lie between, not rounded; 0 where both are the same infinity
    or both are NaN."""
    with np.errstate(all="ignore"):
        near = expected.astype(got.dtype)
        step = np.spacing(np.abs(near)).astype(expected.dtype)
        # Beyond the largest number the next one would be a step away.
        top = np.finfo(got.dtype).max
        last = 2 * np.spacing(top / 2)  # NumPy's of the largest number itself is infinite
        step = np.where(np.isinf(near), last, np.minimum(step, last))
        value = got.astype(expected.dtype)
        beyond = np.copysign(expected.dtype.type(top) + last, value)
        distance = np.abs(np.where(np.isinf(got), beyond, value) - expected) / step
        same = (got == near) | (np.isnan(got) & np.isnan(near))
    return np.where(same, 0, np.where(np.isnan(distance), np.inf, distance))


def worst_of(name, operands, got, expected):
    error = ulps_between(got, expected)
    if name in ("lgamma", "logaddexp", "logaddexp2"):
        # Near their zeros the digits are those of what is added up.
        least = np.maximum(np.abs(expected), 1)
        if name != "lgamma":
            least = np.maximum(least, np.minimum(np.abs(operands[0]), np.abs(operands[1])))
        with np.errstate(all="ignore"):
            scale = np.spacing(least.astype(got.dtype)) / np.spacing(np.abs(got))
        error = np.where(np.isfinite(scale), error / np.maximum(scale, 1), error)
    worst = int(np.argmax(error))
    return error[
        worst
    ], f"{name}{tuple(str(o[worst]) for o in operands)} = {got[worst]!s}, not {expected[worst]!s}"


def same_bits(got, expected, zeros):
    same = (got == expected) | ((got != got) & (expected != expected))
    if zeros and got.dtype.kind == "f":
        same &= (np.signbit(got) == np.signbit(expected)) | (got != 0)
    return same


# Which of two zeros is the smaller NumPy leaves open.
ANY_ZERO = {"minimum", "maximum", "fmin", "fmax", "nextafter", "reciprocal"}


@pytest.mark.parametrize("arities", [(1,), (2, 3)], ids=["unary", "binary"])
@pytest.mark.parametrize("dtype", ["bool", *oracle.INTEGERS, *oracle.FLOATS])
def test_operations_give_what_numpy_gives(device, dtype, arities):
    wrong = []
    for name, operands, got, expected in run_ops(device, dtype, arities):
        if name in oracle.ULPS and dtype in oracle.FLOATS:
            # A float16 is computed in float and then rounded.
            bound = 1 if dtype == "float16" else oracle.ULPS[name]
            error, what = worst_of(name, operands, got, expected)
            if not error <= bound:
                wrong.append(f"{what}: {error:.2f} ulp")
            continue
        assert got.dtype == expected.dtype, name
        same = same_bits(got, expected, name not in ANY_ZERO)
        if not same.all():
            i = int(np.argmin(same))
            wrong.append(
                f"{name}{tuple(str(o[i]) for o in operands)} = {got[i]!s}, "
                f"not {expected[i]!s}; {np.count_nonzero(~same)} of {len(same)}"
            )
    assert not wrong, "\n" + "\n".join(wrong)


# ---- complex numbers


def relative_error(got, expected, dtype):
    """Of the number as a whole, in units of its last digit; beyond what the dtype holds none."""
    info = np.finfo(dtype)
    with np.errstate(all="ignore"):
        size = np.abs(expected)
        error = np.abs(got.astype(expected.dtype) - expected) / np.maximum(size, info.tiny)
        open_end = ~(size < info.max / 8)
    return np.where(open_end, 0, np.where(np.isnan(error), np.inf, error)) / info.eps


def bound_of(name, operands, eps):
    # The last digit of an exponent counts as often as it is large.
    with np.errstate(all="ignore"):
        if name == "exp2":
            return 12 + np.abs(operands[0])
        return 12 + (4 * np.abs(operands[1] * np.log(operands[0])) if name == "power" else 0)


@pytest.mark.parametrize("arities", [(1,), (2, 3)], ids=["unary", "binary"])
@pytest.mark.parametrize("dtype", oracle.COMPLEX)
def test_complex_numbers_are_as_near_as_their_size_allows(device, dtype, arities):
    wrong = []
    for name, operands, got, expected in run_ops(device, dtype, arities):
        if expected.dtype == bool:
            error, bound = np.where(got == expected, 0, np.inf), 0
        else:
            error = relative_error(got, expected, dtype)
            bound = bound_of(name, operands, np.finfo(dtype).eps)
        bad = error > bound
        if bad.any():
            i = int(np.argmax(np.where(bad, error, 0)))
            wrong.append(
                f"{name}{tuple(str(o[i]) for o in operands)} = {got[i]!s}, not "
                f"{expected[i]!s}: {error[i]:.1f}; {np.count_nonzero(bad)} of {len(bad)}"
            )
    assert not wrong, "\n" + "\n".join(wrong)


def kinds(values):
    """Of both parts: NaN, either infinity, or finite. C leaves the sign beside a NaN open."""
    parts = [values.real, values.imag] if np.iscomplexobj(values) else [values]
    kinds = [np.where(np.isnan(p), 2, np.where(np.isinf(p), np.sign(p), 0)) for p in parts]
    return np.where(np.max(kinds, 0) == 2, np.abs(kinds), kinds)


@pytest.mark.parametrize("dtype", oracle.COMPLEX)
def test_infinities_and_nan_among_complex_numbers(device, dtype):
    wrong = []
    for name, (a,), got, expected in run_ops(device, dtype, (1,), special=True):
        same = got == expected if got.dtype == bool else (kinds(got) == kinds(expected)).all(0)
        for i in np.flatnonzero(~same):
            wrong.append(f"{name}({a[i]}) = {got[i]!s}, not {expected[i]!s}")
    assert not wrong, "\n" + "\n".join(wrong)


# ---- dtypes side by side


def cut(values, dtype):
    """Floats as integers: to the nearest of 32 and 64 bits, the lowest bits of narrower ones."""
    wide = dtype if np.dtype(dtype).itemsize >= 4 else "int32"
    info = np.iinfo(wide)

    def one(value):
        return 0 if np.isnan(value) else int(np.clip(np.trunc(value), info.min, info.max))

    limits = {"int64": 2**63 - 1, "uint64": 2**64 - 1}
    whole = [
        min(one(v), limits.get(wide, info.max))
        if np.isfinite(v) or np.isnan(v)
        else (info.max if v > 0 else info.min)
        for v in values
    ]
    return np.array(whole, wide).astype(dtype)


def cast(values, dtype):
    with np.errstate(all="ignore"):
        if dtype == "bool":
            return values != 0
        if dtype not in oracle.COMPLEX:
            values = values.real
        if values.dtype.kind == "f" and dtype in oracle.INTEGERS:
            return cut(values.astype(np.float64), dtype)
        return values.astype(dtype)


def all_values(dtype):
    values = oracle.values_of(dtype)
    if dtype in oracle.FLOATS:
        beyond = [2.0**p * s for p in (7, 8, 15, 16, 31, 32, 63, 64) for s in (1, -1, 0.999, -1.01)]
        halfway = [2049.0000001, 2051, 65519.99, 65520, 2.0**-25, 2.0**-25 * 1.0000000001]
        with np.errstate(over="ignore"):
            values = np.concatenate([values, beyond, halfway]).astype(dtype)
    return values


@pytest.mark.parametrize("source", oracle.DTYPES)
def test_casts_give_what_numpy_gives_or_the_nearest(device, source):
    values = all_values(source)
    program = Program(device.language)
    for dtype in oracle.DTYPES:
        program.add(dtype, texts.cast_text("a", source, dtype, device.language))
    for dtype, got in zip(oracle.DTYPES, program.run(device, a=values), strict=True):
        expected = cast(values, dtype)
        same = same_bits(got, expected, zeros=True)
        i = int(np.argmin(same))
        assert same.all(), f"{values[i]!s} as {dtype} = {got[i]!s}, not {expected[i]!s}"


def test_literals_are_read_as_the_number_they_are(device):
    program, expected = Program(device.language), []
    for dtype in oracle.DTYPES:
        for value in all_values(dtype)[:60]:
            program.add(dtype, texts.literal_text(dtype, value.tobytes(), device.language))
            expected.append(value)
    for got, value in zip(program.run(device, a=np.zeros(1, np.float32)), expected, strict=True):
        parts = [(got[0].real, value.real), (got[0].imag, value.imag)]
        for a, b in parts:
            assert (a == b and np.signbit(a) == np.signbit(b)) or (a != a and b != b), (got, value)


@pytest.mark.parametrize("dtype", oracle.DTYPES)
def test_elements_of_vectors_are_read_and_set(device, dtype):
    of = device.language
    widths = [w for w in (1, 2, 4) if texts.vector_type(dtype, w, of)]
    if not widths:
        assert dtype == "complex128" or np.dtype(dtype).itemsize > 8
        return
    width = max(widths)
    values = oracle.values_of(dtype)
    values = values[: len(values) // width * width]
    kind, (begin, space, where) = texts.vector_type(dtype, width, of), KERNEL[str(of)]
    mirror = "\n".join(
        f"  {texts.vector_store_text(dtype, 'to', k, 'e', of)};".replace(
            "  ",
            f"  {{ {texts.value_type(dtype, of)} e = "
            f"{texts.vector_load_text(dtype, 'from', width - 1 - k, of)}; ",
            1,
        )
        + " }"
        for k in range(width)
    )
    body = f"{{\n  {kind} from = x[{where}], to;\n{mirror}\n  z[{where}] = to;\n}}\n"
    program = treadle.Program(
        device,
        texts.device_functions(body, of) + f"{begin} k({space}{kind} *x, {space}{kind} *z)\n{body}",
    )
    x, z = treadle.Buffer(device, values), treadle.Buffer(device, values.nbytes)
    program.kernel("k")(x, z, groups=len(values) // width, group_size=1)
    device.default_stream().synchronize()
    got = np.empty_like(values)
    z.copy_to(got)
    expected = values.reshape(-1, width)[:, ::-1].ravel()
    assert same_bits(got, expected, zeros=True).all()


COMPARISONS = ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"]


@pytest.mark.parametrize("order", [("int64", "uint64"), ("uint64", "int64")], ids="-".join)
def test_integers_with_and_without_sign_are_compared_as_numbers(device, order):
    a, b = np.meshgrid(*(oracle.integers_of(dtype) for dtype in order))
    a, b = a.ravel(), b.ravel()
    program = Program(device.language)
    for name in COMPARISONS:
        operands = [("a", order[0]), ("b", order[1])]
        program.add("bool", texts.op_text(name, operands, device.language))
    for name, got in zip(COMPARISONS, program.run(device, a=a, b=b), strict=True):
        assert (got == getattr(np, name)(a, b)).all(), name


@pytest.mark.parametrize("exponents", ["int32", "int64"])
@pytest.mark.parametrize("dtype", oracle.FLOATS)
def test_ldexp_takes_every_exponent(device, dtype, exponents):
    a, b = np.meshgrid(oracle.floats_of(dtype), oracle.integers_of(exponents))
    a, b = a.ravel(), b.ravel()
    program = Program(device.language)
    operands = [("a", dtype), ("b", exponents)]
    program.add(dtype, texts.op_text("ldexp", operands, device.language))
    (got,) = program.run(device, a=a, b=b)
    with np.errstate(all="ignore"):
        expected = np.ldexp(a, np.clip(b, -9999, 9999).astype(np.int32))
    assert same_bits(got, expected, zeros=True).all()


def test_floats_are_computed_with_as_floats(device):
    """A function that took a double would be as exact, and many times slower."""
    program, names = Program(device.language), []
    for name, arity in OPS:
        if not texts.has_op_text(name, "float32") or name in ("make_complex", "ldexp"):
            continue
        operands = [("a", "float32")] * arity
        if arity == 3:
            operands[0] = ("c", "bool")
        text = texts.op_text(name, operands, device.language)
        program.add("uint8", f"sizeof({text}) <= 4")
        names.append(name)
    got = program.run(device, a=np.ones(1, np.float32), c=np.ones(1, bool))
    assert [name for name, result in zip(names, got, strict=True) if not result[0]] == []


def test_products_are_rounded_before_they_are_added(device):
    # Exactly, the sum is what rounding cut off the product.
    a = np.float32(1 + 2.0**-23) * np.ones(1, np.float32)
    program = Program(device.language)
    program.add("float32", "a * a + b")
    assert program.run(device, a=a, b=-(a * a))[0][0] == 0


@pytest.mark.parametrize("dtype", oracle.DTYPES)
def test_nvrtc_takes_the_text_of_every_operation(dtype):
    cuda = treadle.Language.cuda_c
    program = Program(cuda)
    for name, arity in OPS:
        if texts.has_op_text(name, dtype):
            operands = (
                [("c", "bool"), ("a", dtype), ("b", dtype)]
                if arity == 3
                else ([("a", dtype), ("b", "int32" if name == "ldexp" else dtype)][:arity])
            )
            result = texts.op_text(name, operands, cuda)
            number = len(program.steps)
            program.steps.append(f"  auto r{number} = {result};")
            if dtype in ("float16", "float32") and name != "make_complex":
                program.steps.append(f'  static_assert(sizeof(r{number}) <= 4, "{name}");')
    source = program.text({"a": dtype, "b": dtype, "c": "bool"})
    try:
        compiled = treadle.compile.compile_cuda(
            source, treadle.compile.Target("sm_90"), flags=texts.exact_flags(cuda)
        )
    except treadle.LibraryNotFound as error:
        pytest.skip(str(error))
    # NVRTC's remarks on names are not on the operations: their results are not used.
    warnings = re.findall(r"warning #\d+-D: (?!variable .* but never)(.*)", compiled.log)
    assert not warnings
