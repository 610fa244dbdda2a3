# SPDX-License-Identifier: MIT
"""Programs that were built before. They lie in Treadle's cache (docs/cache.md), which has a format,
keys and locks of its own; what is here answers programs that use PyOpenCL's."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from treadle import _absent
from treadle.pyopencl._cl import _build_cached
from treadle.pyopencl._warnings import report_build
from treadle.pyopencl.version import VERSION

new_hash = hashlib.md5
_INCLUDE = re.compile(r'^\s*#\s*include\s+[<"](.+?)[">]', re.MULTILINE)


def update_checksum(checksum: Any, obj: str | bytes) -> None:
    """Adds a text to a checksum."""
    checksum.update(obj.encode("utf8") if isinstance(obj, str) else obj)


def get_file_md5sum(fname: str) -> str:
    """Of a file's content."""
    return hashlib.md5(Path(fname).read_bytes()).hexdigest()


def _found(name: str, folders: Sequence[str]) -> Path | None:
    paths = (Path(folder) / name for folder in folders)
    return next((path for path in paths if path.is_file()), None)


def get_dependencies(src: str, include_path: Iterable[str]) -> tuple[tuple[str, float, str], ...]:
    """(file, time of its last change, checksum) of all that a text includes, and those include."""
    folders = [".", *include_path]
    found: dict[str, tuple[str, float, str]] = {}
    texts = [src]
    while texts:
        for name in _INCLUDE.findall(texts.pop()):
            path = _found(name, folders)
            if path is None or str(path) in found:
                continue
            found[str(path)] = str(path), path.stat().st_mtime, get_file_md5sum(str(path))
            texts.append(path.read_text(errors="replace"))
    return tuple(found[name] for name in sorted(found))


def check_dependencies(deps: Iterable[tuple[str, float, str]]) -> bool:
    """Whether the files are what they were."""
    for name, changed, checksum in deps:
        path = Path(name)
        if not path.is_file():
            return False
        if path.stat().st_mtime != changed and get_file_md5sum(name) != checksum:
            return False
    return True


def get_device_cache_id(device: Any) -> tuple[Any, ...]:
    """What a binary depends on besides its text."""
    platform = device.platform
    return (
        VERSION,
        platform.vendor,
        platform.name,
        platform.version,
        device.vendor,
        device.name,
        device.version,
        device.driver_version,
    )


def get_cache_key(device: Any, options_bytes: bytes, src: str) -> str:
    """A checksum of text, options and device."""
    checksum = new_hash()
    for part in (src, options_bytes, str(get_device_cache_id(device))):
        update_checksum(checksum, part)
    return checksum.hexdigest()


# over 6 parameters because they are those of PyOpenCL's
def create_built_program_from_source_cached(
    ctx: Any,
    src: str,
    options_bytes: bytes,
    devices: Sequence[Any] | None = None,
    cache_dir: str | os.PathLike | None = None,
    include_path: Iterable[str] | None = None,
) -> tuple[Any, bool]:
    """(the built _Program, whether the cache had it). What the compiler said is warned of, when it
    comes out of the cache, too."""
    words = options_bytes.decode().split()
    folders = list(include_path or ())
    program, logs, was_cached = _build_cached(ctx, src, words, folders, devices, cache_dir, [])
    report_build("source", logs)
    return program, was_cached


_OWN = "Treadle's cache has folders, locks and entries of its own: treadle.compile"
_ABSENT = dict.fromkeys(
    ("CacheLockManager", "CleanupManager", "ModuleCacheDirManager", "retrieve_from_cache"), _OWN
)


def __getattr__(name: str) -> Any:
    raise _absent.no_name("pyopencl.cache", name, _ABSENT)
