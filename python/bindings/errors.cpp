// SPDX-License-Identifier: MIT
// Turns C++ exceptions into Python's. No other file does so.
#include "errors.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <exception>
#include <new>
#include <typeinfo>
#include <vector>

#include "python_names.hpp"
#include "python_parts.hpp"
#include "treadle/base/error.hpp"
#include "treadle/linalg/decomposition.hpp"

namespace treadle::bindings {
namespace {

template <class T>
bool is([[maybe_unused]] const Error& error) {
  if constexpr (std::is_same_v<T, Error>)
    return true;
  else
    return dynamic_cast<const T*>(&error) != nullptr;
}

// PyCUDA's classes. Treadle adds `argument_error`: a LogicError that programs can also catch as the
// builtin exception for a bad argument.
enum PycudaClass {
  error,
  memory_error,
  logic_error,
  launch_error,
  runtime_error,
  argument_error,
  pycuda_class_count
};
std::array<PyObject*, pycuda_class_count> pycuda_classes{};

/// numpy.linalg.LinAlgError, which programs catch. Set before the classes are made.
PyObject* numpy_linear_algebra_error = nullptr;

struct Row {
  bool (*applies)(const Error&);
  const char* name;
  const char* base;    // native base, by name
  PyObject** builtin;  // a builtin class it also derives from, or null
  PycudaClass pycuda;  // for DeviceError see pycuda_class_of
  const char* doc;
  const char* other_base = nullptr;  // a second native base, by name
};

// Most derived first: the first row that applies is the error's class.
const Row rows[] = {
    {is<OutOfMemory>, "OutOfMemory", "DeviceError", &PyExc_MemoryError, memory_error,
     "The device or the page-locked host memory is exhausted."},
    {is<LaunchError>, "LaunchError", "DeviceError", nullptr, launch_error,
     "A kernel could not start, or failed while running."},
    {is<DeviceError>, "DeviceError", "Error", &PyExc_RuntimeError, error,
     "A run-time system answered with an error: code, code_name, call."},
    {is<linalg::MatrixShapeError>, "MatrixShapeError", "ShapeError", nullptr, argument_error,
     "No matrix where one is wanted, or none that is square.", "LinAlgError"},
    {is<linalg::LinAlgError>, "LinAlgError", "InvalidArgument", &numpy_linear_algebra_error,
     argument_error, "A matrix is singular, not positive definite, or an iteration did not end."},
    {is<ShapeError>, "ShapeError", "InvalidArgument", nullptr, argument_error,
     "Shapes do not fit together."},
    {is<DTypeError>, "DTypeError", "InvalidArgument", &PyExc_TypeError, argument_error,
     "A dtype is not accepted here."},
    {is<OverflowError>, "OverflowError", "InvalidArgument", &PyExc_OverflowError, argument_error,
     "An integer is beyond the dtype that it should take on."},
    {is<IndexError>, "IndexError", "InvalidArgument", &PyExc_IndexError, argument_error,
     "An index names no element or axis."},
    {is<InvalidArgument>, "InvalidArgument", "Error", &PyExc_ValueError, argument_error,
     "An argument was refused before anything was done with it."},
    {is<InvalidState>, "InvalidState", "Error", &PyExc_RuntimeError, logic_error,
     "The object was freed, popped or detached."},
    {is<NotSupported>, "NotSupported", "Error", &PyExc_NotImplementedError, logic_error,
     "This device, driver or build does not have what was asked for."},
    {is<LibraryNotFound>, "LibraryNotFound", "Error", &PyExc_OSError, runtime_error,
     "A library was not found or could not be loaded: library, tried."},
    {is<CompileError>, "CompileError", "Error", &PyExc_RuntimeError, error,
     "A compiler refused the source: log, source, options."},
    {is<FileError>, "FileError", "Error", &PyExc_OSError, error,
     "An operating-system call on a file failed: errno, path."},
    {is<Error>, "Error", nullptr, nullptr, error, "Base of everything Treadle raises."},
};
constexpr std::size_t row_count = std::size(rows);
std::array<PyObject*, row_count> native_classes{};

}  // namespace

PyObject* native_class(std::string_view name) {
  for (std::size_t i = 0; i < row_count; ++i)
    if (rows[i].name == name) return native_classes[i];
  return nullptr;
}

namespace {

PyObject* new_class(const std::string& qualified, const char* doc, nb::handle bases) {
  PyObject* made = PyErr_NewExceptionWithDoc(qualified.c_str(), doc, bases.ptr(), nullptr);
  if (made == nullptr) throw nb::python_error();
  return made;
}

PycudaClass pycuda_class_of(int code) {
  switch (code) {
    case 2:
      return memory_error;
    case 701:
    case 702:
    case 703:
    case 719:
      return launch_error;
    case 100:
    case 209:
    case 214:
    case 301:
    case 600:
      return runtime_error;
    case 999:
      return error;
    default:
      return logic_error;
  }
}

// A compiler's log names the user's own functions, so its names stay.
std::string message_of(const Error& e) {
  const bool is_log = dynamic_cast<const CompileError*>(&e) != nullptr;
  return is_log ? e.message() : with_python_names(e.message());
}

void set_details(nb::handle instance, const Error& e) {
  nb::setattr(instance, "message", nb::cast(message_of(e)));
  nb::setattr(instance, "hint", nb::cast(with_python_names(e.hint())));
  if (const auto* device = dynamic_cast<const DeviceError*>(&e)) {
    // In pyopencl's classes `code` is a property with the same value.
    nb::object(instance.attr("__dict__"))["code"] = nb::int_(device->code());
    nb::setattr(instance, "code_name", nb::cast(device->code_name()));
    nb::setattr(instance, "call", nb::cast(device->call()));
  } else if (const auto* compile = dynamic_cast<const CompileError*>(&e)) {
    nb::setattr(instance, "log", nb::cast(compile->log()));
    nb::setattr(instance, "source", nb::cast(compile->source()));
    nb::setattr(instance, "options", nb::cast(compile->options()));
  } else if (const auto* library = dynamic_cast<const LibraryNotFound*>(&e)) {
    nb::setattr(instance, "library", nb::cast(library->library()));
    nb::setattr(instance, "tried", nb::cast(library->tried()));
  } else if (const auto* file = dynamic_cast<const FileError*>(&e)) {
    nb::setattr(instance, "errno", nb::int_(file->error_number()));
    nb::setattr(instance, "path", nb::cast(file->path()));
  }
}

nb::object native_instance(const Error& e, nb::handle its_class) {
  std::string text = message_of(e);
  if (!e.hint().empty()) text += "\n  try: " + with_python_names(e.hint());
  return its_class(nb::cast(text));
}

// Adds a note, which Python shows below the traceback. str() of the exception does not change,
// because programs compare it.
nb::object with_note(nb::object made, const Error& e) {
  if (!e.hint().empty() && nb::hasattr(made, "add_note"))
    made.attr("add_note")("try: " + with_python_names(e.hint()));
  return made;
}

nb::object compile_error_class() { return python_part("pycuda CompileError"); }

nb::object pycuda_class(const Error& e, std::size_t row) {
  if (dynamic_cast<const CompileError*>(&e) != nullptr) return compile_error_class();
  PycudaClass kind = rows[row].pycuda;
  if (const auto* device = dynamic_cast<const DeviceError*>(&e))
    kind = pycuda_class_of(device->code());
  return nb::borrow(pycuda_classes[kind]);
}

/// The class that derives from all of `parts`.
nb::object combined(const nb::list& parts) {
  const nb::object combine = python_part("combined error class");
  return combine(*parts);
}

nb::object pycuda_instance(const Error& e, std::size_t row) {
  if (dynamic_cast<const FileError*>(&e) != nullptr) return native_instance(e, native_classes[row]);
  nb::list parts;
  parts.append(pycuda_class(e, row));
  parts.append(nb::handle(native_classes[row]));
  const nb::object made_class = combined(parts);
  if (const auto* compile = dynamic_cast<const CompileError*>(&e))
    return with_note(made_class(compile->summary(), compile->options(), nb::none(), compile->log()),
                     e);
  return with_note(made_class(nb::cast(message_of(e))), e);
}

std::vector<FaceErrors> faces;

bool is_imported(const FaceErrors& face) {
  const nb::object name = nb::str(face.module);
  const nb::object found = nb::steal(PyImport_GetModule(name.ptr()));
  if (!found.is_valid()) PyErr_Clear();
  return found.is_valid();
}

// An error with a run-time's code concerns the face of that run-time. Any other error may come from
// arrays of any face.
bool concerns(const FaceErrors& face, const Error& e) {
  const auto* const device = dynamic_cast<const DeviceError*>(&e);
  if (device == nullptr || device->code_name().starts_with(face.code_prefix)) return true;
  for (const FaceErrors& other : faces)
    if (device->code_name().starts_with(other.code_prefix)) return false;
  return true;
}

// The exception of a native function. The faces' array classes use native functions.
nb::object shared_instance(const Error& e, std::size_t row) {
  nb::list parts;
  parts.append(nb::handle(native_classes[row]));
  std::vector<const FaceErrors*> concerned;
  for (const FaceErrors& face : faces) {
    if (!is_imported(face) || !concerns(face, e)) continue;
    parts.append(face.class_of(e, native_classes[row]));
    concerned.push_back(&face);
  }
  if (concerned.empty()) return native_instance(e, native_classes[row]);
  nb::object instance = native_instance(e, combined(parts));
  for (const FaceErrors* face : concerned) face->complete(instance, e);
  return instance;
}

std::size_t row_of(const Error& e) {
  std::size_t row = 0;
  while (!rows[row].applies(e)) ++row;  // the last row applies to every Error
  return row;
}

void set_from(const Error& e, Face face) {
  const std::size_t row = row_of(e);
  nb::object instance = face == Face::native ? shared_instance(e, row) : pycuda_instance(e, row);
  set_details(instance, e);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(instance.ptr())), instance.ptr());
}

// A program's own object has returned a value of the wrong type from a protocol method.
void set_from_bad_cast(Face face) {
  set_from(DTypeError("an object's answer is of another type than its protocol says",
                      "look at the attributes and methods of the objects that were passed"),
           face);
}

nb::object pycuda_class_beside(const Error& e, nb::handle) { return pycuda_class(e, row_of(e)); }

// Adds the attributes of treadle.pycuda's CompileError.
void complete_for_pycuda(nb::handle instance, const Error& e) {
  const auto* const compile = dynamic_cast<const CompileError*>(&e);
  if (compile == nullptr) return;
  nb::setattr(instance, "msg", nb::cast(compile->summary()));
  nb::setattr(instance, "command_line", nb::cast(compile->options()));
  nb::setattr(instance, "stdout", nb::none());
  nb::setattr(instance, "stderr", nb::cast(compile->log()));
}

void make_native_classes(nb::module_& core) {
  for (std::size_t i = row_count; i-- > 0;) {
    const Row& row = rows[i];
    PyObject* base = row.base == nullptr ? PyExc_Exception : native_class(row.base);
    nb::list bases;
    bases.append(nb::handle(base));
    if (row.other_base != nullptr) bases.append(nb::handle(native_class(row.other_base)));
    if (row.builtin != nullptr) bases.append(nb::handle(*row.builtin));
    native_classes[i] = new_class(std::string("treadle.") + row.name, row.doc, nb::tuple(bases));
    core.attr(row.name) = nb::handle(native_classes[i]);
  }
}

void make_pycuda_classes(nb::module_& driver) {
  struct {
    PycudaClass which;
    const char* name;
    const char* doc;
  } const names[] = {
      {error, "Error", "Base of the driver's errors."},
      {memory_error, "MemoryError", "Memory is exhausted."},
      {logic_error, "LogicError", "The program asked for something impossible."},
      {launch_error, "LaunchError", "A kernel could not start or failed."},
      {runtime_error, "RuntimeError", "The system cannot do this now."},
  };
  for (const auto& [which, name, doc] : names) {
    PyObject* base = which == error ? PyExc_Exception : pycuda_classes[error];
    pycuda_classes[which] =
        new_class(std::string("pycuda._driver.") + name, doc, nb::make_tuple(nb::handle(base)));
    driver.attr(name) = nb::handle(pycuda_classes[which]);
  }
  pycuda_classes[argument_error] = new_class(
      "pycuda._driver.ArgumentError", "An argument was refused before anything was launched.",
      nb::make_tuple(nb::handle(pycuda_classes[logic_error]), nb::handle(PyExc_ValueError),
                     nb::handle(PyExc_TypeError)));
  driver.attr("ArgumentError") = nb::handle(pycuda_classes[argument_error]);
}

}  // namespace

void set_python_error(Face face) noexcept {
  try {
    try {
      throw;
    } catch (const Error& e) {
      set_from(e, face);
    } catch (const std::bad_alloc&) {
      PyErr_NoMemory();
    } catch (const std::bad_cast&) {
      set_from_bad_cast(face);
    } catch (nb::python_error& e) {
      e.restore();
    } catch (const std::exception& e) {
      PyErr_SetString(PyExc_RuntimeError, e.what());
    }
  } catch (nb::python_error& e) {  // making the exception itself failed
    e.restore();
  } catch (...) {
    PyErr_SetString(PyExc_SystemError, "an error could not be turned into a Python exception");
  }
}

nb::object native_exception(const Error& error) {
  nb::object made = native_instance(error, native_classes[row_of(error)]);
  set_details(made, error);
  return made;
}

void register_face_errors(const FaceErrors& face) { faces.push_back(face); }

void raise_logic_error(const std::string& text) {
  nb::list parts;
  parts.append(nb::handle(pycuda_classes[logic_error]));
  parts.append(nb::handle(native_class("InvalidState")));
  const nb::object made = combined(parts)(text);
  nb::setattr(made, "message", nb::cast(text));
  nb::setattr(made, "hint", nb::str(""));
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.ptr())), made.ptr());
  throw nb::python_error();
}

void raise_python(PyObject* exception_class, const std::string& text) {
  PyErr_SetString(exception_class, text.c_str());
  throw nb::python_error();
}

void warn_python(PyObject* category, const std::string& text) {
  if (PyErr_WarnEx(category, text.c_str(), 1) != 0) throw nb::python_error();
}

void bind_errors(nb::module_& core, nb::module_& driver) {
  numpy_linear_algebra_error =
      nb::object(nb::module_::import_("numpy.linalg").attr("LinAlgError")).release().ptr();
  make_native_classes(core);
  make_pycuda_classes(driver);
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const Error& e) {
      set_from(e, Face::native);
    } catch (const std::bad_cast&) {
      set_from_bad_cast(Face::native);
    }
  });
  register_face_errors(
      {"treadle.pycuda.driver", "CUDA_", pycuda_class_beside, complete_for_pycuda});
}

}  // namespace treadle::bindings
