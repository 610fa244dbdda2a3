#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that the public interface is documented: `///` in public headers, docstrings in Python.

Counted in include/treadle/**/*.hpp: classes, structs, enums, aliases, concepts, free functions, and
the public members of classes. Counted in python/treadle, stubs included: modules, classes and
functions whose names do not begin with an underscore. Not counted, as they need no comment:
  overloads                 one of a name in a scope counts, and any of them may carry the comment;
                            so with names that differ in a number only: fill8, fill16
  special members           copies, moves, destructors, defaulted functions, comparisons
  documented elsewhere      forward declarations, specialisations, overrides, friends
  Python's properties       mostly values whose names the run-times define
"""

from __future__ import annotations

import ast
import dataclasses
import pathlib
import re
import sys
from collections.abc import Iterator

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import repository as repo

LEAST_SHARE = 0.97
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef
HEADERS, PACKAGE = "include/treadle/", "python/treadle/"


@dataclasses.dataclass
class Declaration:
    """One public name of one scope, at its first line."""

    path: str
    line: int
    name: str
    documented: bool


@dataclasses.dataclass
class Scope:
    """A namespace or class that is open; `public` is false in its private parts."""

    name: str
    public: bool


TEMPLATE = re.compile(r"template\s*<")
ATTRIBUTES = re.compile(r"\[\[[^\]]*\]\]")
TYPE = re.compile(r"(class|struct|union|enum(?: class| struct)?)\s+(\w+)")
FUNCTION = re.compile(r"(operator(?:\(\)|[^(]+)|~?\w+)\s*\(")
NOT_A_NAME = {"decltype", "noexcept", "requires", "alignas", "explicit", "sizeof", "static_assert"}
COMPARISON = re.compile(r"operator\s*(?:==|!=|<=>|<|>|<=|>=|=)$")
SPECIALISATION = re.compile(r"\s*template\s*<\s*>")
ELSEWHERE = re.compile(r"(?:friend|static_assert|namespace|using\s+[\w:]+\s*$|using namespace)\b")


def without_template(chunk: str) -> str:
    """A declaration without its attributes, template parameters and requirements."""
    chunk = ATTRIBUTES.sub("", chunk).strip()
    while match := TEMPLATE.match(chunk):
        depth, at = 1, match.end()
        while depth and at < len(chunk):
            depth += {"<": 1, ">": -1}.get(chunk[at], 0)
            at += 1
        chunk = re.sub(r"^requires\b[^()]*?[>)]\s+(?=\w)", "", chunk[at:].strip())
    return chunk


def function_name(chunk: str) -> str | None:
    """The name of a declared function, with its scope if the text has one."""
    head = chunk.split("=", 1)[0] if "operator" not in chunk else chunk
    for match in FUNCTION.finditer(head):
        if match[1] not in NOT_A_NAME:
            return "::" + match[1] if head[: match.start()].endswith("::") else match[1]
    return None


def declared_name(chunk: str, scope: str, is_definition: bool) -> str | None:
    """The public name that `chunk` declares in `scope`; None if it needs no comment.

    `is_definition` says that braces follow: of a class, they are what makes it more than a name.
    """
    is_specialisation = SPECIALISATION.match(chunk)
    chunk = without_template(chunk)
    if is_specialisation or not chunk or ELSEWHERE.match(chunk):
        return None
    if match := TYPE.match(chunk):
        if is_definition or len(chunk) > match.end():
            return match[2]
        return None
    if match := re.match(r"(?:using|concept)\s+(\w+)\s*=", chunk):
        return match[1]
    name = function_name(chunk)
    if name is None:
        match = re.search(r"(\w+)\s*(?:\[[^\]]*\]\s*)?(?:[={,].*)?$", chunk, re.DOTALL)
        return match[1] if match else None
    copied = rf"\(\s*(?:const )?{scope}(?:<[^>]*>)?\s*&&?"
    is_special = name.startswith(("~", "::")) or (name == scope and re.search(copied, chunk))
    is_given = re.search(r"=\s*(?:default|delete)\s*$|\b(?:override|final)\b", chunk)
    return None if is_special or is_given or COMPARISON.match(name) else name


class Header:
    """The public declarations of one header, which has clang-format's layout."""

    def __init__(self, path: str, text: str) -> None:
        self.path, self.lines = path, text.splitlines()
        self.code = repo.code_of(text)
        self.scopes = [Scope("", public=True)]

    def declarations(self) -> Iterator[Declaration]:
        """Each name once; overloads by the first, documented if any of them is."""
        found: dict[str, Declaration] = {}
        for declaration in self.every_declaration():
            scope, _, own = declaration.name.rpartition("::")
            family = f"{scope}::{re.sub(r'[0-9]+', '#', own)}"
            first = found.setdefault(family, declaration)
            first.documented |= declaration.documented
        yield from found.values()

    def every_declaration(self) -> Iterator[Declaration]:
        start = at = parentheses = 0
        while at < len(self.code):
            character = self.code[at]
            at += 1
            parentheses += {"(": 1, ")": -1}.get(character, 0)
            if parentheses or character not in ";:{}":
                continue
            chunk = self.code[start : at - 1]
            if character == ":" and not self.enters_part(chunk):
                continue
            if character == "}":
                self.scopes.pop()
            if character == "{":
                opened = scope_of(chunk, self.scopes[-1])
                if opened is None:
                    at = self.behind_brace(at)
                    if not is_whole(chunk):
                        continue
            if character in ";{":
                yield from self.declared(chunk, start, is_definition=character == "{")
            if character == "{" and opened is not None:
                self.scopes.append(opened)
            start = at

    def enters_part(self, chunk: str) -> bool:
        """Whether `chunk` is a label such as `public:`, which applies to what follows."""
        label = chunk.strip()
        if label not in ("public", "protected", "private"):
            return False
        self.scopes[-1].public = label == "public" and self.scopes[-2].public
        return True

    def behind_brace(self, at: int) -> int:
        """The position after the brace that closes the one before `at`."""
        depth = 1
        while depth and at < len(self.code):
            depth += {"{": 1, "}": -1}.get(self.code[at], 0)
            at += 1
        return at

    def declared(self, chunk: str, start: int, is_definition: bool) -> Iterator[Declaration]:
        scope = self.scopes[-1]
        name = declared_name(chunk, scope.name, is_definition) if scope.public else None
        if name is None:
            return
        first = self.code.count("\n", 0, start + len(chunk) - len(chunk.lstrip()))
        last = self.code.count("\n", 0, start + len(chunk.rstrip()))
        names = [s.name for s in self.scopes if s.name] + [name]
        yield Declaration(self.path, first + 1, "::".join(names), self.has_words(first, last))

    def has_words(self, first: int, last: int) -> bool:
        """Whether there is a `///` above line `first`, or at the end of a line up to `last`."""
        above = self.lines[first - 1].strip() if first else ""
        behind = any("///<" in line for line in self.lines[first : last + 1])
        return behind or (above.startswith("///") and not above.startswith("///<"))


def scope_of(chunk: str, outer: Scope) -> Scope | None:
    """The scope that a brace after `chunk` opens; None for other braces."""
    head = without_template(chunk)
    if match := re.match(r"(?:inline )?namespace\b\s*([\w:]*)|extern\b", head):
        return Scope((match[1] or "").split("::")[-1], outer.public)
    match = TYPE.match(head)
    if match is None or match[1].startswith("enum"):
        return None
    is_open = match[1] != "class" and not SPECIALISATION.match(chunk)
    return Scope(match[2], outer.public and is_open)


def is_whole(chunk: str) -> bool:
    """Whether the skipped braces end a declaration: a function's body, an enumeration."""
    if TYPE.match(without_template(chunk)):
        return True
    ends = re.search(r"(?:\)|\}|\bconst|\bnoexcept|\boverride|->[^(){}]*|requires[^(]*)\s*$", chunk)
    return ends is not None and function_name(chunk) is not None


def python_declarations(path: str, text: str) -> Iterator[Declaration]:
    """The module and its public classes and functions, methods included."""
    tree = ast.parse(text)
    module = path.removeprefix(PACKAGE).rsplit(".", 1)[0].replace("/", ".")
    if not path.endswith(".pyi"):
        yield Declaration(path, 1, module, ast.get_docstring(tree) is not None)
    inherited: dict[str, set[str]] = {}  # class -> methods whose contract it has or inherits
    pending: list[tuple[str, ast.AST]] = [(module, tree)]
    for scope, node in pending:
        bases = [ast.unparse(base) for base in getattr(node, "bases", [])]
        told = set().union(*(inherited.get(base, set()) for base in bases))
        found: dict[str, Declaration] = {}
        for child in ast.iter_child_nodes(node):
            if isinstance(child, FUNCTIONS) and (is_attribute(child) or child.name in told):
                continue
            if isinstance(child, FUNCTIONS | ast.ClassDef) and not child.name.startswith("_"):
                words = ast.get_docstring(child) is not None
                name = f"{scope}.{child.name}"
                first = found.setdefault(
                    child.name, Declaration(path, child.lineno, name, documented=words)
                )
                first.documented |= words
                if isinstance(child, ast.ClassDef):
                    pending.append((name, child))
        if isinstance(node, ast.ClassDef):
            inherited[node.name] = told | {name for name, d in found.items() if d.documented}
        yield from found.values()


def is_attribute(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Properties are values, most of them named by a standard."""
    names = {getattr(d, "attr", getattr(d, "id", "")) for d in node.decorator_list}
    return bool(names & {"property", "setter"})


def check(root: pathlib.Path) -> tuple[list[str], int]:
    """The findings, and the number of files read; prints the documented share of each language."""
    found: dict[str, list[Declaration]] = {"C++": [], "Python": []}
    files = 0
    for path in repo.tracked(root):
        name = str(path)
        if name.startswith(HEADERS) and path.suffix == ".hpp":
            found["C++"] += Header(name, repo.text_of(path, root)).declarations()
        elif name.startswith(PACKAGE) and path.suffix in (".py", ".pyi"):
            found["Python"] += python_declarations(name, repo.text_of(path, root))
        else:
            continue
        files += 1
    findings = []
    for language, declarations in found.items():
        bare = [d for d in declarations if not d.documented]
        share = 1 - len(bare) / len(declarations) if declarations else 1.0
        print(f"check_documented: {language}: {share:.1%} of {len(declarations)} declarations")
        if share < LEAST_SHARE:
            findings += [f"{d.path}:{d.line}: {d.name} has no comment" for d in bare]
    return findings, files


def main() -> int:
    root = repo.root_named(sys.argv[1:])
    findings, files = check(root)
    return repo.report("check_documented", findings, files)


if __name__ == "__main__":
    sys.exit(main())
