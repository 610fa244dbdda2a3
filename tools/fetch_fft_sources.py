#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Unpacks sources of ducc0's FFT from their pinned package: fetch_fft_sources.py DESTINATION"""

import pathlib
import subprocess
import sys
import tarfile
import tempfile

PIN = (
    "ducc0==0.42.0 --hash=sha256:4e11c59b53a43355b053aebb2a62ee16eebeed026575f7d216cf09d437ce52ef\n"
)
# Each of them says "SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0-or-later".
WANTED = (
    *(f"ducc0/fft/{name}.h" for name in ("fft", "fft1d_impl", "fftnd_impl")),
    *(
        f"ducc0/infra/{name}.h"
        for name in (
            *("aligned_array", "error_handling", "mav", "misc_utils", "simd", "threading"),
            "useful_macros",
        )
    ),
    *(f"ducc0/math/{name}.h" for name in ("cmplx", "unity_roots")),
)


def download(folder: pathlib.Path) -> pathlib.Path:
    """The source package; the interpreter CMake found may be a bare one."""
    python = sys.executable
    if subprocess.run([python, "-m", "pip", "--version"], capture_output=True).returncode:
        subprocess.run([python, "-m", "venv", folder / "venv"], check=True)
        python = str(folder / "venv/bin/python")
    pins = folder / "pins.txt"
    pins.write_text(PIN)
    options = ("-q", "--no-deps", "--require-hashes", "--no-binary=ducc0", "-d", folder)
    subprocess.run([python, "-m", "pip", "download", *options, "-r", pins], check=True)
    return next(folder.glob("ducc0-*.tar.gz"))


def unpack(package: pathlib.Path, destination: pathlib.Path) -> None:
    with tarfile.open(package) as archive:
        for name in WANTED:
            member = archive.extractfile(f"{package.name.removesuffix('.tar.gz')}/src/{name}")
            assert member is not None
            text = member.read()
            if b"SPDX-License-Identifier: BSD-3-Clause" not in text:
                raise SystemExit(f"fetch_fft_sources: {name} is not under the BSD licence")
            target = destination / name
            target.parent.mkdir(parents=True, exist_ok=True)
            # Other processes may be reading the existing file.
            partial = target.with_name(target.name + ".partial")
            partial.write_bytes(text)
            partial.rename(target)


def main() -> int:
    destination = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        unpack(download(pathlib.Path(folder)), destination)
    print(f"{PIN.split()[0]} -> {destination}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
