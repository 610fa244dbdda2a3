# SPDX-License-Identifier: MIT
"""What the functions of device_functions/simd.txt should give: NumPy on arrays of the parts of a
word, in 64 bits, then cut to the part's width."""

import operator
import re

import numpy as np


def parts(words, bits, signed):
    """[word] -> [word][part], lowest part first, as 64-bit integers."""
    dtype = np.dtype(f"{'i' if signed else 'u'}{bits // 8}")
    return words.view(dtype).reshape(len(words), -1).astype(np.int64)


def word(values, bits):
    """The parts' low bits side by side: [word][part] -> [word]."""
    return values.astype(f"u{bits // 8}").reshape(-1).view(np.uint32)


def saturated(values, bits, signed):
    low = -(1 << bits - 1) if signed else 0
    return np.clip(values, low, low + (1 << bits) - 1)


def rounded_half(total):
    """Half of a sum, halves away from zero."""
    return np.where(total < 0, -((1 - total) // 2), (total + 1) // 2)


PLAIN = {
    "add": operator.add,
    "sub": operator.sub,
    "absdiff": lambda x, y: abs(x - y),
    "avg": lambda x, y: rounded_half(x + y),
    "hadd": lambda x, y: (x + y) // 2,
    "max": np.maximum,
    "min": np.minimum,
    "neg": lambda x: -x,
    "abs": abs,
}
COMPARISONS = {name: getattr(operator, name) for name in "eq ne ge gt le lt".split()}


def by_parts(name, *words):
    """__vadd2 and its like."""
    kind, count = name[3:-1], int(name[-1])
    bits = 32 // count
    found = re.fullmatch("(cmp|set)(..)(s|u)?", kind)
    if found:
        what, relation, sign = found.groups()
        true = COMPARISONS[relation](*[parts(w, bits, sign == "s") for w in words])
        return (word(np.where(true, -1 if what == "cmp" else 1, 0), bits),)
    if kind in ("sads", "sadu"):
        x, y = (parts(w, bits, kind == "sads") for w in words)
        return (abs(x - y).sum(axis=1).astype(np.uint32),)
    base, sign = re.fullmatch(
        "(add|sub|absdiff|avg|hadd|max|min|neg|abs)(ss|us|s|u)?", kind
    ).groups()
    signed = sign in ("ss", "s") or base in ("neg", "abs")
    values = PLAIN[base](*[parts(w, bits, signed) for w in words])
    return (word(saturated(values, bits, signed) if sign in ("ss", "us") else values, bits),)


def picks(name, *words):
    """__viaddmax_s16x2_relu and its like; __vib... also say which argument was picked."""
    found = re.fullmatch(r"__vi(add|b)?(max|min)3?_(s|u)(16x2|32)(_relu)?", name)
    prefix, pick, sign, shape, relu = found.groups()
    bits, signed = int(shape[:2]), sign == "s"
    values = [parts(w, bits, signed) for w in words]
    if prefix == "add":  # the sum wraps before anything is compared
        values = [parts(word(values[0] + values[1], bits), bits, signed), values[2]]
    result = values[0]
    for value in values[1:]:
        result = PLAIN[pick](result, value)
    results = [word(np.maximum(result, 0) if relu else result, bits).view(words[0].dtype)]
    if prefix == "b":
        first = (values[0] >= values[1]) if pick == "max" else (values[0] <= values[1])
        results += [first[:, k] for k in reversed(range(first.shape[1]))]
    return results


def compute(name, *words):
    """The results of `name` for arrays of words, in the function's own order."""
    return (picks if name.startswith("__vi") else by_parts)(name, *words)
