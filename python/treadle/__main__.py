# SPDX-License-Identifier: MIT
import sys

from treadle._command_line import main

sys.exit(main())
