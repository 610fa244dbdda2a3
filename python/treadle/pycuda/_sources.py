# SPDX-License-Identifier: MIT
"""What stands for the texture references of kernels that once read through them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treadle.pycuda import _native as cuda


class Source:
    """What stands in for a texture reference: the memory that a kernel reads. Compilers have had no
    texture references since CUDA 12; plain loads do what they did."""

    def __init__(self) -> None:
        self.address: Any = None

    def set_address(self, devptr: Any, bytes: int, allow_offset: bool = False) -> int:  # noqa: A002
        """Reads at `devptr` from now on, whatever its alignment: an offset is never left over."""
        self.address = devptr
        return 0

    def set_format(self, fmt: Any, num_components: int) -> None:
        """The kernel's own types say how memory is read."""

    def set_flags(self, flags: int) -> None:
        """Nothing is sampled."""


class FunctionWithSources:
    """A prepared function whose sources are passed before its last argument."""

    def __init__(self, function: cuda.Function, sources: Sequence[Source]) -> None:
        self._function = function
        self._sources = sources

    def _complete(self, arguments: tuple[Any, ...]) -> list[Any]:
        addresses = [source.address for source in self._sources]
        if None in addresses:
            raise cuda.LogicError(
                f"source {addresses.index(None)} of the kernel has no memory: "
                "bind its texture reference with set_address()"
            )
        return [*arguments[:-1], *addresses, *arguments[-1:]]

    def prepared_call(self, grid: Any, block: Any, *args: Any, **kwargs: Any) -> None:
        """As that of a Function."""
        self._function.prepared_call(grid, block, *self._complete(args), **kwargs)

    def prepared_async_call(
        self, grid: Any, block: Any, stream: Any, *args: Any, **kwargs: Any
    ) -> None:
        """As that of a Function."""
        self._function.prepared_async_call(grid, block, stream, *self._complete(args), **kwargs)

    def prepared_timed_call(self, grid: Any, block: Any, *args: Any, **kwargs: Any) -> Any:
        """As that of a Function."""
        return self._function.prepared_timed_call(grid, block, *self._complete(args), **kwargs)
