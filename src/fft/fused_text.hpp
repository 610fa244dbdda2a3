// SPDX-License-Identifier: MIT
// Users' texts within a text of VkFFT's. VkFFT has no hook for them, but all its accesses to memory
// have two forms, `VALUE = inputs[PLACE];` and `outputs[PLACE] = VALUE;`, in the pinned version
// that is built in. So a kernel that transforms whole rows loads and stores by functions of ours.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "treadle/array/array.hpp"
#include "treadle/base/dtype.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/signature.hpp"

namespace treadle::fft {

/// What loads and stores the elements of a kernel in place of its own accesses.
struct FusedText {
  std::string functions;       ///< defines treadle_load() and treadle_store()
  std::string parameters;      ///< behind the kernel's own: ", const float *treadle_window"
  std::string arguments;       ///< the same in calls: ", treadle_window"
  std::string input, output;   ///< the types of elements in VkFFT's text: "float2"
  std::string loaded, stored;  ///< those of the memory
};

/// One side of a transform.
struct FusedSide {
  std::string text;     ///< the user's; empty: elements as they are
  Scalar dtype;         ///< of `x`
  Scalar memory_dtype;  ///< of the memory; a real one may be loaded as complex numbers
  array::Shape shape;   ///< of the whole array, dense
};

/// A transform whose texts are to be fused.
struct FusedRequest {
  FusedSide load, store;
  double factor = 1;             ///< of results, before they are stored
  bool makes_ends_real = false;  ///< input is half a spectrum of `length` real elements
  std::int64_t length = 0;       ///< of a row
  std::vector<codegen::ParameterSpec> parameters;  ///< the user's
  std::vector<array::Shape> shapes;  ///< of arrays among them, dense; empty for numbers
};

/// The texts for a language. Arrays that the user's texts read as `window[i]` broadcast to the
/// shape of their side.
FusedText fused_text(const FusedRequest& request, const codegen::Dialect& dialect,
                     const codegen::TypeNames& types);

/// VkFFT's text with its accesses replaced. Throws NotSupported where it accesses memory otherwise.
std::string with_fused_text(const std::string& text, const FusedText& fused);

/// Operators of complex numbers and real ones, and make_float2() and make_double2(), in the
/// languages that lack them.
const std::string& complex_operators();
/// The statements of an element-wise kernel: treadle_z[i] is what the text makes of treadle_x[i],
/// in both languages.
std::string element_statements(const std::string& type, const std::string& text);

}  // namespace treadle::fft
