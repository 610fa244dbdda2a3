# SPDX-License-Identifier: MIT
# find_package(treadle), and what the wheel holds. Filled by the packaging work.
