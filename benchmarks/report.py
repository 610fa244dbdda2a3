# SPDX-License-Identifier: MIT
"""Writes measured rows as one JSON file and one Markdown table in benchmarks/results/."""

import datetime
import json
import math
import os
import pathlib
import platform
import subprocess

from measure import Bar, difference, ratio, summary

RESULTS = pathlib.Path(__file__).resolve().parent / "results"


def commit():
    """The measured commit: the GPU bundle's where one is unpacked, else that of the tree."""
    root = pathlib.Path(__file__).resolve().parent.parent
    if (root / ".gpu-bundle/site").exists():
        return (root / ".gpu-bundle/revision.txt").read_text().strip()
    command = ["git", "-C", root, "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor()


def machine(device):
    """Where the figures come from. `device` is the back end's own description."""
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": commit(),
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)),
        "load": round(os.getloadavg()[0], 2),
        "scheduling": "ordinary" if os.sched_getscheduler(0) == os.SCHED_OTHER else "real time",
        "python": platform.python_version(),
        "system": platform.platform(),
        **device,
    }


def work_fields(row, seconds, ceilings):
    """Rate of the work done, and its fraction of the upper bound measured in the same run."""
    if not row.work:
        return {}
    amount, unit, ceiling = row.work
    rate = amount / seconds
    fields = {"rate": rate, "unit": unit, "ceiling": ceiling}
    if ceiling in ceilings:
        fields["fraction"] = rate / ceilings[ceiling]
    return fields


def row_record(row, ceilings):
    ours = row.columns[0]
    record = {"group": row.group, "name": row.name, "note": row.note, "columns": []}
    for column in row.columns:
        entry = {"label": column.label, "check": column.check}
        if column.absent or not column.rounds:
            entry["absent"] = column.absent or "nothing measured"
        else:
            entry["seconds"] = summary(column.rounds)
            entry |= work_fields(row, entry["seconds"]["median"], ceilings)
            if column is not ours and ours.rounds:
                entry["ours_over_this"] = ratio(ours.rounds, column.rounds)
                if any(math.isfinite(getattr(t, "at_most_more", math.inf)) for t in row.targets):
                    entry["ours_minus_this"] = difference(ours.rounds, column.rounds)
        record["columns"].append(entry)
    record["targets"] = [
        bar_record(target, row) if isinstance(target, Bar) else target_record(target, record)
        for target in row.targets
    ]
    return record


def target_record(target, record):
    """Compares the targets with the measurements; `met` is null where a side is absent."""
    ours = record["columns"][0].get("seconds")
    if math.isfinite(target.at_most_seconds):
        met = ours["median"] <= target.at_most_seconds if ours else None
        return {"promise": f"<= {duration(target.at_most_seconds)}", "met": met}
    if math.isfinite(target.at_most_more):
        promise = f"<= {target.against} + {duration(target.at_most_more)}"
        compared, limit = "ours_minus_this", target.at_most_more
    else:
        promise = f"<= {target.at_most}x of {target.against}"
        compared, limit = "ours_over_this", target.at_most
    for entry in record["columns"]:
        if entry["label"] == target.against and compared in entry:
            return {"promise": promise, "met": entry[compared]["median"] <= limit}
    return {"promise": promise, "met": None}


def bar_record(bar, row):
    """Where ours is between floor and goal; `measured` is null where a side is absent."""
    ours = row.columns[0].rounds
    measured = None
    if not bar.against:
        measured = summary(ours) if ours else None
    elif ours:
        theirs = next(column.rounds for column in row.columns if column.label == bar.against)
        measured = ratio([bar.work * seconds for seconds in theirs], ours) if theirs else None

    def reached(limit):
        if not measured:
            return None
        return measured["median"] >= limit if bar.against else measured["median"] <= limit

    return {
        "against": bar.against,
        "measured": measured,
        "floor": bar.floor,
        "met": reached(bar.floor),
        "goal": bar.goal,
        "goal_met": reached(bar.goal),
    }


def bar_cells(bars):
    """Measured, floor and goal; in each cell a line for each bar."""
    words = {True: "met", False: "**missed**", None: "not measured"}
    cells = ([], [], [])
    for bar in bars:
        shown = "{:.3g}".format if bar["against"] else duration
        of = f" of {bar['against']}" if bar["against"] else ""
        measured = "-"
        if value := bar["measured"]:
            spread = f"[{shown(value['low'])}, {shown(value['high'])}]"
            measured = f"**{shown(value['median'])}**{of} {spread}"
        cells[0].append(measured)
        cells[1].append(f"{shown(bar['floor'])}{of}: {words[bar['met']]}")
        cells[2].append(f"{shown(bar['goal'])}: {words[bar['goal_met']]}")
    return ["<br>".join(lines) or "-" for lines in cells]


def duration(seconds):
    if seconds < 0:
        return f"-{duration(-seconds)}"
    for unit, scale in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if seconds * scale >= 1:
            return f"{seconds * scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def rate(value, unit):
    scale = 1e9 if unit.startswith("G") else 1
    return f"{value / scale:.3g} {unit}"


def cell(entry):
    if "absent" in entry:
        return f"{entry['label']}: absent ({entry['absent']})"
    seconds = entry["seconds"]
    text = f"{entry['label']} {duration(seconds['median'])}"
    text += f" [{duration(seconds['low'])}, {duration(seconds['high'])}]"
    if "ours_over_this" in entry:
        times = entry["ours_over_this"]
        text += f", ours/it **{times['median']:.2f}** [{times['low']:.2f}, {times['high']:.2f}]"
    if "ours_minus_this" in entry:
        more = entry["ours_minus_this"]
        text += f", ours - it {duration(more['median'])}"
        text += f" [{duration(more['low'])}, {duration(more['high'])}]"
    return text


def verdict(targets):
    words = {True: "met", False: "**missed**", None: "not measured"}
    return "; ".join(f"{target['promise']}: {words[target['met']]}" for target in targets)


def markdown(facts, ceilings, records):
    lines = [f"# Benchmarks, {facts['date']}", ""]
    lines += [f"- {name}: {value}" for name, value in facts.items() if name != "date"]
    lines += [f"- ceiling, {name}: {value / 1e9:.4g} G/s" for name, value in ceilings.items()]
    lines += [
        "",
        "Medians of interleaved rounds, [5 %, 95 %]. A ratio is the median over rounds",
    ]
    lines += ["of ours / theirs; below 1 ours is faster.", ""]
    if any("goal" in target for record in records for target in record["targets"]):
        lines += ["Measured, floor and goal are ours as part of the other's speed.", ""]
    group = None
    for record in records:
        if record["group"] != group:
            group = record["group"]
            has_bars = any(
                "goal" in t for r in records if r["group"] == group for t in r["targets"]
            )
            last = ["measured", "floor", "goal"] if has_bars else ["promise"]
            headings = ["what", "ours", "rate", "others", *last]
            lines += ["", f"## {group}", "", f"| {' | '.join(headings)} |"]
            lines.append("|---" * len(headings) + "|")
        lines.append(table_line(record, has_bars))
    return "\n".join(lines) + "\n"


def table_line(record, has_bars=False):
    ours, *others = record["columns"]
    speed = "-"
    if "rate" in ours:
        speed = rate(ours["rate"], ours["unit"])
        if "fraction" in ours:
            speed += f" ({ours['fraction']:.0%} of {ours['ceiling']})"
    name = record["name"] + (f" ({record['note']})" if record["note"] else "")
    peers = "<br>".join(cell(entry) for entry in others) or "-"
    last = bar_cells(record["targets"]) if has_bars else [verdict(record["targets"]) or "-"]
    cells = [name, cell(ours), speed, peers, *last]
    return "| " + " | ".join(text.replace("|", "/") for text in cells) + " |"


def write(kind, facts, ceilings, rows, folder=None):
    """Writes KIND.json and KIND.md; returns the path of the table."""
    records = [row_record(row, ceilings) for row in rows]
    folder = pathlib.Path(folder or RESULTS)
    folder.mkdir(parents=True, exist_ok=True)
    everything = {"machine": facts, "ceilings": ceilings, "rows": records}
    (folder / f"{kind}.json").write_text(json.dumps(everything, indent=1) + "\n")
    table = folder / f"{kind}.md"
    table.write_text(markdown(facts, ceilings, records))
    return table
