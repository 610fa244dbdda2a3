# SPDX-License-Identifier: MIT
"""What an import adds to that of NumPy, in a process that has done nothing else: import_time.py
MODULE."""

import importlib
import json
import sys
import time

import numpy  # noqa: F401

began = time.perf_counter()
importlib.import_module(sys.argv[1])
print(json.dumps({"seconds": [time.perf_counter() - began]}))
