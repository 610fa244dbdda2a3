# SPDX-License-Identifier: MIT
"""Where the original builds its packets. Treadle's PacketedSpMV multiplies by compressed rows."""

from __future__ import annotations

from typing import Any, NoReturn

from treadle._core import NotSupported


def build_pkt_data_structure(*arguments: Any, **keywords: Any) -> NoReturn:
    """Raises NotSupported: there is nothing to be built."""
    raise NotSupported(
        "build_pkt_data_structure(): PacketedSpMV has no packets in Treadle; make one of those"
    )
