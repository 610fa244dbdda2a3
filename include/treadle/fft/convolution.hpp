// SPDX-License-Identifier: MIT
// Convolutions by Fourier transforms: as many operations as a sort, where array::convolve()
// (treadle/array/signal.hpp) multiplies each element by each.
#pragma once

#include <cstdint>

#include "treadle/array/array.hpp"
#include "treadle/array/signal.hpp"

namespace treadle::fft {

/// The sums of x[k - j] * y[j] over j for each k, along all axes, of arrays of as many axes. `full`
/// has n + m - 1 elements along an axis, `same` the n of x in the middle, `valid` those where the
/// smaller array lies within the other. float16 and float32 give float32, complex64 likewise;
/// integers float64. Errors are small beside the largest elements, not beside each. Waits like
/// other operations. Throws ShapeError for other ranks, for arrays without axes or elements, and
/// (`valid`) where neither lies within the other.
array::Array convolve_fft(const array::Array& x, const array::Array& y,
                          array::Overlap overlap = array::Overlap::full);

/// The least length from n on whose only factors are 2, 3, 5, 7 and 11, which transforms are
/// fastest for. Throws InvalidArgument for n below 1 or above 2^58.
std::int64_t fast_length(std::int64_t n);

}  // namespace treadle::fft
