// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace treadle {

/// `axis` counted from the first of `rank` axes; -1 is the last one. Throws IndexError in NumPy's
/// words, which programs look for: "axis 5 is out of bounds for array of dimension 2", after `what`
/// and a colon where an argument or a function is named.
int checked_axis(int axis, int rank, std::string_view what = {});

}  // namespace treadle
