#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks imports inside the Python faces: no module whose name begins with _ imports a public one,
and there are no circles, of imports inside functions neither. And bindings import no module of the
package: what C++ calls is in python/treadle/_parts.py. And no module of the package adds to a class
that is bound: its methods are where it is defined.

There is no list of exceptions: what two modules need is moved to a third.
"""

from __future__ import annotations

import ast
import pathlib
import re
import sys
from collections.abc import Iterator

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import repository as repo
from check_arrows import cycles

PACKAGE = "python/"
OF_PACKAGE = re.compile(r'import_\("treadle(?!\._core\b)')  # the extension may look at itself
FACES = ("treadle.pycuda", "treadle.pyopencl")


def module_of(path: pathlib.PurePosixPath) -> str:
    """The name of the module that a file is."""
    parts = list(path.with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def face_of(module: str) -> str:
    """The face that a module is of; empty: of none."""
    return next((face for face in FACES if module == face or module.startswith(f"{face}.")), "")


def imported(text: str, modules: set[str]) -> Iterator[str]:
    """The modules among these that a text imports, wherever in it."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module is not None and node.level == 0:
            parts = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [part if part in modules else node.module for part in parts]
        else:
            continue
        yield from (name for name in names if name in modules)


OF_EXTENSION = re.compile(r"treadle\._core(\.\w+)?|treadle\.pyopencl\._cl")


def patched_classes(text: str) -> Iterator[str]:
    """Classes of the extension that a text imports, of which it sets an attribute."""
    tree = ast.parse(text)
    bound = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and OF_EXTENSION.fullmatch(node.module or "")
        for alias in node.names
        if alias.name[:1].isupper()
    }
    for node in ast.walk(tree):
        owners: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            owners = [t.value for t in node.targets if isinstance(t, ast.Attribute)]
        elif isinstance(node, ast.Call):
            function = node.func
            is_setattr = isinstance(function, ast.Name) and function.id == "setattr"
            owners = node.args[:1] if is_setattr else []
        for owner in owners:
            if isinstance(owner, ast.Name) and owner.id in bound:
                yield f"line {owner.lineno}: {owner.id}"


def is_private(module: str) -> bool:
    return any(part.startswith("_") for part in module.split("."))


def check(root: pathlib.Path) -> tuple[list[str], int]:
    files = {
        module_of(path.relative_to(PACKAGE)): path
        for path in repo.tracked(root)
        if path.suffix == ".py" and path.is_relative_to(PACKAGE)
    }
    files = {module: path for module, path in files.items() if face_of(module)}
    graph, findings = {}, []
    for module, path in sorted(files.items()):
        targets = sorted(set(imported(repo.text_of(path, root), set(files))) - {module})
        graph[module] = targets
        findings += [
            f"{path}: imports {target}, which is public"
            for target in targets
            if is_private(module) and not is_private(target)
        ]
    findings += [
        f"{path}: imports a module of the package: name a part of treadle._parts"
        for path in repo.tracked(root)
        if path.is_relative_to("python/bindings") and OF_PACKAGE.search(repo.text_of(path, root))
    ]
    findings += [
        f"{path}, {place} is a class of the extension: bind the attribute there"
        for path in repo.tracked(root)
        if path.suffix == ".py" and path.is_relative_to("python/treadle")
        for place in patched_classes(repo.text_of(path, root))
    ]
    findings += [f"import circle: {' -> '.join(circle)}" for circle in cycles(graph)]
    return findings, len(files)


def main() -> int:
    findings, count = check(repo.root_named(sys.argv[1:]))
    return repo.report("check_imports", findings, count)


if __name__ == "__main__":
    sys.exit(main())
