# SPDX-License-Identifier: MIT
"""scikit-cuda's modules on arrays of the PyCUDA face, on every CUDA device, the CPU device as well:
`import skcuda` under treadle.compat.

fft, linalg, misc and their like are treadle.fft and treadle.numpy, and need no library of NVIDIA's.
cublas, cusolver and cublasxt call NVIDIA's on a GPU, and the CBLAS and LAPACK of the host on the
CPU device.
"""

from pathlib import Path as _Path

# The version whose interface these modules have.
__version__ = VERSION_TEXT = "0.5.4"
install_headers = str(_Path(__file__).parent.resolve() / "include")
