# SPDX-License-Identifier: MIT
"""skcuda.autoinit: calls misc.init(), and misc.shutdown() at exit."""

import atexit

from . import misc

misc.init()
atexit.register(misc.shutdown)
