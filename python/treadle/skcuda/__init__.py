# SPDX-License-Identifier: MIT
"""scikit-cuda's modules on arrays of the PyCUDA face, on every CUDA device, the CPU device as well:
`import skcuda` under treadle.compat.

Transforms are treadle.fft's, everything else treadle.numpy's; no library of NVIDIA's is needed.
What calls one by its own names is not here yet, and says so.
"""

from pathlib import Path as _Path

import treadle as _treadle

# The version whose interface these modules have.
__version__ = VERSION_TEXT = "0.5.4"
install_headers = str(_Path(_treadle.__file__).parent / "include")
