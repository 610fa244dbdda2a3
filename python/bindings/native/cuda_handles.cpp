// SPDX-License-Identifier: MIT
// Handles to and from other libraries, by what all of them have: int(handle) of cuda.bindings,
// `.handle` of cuda.core and `__cuda_stream__`. Neither package is needed.
#include <nanobind/stl/string.h>

#include <string>
#include <type_traits>
#include <vector>

#include "calls/function.hpp"
#include "rooms.hpp"
#include "treadle/cuda/array.hpp"
#include "treadle/cuda/event.hpp"
#include "treadle/cuda/library.hpp"
#include "treadle/cuda/texture.hpp"

namespace treadle::bindings {

namespace {

/// What cuda.bindings calls the handles of a class; filled while the module is imported.
struct BindingsName {
  PyObject* type;
  const char* name;
};
std::vector<BindingsName>& bindings_names() {
  static std::vector<BindingsName>& all = *new std::vector<BindingsName>;
  return all;
}

template <class Raw>
Raw raw_argument(nb::handle handle, const char* bindings_name) {
  return reinterpret_cast<Raw>(foreign_handle(handle.ptr(), "handle", bindings_name));
}

/// What `__int__` and as_bindings() make of a bound class; `read` throws where there is nothing.
template <class T, class Read>
void make_integer(const char* bindings_name, Read read) {
  const nb::handle type = nb::type<T>();
  type.attr("__int__") = nb::cpp_function(
      [read](const T& self) {
        if constexpr (std::is_pointer_v<decltype(read(self))>)
          return reinterpret_cast<std::uintptr_t>(read(self));
        else
          return read(self);
      },
      nb::is_method(), nb::scope(type), nb::name("__int__"),
      "The driver's handle, as cuda.bindings takes it.");
  bindings_names().push_back({type.ptr(), bindings_name});
}

/// Makes `wrap` a static method of a bound class.
template <class T, class Wrap>
void make_wrap(const char* bindings_name, Wrap wrap, const char* doc) {
  const nb::handle type = nb::type<T>();
  const std::string signature =
      "def wrap(handle: object) -> " + nb::cast<std::string>(type.attr("__name__"));
  type.attr("wrap") = nb::cpp_function(
      [wrap, bindings_name](nb::object handle) { return wrap(handle, bindings_name); },
      nb::scope(type), nb::name("wrap"), nb::arg("handle"), nb::keep_alive<0, 1>(),
      nb::sig(signature.c_str()), doc);
}

void make_wraps() {
  using cuda::Context, cuda::Stream, cuda::Event, cuda::Module, cuda::Library;
  make_wrap<Context>(
      "CUcontext",
      [](nb::handle h, const char* name) {
        return Context::wrap(cuda::default_driver(), raw_argument<cuda::RawContext>(h, name));
      },
      "The context of another library; that library destroys it, unless it is a primary one.");
  make_wrap<Stream>(
      "CUstream",
      [](nb::handle h, const char* name) {
        return Stream::wrap(raw_argument<cuda::RawStream>(h, name));
      },
      "The stream of another library, which destroys it and is kept alive by this.");
  make_wrap<Event>(
      "CUevent",
      [](nb::handle h, const char* name) {
        return Event::wrap(Context::current(), raw_argument<cuda::RawEvent>(h, name));
      },
      "The event of another library in the current context, which destroys it.");
  make_wrap<Module>(
      "CUmodule",
      [](nb::handle h, const char* name) {
        return Module::wrap(Context::current(), raw_argument<cuda::RawModule>(h, name));
      },
      "The module of another library in the current context, which unloads it.");
  make_wrap<Library>(
      "CUlibrary",
      [](nb::handle h, const char* name) {
        return Library::wrap(cuda::default_driver(), raw_argument<cuda::RawLibrary>(h, name));
      },
      "The library of another library, which unloads it.");
  make_wrap<cuda::Kernel>(
      "CUkernel",
      [](nb::handle h, const char* name) {
        return cuda::Kernel::wrap(cuda::default_driver(), raw_argument<cuda::RawKernel>(h, name));
      },
      "The kernel of another library's library.");
}

}  // namespace

void bind_cuda_handles(nb::module_& m) {
  const auto raw = [](const auto& self) { return self.raw(); };
  make_integer<cuda::Context>("CUcontext", raw);
  make_integer<cuda::Stream>("CUstream", raw);
  make_integer<cuda::Event>("CUevent", raw);
  make_integer<cuda::Module>("CUmodule", raw);
  make_integer<cuda::Library>("CUlibrary", raw);
  make_integer<cuda::Kernel>("CUkernel", raw);
  make_integer<cuda::Array>("CUarray", raw);
  make_integer<cuda::Texture>("CUtexObject", raw);
  make_integer<cuda::Surface>("CUsurfObject", raw);
  make_integer<cuda::Device>("CUdevice", raw);
  bindings_names().push_back({nb::object(m.attr("Function")).ptr(), "CUfunction"});
  for (const char* memory : {"DeviceMemory", "ManagedMemory", "Mapping"})
    bindings_names().push_back({nb::object(m.attr(memory)).ptr(), "CUdeviceptr"});
  make_wraps();
  m.def(
      "wrap_function",
      [](nb::object handle) {
        return make_function(
            cuda::Module::wrap_function(raw_argument<cuda::RawFunction>(handle, "CUfunction")),
            Face::native);
      },
      nb::arg("handle"), nb::sig("def wrap_function(handle: object) -> Function"),
      "The function of another library's module, in the current context.");
  m.def(
      "as_bindings",
      [](nb::object object) {
        const auto* const type = reinterpret_cast<PyObject*>(Py_TYPE(object.ptr()));
        for (const BindingsName& known : bindings_names())
          if (known.type == type)
            return nb::module_::import_("cuda.bindings.driver").attr(known.name)(nb::int_(object));
        raise_python(PyExc_TypeError, std::string("cuda.bindings has no handle for a ") +
                                          Py_TYPE(object.ptr())->tp_name);
      },
      nb::arg("object"), nb::sig("def as_bindings(object: object) -> typing.Any"),
      "The handle as cuda.bindings.driver has it; `object` must live as long as it is used. Raises "
      "ImportError without that package.");
}

}  // namespace treadle::bindings
