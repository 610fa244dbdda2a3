# SPDX-License-Identifier: MIT
"""`python -m treadle coverage FILE`: what a file of TREADLE_COVERAGE says."""

from __future__ import annotations

import argparse
import sys

import treadle
from treadle import testing


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="what TREADLE_COVERAGE named when the program ran")
    parser.add_argument(
        "--report", metavar="REPORT", action="append", default=[],
        help="term (the default), html:FOLDER, lcov:FILE or xml:FILE; may be given several times",
    )  # fmt: skip
    parser.add_argument("--reset", action="store_true", help="set all counters to zero afterwards")


def main(options: argparse.Namespace) -> int:
    """The exit status: 0, or 2 for files that cannot be used."""
    try:
        texts = testing.read_coverage(options.file)
        for report in options.report or ["term"]:
            if report == "term":
                print(testing.coverage_table(texts), end="")
            else:
                print(testing.write_coverage_report(texts, report))
        if options.reset:
            testing.reset_coverage(options.file)
    except (treadle.InvalidArgument, treadle.FileError) as error:
        print(f"treadle coverage: {error}", file=sys.stderr)
        return 2
    return 0
