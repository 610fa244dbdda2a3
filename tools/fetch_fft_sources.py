#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Unpacks sources of ducc0's FFT and of VkFFT from pinned source packages of PyPI:
fetch_fft_sources.py DESTINATION"""

from __future__ import annotations

import dataclasses
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile


@dataclasses.dataclass(frozen=True)
class Source:
    """A source package, and what of it is wanted: paths below `top`, or folders with a `/`."""

    name: str
    version: str
    digest: str
    top: str
    wanted: tuple[str, ...]
    licence: bytes = b""  # that each wanted file has to name

    def pin(self) -> str:
        return f"{self.name}=={self.version} --hash=sha256:{self.digest}\n"


DUCC = Source(
    name="ducc0",
    version="0.42.0",
    digest="4e11c59b53a43355b053aebb2a62ee16eebeed026575f7d216cf09d437ce52ef",
    top="src",
    wanted=(
        *(f"ducc0/fft/{name}.h" for name in ("fft", "fft1d_impl", "fftnd_impl")),
        *(
            f"ducc0/infra/{name}.h"
            for name in (
                *("aligned_array", "error_handling", "mav", "misc_utils", "simd", "threading"),
                "useful_macros",
            )
        ),
        *(f"ducc0/math/{name}.h" for name in ("cmplx", "unity_roots")),
    ),
    licence=b"SPDX-License-Identifier: BSD-3-Clause",  # the rest of it is under the GPL
)
VKFFT = Source(
    name="pyvkfft",
    version="2025.1.1",
    digest="359648e089cac0e3c82fc685dc7b8a9e1a249b338dcd7c94677d68207c9842bb",
    top="src/VkFFT/vkFFT",
    wanted=("vkFFT.h", "vkFFT/"),
)


def download(folder: pathlib.Path, source: Source) -> pathlib.Path:
    """The package; the interpreter CMake found may be a bare one."""
    python = sys.executable
    if subprocess.run([python, "-m", "pip", "--version"], capture_output=True).returncode:
        python = str(folder / "venv/bin/python")
        if not pathlib.Path(python).exists():
            subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    pins = folder / "pins.txt"
    pins.write_text(source.pin())
    # pip makes the package's metadata and installs what that takes, in an environment of its own:
    # also where this runs within another build.
    hidden = ("PYTHONPATH", "PIP_NO_BUILD_ISOLATION")
    plain = {name: value for name, value in os.environ.items() if name not in hidden}
    options = ("-q", "--no-deps", "--require-hashes", f"--no-binary={source.name}", "-d", folder)
    subprocess.run([python, "-m", "pip", "download", *options, "-r", pins], env=plain, check=True)
    return next(folder.glob(f"{source.name}-*.tar.gz"))


def unpack(package: pathlib.Path, source: Source, destination: pathlib.Path) -> None:
    top = f"{package.name.removesuffix('.tar.gz')}/{source.top}/"
    folders = tuple(name for name in source.wanted if name.endswith("/"))
    with tarfile.open(package) as archive:
        for member in archive:
            name = member.name.removeprefix(top)
            is_wanted = name in source.wanted or name.startswith(folders or "\0")
            if name == member.name or not is_wanted or not member.isfile():
                continue
            file = archive.extractfile(member)
            assert file is not None
            text = file.read()
            if source.licence not in text:
                raise SystemExit(f"fetch_fft_sources: {name} is not under the licence it had")
            target = destination / name
            target.parent.mkdir(parents=True, exist_ok=True)
            # Other processes may be reading the existing file.
            partial = target.with_name(target.name + ".partial")
            partial.write_bytes(text)
            partial.rename(target)


def main() -> int:
    destination = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        for source in (DUCC, VKFFT):
            unpack(download(pathlib.Path(folder), source), source, destination)
            print(f"{source.pin().split()[0]} -> {destination}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
