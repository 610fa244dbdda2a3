# SPDX-License-Identifier: MIT
"""Statements of random_kernels in which the threads of a grid, a block or a warp exchange words."""

from random_statements import Statement

# Functions of the device: inlined ones, and some that are not.
PRELUDE = """
__device__ unsigned swapped(unsigned* s, unsigned v, unsigned t, unsigned threads) {
  s[t] = v; __syncthreads(); unsigned other = s[threads - 1 - t]; __syncthreads(); return other; }
__device__ __noinline__ unsigned turned(unsigned* s, unsigned v, unsigned t, unsigned threads) {
  unsigned kept = v * t; return swapped(s, v, t, threads) + kept; }
__device__ __noinline__ unsigned turned_twice(unsigned* s, unsigned v, unsigned t, unsigned nt) {
  unsigned first = turned(s, v ^ 3, t, nt); return nt > 21 ? turned(s, first, t, nt) + v : first; }
__device__ __noinline__ unsigned walk(unsigned k, unsigned x) {
  return k == 0 ? x : walk(k - 1, x * 3 + threadIdx.x) ^ k; }
__device__ unsigned by_exchange(unsigned* word, unsigned step) {
  unsigned seen = *(volatile unsigned*)word, old;
  while ((old = atomicCAS(word, seen, seen + step)) != seen) seen = old; return old; }
"""
# Blocks meet, behind a word that counts them, in two ways: each is the reference of the other.
GRID_PRELUDE = """
#ifdef BY_COUNTING
__device__ void meet(unsigned* arrived, unsigned t) {
  __syncthreads();
  if (t == 0) {
    __threadfence();
    const unsigned goal = (atomicAdd(arrived, 1u) / gridDim.x + 1) * gridDim.x;
    while (*(volatile unsigned*)arrived < goal) ;
    __threadfence(); }
  __syncthreads(); }
#define MEET meet(g + 4 + gridDim.x * NT, t)
#else
#include <cooperative_groups.h>
#define MEET cooperative_groups::this_grid().sync()
#endif
"""


class BlockExchanges:
    """Of all threads of a block, or of the grid."""

    def exchange(self, _depth):
        s, step = self.shared(), self.rng.randint(1, 40)
        return Statement(
            f"{s}[t] = {self.e()}; __syncthreads(); "
            f"{self.name()} += {s}[(t + {step}) % NT]; __syncthreads();"
        )

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

    def nested_calls(self, _depth):
        """Barriers in functions that are called by functions and may be inlined nowhere."""
        deep = self.pick("turned", "turned_twice")
        return Statement(f"{self.name()} ^= {deep}({self.shared()}, {self.e()}, t, NT);")

    def histogram(self, _depth):
        """Words of the block that all add to; a thread each reads them."""
        what, first = self.pick(("Add", 0), ("Or", 0), ("Min", "~0u"), ("And", "~0u"), ("Xor", 5))
        word, value = self.e(), self.e()
        return Statement(
            f"s1[t] = {first}; __syncthreads(); "
            f"atomic{what}(&s1[({word}) % min(NT, 16u)], {value}); __syncthreads(); "
            f"{self.name()} += s1[(t * 3 + 1) % NT]; __syncthreads();"
        )

    def places(self, _depth):
        """Some threads take places in any order; what is in all of them has no order. Nobody else
        reads the places: of threads that have returned they would tell who came first."""
        u, name = self.unique("u"), self.name()
        take = self.pick(
            "atomicAdd(&taken, 1u)",
            "atomicInc(&taken, 1u << 20)",
            "by_exchange(&taken, 1u)",
        )
        return Statement(
            f"taken = 0; __syncthreads(); "
            f"if (({self.e()}) % 3 == 0) placed[{take}] = {self.e()}; __syncthreads(); "
            f"for (unsigned {u} = 0; {u} < taken; {u}++) {name} += placed[{u}] ^ n; "
            f"__syncthreads();"
        )

    def kept(self, _depth):
        """An array of the thread's own, indexed by data on both sides of a barrier."""
        s, name = self.shared(), self.name()
        return Statement(
            f"la[({self.e()}) & 15] = {self.e()}; {s}[t] = la[{name} & 15]; __syncthreads(); "
            f"la[{s}[(t + {self.rng.randint(1, 9)}) % NT] & 15] ^= {self.e()}; __syncthreads(); "
            f"{name} += la[({self.e()}) & 15];"
        )

    def meet_in_grid(self, _depth):
        """All blocks; each then reads what another wrote."""
        words = "(g + 4)"
        return Statement(
            f"{words}[blockIdx.x * NT + t] = {self.e()}; MEET; "
            f"{self.name()} += {words}[(blockIdx.x + 1) % gridDim.x * NT + (t + n) % NT]; MEET;"
        )


class WarpExchanges:
    """Of the lanes of a warp."""

    def shuffle(self, _depth):
        name, value, step = self.name(), self.e(), self.rng.randint(0, 31)
        real = self.single() if self.floats else "(float)b"
        return Statement(
            f"{name} += "
            + self.pick(
                f"__shfl_xor_sync(~0u, {value}, {1 << step % 5})",
                f"__shfl_up_sync(~0u, {value}, {step})",
                f"__shfl_down_sync(~0u, {value}, {step % 8}, 8)",
                f"__shfl_sync(~0u, {value}, {self.e()} & 31)",
                f"(unsigned)__shfl_xor_sync(~0u, w, {1 << step % 5})",
                f"bits(__shfl_xor_sync(~0u, {real}, {1 << step % 5}))",
            )
            + ";"
        )

    def who_comes(self, _depth):
        """The same without a mask, or with that of who comes here."""
        name, value, bit = self.name(), self.e(), 1 << self.rng.randint(0, 4)
        exchange = self.pick(
            f"__shfl_xor({value}, {bit})",
            f"__shfl_down({value}, {bit}, 16)",
            f"__shfl({value}, {self.e()} & 31)",
            f"__shfl_up_sync(__activemask(), {value}, {bit})",
            f"(unsigned)__shfl_xor(w, {bit})",
            f"__ballot({value} & 1)",
            f"(unsigned)__any(({value}) % 7 == 0)",
            "__activemask()",
        )
        place = self.pick("", "", f"if (t % 32 < {bit}) ", f"if (n > 2 || t & {bit}) ")
        return Statement(f"{place}{name} += {exchange}; __syncwarp();", portable=False)

    def warp_vote(self, _depth):
        return Statement(
            f"{self.name()} ^= "
            + self.pick(
                f"__ballot_sync(~0u, {self.e()} & 1)",
                f"__any_sync(~0u, ({self.e()}) % 7 == 0)",
                f"__all_sync(~0u, {self.e()} & 3)",
                f"__reduce_add_sync(~0u, {self.e()})",
                f"__reduce_max_sync(~0u, {self.e()})",
                f"__reduce_min_sync(~0u, (int)({self.e()}))",
                f"__reduce_and_sync(~0u, {self.e()} | 1u)",
                f"__reduce_or_sync(~0u, {self.e()} & 1023)",
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

    def chosen_lanes(self, _depth):
        """Those that a vote or a match names exchange among themselves."""
        name, value = self.name(), self.e()
        among, lanes = self.pick(
            ("q & 1", "__ballot_sync(~0u, q & 1)"),
            ("true", "__match_any_sync(~0u, q & 3)"),
            ("true", "__match_any_sync(~0u, w >> 62)"),
        )
        work = self.pick(
            "__shfl_sync(v, q, __ffs(v) - 1)",
            "__popc(v & ((1u << (t & 31)) - 1))",
            "__reduce_add_sync(v, q)",
            "__reduce_xor_sync(v, q)",
            "__ballot_sync(v, q & 2)",
            "(unsigned)__all_sync(v, q & 4)",
        )
        return Statement(
            f"{{ unsigned q = {value}, v = {lanes}; if ({among}) {name} += {work}; __syncwarp(); }}"
        )

    def match_all(self, _depth):
        return Statement(
            f"{{ int same; {self.name()} += __match_all_sync(~0u, ({self.e()}) >> 28, &same); "
            f"{self.name()} ^= same != 0; }}"
        )
