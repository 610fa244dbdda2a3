# SPDX-License-Identifier: MIT
"""What the PyCUDA and PyOpenCL faces share about dtypes."""
