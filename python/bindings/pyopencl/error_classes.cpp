// SPDX-License-Identifier: MIT
#include "pyopencl/error_classes.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "left_uses.hpp"
#include "python_names.hpp"
#include "python_parts.hpp"
#include "treadle/base/error.hpp"
#include "treadle/opencl/enums.hpp"

namespace treadle::bindings::cl {
namespace {

using opencl::StatusCode;

struct Cause {
  int code;
  std::string routine, text;
};

int number(StatusCode code) { return static_cast<int>(code); }

// The message without the parts that str() adds, and without the log, which follows it.
std::string first_line(const opencl::BuildError& error) {
  std::string text = error.message().substr(0, error.message().find('\n'));
  const std::string start = error.call() + " failed: ";
  return text.starts_with(start) ? text.substr(start.size()) : text;
}

// Errors found before a call of OpenCL get the code that OpenCL would have returned.
Cause cause_of(const Error& error) {
  if (const auto* device = dynamic_cast<const DeviceError*>(&error))
    return {device->code(), device->call(), device->detail()};
  if (const auto* build = dynamic_cast<const opencl::BuildError*>(&error))
    return {build->code(), build->call(), first_line(*build)};
  if (dynamic_cast<const CompileError*>(&error) != nullptr)
    return {number(StatusCode::build_program_failure), "clBuildProgram", error.message()};
  if (dynamic_cast<const LibraryNotFound*>(&error) != nullptr)
    return {number(StatusCode::platform_not_found_khr), "clGetPlatformIDs", error.message()};
  if (dynamic_cast<const NotSupported*>(&error) != nullptr)
    return {number(StatusCode::invalid_operation), "", with_python_names(error.message())};
  return {number(StatusCode::invalid_value), "", with_python_names(error.message())};
}

// The module of the classes, which are in Python because they contain no logic.
nb::object classes() { return python_part("pyopencl errors"); }

void set_object(const nb::object& exception) {
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
}

nb::object build_logs(const Error& error) {
  nb::list logs;
  if (const auto* build = dynamic_cast<const opencl::BuildError*>(&error))
    for (const auto& [device, text] : build->logs()) logs.append(nb::make_tuple(device, text));
  return logs;
}

void set_from(const Error& error, const char* routine = nullptr) {
  Cause cause = cause_of(error);
  if (routine != nullptr) cause.routine = routine;
  // errors.cpp chooses Treadle's class.
  set_object(classes().attr("from_native")(native_exception(error), cause.routine, cause.code,
                                           cause.text, build_logs(error)));
}

nb::object class_beside(const Error& error, nb::handle native_class) {
  return classes().attr("kind_of")(native_class, cause_of(error).code);
}

void complete(nb::handle exception, const Error& error) {
  const Cause cause = cause_of(error);
  classes().attr("complete")(exception, cause.routine, cause.code, cause.text, build_logs(error));
}

}  // namespace

void set_error() noexcept {
  try {
    try {
      throw;
    } catch (const Error& error) {
      set_from(error);
    } catch (nb::python_error& error) {
      error.restore();
    } catch (...) {
      set_python_error(Face::native);
    }
  } catch (nb::python_error& error) {  // making the exception itself failed
    error.restore();
  } catch (...) {
    PyErr_SetString(PyExc_SystemError, "an error could not be turned into a Python exception");
  }
}

void register_errors() {
  register_face_errors({"treadle.pyopencl._errors", "CL_", class_beside, complete});
}

void raise_error(int code, const char* routine, const std::string& text) {
  set_object(classes().attr("from_text")(routine, code, text));
  throw nb::python_error();
}

void raise_logic_error(const char* routine, const std::string& text) {
  raise_error(number(StatusCode::invalid_value), routine, text);
}

void raise_refused(const InvalidArgument& refused, const char* routine) {
  set_from(refused, routine);
  throw nb::python_error();
}

bool is_out_of_memory(const DeviceError& error) noexcept {
  return error.code() <= number(StatusCode::mem_object_allocation_failure) &&
         error.code() >= number(StatusCode::out_of_host_memory);
}

void collect_garbage() {
  nb::module_::import_("gc").attr("collect")();
  release_left_uses();
}

}  // namespace treadle::bindings::cl
