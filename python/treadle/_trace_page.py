# SPDX-License-Identifier: MIT
"""A trace as one page of HTML that needs nothing else: timeline and tables."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

from treadle._trace import Report, Trace, cell


def _timeline(trace: Trace) -> dict[str, Any]:
    """What the script draws: names and details are numbers, as they repeat."""
    start = min((event["ts"] for event in trace.spans), default=0.0)
    names: dict[str, int] = {}
    details: dict[str, int] = {}
    tracks: dict[tuple[Any, Any], list[list[float]]] = {}
    for event in trace.spans:
        told = json.dumps(event.get("args", {}), separators=(",", ":"))
        tracks.setdefault((event.get("pid"), event.get("tid")), []).append(
            [
                round(event["ts"] - start, 3),
                event["dur"],
                names.setdefault(str(event.get("name", "")), len(names)),
                names.setdefault(str(event.get("cat", "")), len(names)),
                details.setdefault(told, len(details)),
            ]
        )

    def place(track: tuple[Any, Any]) -> tuple[int, str, str, int]:
        thread = track[1]
        return (
            trace.ranks.get(track[0], 0),
            str(track[0]),
            "",
            thread if isinstance(thread, int) else 0,
        )

    return {
        "names": list(names),
        "details": [json.loads(text) for text in details],
        "tracks": [
            {
                "process": trace.processes.get(track[0], str(track[0])),
                "name": trace.threads.get(track, str(track[1])),
                "events": tracks[track],
            }
            for track in sorted(tracks, key=place)
        ],
    }


def _table(title: str, rows: list[Report]) -> str:
    if not rows:
        return f"<h2>{html.escape(title)}</h2>\n<p>none</p>"
    is_number = [not isinstance(value, str) for value in rows[0].values()]
    marks = [' class="number"' if number else "" for number in is_number]
    head = "".join(
        f"<th{mark} tabindex=0>{html.escape(name)}</th>"
        for name, mark in zip(rows[0], marks, strict=True)
    )
    body = "\n".join(
        "<tr>"
        + "".join(
            f'<td{mark} data-value="{html.escape(str(value))}">{html.escape(cell(value))}</td>'
            for value, mark in zip(row.values(), marks, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    return (
        f"<h2>{html.escape(title)}</h2>\n<table>\n<thead><tr>{head}</tr></thead>\n"
        f"<tbody>\n{body}\n</tbody>\n</table>"
    )


def page(trace: Trace, tables: dict[str, list[Report]], title: str) -> str:
    """The whole page."""
    template = (Path(__file__).parent / "_trace_page.html").read_text(encoding="utf-8")
    # Within a script "</" would end it; JSON allows a slash to be escaped.
    data = json.dumps(_timeline(trace), separators=(",", ":")).replace("</", "<\\/")
    parts = {
        "title": html.escape(title),
        "tables": "\n".join(_table(name, rows) for name, rows in tables.items()),
        "trace": data.replace("<!--", "<\\u0021--"),
    }
    # In one pass: what a program calls its kernels may look like a place for another part.
    pieces = template.split("@@")
    return "".join(parts[piece] if number % 2 else piece for number, piece in enumerate(pieces))
