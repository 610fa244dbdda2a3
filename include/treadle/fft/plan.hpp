// SPDX-License-Identifier: MIT
// Fourier transforms that compute C texts of the caller's where they load and store elements: a
// window before the transform, a power spectrum behind it.
//
//     const fft::Plan power(fft::rfft, {.arguments = "const float *window",
//                                       .load = "x * window[i]",
//                                       .store = "x.x * x.x + x.y * x.y",
//                                       .dtype = Scalar::float32});
//     const Array spectra = power(signals, window);
//
// Where a generated kernel transforms whole rows, the texts are a part of it, and nothing else
// reads or writes memory. Elsewhere (the CPU device, cuFFT, rows that take several kernels, several
// axes) each text is an element-wise kernel before or behind the transform. The result is the same,
// but for rounding, and explain() tells which it was.
//
// **Texts** are C expressions, the same for CUDA and OpenCL. `x` is the element, in the dtype of
// the transform: float or double, of complex elements float2 or double2 with the parts x.x and x.y.
// `i` counts the elements of the array that is loaded, or of the result that is stored, in C's
// order, and `n` is their number. Complex elements can be added, subtracted, negated, and
// multiplied and divided by real numbers. Other operators differ: OpenCL C multiplies two complex
// elements part by part and adds a real number to both parts, without a word; CUDA C++ refuses
// that. Write the parts, in both languages, with make_float2() or make_double2():
// "make_float2(x.x * w[i].x - x.y * w[i].y, x.x * w[i].y + x.y * w[i].x)".
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "treadle/array/array.hpp"
#include "treadle/array/operand.hpp"
#include "treadle/base/dtype.hpp"
#include "treadle/base/list.hpp"
#include "treadle/fft/fft.hpp"

namespace treadle::fft {

/// What a transform computes of elements.
struct ElementTexts {
  /// C declarations of what the texts name, with types: "const float *window, float scale".
  /// Pointers are const. Arrays that a text uses as `window[i]` broadcast to the shape of its
  /// elements; others are tables of any shape.
  std::string arguments = {};
  std::string load = {};             ///< what is transformed in place of `x`; empty: x
  std::string store = {};            ///< what is stored in place of `x`; empty: x
  std::optional<Scalar> dtype = {};  ///< of the result; none: the transform's
};

/// A transform with such texts. Any thread.
class Plan {
 public:
  /// fft, ifft, rfft, irfft, hfft or ihfft.
  using Function = Array (*)(const Array&, const Options&);
  /// Throws InvalidArgument for declarations that are none, for pointers that are not const, and
  /// for arguments called x, i or n.
  Plan(Function function, ElementTexts texts, Options options = {});
  ~Plan();
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  /// The transform of an array. `arguments` are arrays and numbers, one for each declaration (else
  /// InvalidArgument). Its kernels are compiled by the call, and queued when the result is needed.
  /// Throws as the function and as array::ElementwiseKernel; ShapeError for arrays that do not
  /// broadcast to the elements; CompileError for the texts.
  template <class... Arguments>
  Array operator()(const Array& x, const Arguments&... arguments) const {
    const std::vector<array::Operand> list{array::Operand(arguments)...};
    return call(x, list);
  }
  /// The same with arguments collected at run time.
  Array call(const Array& x, List<array::Operand> arguments) const;

 private:
  struct Kernels;
  Function function_;
  ElementTexts texts_;
  Options options_;
  std::unique_ptr<Kernels> kernels_;
};

}  // namespace treadle::fft
