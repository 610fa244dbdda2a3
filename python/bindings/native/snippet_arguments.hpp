// SPDX-License-Identifier: MIT
// Reads what Python passes to kernels around users' texts: types by their names, and arguments.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <list>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "native/host_array.hpp"
#include "treadle/array/array.hpp"
#include "treadle/base/dtype.hpp"
#include "treadle/kernel/declared_arguments.hpp"

namespace treadle::bindings {

/// C name, NumPy's name of the dtype or "" for a structure, size in bytes.
using PythonType = std::tuple<std::string, std::string, std::size_t>;

/// The dtype with the facts that texts need.
DType dtype_of(const PythonType& type);
/// The names of types for texts, with `first` before the others.
std::vector<std::pair<std::string, DType>> type_names(const PythonType& first,
                                                      const std::vector<PythonType>& others);

/// A user's neutral element as a C expression. A text stays as it is; a finite number is written as
/// Python writes it. A complex number becomes a call of `complex_maker` with its parts.
std::string neutral_text(nanobind::handle value, bool is_complex, const std::string& complex_maker);
/// The neutral element of a type. A complex number is made by the type's C name, or by that name
/// with `_new` in place of `_t`. None: no text.
std::string neutral_of(nanobind::handle value, const PythonType& type);

/// The elements of an array, or of an object of a program's own class. Such an object may tell
/// little about its elements, and its dtype is put into `kept`.
kernel::UserArgument::Elements elements_of(nanobind::handle object, std::list<DType>& kept);

/// The arguments of a launch. Values are read in place; structures are views of memory that Python
/// objects lend.
class SnippetArguments {
 public:
  /// Takes arrays, Buffers, numbers of NumPy, bytes of structures, and pairs of a Buffer and the
  /// object that describes its elements. Throws the exception of an argument's memory if a kernel
  /// cannot take the argument.
  explicit SnippetArguments(const nanobind::tuple& objects);
  /// Valid as long as this object and the arguments.
  std::span<const kernel::UserArgument> get() const noexcept { return all_; }

 private:
  void read(nanobind::handle object);

  std::list<HostArray> lent_;
  std::vector<Array> arrays_;  // handles of its own: other threads may rebind during the launch
  std::list<DType> dtypes_;
  std::vector<kernel::UserArgument> all_;
};

}  // namespace treadle::bindings
