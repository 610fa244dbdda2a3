// SPDX-License-Identifier: MIT
// What a kernel's declaration says of an argument beyond its size: the elements that a pointer
// points to, and whether a number is an integer. Programs reinterpret bytes, records, vectors and
// complex numbers on purpose; all else that contradicts the declaration is reported, once.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "treadle/base/c_declaration.hpp"
#include "treadle/base/dtype.hpp"

namespace treadle::bindings {

namespace nb = nanobind;

/// What an array's elements are.
struct GivenElements {
  DType dtype;
  bool has_gaps;  ///< or does not begin with its first element in memory
};

/// The elements of what NumPy, `__array_interface__` and their like write: "<f4". None for what no
/// pointer is checked against, records and times for example.
std::optional<DType> checked_dtype(std::string_view typestr);

/// What a kernel's pointers point to, for parameters that an argument can contradict.
class PointedElements {
 public:
  /// Parameter `index` is of this type, as its source spells it: "const float *".
  void declare(std::size_t index, std::string_view type, const ScalarAliases& aliases = {});
  /// Whether there is anything to check.
  bool is_known(std::size_t index) const noexcept {
    return index < pointed_.size() && pointed_[index].has_value();
  }
  /// The contradiction of the declaration, as the rest of a sentence; empty: there is none.
  std::string contradiction(std::size_t index, const GivenElements& given) const;

 private:
  std::vector<std::optional<Scalar>> pointed_;
};

/// Reports an argument that contradicts `parameter`: a UserWarning with the line that called, or
/// with TREADLE_STRICT=1 a DTypeError.
void report_contradiction(const std::string& parameter, const std::string& text);

/// Which parameters of a kernel were reported. Each is reported once, for any arguments.
class ReportedParameters {
 public:
  bool has(std::size_t index) const noexcept {
    return index < reported_.size() && reported_[index];
  }
  /// As report_contradiction(), unless it was; an error comes again.
  void report(std::size_t index, const std::string& parameter, const std::string& text);

 private:
  std::vector<bool> reported_;
};

/// Says how the elements of instances of a bound class are read; `read` is false where it has none.
void register_array_type(nb::handle type, bool (*read)(PyObject*, GivenElements&));
/// The elements of such an instance alone; takes a few nanoseconds.
bool read_bound_array(PyObject* object, GivenElements& elements);
/// The elements of such an instance, of NumPy's arrays and of what has `__cuda_array_interface__`.
bool read_elements(PyObject* object, GivenElements& elements);

}  // namespace treadle::bindings
