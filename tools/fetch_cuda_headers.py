#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Unpacks the pinned nvidia-cuda-runtime wheel's headers: fetch_cuda_headers.py DESTINATION"""

import pathlib
import subprocess
import sys
import tempfile
import zipfile

PIN = "nvidia-cuda-runtime==13.0.96"
HEADERS = "nvidia/cu13/include/"
# The driver API is all that Treadle is built with; tests give NVRTC the others.
WANTED = {"cuda.h", "cuda_fp16.h", "cuda_bf16.h"}


def main() -> int:
    destination = pathlib.Path(sys.argv[1])
    destination.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        # The interpreter CMake found may be a bare one (Debian's has no pip without python3-pip);
        # a throw-away environment has pip wherever venv works.
        python = sys.executable
        if subprocess.run([python, "-m", "pip", "--version"], capture_output=True).returncode:
            subprocess.run([python, "-m", "venv", f"{folder}/venv"], check=True)
            python = f"{folder}/venv/bin/python"
        subprocess.run(
            [
                python,
                "-m",
                "pip",
                "download",
                "-q",
                "--no-deps",
                "--only-binary=:all:",
                "--platform=manylinux2014_x86_64",
                "-d",
                folder,
                PIN,
            ],
            check=True,
        )
        wheel = next(pathlib.Path(folder).glob("*.whl"))
        with zipfile.ZipFile(wheel) as archive:
            for name in WANTED:
                target = destination / name
                partial = target.with_suffix(".partial")
                partial.write_bytes(archive.read(HEADERS + name))
                partial.rename(target)
    print(f"{PIN}: {', '.join(sorted(WANTED))} -> {destination}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
