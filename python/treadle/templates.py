# SPDX-License-Identifier: MIT
"""Texts of kernels that templates write, which know the lines that they come from: compilers report
errors at the template's lines.

substitute() replaces keys and needs no package; render_mako() and render_jinja2() import Mako and
Jinja2 when they are called. What they return is taken wherever the text of a program is:
`SourceModule(text)`, `pyopencl.Program(context, text)`, `treadle.Program(device, text)`. str() of
it is the text.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from typing import Any

from treadle._core import InvalidArgument, Language
from treadle._core import tree as _tree
from treadle._core.tree import GeneratedText

__all__ = ["GeneratedText", "render_jinja2", "render_mako", "specialize", "substitute"]

# Behind each line of a template, until it is rendered: the number of that line. Kernels have no
# such letters.
_MARK = re.compile("\x01(\\d+)\x02")


def _caller(depth: int = 2) -> tuple[str, int]:
    frame = sys._getframe(depth)
    return frame.f_code.co_filename, frame.f_lineno


def substitute(
    text: str,
    values: Mapping[str, Any] | None = None,
    /,
    *,
    style: str = "%(name)s",
    language: Language | str | None = None,
    begin: tuple[str, int] | None = None,
    holes: Mapping[str, str] | None = None,
    **more: Any,
) -> GeneratedText:
    """`text` with values in the place of keys: `%(name)s`, or with `style="$name"` and
    `style="{{name}}"` those.

    A dtype is written as its name in `language` ("CUDA C", "OpenCL C" or a `device.language`), a
    number so that it is read again as the same, a NumPy scalar with its type; anything else is its
    str(). `holes` says what the value of a key must be: "dtype", "constant" or "unroll", a whole
    number above 0. `begin` is the file and line of the text's first line, by default the call's.
    Keys without a value and values without a key raise InvalidArgument, with their lines.
    """
    all_values = {**(values or {}), **more}
    return _tree.substitute(
        text,
        all_values,
        style=style,
        language=language,
        begin=begin if begin is not None else _caller(),
        holes=dict(holes or {}),
    )


def _without_marks(rendered: str, file: str, first: int) -> GeneratedText:
    lines: list[tuple[str, int] | None] = []
    last = 1
    texts = []
    for line in rendered.split("\n"):
        marks = _MARK.findall(line)
        last = int(marks[-1]) if marks else last
        lines.append((file, first + last - 1))
        texts.append(_MARK.sub("", line))
    if not texts[-1]:  # the text ends with the line before
        lines.pop()
    return GeneratedText("\n".join(texts), lines)


def _failure(engine: str, error: Exception, file: str, line: int | None) -> InvalidArgument:
    place = file if line is None else f"{file}:{line}"
    return InvalidArgument(f"{place}: {engine}: {error}")


def _filled(
    values: dict[str, Any], holes: Mapping[str, str] | None, language: Language | str | None
) -> dict[str, Any]:
    """The values with those of holes checked and, except for counts, as kernels have them."""
    filled = dict(values)
    for name, hole in (holes or {}).items():
        if name not in values:
            raise InvalidArgument(
                f"the hole {name!r} has no value", f"pass {name}= beside the other values"
            )
        written = _tree.substitute(
            f"%({name})s", {name: values[name]}, language=language, holes={name: hole}
        )
        if hole != "unroll":
            filled[name] = str(written)
    return filled


def _line_in(error: BaseException, names: set[str]) -> int | None:
    """The innermost line of a template that an exception went through."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename in names:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _marked_jinja2(text: str, environment: Any) -> str:
    """The template with a mark behind each line of it that is no tag's."""
    pieces = []
    for number, kind, value in environment.lex(text):
        if kind == "data":
            lines = value.split("\n")
            marked = [f"{line}\x01{number + at}\x02" for at, line in enumerate(lines[:-1])]
            value = "\n".join([*marked, lines[-1]])
        pieces.append(value)
    return "".join(pieces) + f"\x01{text.count(chr(10)) + 1}\x02"


def render_jinja2(
    text: str,
    *,
    name: str | None = None,
    first_line: int = 1,
    environment: Any = None,
    language: Language | str | None = None,
    holes: Mapping[str, str] | None = None,
    **values: Any,
) -> GeneratedText:
    """The text that a Jinja2 template gives with these values. A value that is missing raises
    InvalidArgument, as a mistake in the template does, with its line. `name` is the template's
    file, by default "template of FILE:LINE", the call's. `holes` says what values must be, as for
    substitute(): the template has a dtype and a constant as the kernel's text has them in
    `language`, and an unroll count as the number.
    """
    try:
        import jinja2
    except ImportError as error:
        raise ImportError("render_jinja2() needs Jinja2: python -m pip install jinja2") from error
    file = name if name is not None else "template of {}:{}".format(*_caller())
    given = _filled(values, holes, language)
    if environment is None:
        environment = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False)
    try:
        template = environment.from_string(_marked_jinja2(text, environment))
        return _without_marks(template.render(**given), file, first_line)
    except jinja2.TemplateSyntaxError as error:
        raise _failure("jinja2", error, file, first_line + error.lineno - 1) from error
    except jinja2.TemplateError as error:
        found = _line_in(error, {"<template>"})
        line = None if found is None else first_line + found - 1
        raise _failure("jinja2", error, file, line) from error


def _line_of_name(text: str, error: NameError) -> int | None:
    """The line of a Mako template that first says the name that has no value: Mako looks all names
    up before its first line."""
    quoted = re.search(r"'(\w+)'", str(error))
    name = error.name or (quoted[1] if quoted else None)
    said = re.search(rf"\b{name}\b", text) if name else None
    return text.count("\n", 0, said.start()) + 1 if said else None


_MAKO_TAG = re.compile(r"<%doc>.*?</%doc>|<%text>.*?</%text>|<%!?\s.*?%>|</?%[^>]*>", re.DOTALL)


def _end_of_expression(text: str, at: int) -> int:
    """Behind the bracket that closes `${`."""
    depth = 0
    while at < len(text):
        if text[at] in "'\"":
            quote = text[at]
            at += 1
            while at < len(text) and text[at] != quote:
                at += 2 if text[at] == "\\" else 1
        depth += {"{": 1, "}": -1}.get(text[at] if at < len(text) else "", 0)
        at += 1
        if depth == 0:
            break
    return at


def _marked_mako(text: str) -> str:
    """The template with a mark behind each line that is no control line nor in a tag."""
    pieces: list[str] = []
    at, line, is_begin = 0, 1, True
    while at < len(text):
        end = at + 1
        if is_begin and (match := re.compile(r"[ \t]*(%(?!%)|##)[^\n]*\n?").match(text, at)):
            while match[0].endswith("\\\n"):  # a control line that goes on
                match = re.compile(re.escape(match[0]) + r"[^\n]*\n?").match(text, at) or match
                if match.end() == len(text):
                    break
            end = match.end()
            piece = match[0]
        elif match := _MAKO_TAG.match(text, at):
            end, piece = match.end(), match[0]
        elif text.startswith("${", at):
            end = _end_of_expression(text, at + 1)
            piece = text[at:end]
        elif text.startswith("\\\n", at):
            end, piece = at + 2, f"\x01{line}\x02\\\n"
        elif text[at] == "\n":
            piece = f"\x01{line}\x02\n"
        else:
            piece = text[at]
        pieces.append(piece)
        line += text.count("\n", at, end)
        is_begin = text[end - 1] == "\n"
        at = end
    if not is_begin:
        pieces.append(f"\x01{line}\x02")
    return "".join(pieces)


def render_mako(
    text: str,
    *,
    name: str | None = None,
    first_line: int = 1,
    language: Language | str | None = None,
    holes: Mapping[str, str] | None = None,
    **values: Any,
) -> GeneratedText:
    """The text that a Mako template gives with these values; otherwise as render_jinja2()."""
    try:
        import mako.exceptions
        import mako.template
    except ImportError as error:
        raise ImportError("render_mako() needs Mako: python -m pip install mako") from error
    file = name if name is not None else "template of {}:{}".format(*_caller())
    given = _filled(values, holes, language)
    try:
        template = mako.template.Template(_marked_mako(text), strict_undefined=True)
        rendered = template.render(**given)
    except mako.exceptions.MakoException as error:
        line = getattr(error, "lineno", None)
        raise _failure("mako", error, file, line and first_line + line - 1) from error
    except NameError as error:
        line = _line_of_name(text, error)
        raise _failure("mako", error, file, line and first_line + line - 1) from error
    return _without_marks(rendered, file, first_line)


def specialize(
    kernel: Any,
    /,
    *,
    language: Language | str = "CUDA C",
    kernel_name: str | None = None,
    **values: Any,
) -> GeneratedText:
    """The text of a kernel with arguments baked in: `specialize(text, n=1024)` has
    `const int n = 1024;` in the body instead of the parameter `n`, so that the compiler unrolls
    loops over it. The kernel takes its other arguments as before.

    `kernel` is a text, a tree of treadle.cgen or a generated text; `kernel_name` says which kernel
    of several. InvalidArgument names the parameters there are for what is none of them.
    """
    return _tree.specialize(kernel, values, language, kernel_name)
