# SPDX-License-Identifier: MIT
"""`%%cuda` and `%%cu`: cells of CUDA C in notebooks, whose kernels are Python names afterwards."""

from __future__ import annotations

import keyword
import shlex
from typing import Any, Protocol

from treadle import Device, InvalidArgument, Language, Program, default_device, devices

_TRY = "try: %%cuda -O2 -DN=4 name"


class Shell(Protocol):
    """What is used of IPython's InteractiveShell."""

    user_ns: dict[str, Any]

    def register_magic_function(
        self, func: Any, magic_kind: str = ..., magic_name: str | None = ...
    ) -> None: ...


def _read_line(line: str) -> tuple[list[str], str | None]:
    """The compiler's options, and the name for the program."""
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise InvalidArgument(f"%%cuda {line}: {error}\n{_TRY}") from None
    flags = [word for word in words if word.startswith("-")]
    names = [word for word in words if not word.startswith("-")]
    for name in names:
        if not name.isidentifier() or keyword.iskeyword(name):
            raise InvalidArgument(
                f"%%cuda {line}: {name!r} is neither an option nor a name in Python; an option's "
                f"value is written without a space, -Ifolder\n{_TRY}"
            )
    if len(names) > 1:
        raise InvalidArgument(
            f"%%cuda {line}: there is one program for a cell, and one name\n{_TRY}"
        )
    return flags, names[0] if names else None


def _device() -> Device:
    """The default device, or the best one that takes CUDA C."""
    default = default_device()
    if default.language == Language.cuda_c:
        return default
    return next(device for device in devices() if device.language == Language.cuda_c)


def register(shell: Shell) -> None:
    """Makes the cells' names known to the shell."""

    def cuda(line: str, cell: str) -> None:
        """%%cuda [option ...] [name]

        Compiles the cell's CUDA C for the default device. Each kernel becomes a Python name:
        scale(a, groups=4, group_size=256). With a name the program has one, too, for its
        variables: name.variable("table").
        """
        flags, name = _read_line(line)
        program = Program(_device(), cell, flags=flags, source_name="cell.cu")
        kernels = [kernel for kernel in program.kernel_names if kernel.isidentifier()]
        shell.user_ns.update({kernel: program.kernel(kernel) for kernel in kernels})
        if name is not None:
            shell.user_ns[name] = program
        print("kernels:", ", ".join(kernels) or "none")

    for magic_name in ("cuda", "cu"):
        shell.register_magic_function(cuda, magic_kind="cell", magic_name=magic_name)
