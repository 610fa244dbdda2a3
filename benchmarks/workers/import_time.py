# SPDX-License-Identifier: MIT
"""What `import treadle` adds to `import numpy`, in a process that has done nothing else."""

import json
import time

import numpy  # noqa: F401

began = time.perf_counter()
import treadle  # noqa: E402, F401

print(json.dumps({"seconds": [time.perf_counter() - began]}))
