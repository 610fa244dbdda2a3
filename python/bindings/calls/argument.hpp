// SPDX-License-Identifier: MIT
// Turns arguments from Python into the bytes that a kernel expects. NumPy scalars and device memory
// are read without running Python code.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <vector>

#include "calls/parameter_check.hpp"
#include "calls/small_integer.hpp"
#include "errors.hpp"
#include "interrupt.hpp"
#include "treadle/cuda/function.hpp"
#include "treadle/cuda/launch.hpp"
#include "treadle/device/kernel.hpp"

namespace treadle::bindings {

/// Returns the attribute, or none if the object has no such attribute.
nb::object attribute_or_null(PyObject* object, const char* name);

/// Registers a bound class whose instances stand for device memory. `read` throws if the memory was
/// freed.
void register_pointer_type(nb::handle type, cuda::DevicePointer (*read)(PyObject*));
/// Reads the address if `object` is an instance of a registered class or of a subclass.
bool read_pointer(PyObject* object, cuda::DevicePointer& address);
/// Registers a bound class whose instances kernels take as a 64-bit number, as they take textures.
/// `read` throws if the object has no number any more.
void register_kernel_object(nb::handle type, unsigned long long (*read)(PyObject*));
/// Bytes that a kernel takes by value. They belong to an object that lives during the call.
struct KernelValue {
  const void* data;
  std::size_t size, alignment;
};
/// Registers a bound class whose instances kernels take by value, as they take tensor maps.
void register_value_type(nb::handle type, KernelValue (*read)(PyObject*));
/// The device address of `object`: an integer or an instance of a registered class. Throws
/// TypeError naming `what`.
cuda::DevicePointer pointer_argument(PyObject* object, const char* what);

/// The number of another library's handle. `object` is an integer; a handle of cuda.bindings' class
/// `bindings_name` ("CUstream"), which int() converts; or an object of cuda.core whose `handle` is
/// either of these. Throws TypeError naming `what` for other objects, also for handles of other
/// kinds.
std::uintptr_t foreign_handle(PyObject* object, const char* what, const char* bindings_name);

/// Marks this thread as packing the arguments of a launch on a stream. Only this launch uses the
/// arrays that are read during the scope.
class LaunchScope {
 public:
  explicit LaunchScope(cuda::StreamRef stream) noexcept;
  ~LaunchScope();
  LaunchScope(const LaunchScope&) = delete;
  LaunchScope& operator=(const LaunchScope&) = delete;

  /// Whether this thread is in such a scope, on the default stream.
  static bool is_on_default_stream() noexcept;

 private:
  const LaunchScope* outer_;
  cuda::StreamRef stream_;
};

/// The address in the answer of `__cuda_array_interface__`. Throws DTypeError naming the attribute
/// if the answer is not the interface's dictionary.
cuda::DevicePointer interface_address(nb::handle interface);

/// Registers a bound class whose instances are streams.
void register_stream_type(nb::handle type, cuda::StreamRef (*read)(PyObject*));
/// Reads None, a stream, or an object with `__cuda_stream__`. Throws TypeError for anything else.
cuda::StreamRef stream_argument(PyObject* object);

/// Throws TypeError naming `what`; for a float, the error tells how to divide integers.
[[noreturn]] void refuse_no_integer(PyObject* object, const char* what);
/// Reads an unsigned number from any object with `__index__`. Throws TypeError, or OverflowError
/// for a negative or too large number, naming `what`.
std::uint64_t unsigned_argument(PyObject* object, const char* what,
                                std::uint64_t highest = ~std::uint64_t{0});
/// Whether an option was given (is not null) and is true. Throws the exception that its `__bool__`
/// raises.
bool is_set(PyObject* option);
/// Reads 1 to 3 integers from a tuple or another sequence. Throws TypeError, OverflowError, or
/// InvalidArgument for another number of integers, naming `what`.
cuda::Dim3 any_dim3_argument(PyObject* object, const char* what);
/// Does the same. The common case is inline, so that the three sides need not go through memory.
inline cuda::Dim3 dim3_argument(PyObject* object, const char* what) {
  if (const SmallSides sides = small_sides(object, 1); sides.count != 0) [[likely]]
    return {static_cast<unsigned>(sides.x), static_cast<unsigned>(sides.y),
            static_cast<unsigned>(sides.z)};
  return any_dim3_argument(object, what);
}

/// A kernel as Python holds it: the function and the facts that each call of the function needs.
struct Kernel {
  /// `declared` are the parameters as the source declares them, if the driver does not tell them.
  /// `aliases` are the source's names for types.
  Kernel(cuda::Function kernel_function, Face kernel_face,
         const std::vector<device::Parameter>& declared = {}, const ScalarAliases& aliases = {});

  cuda::Function function;
  Face face;
  const cuda::ParameterLayout& layout;
  std::vector<cuda::ParameterKind> kinds;  ///< of the parameters
  std::vector<std::string> types;          ///< as in the source, if known
  std::vector<std::string> names;          ///< likewise
  PointedElements pointed;
  ReportedParameters reported;  ///< parameters whose conversion or contradiction was reported
};

/// Reports once for each parameter that the argument's elements differ from the elements the
/// parameter points to. Ignores arguments that are not arrays. Throws as report_contradiction()
/// does.
void check_elements(Kernel& kernel, std::size_t parameter, PyObject* argument);
/// Checks only arrays of this extension, in every call.
inline void check_bound_array(Kernel& kernel, std::size_t parameter, PyObject* argument) {
  GivenElements given{Scalar::int8, false};
  if (kernel.pointed.is_known(parameter) && read_bound_array(argument, given))
    check_elements(kernel, parameter, argument);
}
/// Reports once that a number of this kind, described by `text`, is passed for a parameter of
/// another kind: a float for an int. Does nothing if the kinds agree or the parameter's kind is
/// unknown.
void check_number(Kernel& kernel, std::size_t parameter, device::ParameterKind given,
                  const std::string& text);

/// Adds the next argument of a plain call. Appends objects with get_device_alloc (In, Out, InOut)
/// to `handlers`, borrowed. Throws TypeError, and as ArgumentBuffer does.
void add_argument(cuda::ArgumentBuffer& buffer, PyObject* argument, Kernel& kernel,
                  std::vector<PyObject*>& handlers);

/// An integer of any width and its sign.
struct WideInteger {
  std::uint64_t bits;  ///< two's complement
  bool is_negative;
};
/// Writes `number` in the parameter's width. Only the PyCUDA face allows this, and warns once for
/// each parameter. Returns false if the parameter is no integer or the number does not fit.
bool convert_integer(Kernel& kernel, std::size_t parameter, const WideInteger& number,
                     std::size_t given_size, void* to);

}  // namespace treadle::bindings
