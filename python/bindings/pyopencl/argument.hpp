// SPDX-License-Identifier: MIT
// Turns arguments from Python into the bytes that an OpenCL kernel expects. NumPy scalars, buffers
// and numbers of a declared type are read without running Python code.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "calls/numpy_scalars.hpp"
#include "memory/launched_array.hpp"
#include "pyopencl/error_classes.hpp"
#include "pyopencl/object_arguments.hpp"
#include "treadle/opencl/kernel.hpp"
#include "treadle/opencl/memory.hpp"

namespace treadle::bindings::cl {

/// The type of one argument, as set_scalar_arg_dtypes declares it.
struct ArgumentType {
  enum class Form : unsigned char {
    generic,             ///< an object with bytes of its own
    number,              ///< a number of the dtype character `code`
    complex,             ///< two numbers; `code` is F or D
    bytes,               ///< the bytes of a structure or a vector
    vector,              ///< an array, passed as its memory
    vector_with_offset,  ///< an array, passed as its memory and its offset
  } form = Form::generic;
  char code = 0;

  unsigned kernel_arguments() const noexcept { return form == Form::vector_with_offset ? 2 : 1; }
  bool is_vector() const noexcept {
    return form == Form::vector || form == Form::vector_with_offset;
  }
};
/// None, a dtype, or a VectorArg. Throws TypeError naming the argument.
ArgumentType read_argument_type(nb::handle declared, const Argument& argument);

/// The arguments of one call. The caller's objects, and the views that this list keeps, must live
/// until the launch returns.
class ArgumentList {
 public:
  /// For `count` arguments; errors count from `first` on.
  explicit ArgumentList(std::size_t count, std::size_t first = 0);
  ArgumentList(const ArgumentList&) = delete;
  ArgumentList& operator=(const ArgumentList&) = delete;
  ~ArgumentList();

  /// Adds an argument without a declared type. Throws LogicError naming it if it has no bytes.
  void add(PyObject* value);
  /// Adds an argument of a declared type. A vector with offset adds two arguments.
  void add(const ArgumentType& type, PyObject* value);
  /// Adds a vector whose address only Treadle knows.
  void add(const ArgumentType& type, const LaunchedArray& array);
  std::span<const opencl::ArgumentView> list() const noexcept { return {arguments_, count_}; }

 private:
  struct Scalar {
    alignas(16) std::byte bytes[16];
  };
  static constexpr std::size_t few = 24;

  void add_argument(const opencl::ArgumentView& argument);
  /// Adds bytes that refer to nothing else.
  void add_bytes(const void* data, std::size_t size);
  /// Adds a NumPy scalar, read in place.
  void add_scalar(const ScalarType& scalar, PyObject* value);
  /// Copies `value` to the place from which the kernel reads it.
  template <class T>
  void add_value(const T& value);
  void add_other(PyObject* value);
  void add_view(PyObject* value);
  bool add_plain_number(char code, PyObject* value);
  void add_number(char code, PyObject* value);
  void add_integer(char code, PyObject* value);
  void report_truncation(PyObject* value, const nb::object& number) const;
  void add_complex(char code, PyObject* value);
  void add_vector(bool with_offset, PyObject* value);
  template <class T>
  void require_fit(long long value);
  template <class T>
  void add_checked(long long value);
  [[noreturn]] void refuse(PyObject* value, const std::string& why) const;

  struct Places {
    alignas(opencl::ArgumentView) std::byte arguments[few * sizeof(opencl::ArgumentView)];
    Scalar scalars[few];
  };

  std::size_t count_ = 0, first_;
  opencl::ArgumentView* arguments_;
  Scalar* scalars_;
  Places few_;  // not initialised, because zeroing unused places would slow every launch
  std::unique_ptr<opencl::ArgumentView[]> many_arguments_;
  std::unique_ptr<Scalar[]> many_scalars_;
  std::vector<Py_buffer> views_;
  std::deque<opencl::Buffer> buffers_;  // the memory of arrays
};

}  // namespace treadle::bindings::cl
