# SPDX-License-Identifier: MIT
"""What the array packages of PyCUDA and PyOpenCL have in common."""
