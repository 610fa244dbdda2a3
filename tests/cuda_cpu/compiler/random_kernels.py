# SPDX-License-Identifier: MIT
"""Random kernels with barriers, as CUDA C and as Python.

A kernel is a list of statements; each can write itself as CUDA (`text`) and run itself for one
thread (`run`, a generator that yields at barriers). Programs are defined: threads meet at the same
barriers in every block-wide loop, shuffles are executed by whole warps, no thread races another.
"""

import random

MASK = 0xFFFFFFFF
NAMES = "abcd"


def signed(x):
    return x - (1 << 32) if x & 0x80000000 else x


class Expression:
    """A tree over the variables, the thread number and constants; 32-bit unsigned arithmetic."""

    def __init__(self, rng, depth=0):
        if depth > 2 or rng.random() < 0.35:
            self.leaf = rng.choice([*NAMES, "t", "n", "m", str(rng.randint(1, 99))])
        else:
            self.leaf = None
            self.operator = rng.choice(["+", "-", "*", "^", "&", "|"])
            self.left, self.right = (Expression(rng, depth + 1) for _ in range(2))

    def text(self):
        if self.leaf:
            return self.leaf if not self.leaf.isdigit() else self.leaf + "u"
        return f"({self.left.text()} {self.operator} {self.right.text()})"

    def value(self, v):
        if self.leaf:
            return v[self.leaf] if self.leaf in v else int(self.leaf)
        x, y = self.left.value(v), self.right.value(v)
        return {
            "+": x + y,
            "-": x - y,
            "*": x * y,
            "^": x ^ y,
            "&": x & y,
            "|": x | y,
        }[self.operator] & MASK


class Program:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.block = self.rng.choice([(32, 1), (64, 1), (16, 4), (40, 1), (7, 3), (96, 1)])
        self.threads = self.block[0] * self.block[1]
        self.whole_warps = self.threads % 32 == 0
        self.count = 0
        self.left = False
        self.body = self.statements(self.rng.randint(3, 6), 0, True)

    # Each statement is (text, run); run(state, v) is a generator.

    def statements(self, number, depth, barriers):
        return [self.statement(depth, barriers) for _ in range(number)]

    def statement(self, depth, barriers):
        plain = [self.assign, self.local_array, self.branch, self.loop]
        meeting = [
            self.exchange,
            self.exchange,
            self.uniform_branch,
            self.uniform_loop,
            self.count_votes,
            self.accumulate,
            self.halving_loop,
        ]
        if self.whole_warps:
            meeting += [self.shuffle, self.detour, self.parted_votes]
        elif depth == 0:
            meeting.append(self.leave)
        if depth == 0 and self.whole_warps and self.threads > 32 and not self.left:
            meeting.append(self.leave)
        choices = plain + meeting * 2 if barriers else plain
        return self.rng.choice(choices)(depth)

    def expression(self):
        return Expression(self.rng)

    def variable(self):
        return self.rng.choice(NAMES)

    def unique(self, prefix):
        self.count += 1
        return f"{prefix}{self.count}"

    def assign(self, _depth):
        name, e = self.variable(), self.expression()

        def run(_state, v):
            v[name] = (v[name] + e.value(v)) & MASK
            yield from ()

        return f"{name} += {e.text()};", run

    def local_array(self, _depth):
        name, i, j, e = self.variable(), *(self.expression() for _ in range(3))

        def run(_state, v):
            v["la"][i.value(v) & 15] = e.value(v)
            v[name] ^= v["la"][j.value(v) & 15]
            yield from ()

        text = f"la[{i.text()} & 15] = {e.text()}; {name} ^= la[{j.text()} & 15];"
        return text, run

    def branch(self, depth):
        name, bit = self.variable(), 1 << self.rng.randint(0, 3)
        nested = depth < 3
        then = self.statements(self.rng.randint(1, 3), depth + 1, False) if nested else []
        other = self.statements(self.rng.randint(0, 2), depth + 1, False) if nested else []

        def run(state, v):
            yield from execute(then if v[name] & bit else other, state, v)

        return f"if ({name} & {bit}) {{ {join(then)} }} else {{ {join(other)} }}", run

    def loop(self, depth):
        name, i = self.variable(), self.unique("i")
        # Three loops inside each other, with branches, may take LLVM minutes.
        body = self.statements(self.rng.randint(1, 2), depth + 2, False) if depth < 2 else []

        def run(state, v):
            k = 0
            while k < v[name] & 7:
                yield from execute(body, state, v)
                k += 1
                if k > 40:  # the body moves the bound; CUDA has the same limit
                    break

        text = (
            f"for (int {i} = 0; {i} < (int)({name} & 7);) {{ {join(body)} if (++{i} > 40) break; }}"
        )
        return text, run

    def exchange(self, _depth):
        name, array, e = self.variable(), self.rng.choice(["s0", "s1"]), self.expression()
        step, threads = self.rng.randint(1, 40), self.threads

        def run(state, v):
            state[array][v["t"]] = e.value(v)
            yield "block"
            v[name] = (v[name] + state[array][(v["t"] + step) % threads]) & MASK
            yield "block"

        text = (
            f"{array}[t] = {e.text()}; __syncthreads(); "
            f"{name} += {array}[(t + {step}) % NT]; __syncthreads();"
        )
        return text, run

    def uniform_branch(self, depth):
        bound = self.rng.randint(0, 6)
        body = self.statements(self.rng.randint(1, 3), depth + 1, True) if depth < 2 else []

        def run(state, v):
            if v["n"] > bound:
                yield from execute(body, state, v)

        return f"if (n > {bound}) {{ {join(body)} }}", run

    def uniform_loop(self, depth):
        i = self.unique("i")
        bound, value = self.rng.choice(
            [
                ("n", lambda n: n),
                ("3", lambda n: 3),
                ("n + 1", lambda n: n + 1),
                ("(n & 3) + 1", lambda n: (n & 3) + 1),
            ]
        )
        body = self.statements(self.rng.randint(1, 2), depth + 1, True) if depth < 1 else []

        def run(state, v):
            for k in range(value(v["n"])):
                v["m"] = k
                yield from execute(body, state, v)

        return f"for (unsigned {i} = 0; {i} < {bound}; {i}++) {{ m = {i}; {join(body)} }}", run

    def count_votes(self, _depth):
        name, e = self.variable(), self.expression()

        def run(state, v):
            yield "block"
            state["votes"].add((v["t"], e.value(v) & 1))
            yield "block"
            v[name] = (v[name] + sum(vote for _, vote in state["votes"])) & MASK
            yield "block"
            state["votes"].clear()
            yield "block"

        return f"{name} += __syncthreads_count({e.text()} & 1);", run

    def accumulate(self, _depth):
        name, e = self.variable(), self.expression()

        def run(state, v):
            state["sum"] = (state["sum"] + (e.value(v) & 255)) & MASK
            yield "block"
            v[name] = (v[name] + state["sum"]) & MASK
            yield "block"

        text = (
            f"atomicAdd(&sum, {e.text()} & 255u); __syncthreads(); {name} += sum; __syncthreads();"
        )
        return text, run

    def halving_loop(self, _depth):
        name, u, e = self.variable(), self.unique("u"), self.expression()
        threads = self.threads

        def run(state, v):
            k = v["n"]
            while k:
                state["s1"][v["t"]] = e.value(v)
                yield "block"
                v[name] ^= state["s1"][(v["t"] * 3 + k) % threads]
                yield "block"
                k >>= 1

        text = (
            f"for (unsigned {u} = n; {u}; {u} >>= 1) {{ s1[t] = {e.text()}; __syncthreads(); "
            f"{name} ^= s1[(t * 3 + {u}) % NT]; __syncthreads(); }}"
        )
        return text, run

    def shuffle(self, _depth):
        name, source, lane = self.variable(), self.variable(), 1 << self.rng.randint(0, 4)

        def run(state, v):
            state["exchange"][v["t"]] = v[source]
            yield "block"  # whole warps execute it, so a block's meeting does as well as a warp's
            v[name] = (v[name] + state["exchange"][v["t"] ^ lane]) & MASK
            yield "block"

        return f"{name} += __shfl_xor_sync(~0u, {source}, {lane});", run

    def leave(self, _depth):
        # Of whole warps one leaves as a whole: the others still shuffle.
        last = 32 if self.whole_warps else self.rng.randint(1, 5)
        self.left = True
        threads = self.threads

        def run(_state, v):
            if v["t"] >= threads - last:
                raise Left
            yield from ()

        return f"if (t >= NT - {last}) {{ o[t] = a; return; }}", run

    def detour(self, _depth):
        """Some lanes shuffle among themselves before all do."""
        name, first, then = self.variable(), self.variable(), self.variable()
        half, lane = self.rng.choice([8, 16]), 1 << self.rng.randint(0, 2)

        def run(state, v):
            inside = v["t"] % 32 < half
            for source, step, takes_part in ((first, lane, inside), (then, 16, True)):
                state["exchange"][v["t"]] = v[source]
                yield "block"
                if takes_part:
                    v[name] = (v[name] + state["exchange"][v["t"] ^ step]) & MASK
                yield "block"

        mask = f"{(1 << half) - 1:#x}u"
        text = (
            f"if (t % 32 < {half}) {name} += __shfl_xor_sync({mask}, {first}, {lane}); "
            f"{name} += __shfl_xor_sync(~0u, {then}, 16);"
        )
        return text, run

    def parted_votes(self, _depth):
        """Both sides of a branch vote, each with a mask of its own."""
        name, e, bit = self.variable(), self.expression(), 1 << self.rng.randint(0, 4)
        yes = sum(1 << k for k in range(32) if k & bit)

        def run(state, v):
            state["exchange"][v["t"]] = e.value(v) & 1
            yield "block"
            first, mask = v["t"] & ~31, yes if v["t"] & bit else ~yes & MASK
            votes = sum(state["exchange"][first + k] << k for k in range(32)) & mask
            v[name] ^= votes if v["t"] & bit else mask if votes == mask else bin(votes).count("1")
            yield "block"

        no = f"{~yes & MASK:#x}u"
        text = (
            f"if (t & {bit}) {name} ^= __ballot_sync({yes:#x}u, {e.text()} & 1); "
            f"else {{ unsigned w = __ballot_sync({no}, {e.text()} & 1); __syncwarp({no}); "
            f"{name} ^= w == {no} ? w : __popc(w); }}"
        )
        return text, run

    def text(self, kernel="k"):
        return self.named_text(kernel).replace("NT", f"{self.threads}u")

    def named_text(self, kernel):
        return (
            f'extern "C" __global__ void {kernel}(unsigned* o, unsigned n) {{\n'
            "  __shared__ unsigned s0[NT], s1[NT], sum;\n"
            "  const unsigned t = threadIdx.x + blockDim.x * threadIdx.y; o += blockIdx.x * NT;\n"
            "  unsigned a = t * 7 + 1 + blockIdx.x, b = t ^ 5, c = n, d = 3 * t, m = 0;\n"
            "  unsigned la[16]; for (int i = 0; i < 16; i++) la[i] = i * t;\n"
            "  s0[t] = t; s1[t] = ~t; if (t == 0) sum = 0; __syncthreads();\n  "
            + "\n  ".join(text for text, _ in self.body)
            + "\n  o[t] = a + b * 3 + c * 5 + d * 7; }\n"
        )

    def expected(self, n, blocks):
        return [value for block in range(blocks) for value in self.run_block(n, block)]

    def run_block(self, n, block):
        threads = self.threads
        state = {
            "s0": list(range(threads)),
            "s1": [~t & MASK for t in range(threads)],
            "exchange": [0] * threads,
            "sum": 0,
            "votes": set(),
        }
        values = [
            {
                "a": t * 7 + 1 + block,
                "b": t ^ 5,
                "c": n,
                "d": 3 * t,
                "m": 0,
                "t": t,
                "n": n,
                "la": [i * t & MASK for i in range(16)],
            }
            for t in range(threads)
        ]
        results = [None] * threads
        running = {t: execute(self.body, state, values[t]) for t in range(threads)}
        while running:
            for t, thread in list(running.items()):
                v = values[t]
                try:
                    next(thread)
                except StopIteration:
                    results[t] = (v["a"] + v["b"] * 3 + v["c"] * 5 + v["d"] * 7) & MASK
                    del running[t]
                except Left:
                    results[t] = v["a"]
                    del running[t]
        return results


class Left(Exception):
    """The thread returned early."""


def join(statements):
    return " ".join(text for text, _ in statements)


def execute(statements, state, v):
    for _, run in statements:
        yield from run(state, v)
