# SPDX-License-Identifier: MIT
"""Texts of kernels in which names of types and values are filled in: KernelTemplateBase."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from treadle._core.codegen import split_declarations
from treadle.pyopencl import _cl
from treadle.pyopencl._arguments import Argument, parse_c_arg_of, type_preamble
from treadle.pyopencl._c_names import NAME_TO_DTYPE, dtype_to_ctype
from treadle.pyopencl._caches import Cache
from treadle.pyopencl._program import Program
from treadle.pyopencl._structs import dtype_to_c_struct, parts_of

_MARK = "//CL//"
_MARK_BEGIN, _MARK_END = "//CL", "//"


def macro_safe(name: str, text: str) -> str:
    """`text` as the body of a macro: its lines go on, and it has no comments of a line."""
    text = text.replace(_MARK, "")
    if "//" in text:
        raise RuntimeError(f"{name}: end-of-line comments are not allowed in what becomes a macro")
    return text.rstrip().replace("\n", " \\\n")


def _render_plain(text: str, variables: Mapping[str, Any]) -> str:
    return text


def _render_printf(text: str, variables: Mapping[str, Any]) -> str:
    return text % variables


def _render_mako(text: str, variables: Mapping[str, Any]) -> str:
    from mako.template import Template  # imported only for such templates

    return Template(text, strict_undefined=True).render(**variables)


_PROCESSORS: dict[str, Callable[[str, Mapping[str, Any]], str]] = {
    "none": _render_plain,
    "printf": _render_printf,
    "mako": _render_mako,
}


def _split_mark(text: str) -> tuple[str | None, str]:
    """Splits a text into the name of the template processor, which its first words give, and the
    rest."""
    stripped = text.lstrip()
    if not stripped.startswith(_MARK_BEGIN):
        return None, text
    first, _, rest = stripped[len(_MARK_BEGIN) :].partition(_MARK_END)
    if first == "":
        return None, rest
    return (first[1:], rest) if first.startswith(":") else (None, text)


class CDeclList:
    """What must stand before a kernel that names these types: extensions, and structures."""

    def __init__(self, device: Any) -> None:
        self.device = device
        self._dtypes: list[np.dtype] = []

    def add_dtype(self, dtype: Any) -> None:
        """A type that the kernel names, and those of its fields."""
        self._dtypes += parts_of(np.dtype(dtype).base)

    def visit_arguments(self, arguments: Iterable[Any]) -> None:
        """The types of parameters; those without one are passed over."""
        for argument in arguments:
            if hasattr(argument, "dtype"):
                self.add_dtype(argument.dtype)

    def get_declarations(self) -> str:
        """OpenCL C."""
        lines = [type_preamble(self._dtypes)]
        lines += dict.fromkeys(dtype_to_c_struct(self.device, dtype) for dtype in self._dtypes)
        return "\n".join(line for line in lines if line)


class TemplateRenderer:
    """Fills in one set of types and values."""

    def __init__(
        self,
        template: KernelTemplateBase,
        type_aliases: Any,
        var_values: Any,
        context: Any = None,
        options: Any = None,
    ) -> None:
        self.template = template
        self.type_aliases = {name: np.dtype(dtype) for name, dtype in dict(type_aliases).items()}
        self.var_dict = dict(var_values)
        self.context = context
        self.options = options
        for name, value in self.var_dict.items():
            if name.startswith("macro_"):
                self.var_dict[name] = macro_safe(name, str(value))

    def __call__(self, txt: str) -> str:
        """The text with everything in its place."""
        named, rest = _split_mark(txt)
        processor = named or self.template.template_processor or "none"
        if processor not in _PROCESSORS:
            raise RuntimeError(
                f"unknown template processor {processor!r}: there is {', '.join(_PROCESSORS)}"
            )
        return _PROCESSORS[processor](rest, self.var_dict)

    def parse_type(self, typename: Any) -> np.dtype:
        """The dtype of an alias, of OpenCL C's name, or of NumPy's."""
        if not isinstance(typename, str):
            return np.dtype(typename)
        if typename in self.type_aliases:
            return self.type_aliases[typename]
        return NAME_TO_DTYPE[typename] if typename in NAME_TO_DTYPE else np.dtype(typename)

    def render_argument_list(self, *arg_lists: Any, with_offset: bool = False) -> list[Any]:
        """Parameters from texts, which may speak of the aliases, and from Arguments."""
        result: list[Any] = []
        for arguments in arg_lists:
            is_text = isinstance(arguments, str)
            pieces = split_declarations(self(arguments)) if is_text else arguments
            for piece in pieces:
                if not isinstance(piece, str):
                    result.append(piece)
                elif piece.strip():
                    result.append(parse_c_arg_of(self(piece), self._dtype_of_name, with_offset))
        return result

    def _dtype_of_name(self, name: str) -> np.dtype:
        return self.type_aliases[name] if name in self.type_aliases else NAME_TO_DTYPE[name]

    def get_type_decl_preamble(
        self, device: Any, decl_type_names: Iterable[Any], arguments: Sequence[Any] | None = None
    ) -> str:
        """What must stand before the kernel: extensions, structures, and the aliases' typedefs."""
        declarations = CDeclList(device)
        for name in decl_type_names:
            declarations.add_dtype(self.parse_type(name))
        declarations.visit_arguments(arguments or ())
        for dtype in self.type_aliases.values():
            declarations.add_dtype(dtype)
        lines = [declarations.get_declarations()]
        lines += [
            f"typedef {dtype_to_ctype(dtype)} {name};"
            for name, dtype in self.type_aliases.items()
            if name != dtype_to_ctype(dtype)
        ]
        return "\n".join(line for line in lines if line)

    def get_rendered_kernel(self, txt: str, kernel_name: str) -> Any:
        """The kernel of a whole program."""
        return _cl.Kernel(Program(self.context, self(txt)).build(self.options), kernel_name)


class KernelTemplateBase:
    """What templates of kernels have in common: build() remembers what build_inner() makes."""

    def __init__(self, template_processor: str | None = None) -> None:
        self.template_processor = template_processor
        self._built = Cache()

    def get_renderer(
        self, type_aliases: Any, var_values: Any, context: Any = None, options: Any = None
    ) -> TemplateRenderer:
        """What fills in these types and values."""
        return TemplateRenderer(self, type_aliases, var_values, context, options)

    def build_inner(self, context: Any, *args: Any, **kwargs: Any) -> Any:
        """Makes a kernel; templates define it."""
        raise TypeError(f"{type(self).__name__} has no build_inner(), which makes the kernel")

    def build(self, context: Any, *args: Any, **kwargs: Any) -> Any:
        """The kernel for these arguments, which must be hashable: it is made once."""
        key = (args, tuple(sorted(kwargs.items())))
        results = self._built.setdefault(context, {})
        if key not in results:
            results[key] = self.build_inner(context, *args, **kwargs)
        return results[key]


class SnippetTemplate(KernelTemplateBase):
    """Of kernels that are made of arguments, texts of the user's and a preamble."""

    def __init__(
        self, arguments: str | Sequence[Argument], preamble: str, template_processor: str | None
    ) -> None:
        super().__init__(template_processor)
        self.arguments = arguments
        self.preamble = preamble

    # over 6 parameters because they are those of PyOpenCL's
    def build_inner(
        self,
        context: Any,
        type_aliases: Any = (),
        var_values: Any = (),
        more_preamble: str = "",
        more_arguments: Any = (),
        declare_types: Any = (),
        options: Any = None,
    ) -> Any:
        """The kernel with the aliases' types and the variables' values."""
        renderer = self.get_renderer(type_aliases, var_values, context, options)
        more = more_preamble, more_arguments, declare_types
        return self._build(renderer, *self._filled_in(renderer, more))

    def _filled_in(
        self, renderer: TemplateRenderer, more: tuple[str, Any, Any]
    ) -> tuple[list[Any], str]:
        """Arguments and preamble, together with build()'s additional preamble, arguments and
        declared types."""
        more_preamble, more_arguments, declare_types = more
        arguments = renderer.render_argument_list(self.arguments, more_arguments, with_offset=True)
        device = renderer.context.devices[0]
        declared = renderer.get_type_decl_preamble(device, declare_types, arguments)
        return arguments, f"{declared}\n{renderer(f'{self.preamble}{more_preamble}')}\n"

    def _build(
        self, renderer: TemplateRenderer, arguments: Sequence[Argument], preamble: str
    ) -> Any:
        """Builds the kernel from complete texts."""
        raise TypeError(f"{type(self).__name__} has no _build(), which makes the kernel")
