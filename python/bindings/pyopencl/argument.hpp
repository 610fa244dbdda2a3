// SPDX-License-Identifier: MIT
// What Python passes to an OpenCL kernel, turned into the bytes the kernel expects. No Python code
// runs for NumPy scalars, buffers, and numbers of a declared type.
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

/// What set_scalar_arg_dtypes declares for one argument.
struct ArgumentType {
  enum class Form : unsigned char {
    generic,             ///< whatever brings its own bytes
    number,              ///< of dtype character `code`
    complex,             ///< two numbers, `code` F or D
    bytes,               ///< a structure's or a vector's
    vector,              ///< an array, passed as its memory
    vector_with_offset,  ///< and then its offset, an argument more
  } form = Form::generic;
  char code = 0;

  unsigned kernel_arguments() const noexcept { return form == Form::vector_with_offset ? 2 : 1; }
  bool is_vector() const noexcept {
    return form == Form::vector || form == Form::vector_with_offset;
  }
};
/// None, a dtype, or a VectorArg. Throws TypeError naming the argument.
ArgumentType read_argument_type(nb::handle declared, const Argument& argument);

/// The arguments of one call. The caller's objects, and the views kept here, must live until the
/// launch returns.
class ArgumentList {
 public:
  /// For `count` arguments from number `first` on, which errors name.
  explicit ArgumentList(std::size_t count, std::size_t first = 0);
  ArgumentList(const ArgumentList&) = delete;
  ArgumentList& operator=(const ArgumentList&) = delete;
  ~ArgumentList();

  /// Adds an argument without a declared type. Throws LogicError naming it where it has no bytes.
  void add(PyObject* value);
  /// Adds one of a declared type; of a vector with offset, both its arguments.
  void add(const ArgumentType& type, PyObject* value);
  /// Adds a vector whose memory only Treadle knows.
  void add(const ArgumentType& type, const LaunchedArray& array);
  std::span<const opencl::ArgumentView> list() const noexcept { return {arguments_, count_}; }

 private:
  struct Scalar {
    alignas(16) std::byte bytes[16];
  };
  static constexpr std::size_t few = 24;

  void add_argument(const opencl::ArgumentView& argument);
  /// Bytes that stand for nothing but themselves.
  void add_bytes(const void* data, std::size_t size);
  /// A NumPy scalar, where it is.
  void add_scalar(const ScalarType& scalar, PyObject* value);
  /// Copies `value` to where the kernel finds it.
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
  Places few_;  // not initialised: a launch would wait for the zeros of arguments it has not
  std::unique_ptr<opencl::ArgumentView[]> many_arguments_;
  std::unique_ptr<Scalar[]> many_scalars_;
  std::vector<Py_buffer> views_;
  std::deque<opencl::Buffer> buffers_;  // of arrays
};

}  // namespace treadle::bindings::cl
