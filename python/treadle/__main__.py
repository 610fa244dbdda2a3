# SPDX-License-Identifier: MIT
"""`python -m treadle`."""

import sys

from treadle._command_line import main

sys.exit(main())
