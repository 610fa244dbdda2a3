// SPDX-License-Identifier: MIT
// Compares arguments with a kernel's declaration beyond their sizes: the elements that a pointer
// points to, and whether a number is an integer. Programs reinterpret bytes, records, vectors and
// complex numbers on purpose. Every other contradiction is reported once.
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

/// The elements of an array.
struct GivenElements {
  DType dtype;
  bool has_gaps;  ///< has gaps, or begins behind its lowest address
};

/// Parses a type string of NumPy and `__array_interface__`: "<f4". None for types that no pointer
/// is checked against, such as records and times.
std::optional<DType> checked_dtype(std::string_view typestr);

/// The elements that a kernel's pointers point to, for parameters that an argument can contradict.
class PointedElements {
 public:
  /// Declares the type of parameter `index` as the source spells it: "const float *".
  void declare(std::size_t index, std::string_view type, const ScalarAliases& aliases = {});
  /// Whether there is anything to check.
  bool is_known(std::size_t index) const noexcept {
    return index < pointed_.size() && pointed_[index].has_value();
  }
  /// The contradiction to the declaration, as the rest of a sentence; empty if there is none.
  std::string contradiction(std::size_t index, const GivenElements& given) const;

 private:
  std::vector<std::optional<Scalar>> pointed_;
};

/// Reports an argument that contradicts `parameter`: a UserWarning at the calling line, or a
/// DTypeError with TREADLE_STRICT=1.
void report_contradiction(const std::string& parameter, const std::string& text);

/// The parameters of a kernel that were reported. Each is reported once, whatever its arguments.
class ReportedParameters {
 public:
  bool has(std::size_t index) const noexcept {
    return index < reported_.size() && reported_[index];
  }
  /// Calls report_contradiction() once for each parameter. An error is raised every time.
  void report(std::size_t index, const std::string& parameter, const std::string& text);

 private:
  std::vector<bool> reported_;
};

/// Registers how to read the elements of a bound class's instances. `read` returns false for an
/// instance without elements.
void register_array_type(nb::handle type, bool (*read)(PyObject*, GivenElements&));
/// Reads the elements of an instance of a registered class; takes a few nanoseconds.
bool read_bound_array(PyObject* object, GivenElements& elements);
/// Reads the elements of registered classes, of NumPy arrays and of objects with
/// `__cuda_array_interface__`.
bool read_elements(PyObject* object, GivenElements& elements);

}  // namespace treadle::bindings
