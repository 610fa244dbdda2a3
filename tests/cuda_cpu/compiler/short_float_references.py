# SPDX-License-Identifier: MIT
"""What the functions of device_functions/half.txt and bfloat16.txt should give. Numbers are arrays
of 16-bit patterns; long double holds each of them exactly, and sums, products and quotients are
computed as fractions. Names are those of half: `bfloat162` becomes `half2` first."""

import dataclasses
import operator
import re
from fractions import Fraction

import numpy as np

L = np.longdouble
CUT = {"rn": np.rint, "rd": np.floor, "ru": np.ceil, "rz": np.trunc}


@dataclasses.dataclass(frozen=True)
class Format:
    """`digits` of the significand; the smallest number is 2**lowest."""

    digits: int
    lowest: int
    largest: float
    one: int

    def widen(self, bits):
        with np.errstate(invalid="ignore"):  # signalling NaNs
            if self.digits == 11:
                return bits.view(np.float16).astype(L)
            return (bits.astype(np.uint32) << 16).view(np.float32).astype(L)

    def narrow(self, x, mode="rn"):
        """The bits of long doubles, rounded once."""
        with np.errstate(all="ignore"):
            exponent = np.maximum(np.frexp(x)[1] - self.digits, self.lowest)
            value = np.where(
                np.isfinite(x), np.ldexp(CUT[mode](np.ldexp(x, -exponent)), exponent), x
            )
            over = np.isfinite(x) & (abs(value) > self.largest)
            toward_zero = {"rn": over & False, "rz": over, "rd": over & (x > 0)}.get(mode, x < 0)
            value = np.where(
                over, np.copysign(np.where(toward_zero, self.largest, np.inf), x), value
            )
            if self.digits == 11:
                return value.astype(np.float16).view(np.uint16)
            bits = value.astype(np.float32).view(np.uint32)
            return (bits >> 16).astype(np.uint16)

    def is_nan(self, bits):
        return np.isnan(self.widen(bits))


HALF = Format(11, -24, 65504.0, 0x3C00)
BFLOAT16 = Format(8, -133, float.fromhex("0x1.fep127"), 0x3F80)
NAN = np.uint16(0x7FFF)


def half_name(name):
    return name.replace("nv_bfloat16", "half").replace("bfloat16", "half")


def rounded_to_odd(compute, *numbers):
    """One element's operation on long doubles: exact where all are finite, else IEEE's."""
    rough = compute(*numbers)
    if not (np.isfinite(rough) and np.isfinite(numbers).all()):
        return rough
    exact = compute(*[Fraction(*n.as_integer_ratio()) for n in numbers])
    if exact == 0:
        return rough
    # 64 digits, the last of them odd if any follow: enough for any rounding to fewer.
    shift = 70 - (exact.numerator.bit_length() - exact.denominator.bit_length())
    scaled = abs(exact) * Fraction(2) ** shift
    whole = scaled.numerator // scaled.denominator
    drop = whole.bit_length() - 63
    odd = (whole >> drop) | ((whole & ((1 << drop) - 1)) != 0 or whole != scaled)
    value = np.ldexp(L(odd >> 32) * L(2) ** 32 + L(odd & 0xFFFFFFFF), drop - shift)
    return value if exact > 0 else -value


def arithmetic(form, compute, *operands):
    """The correctly rounded results of an operation, element by element."""
    flat = [form.widen(o.reshape(-1)) for o in operands]
    with np.errstate(all="ignore"):
        exact = [rounded_to_odd(compute, *row) for row in zip(*flat, strict=True)]
    return form.narrow(np.array(exact, L)).reshape(operands[0].shape)


ARITHMETIC = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "fma": lambda a, b, c: a * b + c,
}
SYMBOLS = {"+": "add", "-": "sub", "*": "mul", "/": "div"}


def saturated(form, bits):
    x = form.widen(bits)
    return np.where(x > 0, np.where(x > 1, np.uint16(form.one), bits), np.uint16(0))


def relu(form, bits):
    return np.where(form.widen(bits) <= 0, np.uint16(0), bits)


RELATIONS = {name: getattr(operator, name) for name in ("eq", "ne", "le", "ge", "lt", "gt")}
OPERATORS = {"==": "eq", "!=": "neu", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}


def holds(form, relation, a, b):
    x, y = form.widen(a), form.widen(b)
    unordered = np.isnan(x) | np.isnan(y)
    true = RELATIONS[relation[:2]](x, y)
    return true | unordered if relation.endswith("u") else true & ~unordered


def comparison(form, relation, shape, a, b):
    """`shape`: a truth value, one for both of a pair ("b"), numbers ("2") or masks ("mask")."""
    true = holds(form, relation, a, b)
    if shape == "b":
        return true.all(axis=1)
    if shape == "mask":
        return true[:, 0] * np.uint32(0xFFFF) | true[:, 1] * np.uint32(0xFFFF0000)
    return np.where(true, np.uint16(form.one), np.uint16(0)) if shape == "2" else true


def extreme(form, pick, keeps_nan, a, b):
    x, y = form.widen(a), form.widen(b)
    below = (x < y) | ((x == y) & np.signbit(x))
    result = np.where(below == (pick == "max"), b, a)
    result = np.where(np.isnan(x), b, np.where(np.isnan(y), a, result))
    neither = (np.isnan(x) | np.isnan(y)) if keeps_nan else (np.isnan(x) & np.isnan(y))
    return np.where(neither, NAN, result)


def to_integer(dtype, x, mode):
    """Saturating; NaN becomes 0, or the top bit where the integer has 64."""
    limits = np.iinfo(dtype)
    cut = CUT[mode](np.where(np.isnan(x), 0, x))
    low, high = cut <= L(limits.min), cut >= L(limits.max)
    inside = np.where(low | high, 0, cut).astype(dtype)
    result = np.where(low, dtype(limits.min), np.where(high, dtype(limits.max), inside))
    unknown = np.uint64(1 << 63).astype(dtype) if limits.bits == 64 else dtype(0)
    return np.where(np.isnan(x), unknown, result)


MATH = {name: getattr(np, name) for name in "ceil floor trunc rint sqrt exp exp2 log log2".split()}
MATH |= {name: getattr(np, name) for name in "log10 sin cos tanh".split()}
MATH |= {
    "rcp": lambda x: 1 / x,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "exp10": lambda x: L(10) ** x,
    "tanh_approx": np.tanh,
}


def math(form, name, bits):
    with np.errstate(all="ignore"):
        return form.narrow(MATH[name](form.widen(bits)))


def pair(x, y):
    return np.stack([x, y], axis=1)


def float_of(form, bits):
    return form.widen(bits).astype(np.float32)


PACKING = {
    "make_half2": lambda form, x, y: pair(x, y),
    "__halves2half2": lambda form, x, y: pair(x, y),
    "__half2": lambda form, *v: pair(*v) if len(v) == 2 else v[0],
    "__half2half2": lambda form, x: pair(x, x),
    "__floats2half2_rn": lambda form, x, y: form.narrow(pair(L(x), L(y))),
    "__float2half2_rn": lambda form, x: form.narrow(pair(L(x), L(x))),
    "__float22half2_rn": lambda form, v: form.narrow(L(v)),
    "__half22float2": float_of,
    "__low2float": lambda form, v: float_of(form, v[:, 0].copy()),
    "__high2float": lambda form, v: float_of(form, v[:, 1].copy()),
    "__low2half": lambda form, v: v[:, 0],
    "__high2half": lambda form, v: v[:, 1],
    "__low2half2": lambda form, v: v[:, [0, 0]],
    "__high2half2": lambda form, v: v[:, [1, 1]],
    "__lows2half2": lambda form, a, b: pair(a[:, 0], b[:, 0]),
    "__highs2half2": lambda form, a, b: pair(a[:, 1], b[:, 1]),
    "__lowhigh2highlow": lambda form, v: v[:, ::-1],
    "__hneg": lambda form, a: a ^ np.uint16(0x8000),
    "__habs": lambda form, a: a & np.uint16(0x7FFF),
    "__hisnan": lambda form, a: form.is_nan(a),
    "__hisnan2": lambda form, a: form.is_nan(a) * np.uint16(form.one),
    "__hisinf": lambda form, a: np.isinf(form.widen(a)) * np.where(a >> 15, -1, 1),
    "__hcmadd": lambda form, a, b, c: complex_step(form, a, b, c),
}
PACKING |= {"__hneg2": PACKING["__hneg"], "__habs2": PACKING["__habs"]}
LANES = np.arange(32)


def complex_step(form, a, b, c):
    def fma(x, y, z):
        return arithmetic(form, ARITHMETIC["fma"], x.copy(), y.copy(), z.copy())

    (ax, ay), (bx, by), (cx, cy) = a.T, b.T, c.T
    return pair(fma(ay ^ np.uint16(0x8000), by, fma(ax, bx, cx)), fma(ay, bx, fma(ax, by, cy)))


def shuffled(kind, values, amounts, width):
    """What lane i of each warp of 32 receives."""
    lane = np.tile(LANES, len(values) // 32)
    segment, place = lane & ~(width - 1), lane & (width - 1)
    source = {
        "": segment | (amounts & (width - 1)),
        "_up": np.where(place >= amounts, lane - amounts, lane),
        "_down": np.where(place + amounts < width, lane + amounts, lane),
        "_xor": np.where((lane ^ amounts) < segment + width, lane ^ amounts, lane),
    }[kind]
    return values[np.arange(len(values)) - lane + source]


def bits_of(form, function, values, mode="rn"):
    """Numbers of the last parameter's type as bits: patterns pass, others are rounded."""
    kind = function.parameters[-1]
    if "raw" in kind or kind == function.owner:
        return values
    if "half" in kind or "bfloat16" in kind:  # the other type of 16 bits
        return form.narrow((BFLOAT16 if form is HALF else HALF).widen(values), mode)
    return form.narrow(L(values), mode)


def compute(form, function, dtypes, *a):
    """The results of a DeviceFunction, in its own order; `dtypes` are NumPy's of its results."""
    name = half_name(function.name)
    if found := re.fullmatch(r"h2?(\w+)", name):
        return [math(form, found[1], *a)]
    if found := re.fullmatch(r"__h2?(add|sub|mul|div|fma)2?(_rn|_sat|_relu)?", name):
        result = arithmetic(form, ARITHMETIC[found[1]], *a)
        return [{"_sat": saturated, "_relu": relu}.get(found[2], lambda _, r: r)(form, result)]
    if found := re.fullmatch(r"__h(b?)((?:eq|ne|le|ge|lt|gt)u?)(2?)_?(mask)?", name):
        return [comparison(form, found[2], found[1] or found[4] or found[3], *a)]
    if found := re.fullmatch(r"__h(max|min)2?(_nan)?", name):
        return [extreme(form, found[1], found[2], *a)]
    if name in PACKING:
        return [PACKING[name](form, *a)]
    if found := re.fullmatch(r"__shfl(_\w+)?_sync", name):
        return [shuffled(found[1] or "", a[1], a[2].astype(np.int64), int(a[3][0]))]
    if name.startswith(("__ld", "__st")):
        return [a[0]]
    if name == "atomicAdd":
        return [a[0], arithmetic(form, operator.add, *a)]
    return (
        [conversion(form, function, dtypes, a)]
        if "operator" not in name
        else operators(form, function, dtypes, name, a)
    )


def conversion(form, function, dtypes, a):
    name = half_name(function.name)
    if re.fullmatch(r"__\w+_as_\w+", name):
        return a[0].view(dtypes[0])
    if found := re.fullmatch(r"__half2\w+_(r[nduz])", name):
        return to_integer(dtypes[0], form.widen(a[0]), found[1])
    if name == "__half2float":
        return float_of(form, a[0])
    mode = re.fullmatch(r".*_(r[nduz])", name)
    return bits_of(form, function, a[0], mode[1] if mode else "rn")


def operators(form, function, dtypes, name, a):
    symbol = name.partition("operator")[2]
    if symbol in OPERATORS:
        return [comparison(form, OPERATORS[symbol], "b" if a[0].ndim == 2 else "", *a)]
    if symbol in ("++", "--"):
        one = np.full_like(a[0], form.one)
        after = arithmetic(form, ARITHMETIC[SYMBOLS[symbol[0]]], a[0], one)
        return [a[0], after] if len(a) == 2 else [after]
    if symbol == "=":
        return [bits_of(form, function, a[0])]
    if symbol[0] in SYMBOLS and len(a) == 1:
        return [a[0] ^ np.uint16(0x8000) if symbol == "-" else a[0]]
    if symbol[0] in SYMBOLS:
        return [arithmetic(form, ARITHMETIC[SYMBOLS[symbol[0]]], *a)]
    if "raw" in symbol:
        return [a[0]]
    if symbol.strip() == "bool":
        return [(a[0] & 0x7FFF) != 0]
    if symbol.strip() == "float":
        return [float_of(form, a[0])]
    return [to_integer(dtypes[0], form.widen(a[0]), "rz")]
