# SPDX-License-Identifier: MIT
"""How far compile_variants() is, in a notebook: terminals have the bar of the extension."""

import html
import sys
from collections.abc import Callable
from typing import Any


def notebook_listener() -> Callable[[int, int, float], None] | None:
    """Shows a bar below the cell after half a second; None where no notebook is."""
    ipython: Any = sys.modules.get("IPython")  # a notebook has imported it
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None or type(shell).__name__ != "ZMQInteractiveShell":
        return None
    display = ipython.display
    shown: list[Any] = []

    def listen(done: int, total: int, seconds: float) -> None:
        if seconds < 0.5:
            return
        text = html.escape(f"compiling {done} of {total}, {seconds:.1f} s")
        bar = display.HTML(f'<progress value="{done}" max="{total}"></progress> {text}')
        if not shown:
            shown.append(display.display(bar, display_id=True))
        else:
            shown[0].update(bar)

    return listen
