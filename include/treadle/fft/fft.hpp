// SPDX-License-Identifier: MIT
// Discrete Fourier transforms of arrays. With n elements x[j] of an axis, the forward transform is
//
//     z[k] = sum over j of x[j] * exp(-2 pi i j k / n),
//
// and the inverse one has exp(+2 pi i j k / n). Any lengths, along any axes, of any layout; all
// other axes are batches. float16 and float32 are transformed in float32 and give complex64;
// float64, integers and bool in float64. The work is n log n for every n, primes included.
//
// Functions return at once; a transform is computed when somebody looks at its result
// (treadle/array/computation.hpp), and is queued on the stream like other kernels. On the CPU
// device ducc0's transforms run on the device's threads. NVIDIA's GPUs run cuFFT where it is found
// and faster, which the first transform of such a shape on a machine measures, and waits; else GPUs
// run kernels that are generated (by VkFFT) and compiled when a shape is first transformed, which
// waits for that. Of OpenCL devices that are processors the elements go
// through the host, which waits for them.
//
// They throw ShapeError for a length below 1 and for an array without axes, IndexError for an axis
// that is not there, InvalidArgument for lengths that are not as many as axes.
#pragma once

#include <cstdint>
#include <vector>

#include "treadle/array/array.hpp"
#include "treadle/base/dtype.hpp"
#include "treadle/base/list.hpp"

namespace treadle::fft {

using array::Array;

/// Which direction divides, n being the product of the lengths of the transformed axes.
enum class Norm : std::uint8_t {
  backward,  ///< the inverse, by n
  ortho,     ///< both, by the root of n
  forward    ///< the forward one, by n
};

/// What is transformed.
struct Options {
  /// The axes, from -rank on; one that is named again is transformed again. Of real transforms the
  /// last one named has the half spectrum.
  std::vector<int> axes = {-1};
  /// The length of each of those axes before the transform, of half spectra after it: elements
  /// beyond are left out, missing ones are 0. Empty: as the array has it.
  std::vector<std::int64_t> lengths = {};
  /// Which direction divides.
  Norm norm = Norm::backward;
};

/// The forward transform of complex or real elements; complex.
Array fft(const Array& x, const Options& options = {});
/// Its inverse.
Array ifft(const Array& x, const Options& options = {});
/// The forward transform of real elements, without what symmetry tells: n / 2 + 1 elements along
/// the last axis named. Throws DTypeError for complex ones.
Array rfft(const Array& x, const Options& options = {});
/// Its inverse, real: lengths of the result, the last of them 2 (m - 1) for m elements if it is not
/// given. Imaginary parts of elements that symmetry makes real are not read.
Array irfft(const Array& x, const Options& options = {});
/// The forward transform, real, of one half of a signal that is symmetric; as irfft() else. One
/// axis.
Array hfft(const Array& x, const Options& options = {});
/// Its inverse, as rfft(). One axis.
Array ihfft(const Array& x, const Options& options = {});

/// The frequencies that n elements of a transform stand for, of samples `spacing` apart: 0, 1, ...,
/// then the negative ones, over n * spacing. In float64 unless another floating dtype is named.
/// Throws InvalidArgument for n below 1.
Array fftfreq(std::int64_t n, double spacing = 1.0, Scalar dtype = Scalar::float64,
              const array::Placement& placement = {});
/// Those of rfft(): 0 to n / 2, over n * spacing.
Array rfftfreq(std::int64_t n, double spacing = 1.0, Scalar dtype = Scalar::float64,
               const array::Placement& placement = {});
/// With frequency 0 in the middle of these axes. Of an axis of n the element n / 2 becomes that of
/// 0.
Array fftshift(const Array& x, List<int> axes);
Array fftshift(const Array& x);  ///< along all axes
/// What fftshift() was applied to.
Array ifftshift(const Array& x, List<int> axes);
Array ifftshift(const Array& x);  ///< along all axes

}  // namespace treadle::fft
