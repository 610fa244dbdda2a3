// SPDX-License-Identifier: MIT
#include "tune/double_shadow.hpp"

#include <algorithm>

#include "treadle/base/c_declaration.hpp"
#include "treadle/base/error.hpp"
#include "treadle/device/cuda.hpp"
#include "treadle/device/registry.hpp"
#include "tune/judged_run.hpp"
#include "tune/numbers.hpp"

namespace treadle::tune {
namespace {

/// Functions whose names say that they are of single precision.
constexpr const char* single_functions[] = {
    "acos",  "acosh", "asin",  "asinh",  "atan",  "atan2", "atanh", "cbrt",  "ceil",
    "cos",   "cosh",  "erf",   "erfc",   "exp",   "exp2",  "exp10", "expm1", "fabs",
    "fdim",  "floor", "fma",   "fmax",   "fmin",  "fmod",  "hypot", "log",   "log10",
    "log1p", "log2",  "pow",   "rint",   "round", "rsqrt", "sin",   "sinh",  "sqrt",
    "tan",   "tanh",  "trunc", "tgamma", "lgamma"};

std::string widened(const std::string& text) {
  std::string made = "#define float double\n";
  for (const char* const name : single_functions)
    made += "#define " + std::string(name) + "f " + name + "\n";
  return made + "#line 1\n" + text;
}

/// With `double` where `float` is a word.
std::string with_doubles(std::string text) {
  for (std::size_t at = 0; (at = text.find("float", at)) != std::string::npos; ++at) {
    const bool is_word = (at == 0 || !is_c_name(text.substr(at - 1, 1))) &&
                         (at + 5 == text.size() || !is_c_name("x" + text.substr(at + 5, 1)));
    if (is_word) text.replace(at, 5, "double");
  }
  return text;
}

bool is_single(Scalar dtype) { return dtype == Scalar::float32; }

}  // namespace

DoubleShadow::DoubleShadow(const KernelSubject& subject) {
  if (std::ranges::any_of(subject.parameters(),
                          [](const auto& each) { return !each.type.parts.empty(); })) {
    error_ = "there is no reference, and its vectors or structures have no double form";
    return;
  }
  JudgedKernel given = subject.given();
  // `float` in the text is what names the dtypes of parameters, too.
  given.text = with_doubles(given.text);
  given.kernel = with_doubles(subject.name());
  for (std::string& name : given.options.name_expressions) name = with_doubles(name);
  try {
    device_ = device::in_new_context(*device::find_device("cpu"));
    subject_.emplace(given);
    const kernel::Program program(device_, widened(given.text), given.options);
    kernel_.emplace(program.kernel(given.kernel));
  } catch (const Error& error) {
    error_ = "it does not compile in double precision";
  }
}

bool DoubleShadow::fill(JudgedCase& run) {
  if (!kernel_) return false;
  JudgedCase wide = run;
  for (JudgedArray& array : wide.arrays) {
    if (!is_single(array.dtype)) continue;
    array.before = bytes_of(numbers_in(array.before, array.dtype), Scalar::float64);
    array.dtype = Scalar::float64;
    array.element_bytes = sizeof(double);
  }
  try {
    const RunResult result = run_case(device_, *kernel_, *subject_, wide);
    for (const JudgedArray& array : wide.arrays)
      if (array.use == JudgedUse::output || array.use == JudgedUse::updated)
        run.results[array.name] = numbers_in(result.after.at(array.name), array.dtype);
  } catch (const DeviceError&) {
    error_ = "it fails in double precision";
    kernel_.reset();
  }
  return kernel_.has_value();
}

}  // namespace treadle::tune
