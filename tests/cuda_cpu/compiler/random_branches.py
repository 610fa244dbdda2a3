# SPDX-License-Identifier: MIT
"""Random statements behind branches, made of what a vectoriser may compute for some lanes only, or
for one lane on behalf of all: division, loads, calls and conversions of what is the same for all
threads, counts along them, or is a thread's own; as a value, and as an address of each kind of
memory. An index is as small as its memory without being cut, where that is known: what cuts it
hides from a compiler what it is.

A text names t, NT, n (0..6), in[8 * NT], ct[64], `names`, and what `memory` has of s1[NT], shared,
and la[16], the thread's own: with it, loops over threads are not vectorised."""

SIZES = {  # element -> bytes
    "unsigned": 4,
    "int": 4,
    "unsigned char": 1,
    "signed char": 1,
    "unsigned short": 2,
    "short": 2,
    "unsigned long long": 8,
}
WORDS_OF_THREAD = 8


class Bounded:
    """An expression, and the largest number that it can be."""

    def __init__(self, text, most):
        self.text, self.most = text, most


class Branches:
    def __init__(self, rng, threads, names, memory):
        self.rng, self.threads, self.names, self.memory = rng, threads, names, memory
        self.count = 0

    def pick(self, *choices):
        return self.rng.choice(choices)

    def name(self):
        return self.rng.choice(self.names)

    # Numbers with a bound.

    def number(self):
        nt, name = self.threads, self.name()
        return self.pick(
            Bounded("n", 6),
            Bounded("(n + 3u)", 9),
            Bounded("(n * NT)", 6 * nt),
            Bounded("77u", 77),
            Bounded("blockIdx.x", 2),
            Bounded("t", nt - 1),
            Bounded("t", nt - 1),
            Bounded("(t + n)", nt + 5),
            Bounded("(2u * t + 1u)", 2 * nt),
            Bounded(f"({name} & 31u)", 31),
            Bounded("(in[t] & 63u)", 63),
        )

    def divisor(self):
        """Never zero."""
        return self.pick(
            Bounded("(n + 1u)", 7),
            Bounded("(n | 1u)", 7),
            Bounded("(4u - n / 2u)", 4),
            Bounded("NT", self.threads),
            Bounded("(t + 1u)", self.threads),
            Bounded(f"(({self.name()} & 3u) + 1u)", 4),
            Bounded("((in[t] & 7u) | 1u)", 7),
        )

    def quotient(self):
        x, y = self.pick(self.number, self.number, self.index)(), self.divisor()
        kind = self.pick("{}", "{}", "(int)({})", "(unsigned long long)({})", "(long long)({})")
        operator = self.pick("/", "%")
        most = x.most if operator == "/" else min(x.most, y.most - 1)
        return Bounded(f"(unsigned)({kind.format(x.text)} {operator} {kind.format(y.text)})", most)

    def index(self, depth=0):
        if depth > 1 or self.rng.random() < 0.15:
            return self.number()
        form = self.rng.randint(-5, 9)
        if form < 4:
            return self.quotient()
        if form == 4:
            x, y = self.index(depth + 1), self.index(depth + 1)
            return Bounded(f"({x.text} + {y.text})", x.most + y.most)
        if form == 5:  # row by row
            y = self.divisor()
            text = f"(t / {y.text} * {y.text} + t % {y.text})"
            return Bounded(text, self.threads - 1)
        if form == 6:
            x, y = self.index(depth + 1), self.index(depth + 1)
            call = self.pick("min", "max")
            return Bounded(f"{call}({x.text}, {y.text})", max(x.most, y.most))
        if form == 7:
            x = self.within(self.index(depth + 1), WORDS_OF_THREAD * self.threads)
            return Bounded(f"(in[{x}] & 15u)", 15)
        if form == 8:
            x = self.index(depth + 1)
            call = self.pick("__popc({})", "__clz({})", "__ffs({})")
            return Bounded(f"(unsigned){call.format(x.text)}", 32)
        x, y = self.within(self.number(), 1 << 20), self.divisor()
        real = self.pick("fmodf((float)({0}), (float)({1}))", "fmod((double)({0}), (double)({1}))")
        return Bounded(f"(unsigned)({real.format(x, y.text)})", y.most)

    def within(self, number, size):
        if number.most < size:
            return number.text
        return self.pick("({0}) % {1}u", "min({0}, {1}u - 1u)").format(number.text, size)

    # What is behind the branch.

    def value(self):
        """Of type unsigned."""
        form, index = self.rng.randint(0, 9), self.index()
        if form < 5:
            element = self.pick(*SIZES)
            limit = WORDS_OF_THREAD * self.threads * 4 // SIZES[element]
            array = "in" if element == "unsigned" else f"((const {element}*)in)"
            return f"(unsigned){array}[{self.within(index, limit)}]"
        if form == 5 and "la" in self.memory:
            return f"la[{self.within(index, 16)}]"
        if form == 6:
            return f"ct[{self.within(index, 64)}]"
        if form == 7 and "s1" in self.memory:
            return f"s1[{self.within(index, self.threads)}]"
        if form == 8:
            return f"(unsigned)(int)((float)({index.text}) * 1.5f)"
        return index.text

    def condition(self):
        nt, name = self.threads, self.name()
        return self.pick(
            f"t == {self.rng.randint(0, nt - 1)}u",
            f"t > {self.rng.randint(0, 9)}u",
            "(t & 1u)",
            "t % 3u == 1u",
            f"{name} & {1 << self.rng.randint(0, 3)}",
            f"{name} % 5u > 2u",
            "t < n * 9u",
            f"{self.index().text} > {self.rng.randint(0, 9)}u",
            f"(n > 2u && t > {self.rng.randint(0, 9)}u)",
        )

    def action(self):
        if "la" in self.memory and self.rng.random() < 0.3:
            return f"la[{self.within(self.index(), 16)}] {self.pick('=', '+=')} {self.value()};"
        return f"{self.name()} {self.pick('+=', '^=', '=')} {self.value()};"

    def plain_branch(self):
        return self.pick(
            f"if ({self.condition()}) {{ {self.action()} }}",
            f"{self.name()} = {self.condition()} ? {self.value()} : 1u;",
        )

    def branch(self):
        """One statement."""
        i = f"b{self.count}"
        self.count += 1
        c, c2, act = self.condition(), self.condition(), self.action
        turns = self.pick("5u", "n", f"({self.name()} & 3u)")
        return self.pick(
            lambda: f"if ({c}) {{ {act()} }}",
            lambda: f"if ({c}) {{ {act()} {act()} }}",
            lambda: f"if ({c}) {{ {act()} }} else {{ {act()} }}",
            lambda: f"{self.name()} ^= {c} ? {self.value()} : {self.pick('1u', self.value())};",
            lambda: f"if ({c}) {{ {act()} if ({c2}) {{ {act()} }} else {{ {act()} }} }}",
            lambda: f"if ({c} && {self.value()} > 40u) {{ {act()} }}",
            lambda: f"if ({c} || ({c2} && {self.value()} & 1u)) {{ {act()} }}",
            lambda: f"for (unsigned {i} = 0; {i} < {turns}; {i}++) {{ if ({c}) break; {act()} }}",
            lambda: f"for (unsigned {i} = 0; {i} < {turns}; {i}++) {{ if ({c}) {{ {act()} }} }}",
            lambda: (
                f"for (unsigned {i} = 0; {i} < 40u; {i}++) "
                f"{{ if ({i} % 3u == n % 3u) {self.name()} += {self.value()} + {i}; }}"
            ),
            lambda: (
                f"switch ({self.index().text} & 3u) {{ case 0: {act()} break; "
                f"case 1: {act()} default: {act()} }}"
            ),
            lambda: f"do {{ if ({c}) break; {act()} if ({c2}) break; {act()} }} while (0);",
        )()


TABLE = ", ".join(f"{(i * 2654435761 + 12345) % 2**32}u" for i in range(64))
PRELUDE = f"__constant__ unsigned ct[64] = {{{TABLE}}};\n"
BLOCKS = [31, 32, 64, 40, 128, 7]


def kernel(seed, rng, name):
    """A kernel of a few branches -> (threads of a block, text). It may be cut at a barrier, threads
    may leave early, and what it writes may have an address behind a branch."""
    threads = rng.choice(BLOCKS)
    memory = {name for name, part in (("s1", 0.3), ("la", 0.2)) if rng.random() < part}
    make = Branches(rng, threads, ["a", "b", "c"], memory)
    plain = rng.random() < 0.6  # what is short is not broken up for other reasons
    lines = [make.plain_branch()] if plain else [make.branch() for _ in range(rng.randint(1, 3))]
    if rng.random() < 0.2:
        lines.insert(1, f"if ({make.condition()}) {{ o[t] = a; return; }}")
    if rng.random() < 0.2:  # all that write there write the same
        place = make.within(make.index(), 64)
        lines.append(f"if ({make.condition()}) g[{place}] = {rng.randint(1, 99)};")
    if rng.random() < 0.1:
        place = make.within(make.index(), 64)
        lines.append(f"if ({make.condition()}) atomicAdd(g + 64 + {place}, {rng.randint(1, 9)});")
    first, last = "", ""
    if "s1" in memory:
        first = "__shared__ unsigned s1[NT]; s1[t] = in[t] ^ t; __syncthreads();"
    if "la" in memory:
        first += " unsigned la[16]; for (int i = 0; i < 16; i++) la[i] = i * t;"
        last = " + la[n] * 7 + la[8 + n] * 11"
    body = "\n  ".join(lines)
    return threads, (
        f'extern "C" __global__ void {name}(unsigned* o, const unsigned* in, unsigned* g, '
        f"unsigned n) {{\n  // seed {seed}\n  constexpr unsigned NT = {threads};\n"
        f"  const unsigned t = threadIdx.x; o += blockIdx.x * NT; {first}\n"
        "  unsigned a = t * 7 + blockIdx.x, b = in[NT + t], c = n;\n"
        f"  {body}\n  o[t] = a + b * 3 + c * 5{last}; }}\n"
    )
