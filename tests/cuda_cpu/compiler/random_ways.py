# SPDX-License-Identifier: MIT
"""Statements of random_kernels that jump: loops left from within, goto forward, back and into the
middle, cases that fall through. Each for threads by themselves and, where what decides is the same
for all, with barriers inside."""

from random_statements import Statement


class Ways:
    """Of a Program, whose `inside` gives the statements of a block."""

    def ways_alone(self):
        return [self.loops_left, self.skip, self.back, self.into_the_middle, self.fall]

    def ways_together(self):
        return [self.loops_left_together, self.skip_together, self.back_together]

    # What a thread does by itself.

    def loops_left(self, depth):
        """A nest; some threads leave the inner loop early, some both."""
        i, j, out = self.unique("i"), self.unique("j"), self.unique("out")
        name, other = self.name(), self.name()
        both = self.pick(
            f"if ({other} % 7 == 3) goto {out};",
            f"if ({other} % 7 == 3) {{ {i} = 99; break; }}",
            f"if ({name} & 64) continue; {other}++;",
        )
        add = f"{name} {self.pick('+=', '^=')} in[({i} * 5 + {j} + t) % NT];"
        return Statement(
            f"for (unsigned {i} = 0; {i} < {self.pick('n', '3', '(t & 3)')}; {i}++) "
            f"{{ for (unsigned {j} = 0; {j} < ({other} & 7); {j}++) "
            f"{{ {add} if ({name} % 5 == 0) break; {both} }} ",
            self.inside(depth, (0, 1)),
            f" }} {out}: ;",
        )

    def skip(self, depth):
        over = self.unique("over")
        return Statement(
            f"if ({self.name()} & {1 << self.rng.randint(0, 3)}) goto {over}; ",
            self.inside(depth, (1, 2)),
            f" {over}: ;",
        )

    def back(self, depth):
        again, i = self.unique("again"), self.unique("i")
        return Statement(
            f"{{ unsigned {i} = {self.name()} & 3; {again}: ",
            self.inside(depth, (1, 2)),
            f" if ({i}++ < 3) goto {again}; }}",
        )

    def into_the_middle(self, depth):
        """A way round that is no loop, for it has two entries."""
        top, middle, i = self.unique("top"), self.unique("middle"), self.unique("i")
        return Statement(
            f"{{ unsigned {i} = t & 1; if ({self.name()} & 2) goto {middle}; {top}: ",
            self.inside(depth, (1, 1)),
            f" {middle}: {self.name()} += in[({i} * 3 + t) % NT]; ",
            self.inside(depth, (0, 1)),
            f" if ({i}++ < 2) goto {top}; }}",
        )

    def fall(self, depth):
        """Cases in any order, each of which may go on with the one behind it."""
        labels = self.rng.sample(["case 0:", "case 1:", "case 3:", "default:"], 4)
        parts = [f"switch (({self.e()}) & 3) {{ "]
        for label in labels:
            parts += [f"{label} {self.name()} += {self.rng.randint(1, 9)}; "]
            parts += [self.inside(depth, (0, 1)), self.pick("", " break; ")]
        return Statement(*parts, " }")

    # What a block does together.

    def loops_left_together(self, depth):
        i, j, out = self.unique("i"), self.unique("j"), self.unique("out")
        leave = self.pick(f"goto {out}", "break", f"{{ {i} = 9; break; }}", "continue")
        return Statement(
            f"for (unsigned {i} = 0; {i} < 3; {i}++) {{ for (unsigned {j} = 0; {j} < 2; {j}++) {{ ",
            self.inside(depth, (1, 1), True, 1),
            f" if ({i} + {j} >= n) {leave}; m += {j}; __syncthreads(); }} ",
            self.inside(depth, (0, 1), True, 1),
            f" }} {out}: ;",
        )

    def skip_together(self, depth):
        over = self.unique("over")
        return Statement(
            f"if (n & {1 << self.rng.randint(0, 2)}) goto {over}; ",
            self.inside(depth, (1, 2), True),
            f" {over}: ;",
        )

    def back_together(self, depth):
        again, i = self.unique("again"), self.unique("i")
        return Statement(
            f"{{ unsigned {i} = 0; {again}: ",
            self.inside(depth, (1, 2), True, 1),
            f" __syncthreads(); if ({i}++ < (n & 1)) goto {again}; }}",
        )
