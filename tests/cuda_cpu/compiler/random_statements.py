# SPDX-License-Identifier: MIT
"""Trees of statements, so that a program that fails can be made smaller."""


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
