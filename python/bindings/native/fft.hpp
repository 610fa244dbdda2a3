// SPDX-License-Identifier: MIT
#pragma once

#include <nanobind/nanobind.h>

namespace treadle::bindings {

/// treadle._core.fft: Fourier transforms of arrays.
void bind_fft(nanobind::module_& m);

}  // namespace treadle::bindings
