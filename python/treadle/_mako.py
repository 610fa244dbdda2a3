# SPDX-License-Identifier: MIT
"""mako, or how to get it: both faces' _mymako."""

try:
    import mako.template
except ImportError as error:
    raise ImportError(
        "templates of kernels need mako: python -m pip install mako", name="mako"
    ) from error

__all__ = ["mako"]
