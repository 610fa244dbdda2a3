// SPDX-License-Identifier: MIT
// What Python passes to a kernel, turned into the bytes the kernel expects. No Python code runs for
// NumPy scalars and device memory.
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

/// The attribute; none if the object has no such.
nb::object attribute_or_null(PyObject* object, const char* name);

/// Says that instances of a bound class stand for device memory. `read` throws if it was freed.
void register_pointer_type(nb::handle type, cuda::DevicePointer (*read)(PyObject*));
/// The address if `object` is an instance of such a class (or of a subclass).
bool read_pointer(PyObject* object, cuda::DevicePointer& address);
/// Says that kernels take instances of a bound class by a number of 64 bits, as they take textures.
/// `read` throws if the object has no number any more.
void register_kernel_object(nb::handle type, unsigned long long (*read)(PyObject*));
/// The bytes that a kernel takes by value, of an object that lives during the call.
struct KernelValue {
  const void* data;
  std::size_t size, alignment;
};
/// Says that kernels take instances of a bound class by value, as they take tensor maps.
void register_value_type(nb::handle type, KernelValue (*read)(PyObject*));
/// The address that `object` stands for where the driver wants one: an integer or an instance of
/// such a class. Throws TypeError naming `what`.
cuda::DevicePointer pointer_argument(PyObject* object, const char* what);

/// The number of a handle of another library: an integer, what int() makes of a handle of
/// cuda.bindings' `bindings_name` ("CUstream"), or of an object whose `handle` is either, as those
/// of cuda.core. Throws TypeError naming `what` for anything else, handles of other kinds too.
std::uintptr_t foreign_handle(PyObject* object, const char* what, const char* bindings_name);

/// While it lives this thread packs the arguments of a launch on a stream. Arrays that are read
/// meanwhile are used by that launch alone.
class LaunchScope {
 public:
  explicit LaunchScope(cuda::StreamRef stream) noexcept;
  ~LaunchScope();
  LaunchScope(const LaunchScope&) = delete;
  LaunchScope& operator=(const LaunchScope&) = delete;

  /// Whether there is one on this thread, on the default stream.
  static bool is_on_default_stream() noexcept;

 private:
  const LaunchScope* outer_;
  cuda::StreamRef stream_;
};

/// The address in the answer of `__cuda_array_interface__`. Throws DTypeError naming the attribute
/// where the answer is no such dictionary.
cuda::DevicePointer interface_address(nb::handle interface);

/// Says that instances of a bound class are streams.
void register_stream_type(nb::handle type, cuda::StreamRef (*read)(PyObject*));
/// None, a stream, or an object with `__cuda_stream__`. Throws TypeError for anything else.
cuda::StreamRef stream_argument(PyObject* object);

/// Throws TypeError naming `what`, and of a float how an integer is divided.
[[noreturn]] void refuse_no_integer(PyObject* object, const char* what);
/// An unsigned number from anything with `__index__`. Throws TypeError, or OverflowError for a
/// negative or too large one, naming `what`.
std::uint64_t unsigned_argument(PyObject* object, const char* what,
                                std::uint64_t highest = ~std::uint64_t{0});
/// Whether an option was given (is not null) and is true. Throws what its `__bool__` raises.
bool is_set(PyObject* option);
/// 1 to 3 integers: a tuple, or any other sequence. Throws TypeError, OverflowError, or
/// InvalidArgument for another number of them, naming `what`.
cuda::Dim3 any_dim3_argument(PyObject* object, const char* what);
/// The same. The usual case is here, where the sides need not go through memory to the caller.
inline cuda::Dim3 dim3_argument(PyObject* object, const char* what) {
  if (const SmallSides sides = small_sides(object, 1); sides.count != 0) [[likely]]
    return {static_cast<unsigned>(sides.x), static_cast<unsigned>(sides.y),
            static_cast<unsigned>(sides.z)};
  return any_dim3_argument(object, what);
}

/// A kernel as Python holds it: the function, with the facts that each call of it needs.
struct Kernel {
  /// `declared` are the parameters as the source has them, where the driver does not tell them;
  /// `aliases` names that the source gives to types.
  Kernel(cuda::Function kernel_function, Face kernel_face,
         const std::vector<device::Parameter>& declared = {}, const ScalarAliases& aliases = {});

  cuda::Function function;
  Face face;
  const cuda::ParameterLayout& layout;
  std::vector<cuda::ParameterKind> kinds;  ///< of the parameters
  std::vector<std::string> types;          ///< as the source has them, where that is known
  std::vector<std::string> names;          ///< likewise
  PointedElements pointed;
  ReportedParameters reported;  ///< those whose conversion or contradiction was
};

/// Reports an argument with other elements than the parameter points to, once for each parameter.
/// Does nothing for arguments that are no arrays. Throws what report_contradiction() throws.
void check_elements(Kernel& kernel, std::size_t parameter, PyObject* argument);
/// The same of arrays of the extension alone, for every call.
inline void check_bound_array(Kernel& kernel, std::size_t parameter, PyObject* argument) {
  GivenElements given{Scalar::int8, false};
  if (kernel.pointed.is_known(parameter) && read_bound_array(argument, given))
    check_elements(kernel, parameter, argument);
}
/// Reports once that a number of this kind, in words `text`, stands for a parameter of another: a
/// float for an int. Nothing where they agree, or the parameter's kind is not known.
void check_number(Kernel& kernel, std::size_t parameter, device::ParameterKind given,
                  const std::string& text);

/// Adds the next argument of a plain call. Objects with get_device_alloc (In, Out, InOut) are
/// appended to `handlers`, borrowed. Throws TypeError, or what ArgumentBuffer throws.
void add_argument(cuda::ArgumentBuffer& buffer, PyObject* argument, Kernel& kernel,
                  std::vector<PyObject*>& handlers);

/// An integer of any width, with the sign it had.
struct WideInteger {
  std::uint64_t bits;  ///< two's complement
  bool is_negative;
};
/// Writes `number` as the parameter's width: the PyCUDA face's concession, reported by one warning
/// for each parameter. False if the parameter is no integer or the number does not fit.
bool convert_integer(Kernel& kernel, std::size_t parameter, const WideInteger& number,
                     std::size_t given_size, void* to);

}  // namespace treadle::bindings
