# SPDX-License-Identifier: MIT
"""Random kernels: threads meet at barriers of the block, part at branches, exchange within warps,
leave early. What a program computes is defined: threads meet at the same barriers, no thread races
another, whole warps (or the lanes that a mask names) take part in what a warp does together. Some
programs compute with floating-point numbers too, to be compiled with --fmad=false; some are grids,
whose blocks meet.
"""

import random_branches
import random_exchanges
import random_expressions
from random_exchanges import BlockExchanges, WarpExchanges
from random_expressions import Expressions
from random_statements import Statement, everything_in
from random_ways import Ways

MOST_STATEMENTS = 5  # of a kernel: it takes as long to compile as it is long
BLOCKS = [(32, 1), (64, 1), (16, 4), (40, 1), (7, 3), (96, 1), (128, 1), (8, 4, 4)]
# In front of the kernels of a module.
PRELUDE = random_branches.PRELUDE + random_expressions.PRELUDE + random_exchanges.PRELUDE
GRID_PRELUDE = random_exchanges.GRID_PRELUDE + PRELUDE
GRIDS = 200, 20  # of so many seeds in a row the last so many: their header takes long to compile


class Program(Expressions, Ways, BlockExchanges, WarpExchanges):
    """The kernel of a seed. `block` are its threads; any number of blocks may run, those of a grid
    by a cooperative launch."""

    def __init__(self, seed):
        super().__init__(seed)
        self.seed = seed
        self.is_grid = seed % GRIDS[0] >= GRIDS[0] - GRIDS[1]
        self.grid_meets = self.is_grid  # at the place that is being written
        self.block = self.rng.choice(BLOCKS)
        self.threads = self.block[0] * self.block[1] * (self.block + (1,))[2]
        self.whole_warps = self.threads % 32 == 0
        self.meets = self.rng.random() < 0.85
        self.left = MOST_STATEMENTS
        names = random_expressions.NAMES
        self.behind_branches = random_branches.Branches(self.rng, self.threads, names, set())
        self.body = self.statements(self.rng.randint(2, 3), 0, self.meets)

    @property
    def portable(self):
        """Whether a GPU has to give the same answer: no code that counts on old hardware."""
        return all(statement.portable for statement in everything_in(self.body))

    # Which statements may stand where.

    def statements(self, number, depth, meets):
        return [self.statement(depth, meets) for _ in range(number)]

    def statement(self, depth, meets):
        """`meets`: all threads that are left come here together."""
        self.left -= 1
        plain = [self.assign, self.wide, self.local_array, self.branch, self.loop, self.walk]
        plain += [self.guarded] * 2
        plain += [self.stride, self.cases, *self.ways_alone()]
        plain += [self.compute, self.sum_of_floats] if self.floats else []
        if not meets:
            return self.rng.choice([*plain, self.add_to_grid])(depth)
        if self.grid_meets and self.rng.random() < 0.3:
            return self.meet_in_grid(depth)
        together = self.of_blocks() + (self.of_warps() if self.whole_warps else self.of_threads())
        return self.rng.choice(together if self.rng.random() < 0.75 else plain)(depth)

    def of_blocks(self):
        return [
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
            self.nested_calls,
            self.histogram,
            self.places,
            self.kept,
            self.uniform_cases,
            *self.ways_together(),
        ]

    def of_warps(self):
        chosen = [
            self.shuffle,
            self.who_comes,
            self.warp_vote,
            self.detour,
            self.parted_votes,
            self.warp_exchange,
            self.chosen_lanes,
            self.match_all,
            self.loop_of_warps,
            self.loop_of_tiles,
            self.whole_warps_leave,
        ]
        if self.threads >= 64 and self.rng.random() < 0.3:  # takes long to compile
            chosen += [self.old_reduction]
        return chosen

    def of_threads(self):
        # Thread 0 speaks for its block where the grid meets.
        return [self.leave, self.parted_barrier, *([] if self.is_grid else [self.leave_by_value])]

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

    def guarded(self, _depth):
        return Statement(self.behind_branches.branch())

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

    def stride(self, _depth):
        """Indices that count from thread to thread, up to a limit that is theirs or everyone's."""
        i, name = self.unique("i"), self.name()
        limit = self.pick("8 * NT", "8 * NT - 5", "NT * (n & 7) + 3", f"NT * ({self.name()} & 7)")
        compare = self.pick("int {0} = t; {0} <", "int {0} = t; -9 + {0} <=")
        compare = self.pick("unsigned {0} = t; {0} <", "long long {0} = t; {0} <", compare)
        head, element = f"{compare.format(i)} (int)({limit})", f"{i} % (8 * NT)"
        if "-9" not in head:
            element = self.pick(i, element)
        turns = ""
        if self.pick(False, False, True):  # indices of a row wrap, some turns after the limit
            head, element = f"unsigned {i} = t - 300u; {i} < 0u - 27u", f"{i} % (8 * NT)"
            head, turns = head.replace(";", f", {i}c = 0;", 1), f" && {i}c++ < 40"
        step = self.pick("NT", "2 * NT - 1", "n + 9")
        leave = self.pick("", "", f" if ({name} % 5 == 0) break;")
        add = f"{name} {self.pick('+=', '^=')} in[{element}]"
        return Statement(f"for ({head}{turns}; {i} += {step}) {{ {add};{leave} }}")

    def add_to_grid(self, _depth):
        word, what = self.pick(
            *enumerate(["Add", "Xor", "Max", "Or"])
        )  # a word for each: any order
        return Statement(f"atomic{what}(g + {word}, {self.e()});")

    def compute(self, _depth):
        return Statement(self.pick(f"f = {self.single()};", f"h = {self.double()};"))

    def sum_of_floats(self, _depth):
        """Its order is the program's: nobody may add in another."""
        i, bound = self.unique("i"), self.pick("n + 2", f"({self.name()} & 7)", "6")
        term = self.pick("f * 0.75f + (float)in[({i} * NT + t) % (8 * NT)]", "f + 1.0f / ({i} + t)")
        return Statement(
            f"for (unsigned {i} = 0; {i} < {bound}; {i}++) f = {term.format(i=i)}; h += f;"
        )

    # What a block does together.

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
        grid_meets, self.grid_meets = self.grid_meets, False  # for other blocks may go on
        body = self.inside(depth, (1, 1), True, 1)
        self.grid_meets = grid_meets
        return Statement(head, body, " }")

    def loop_of_warps(self, depth):
        """Each warp takes another number of turns."""
        i = self.unique("i")
        body = [self.pick(self.shuffle, self.warp_vote, self.detour)(depth), self.assign(depth)]
        head = f"for (unsigned {i} = 0; {i} < (t / 32 + n) % 4; {i}++) "
        return Statement(head, body, " __syncthreads();")

    # Threads that leave.

    def leave(self, _depth):
        return Statement(
            f"if (t >= NT - {self.rng.randint(1, 5)}) {{ o[t] = {self.e()}; return; }}"
        )

    def leave_by_value(self, _depth):
        return Statement(f"if (({self.e()}) % 11 == 3) {{ o[t] = {self.name()}; return; }}")

    def whole_warps_leave(self, _depth):
        first = 1 if self.is_grid else 0  # thread 0 speaks for its block where the grid meets
        return Statement(
            f"if (t / 32 == {self.rng.randint(first, 3)}) {{ o[t] = {self.name()}; return; }}"
        )

    # The whole text.

    def text(self, kernel="k"):
        half = 1 << (self.threads.bit_length() - 2)  # the tree never reads behind the block
        sizes = f"constexpr unsigned NT = {self.threads}, HALF = {half};"
        clear = (
            "  s0[t] = t; s1[t] = ~t; if (t == 0) sum = most = odd = taken = 0; __syncthreads();\n"
        )
        reals, result = "", ""
        if self.floats:
            reals = "  float f = t * 0.37f - n; double h = 2.5 * n - t * 0.1;\n"
            result = " + bits(f) * 11 + bits(h) * 13"
        lines = "".join(f"  {statement.text()}\n" for statement in self.body)
        return (
            f'extern "C" __global__ void {kernel}(unsigned* o, const unsigned* in, unsigned* g,\n'
            f"                             unsigned n) {{\n"
            f"  {sizes} __shared__ unsigned s0[2 * NT], s1[NT], placed[NT];\n"
            "  __shared__ unsigned sum, most, odd, taken;\n"
            "  const unsigned row = threadIdx.y + blockDim.y * threadIdx.z;\n"
            "  const unsigned t = threadIdx.x + blockDim.x * row; o += blockIdx.x * NT;\n"
            "  unsigned a = t * 7 + 1 + blockIdx.x, b = t ^ 5, c = n, d = 3 * t;\n"
            "  unsigned m = 0, la[16]; for (int i = 0; i < 16; i++) la[i] = i * t;\n"
            "  unsigned long long w = t * 0x9e3779b97f4a7c15ull;\n"
            f"{reals}{clear if self.meets else ''}{lines}"
            f"  o[t] = a + b * 3 + c * 5 + d * 7 + (unsigned)w{result}; }}\n"
        )
