# SPDX-License-Identifier: MIT
"""Random kernels: threads meet at barriers of the block, part at branches, exchange within warps,
leave early. What a program computes is defined: threads meet at the same barriers, no thread races
another, whole warps (or the lanes that a mask names) take part in what a warp does together.

A program is a tree of statements, so that one that fails can be made smaller (`reduced`).
"""

import random

NAMES = ["a", "b", "c", "d"]
MOST_STATEMENTS = 5  # of a kernel: it takes as long to compile as it is long
BLOCKS = [(32, 1), (64, 1), (16, 4), (40, 1), (7, 3), (96, 1), (128, 1), (8, 4, 4)]


class Statement:
    """Text with blocks of statements in it: a list of strings and lists of statements."""

    def __init__(self, *parts, portable=True):
        self.parts, self.portable = list(parts), portable

    def blocks(self):
        return [part for part in self.parts if isinstance(part, list)]

    def text(self):
        return "".join(p if isinstance(p, str) else f"{{ {text_of(p)} }}" for p in self.parts)


def text_of(statements):
    return " ".join(statement.text() for statement in statements)


class Program:
    """The kernel of a seed. `block` are its threads; any number of blocks may run."""

    def __init__(self, seed):
        self.seed = seed
        self.rng = random.Random(seed)
        self.block = self.rng.choice(BLOCKS)
        self.threads = self.block[0] * self.block[1] * (self.block + (1,))[2]
        self.whole_warps = self.threads % 32 == 0
        self.count = 0
        self.meets = self.rng.random() < 0.85
        self.left = MOST_STATEMENTS
        self.body = self.statements(self.rng.randint(2, 3), 0, self.meets)

    @property
    def portable(self):
        """Whether a GPU has to give the same answer: no code that counts on old hardware."""
        return all(statement.portable for statement in everything_in(self.body))

    # Pieces of statements.

    def pick(self, *choices):
        return self.rng.choice(choices)

    def name(self):
        return self.rng.choice(NAMES)

    def unique(self, prefix):
        self.count += 1
        return f"{prefix}{self.count}"

    def shared(self):
        return self.pick("s0", "s1")

    def e(self, depth=0):
        """An expression of type unsigned that is defined whatever its variables hold."""
        if depth > 1 or self.rng.random() < 0.3:
            return self.pick(
                *NAMES, *NAMES, "t", "n", "m", "blockIdx.x", f"{self.rng.randint(1, 99)}u"
            )
        x = self.e(depth + 1)
        if self.rng.random() < 0.3:
            return self.pick(
                f"(unsigned)__popc({x})",
                f"__brev({x})",
                f"(unsigned)__clz({x})",
                f"(unsigned)(short)({x})",
                f"(unsigned)((int)({x}) >> {self.rng.randint(1, 20)})",
                f"(unsigned)(w ^ {x})",
                f"(unsigned)(w >> {self.rng.randint(1, 40)})",
                f"(unsigned)((float)({x} & 0xffff) * 3)",
                f"((signed char)({x}) < 0 ? {x} : ~{x})",
                f"in[({x}) % NT]",
            )
        y = self.e(depth + 1)
        if self.rng.random() < 0.25:
            return self.pick(
                f"({x} / ({y} | 1u))",
                f"({x} % ({y} | 1u))",
                f"({x} << ({y} & 31))",
                f"({x} >> ({y} & 31))",
                f"min({x}, {y})",
                f"(unsigned)max((int)({x}), (int)({y}))",
                f"__umulhi({x}, {y})",
                f"__byte_perm({x}, {y}, 0x5140)",
                f"({x} < {y} ? {x} : {y})",
            )
        return f"({x} {self.pick('+', '-', '*', '^', '&', '|')} {y})"

    # Which statements may stand where.

    def statements(self, number, depth, meets):
        return [self.statement(depth, meets) for _ in range(number)]

    def statement(self, depth, meets):
        """`meets`: all threads that are left come here together."""
        self.left -= 1
        plain = [self.assign, self.wide, self.local_array, self.branch, self.loop, self.walk]
        plain += [self.cases]
        if not meets:
            return self.rng.choice([*plain, self.add_to_grid])(depth)
        together = [
            self.exchange,
            self.uniform_branch,
            self.uniform_loop,
            self.broken_loop,
            self.votes,
            self.accumulate,
            self.halving_loop,
            self.tree,
            self.scan,
            self.while_any,
            self.called,
            self.uniform_cases,
        ]
        if self.whole_warps:
            together += [
                self.shuffle,
                self.warp_vote,
                self.detour,
                self.parted_votes,
                self.warp_exchange,
                self.loop_of_warps,
                self.loop_of_tiles,
                self.whole_warps_leave,
            ]
            if self.threads >= 64 and self.rng.random() < 0.3:  # takes long to compile
                together += [self.old_reduction]
        else:
            together += [self.leave, self.leave_by_value, self.parted_barrier]
        return self.rng.choice(together if self.rng.random() < 0.75 else plain)(depth)

    def inside(self, depth, number, meets=False, deepest=2):
        """The statements of a block; none where it would be too deep, or the kernel too long."""
        number = min(self.rng.randint(*number), max(0, self.left)) if depth < deepest else 0
        return self.statements(number, depth + 1, meets)

    # What a thread does by itself.

    def assign(self, _depth):
        return Statement(f"{self.name()} {self.pick('+=', '^=', '-=')} {self.e()};")

    def wide(self, _depth):
        operator = self.pick("+=", "^=", "*=")
        return Statement(f"w {operator} {self.e()}; {self.name()} += (unsigned)(w >> 17);")

    def local_array(self, _depth):
        store = f"la[({self.e()}) & 15] = {self.e()};"
        return Statement(f"{store} {self.name()} ^= la[({self.e()}) & 15];")

    def branch(self, depth):
        then, other = self.inside(depth, (1, 2), deepest=3), self.inside(depth, (0, 2), deepest=3)
        return Statement(
            f"if ({self.name()} & {1 << self.rng.randint(0, 3)}) ", then, " else ", other
        )

    def cases(self, depth):
        first, second, rest = (self.inside(depth, (0, 1)) for _ in range(3))
        leave = self.pick("break;", "")  # without it the second case follows
        return Statement(
            f"switch (({self.e()}) % 3) {{ case 0: ",
            first,
            f" {leave} case 1: ",
            second,
            " break; default: ",
            rest,
            " }",
        )

    def loop(self, depth):
        i, name = self.unique("i"), self.name()
        head = f"for (int {i} = 0; {i} < (int)({name} & 7);) {{ "
        return Statement(head, self.inside(depth, (1, 2)), f" if (++{i} > 40) break; }}")

    def walk(self, _depth):
        """Threads side by side read side by side: the compiler may run such a loop in step."""
        i, bound = self.unique("i"), self.pick("n", "n + 3", f"({self.name()} & 7)", "5")
        step = self.pick(f"{i} * NT + t", f"t * 8 + {i}", f"({i} * 5 + t) % NT")
        add = f"{self.name()} {self.pick('+=', '^=')} in[({step}) % (8 * NT)]"
        leave = self.pick("", "", f" if ({self.name()} % 5 == 0) break;")
        return Statement(f"for (unsigned {i} = 0; {i} < {bound}; {i}++) {{ {add};{leave} }}")

    def add_to_grid(self, _depth):
        word, what = self.pick(
            *enumerate(["Add", "Xor", "Max", "Or"])
        )  # a word for each: any order
        return Statement(f"atomic{what}(g + {word}, {self.e()});")

    # What a block does together.

    def exchange(self, _depth):
        s, step = self.shared(), self.rng.randint(1, 40)
        return Statement(
            f"{s}[t] = {self.e()}; __syncthreads(); "
            f"{self.name()} += {s}[(t + {step}) % NT]; __syncthreads();"
        )

    def uniform_branch(self, depth):
        then = self.inside(depth, (1, 2), True)
        return Statement(f"if (n > {self.rng.randint(0, 6)}) ", then)

    def uniform_cases(self, depth):
        first, second = (self.inside(depth, (1, 1), True) for _ in range(2))
        return Statement("switch (n & 3) { case 1: ", first, " break; case 2: ", second, " }")

    def uniform_loop(self, depth):
        i, bound = self.unique("i"), self.pick("n", "3", "n + 1", "(n & 3) + 1")
        head = f"for (unsigned {i} = 0; {i} < {bound}; {i}++) {{ m = {i}; "
        return Statement(head, self.inside(depth, (1, 2), True, 1), " }")

    def broken_loop(self, depth):
        i, body = self.unique("i"), self.inside(depth, (1, 1), True, 1)
        word, other = self.pick("break", "continue"), self.inside(depth, (1, 1), True, 1)
        head = f"for (unsigned {i} = 0; {i} < 4; {i}++) {{ "
        return Statement(head, body, f" if ({i} + 1 >= n) {word}; ", other, " }")

    def while_any(self, depth):
        i, name = self.unique("i"), self.name()
        head = (
            f"for (int {i} = 0; {i} < 3 && __syncthreads_or({name} & 6); {i}++) {{ {name} >>= 1; "
        )
        return Statement(head, self.inside(depth, (1, 1), True, 1), " }")

    def votes(self, _depth):
        vote = self.pick("__syncthreads_count", "__syncthreads_and", "__syncthreads_or")
        return Statement(f"{self.name()} += {vote}(({self.e()}) & 1);")

    def accumulate(self, _depth):
        what, word = self.pick(("Add", "sum"), ("Max", "most"), ("Xor", "odd"))
        return Statement(
            f"atomic{what}(&{word}, {self.e()} & 255u); __syncthreads(); "
            f"{self.name()} += {word}; __syncthreads();"
        )

    def halving_loop(self, _depth):
        u = self.unique("u")
        return Statement(
            f"for (unsigned {u} = n; {u}; {u} >>= 1) {{ s1[t] = {self.e()}; __syncthreads(); "
            f"{self.name()} ^= s1[(t * 3 + {u}) % NT]; __syncthreads(); }}"
        )

    def tree(self, _depth):
        u, s = self.unique("u"), self.shared()
        return Statement(
            f"{s}[t] = {self.e()}; __syncthreads(); for (unsigned {u} = HALF; {u}; {u} >>= 1) "
            f"{{ if (t < {u}) {s}[t] += {s}[t + {u}]; __syncthreads(); }} "
            f"{self.name()} += {s}[0]; __syncthreads();"
        )

    def scan(self, _depth):
        u, v = self.unique("u"), self.unique("v")
        return Statement(
            f"s0[t] = {self.e()}; __syncthreads(); for (unsigned {u} = 1; {u} < NT; {u} *= 2) "
            f"{{ unsigned {v} = t >= {u} ? s0[t - {u}] : 0; __syncthreads(); s0[t] += {v}; "
            f"__syncthreads(); }} {self.name()} ^= s0[NT - 1 - t]; __syncthreads();"
        )

    def called(self, _depth):
        name = self.name()
        return Statement(f"{name} = swapped(s1, {self.e()}, t, NT); {name} += walk(t & 7, {name});")

    def parted_barrier(self, _depth):
        """Threads of a block meet at barriers in both sides of a branch."""
        s, name = self.shared(), self.name()
        return Statement(
            f"{s}[t] = {self.e()}; if ({self.name()} & 1) {{ __syncthreads(); {name} += {s}[0]; }} "
            f"else {{ __syncthreads(); {name} ^= {s}[NT - 1]; }} __syncthreads();",
            portable=False,
        )

    # What a warp does together.

    def shuffle(self, _depth):
        name, value, step = self.name(), self.e(), self.rng.randint(0, 31)
        return Statement(
            f"{name} += "
            + self.pick(
                f"__shfl_xor_sync(~0u, {value}, {1 << step % 5})",
                f"__shfl_up_sync(~0u, {value}, {step})",
                f"__shfl_down_sync(~0u, {value}, {step % 8}, 8)",
                f"__shfl_sync(~0u, {value}, {self.e()} & 31)",
                f"(unsigned)__shfl_xor_sync(~0u, w, {1 << step % 5})",
            )
            + ";"
        )

    def warp_vote(self, _depth):
        return Statement(
            f"{self.name()} ^= "
            + self.pick(
                f"__ballot_sync(~0u, {self.e()} & 1)",
                f"__any_sync(~0u, ({self.e()}) % 7 == 0)",
                f"__all_sync(~0u, {self.e()} & 3)",
                f"__reduce_add_sync(~0u, {self.e()})",
                f"__reduce_max_sync(~0u, {self.e()})",
                f"__match_any_sync(~0u, {self.e()} & 3)",
            )
            + ";"
        )

    def warp_exchange(self, _depth):
        s, lane = self.shared(), 1 << self.rng.randint(0, 4)
        return Statement(
            f"__syncwarp(); {s}[t] = {self.e()}; __syncwarp(); {self.name()} += {s}[t ^ {lane}]; "
            f"__syncthreads();"
        )

    def detour(self, _depth):
        """Some lanes shuffle among themselves before all do."""
        name, half, lane = self.name(), self.pick(8, 16), 1 << self.rng.randint(0, 2)
        mask = f"{(1 << half) - 1:#x}u"
        return Statement(
            f"if (t % 32 < {half}) {name} += __shfl_xor_sync({mask}, {self.name()}, {lane}); "
            f"{name} += __shfl_xor_sync(~0u, {self.name()}, 16);"
        )

    def parted_votes(self, _depth):
        """Both sides of a branch vote, each with a mask of its own."""
        name, value, bit = self.name(), self.e(), 1 << self.rng.randint(0, 4)
        lanes = sum(1 << k for k in range(32) if k & bit)
        yes, no = f"{lanes:#x}u", f"{~lanes & 0xFFFFFFFF:#x}u"
        return Statement(
            f"if (t & {bit}) {name} ^= __ballot_sync({yes}, {value} & 1); "
            f"else {{ unsigned v = __ballot_sync({no}, {value} & 1); __syncwarp({no}); "
            f"{name} ^= v == {no} ? v : __popc(v); }}"
        )

    def loop_of_warps(self, depth):
        """Each warp takes another number of turns."""
        i = self.unique("i")
        body = [self.pick(self.shuffle, self.warp_vote, self.detour)(depth), self.assign(depth)]
        head = f"for (unsigned {i} = 0; {i} < (t / 32 + n) % 4; {i}++) "
        return Statement(head, body, " __syncthreads();")

    def loop_of_tiles(self, _depth):
        """So does each group of eight lanes."""
        i, name = self.unique("i"), self.name()
        mask = "(0xffu << (t & 24))"
        work = self.pick(
            f"{name} += __shfl_xor_sync({mask}, {name}, 4);",
            f"{name} ^= __ballot_sync({mask}, {self.e()} & 2);",
            f"__syncwarp({mask}); {name}++;",
        )
        return Statement(
            f"for (unsigned {i} = 0; {i} < (t / 8 + n) % 4; {i}++) {{ {work} }} __syncwarp();"
        )

    def old_reduction(self, _depth):
        """As it was written when a warp's threads ran in step."""
        text = f"s0[t] = {self.e()}; __syncthreads(); if (t < 32) {{ volatile unsigned* v = s0; "
        text += " ".join(f"v[t] += v[t + {k}];" for k in (32, 16, 8, 4, 2, 1))
        return Statement(
            f"{text} }} __syncthreads(); {self.name()} += s0[0]; __syncthreads();", portable=False
        )

    # Threads that leave.

    def leave(self, _depth):
        return Statement(
            f"if (t >= NT - {self.rng.randint(1, 5)}) {{ o[t] = {self.e()}; return; }}"
        )

    def leave_by_value(self, _depth):
        return Statement(f"if (({self.e()}) % 11 == 3) {{ o[t] = {self.name()}; return; }}")

    def whole_warps_leave(self, _depth):
        return Statement(
            f"if (t / 32 == {self.rng.randint(1, 3)}) {{ o[t] = {self.name()}; return; }}"
        )

    # The whole text.

    def text(self, kernel="k"):
        half = 1 << (self.threads.bit_length() - 2)  # the tree never reads behind the block
        sizes = f"constexpr unsigned NT = {self.threads}, HALF = {half};"
        clear = "  s0[t] = t; s1[t] = ~t; if (t == 0) sum = most = odd = 0; __syncthreads();\n"
        lines = "".join(f"  {statement.text()}\n" for statement in self.body)
        return (
            f'extern "C" __global__ void {kernel}(unsigned* o, const unsigned* in, unsigned* g,\n'
            f"                             unsigned n) {{\n"
            f"  {sizes} __shared__ unsigned s0[2 * NT], s1[NT], sum, most, odd;\n"
            "  const unsigned row = threadIdx.y + blockDim.y * threadIdx.z;\n"
            "  const unsigned t = threadIdx.x + blockDim.x * row; o += blockIdx.x * NT;\n"
            "  unsigned a = t * 7 + 1 + blockIdx.x, b = t ^ 5, c = n, d = 3 * t;\n"
            "  unsigned m = 0, la[16]; for (int i = 0; i < 16; i++) la[i] = i * t;\n"
            "  unsigned long long w = t * 0x9e3779b97f4a7c15ull;\n"
            f"{clear if self.meets else ''}{lines}"
            "  o[t] = a + b * 3 + c * 5 + d * 7 + (unsigned)w; }\n"
        )


# In front of the kernels of a module: functions that are inlined, and one that is not.
PRELUDE = """
__device__ unsigned swapped(unsigned* s, unsigned v, unsigned t, unsigned threads) {
  s[t] = v; __syncthreads(); unsigned other = s[threads - 1 - t]; __syncthreads(); return other; }
__device__ __noinline__ unsigned walk(unsigned k, unsigned x) {
  return k == 0 ? x : walk(k - 1, x * 3 + threadIdx.x) ^ k; }
"""


def everything_in(statements):
    for statement in statements:
        yield statement
        for block in statement.blocks():
            yield from everything_in(block)


def reduced(program, fails):
    """The program without the statements that `fails(program)` does not need; changed in place."""
    changed = True
    while changed:
        changed = False
        blocks = [program.body, *(b for s in everything_in(program.body) for b in s.blocks())]
        for block in blocks:
            for statement in list(block):
                at = block.index(statement)
                # Without the statement; if it is needed, only what is inside it.
                for instead in ([], *statement.blocks()):
                    block[at : at + 1] = instead
                    if fails(program):
                        changed = True
                        break
                    block[at : at + len(instead)] = [statement]
    return program
