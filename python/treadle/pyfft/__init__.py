# SPDX-License-Identifier: MIT
"""PyFFT's plans, on Treadle's transforms: `pyfft.cuda.Plan` and `pyfft.cl.Plan`."""

VERSION = (0, 3, 9)
VERSION_TEXT = "0.3.9"
