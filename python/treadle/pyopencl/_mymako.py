# SPDX-License-Identifier: MIT
"""mako, or how to get it."""

try:
    import mako.template  # noqa: F401
except ImportError as error:
    raise ImportError(
        "templates of kernels need mako: python -m pip install mako", name="mako"
    ) from error
