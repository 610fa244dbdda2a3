// SPDX-License-Identifier: MIT
#pragma once

#include "native/array.hpp"

namespace treadle::bindings {

/// Histograms, medians and quantiles.
void bind_array_counting(nb::module_& m);

}  // namespace treadle::bindings
