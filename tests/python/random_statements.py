# SPDX-License-Identifier: MIT
"""Programs of statements on arrays, drawn: views, changes through them, results that wait.

A program has three arrays to begin with, a, b and c; each statement binds a name of NAMES or
changes what one stands for. It is drawn with the shapes that NumPy's arrays have by then.
"""

import re

import numpy as np

DTYPES = "f4 f8 i4 i8 u1 i2 u4 u8 ? c8 c16 i1 f2 u2".split()
NAMES = "abcdxyz"
NUMBERS = (
    "2 -1 3.5 0 1j True np.float32(2.5) np.int8(3) np.uint8(200) 300 -3 1e10 np.float64(.1) "
    "2**40 2**70 np.nan np.inf None [1,2,3] [[2],[3]] (1,2.5)"
).split()
# {} is a name, {n} a number, {k} a key; what is rounded the same on all devices comes first.
EXACT = """
np.abs({})|-{}|~{}|np.floor({})|{}.T|{}.copy()|{}.ravel()|np.sign({})|np.square({})|{}**2
np.conj({})|{}.real|{}.imag|np.logical_not({})|np.rint({})|np.isnan({})|{}.astype('f4')
{}.astype('f8')|np.flip({})|np.isfinite({})|np.real({})|np.imag({})|np.positive({})|np.trunc({})
np.signbit({})|{}.astype('u1')|{}.astype('i4')|{}.reshape(-1)|{}.swapaxes(0, -1)|{} + {}|{} - {}
{} * {}|{} // {}|{} % {}|np.maximum({}, {})|np.minimum({}, {})|{} < {}|{} == {}|{} >= {}|{} == {n}
np.where({} > 1, {}, 2)|{} & {}|{} {o} {}|{} | {}|{} ^ {}|np.copysign({}, {})|np.fmod({}, {})
np.logical_and({}, {})|np.add({}, {}, dtype='f8')|np.stack([{}, {}])|np.concatenate([{}, {}])
np.outer({}, {})|{} << ({} & 3)|np.fmax({}, {})|np.heaviside({}, {})
np.gcd({}, {})|np.lcm({}, {})|{} {o} {n}|{n} {o} {}|{} {o} {n}|np.maximum({}, {n})|np.add({n}, {n})
np.clip({}, {n}, {n})|np.broadcast_to({}, (2, *{}.shape))|np.full_like({}, {n})|np.atleast_2d({})
np.moveaxis({}, 0, -1)|np.roll({}, 1)|np.tile({}, 2)|np.take({}, [0, -1])|np.zeros_like({})
np.sum({}{a})|np.max({}{a})|np.min({}{a})|np.any({}{a})|np.all({}{a})|np.argmax({}{a})
np.argmin({}{a})|np.count_nonzero({}{a})|np.cumsum({})|np.ptp({}{a})|np.nanmax({}{a})
"""
ROUNDED = """
{}**{n}|{} / {}|np.sqrt(np.abs({}))|np.sin({})|np.exp({}/8)|{}**3|{}**0.5|{}**-1|np.angle({})
np.tanh({})|np.reciprocal({})|np.nan_to_num({})|np.cbrt({})|np.log1p(np.abs({}))|np.hypot({}, {})
np.sqrt({n})|np.arctan2({}, {})|np.power({}, {})|np.float_power({}, {})
np.divmod({}, {})[0]|np.divmod({}, {})[1]
np.nextafter({}, {})|np.isclose({}, {})|np.ldexp({}, {})|np.mean({}{a})|np.prod({}{a})|np.std({}{a})
np.var({}{a})|np.nansum({}{a})|np.cumprod({})|np.nanmean({}{a})|np.average({}{a})
"""
CHANGES = """
{}[{k}] = {n}|{}[{k}] += {n}|{} += {n}|{} *= {n}|{} -= {}|{} += {}|{}[{k}] = {}|{}[{} > 1] = {n}
{}[...] = {}|np.add({}, {}, out={})|{}[{k}] *= 2|{}.fill({n})|{} //= {n}|{} **= 2|{} %= {n}
np.copyto({}, {})|np.multiply({}, {n}, out={})|{}[::-1] = {}|{} <<= 1|{} |= 1|{} &= {}|{} -= {n}
np.clip({}, -2, 3, out={})|np.negative({}, out={})|np.less({}, {}, out={})|{}.clip(0, 2, out={})
{}[{k}] = {}[{k}]|{}[{k}], {}[{k}] = {}[{k}], {}[{k}]|{} = {}; {} += {n}|np.add({n}, {n}, out={})
np.add({}, {n}, out={}, where={} > 0)|{}.T[...] = {n}|{}.flat[0] = {n}|{}.reshape(-1)[0] = {n}
"""
REBINDING = re.compile(r"\{\}( [^ ]+=|.*;)")


class Statements:
    """Draws them, by a generator of NumPy's; on request those that round, too."""

    def __init__(self, rng, rounds):
        self.rng = rng
        self.forms = self._forms(EXACT) + (self._forms(ROUNDED) * 2 if rounds else [])
        self.changes = self._forms(CHANGES)

    @staticmethod
    def _forms(text):
        """Forms are separated by "|" and ends of lines; " |" belongs to an operator."""
        return re.split(r"(?<! )\||\n", text.strip())

    def pick(self, choices):
        return choices[int(self.rng.integers(len(choices)))]

    def array(self):
        rng, dtype = self.rng, np.dtype(self.pick(DTYPES))
        few, many = [3, 4, 5], [0, 1, 2, 3, 5, 7, 17]
        rank = self.pick([1, 1, 2, 2, 3, 0])
        shape = tuple(self.pick(many if rng.random() < 0.3 else few) for _ in range(rank))
        values = rng.integers(0 if dtype.kind == "u" else -20, 20, shape)
        if dtype.kind == "c":
            values = values % 9 + 1j * rng.integers(-9, 9, shape)
        elif dtype.kind == "f":
            values = values / 4
        elif dtype.kind == "b":
            values = values > 0
        return np.asarray(values).astype(dtype)

    def key(self, shape):
        rng, parts = self.rng, []
        for n in shape:
            kind = rng.random()
            if kind < 0.3 and n:
                parts.append(str(rng.integers(-n, n)))
            elif kind < 0.7:
                ends = [self.pick(["", str(rng.integers(-n - 1, n + 2))]) for _ in range(2)]
                parts.append(":".join([*ends, self.pick(["", "", "1", "2", "-1", "-2", "3"])]))
            elif kind < 0.76:
                parts += ["None", ":"]
            elif kind < 0.82 and n:
                parts.append(f"[{rng.integers(-n, n)}, {rng.integers(-n, n)}]")
            else:
                parts.append(":")
        if rng.random() < 0.2:
            parts = [*parts[:-1], *(["..."] if rng.random() < 0.5 else [])]
        return ", ".join(parts) or "..."

    def axis(self, rank):
        options = (
            [""] + [f", axis={axis}" for axis in range(-rank, rank)] + [", axis=0, keepdims=True"]
        )
        return self.pick(options)

    def filled(self, form, shapes):
        text, name = "", "a"
        while form:
            if form.startswith("{}"):
                name = self.pick(list(shapes))
                text += name
            elif form.startswith("{n}"):
                text += self.pick(NUMBERS)
            elif form.startswith("{k}"):
                text += self.key(shapes[name])
            elif form.startswith("{a}"):
                text += self.axis(len(shapes[name]))
            elif form.startswith("{o}"):
                text += self.pick(["+", "-", "*", "//", "%", "<", "==", "&", "|"])
            else:
                text, form = text + form[0], form[1:]
                continue
            form = form[form.index("}") + 1 :]
        return text

    def next(self, variables):
        shapes = {name: np.shape(value) for name, value in variables.items()}
        kind = self.rng.random()
        if kind < 0.5:
            return f"{self.pick(NAMES)} = {self.filled(self.pick(self.forms), shapes)}"
        if kind < 0.65:
            return f"{self.pick(NAMES)} = {self.filled('{}[{k}]', shapes)}"
        form = self.pick(self.changes)
        if not REBINDING.match(form):  # nothing changes a number
            arrays = [name for name in shapes if isinstance(variables[name], np.ndarray)]
            if not arrays:
                return self.next(variables)
            shapes = {name: shapes[name] for name in arrays}
        return self.filled(form, shapes)


def run(statement, variables, namespace):
    """The variables after it; they are those before it where it raises."""
    scope = {"np": namespace, **variables}
    exec(statement, scope)
    return {name: scope[name] for name in NAMES if name in scope}
