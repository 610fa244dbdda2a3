// SPDX-License-Identifier: MIT
// What kernels around users' texts are told by Python: types by their names, and arguments.
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

/// What texts need to know of it.
DType dtype_of(const PythonType& type);
/// The names under which texts know the types, `first` before the others.
std::vector<std::pair<std::string, DType>> type_names(const PythonType& first,
                                                      const std::vector<PythonType>& others);

/// A user's neutral element as a C expression. Texts are taken as they are, and a finite number as
/// Python writes it. `complex_maker` is called with the parts of a complex one.
std::string neutral_text(nanobind::handle value, bool is_complex, const std::string& complex_maker);
/// The same of a type, whose C name makes a complex number, or the name with `_new` in the place of
/// `_t`; None: no text.
std::string neutral_of(nanobind::handle value, const PythonType& type);

/// What lies where an array is, or an object of a program's own class, which may say little and
/// whose dtype is put into `kept`.
kernel::UserArgument::Elements elements_of(nanobind::handle object, std::list<DType>& kept);

/// Arguments of a launch. Values are read where they are; structures are views of what Python
/// objects lend.
class SnippetArguments {
 public:
  /// Arrays, Buffers, numbers of NumPy, bytes of structures, and pairs of a Buffer and the object
  /// that says what lies in it. Throws what an argument's memory throws, if it is none that a
  /// kernel takes.
  explicit SnippetArguments(const nanobind::tuple& objects);
  /// Live as long as this and the objects.
  std::span<const kernel::UserArgument> get() const noexcept { return all_; }

 private:
  void read(nanobind::handle object);

  std::list<HostArray> lent_;
  std::vector<Array> arrays_;  // shares: other threads run during the launch, and may rebind
  std::list<DType> dtypes_;
  std::vector<kernel::UserArgument> all_;
};

}  // namespace treadle::bindings
