// SPDX-License-Identifier: MIT
// Takes handles from other libraries and gives handles to them, by their common interfaces:
// int(handle) of cuda.bindings, `.handle` of cuda.core and `__cuda_stream__`. Neither package is
// needed.
#include <nanobind/stl/string.h>

#include <string>
#include <type_traits>

#include "calls/bindings_handle.hpp"
#include "calls/function.hpp"
#include "native/cuda_rooms.hpp"
#include "treadle/cuda/array.hpp"
#include "treadle/cuda/event.hpp"
#include "treadle/cuda/external.hpp"
#include "treadle/cuda/graph.hpp"
#include "treadle/cuda/graphics.hpp"
#include "treadle/cuda/green_context.hpp"
#include "treadle/cuda/ipc.hpp"
#include "treadle/cuda/library.hpp"
#include "treadle/cuda/linker.hpp"
#include "treadle/cuda/memory_pool.hpp"
#include "treadle/cuda/texture.hpp"

namespace treadle::bindings {

namespace {

template <class Raw>
Raw raw_argument(nb::handle handle, const char* bindings_name) {
  const std::uintptr_t number = foreign_handle(handle.ptr(), "handle", bindings_name);
  if constexpr (std::is_pointer_v<Raw>)
    return reinterpret_cast<Raw>(number);
  else
    return number;
}

/// Binds `wrap` as a static method of a bound class.
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

void make_wraps_of_memory() {
  using cuda::Array, cuda::Context, cuda::MipmappedArray, cuda::Surface, cuda::Texture;
  make_wrap<cuda::MemoryPool>(
      "CUmemoryPool",
      [](nb::handle h, const char* name) {
        return cuda::MemoryPool::wrap(Context::current().device(),
                                      raw_argument<cuda::RawMemoryPool>(h, name));
      },
      "The pool of another library, of the current context's device.");
  make_wrap<Array>(
      "CUarray",
      [](nb::handle h, const char* name) {
        return Array::borrow(Context::current(), raw_argument<cuda::RawArray>(h, name));
      },
      "The array of another library in the current context, which frees it.");
  make_wrap<Texture>(
      "CUtexObject",
      [](nb::handle h, const char* name) {
        return Texture::wrap(Context::current(), raw_argument<cuda::RawTexture>(h, name));
      },
      "The texture of another library in the current context, which destroys it.");
  make_wrap<Surface>(
      "CUsurfObject",
      [](nb::handle h, const char* name) {
        return Surface::wrap(Context::current(), raw_argument<cuda::RawSurface>(h, name));
      },
      "The surface of another library in the current context, which destroys it.");
  const nb::handle type = nb::type<MipmappedArray>();
  type.attr("wrap") = nb::cpp_function(
      [](nb::object handle, unsigned levels) {
        return MipmappedArray::borrow(
            Context::current(), raw_argument<cuda::RawMipmappedArray>(handle, "CUmipmappedArray"),
            levels);
      },
      nb::scope(type), nb::name("wrap"), nb::arg("handle"), nb::arg("levels"),
      nb::keep_alive<0, 1>(), nb::sig("def wrap(handle: object, levels: int) -> MipmappedArray"),
      "That of another library in the current context, which frees it, and how many levels it "
      "has.");
}

void make_wraps_of_graphs() {
  using cuda::Context, cuda::Graph, cuda::GraphExec;
  make_wrap<Graph>(
      "CUgraph",
      [](nb::handle h, const char* name) {
        return Graph::wrap(Context::current(), raw_argument<cuda::RawGraph>(h, name));
      },
      "The graph of another library in the current context, which destroys it.");
  make_wrap<GraphExec>(
      "CUgraphExec",
      [](nb::handle h, const char* name) {
        return GraphExec::wrap(Context::current(), raw_argument<cuda::RawGraphExec>(h, name));
      },
      "The executable graph of another library in the current context, which destroys it.");
}

/// Binds int() and as_bindings(). cuda.bindings also has integers for host addresses.
void make_integers(nb::module_& m) {
  const auto make = [&]<class T>(const char* bindings_name) {
    make_integer<T>(nb::type<T>(), bindings_name, [](const T& self) { return self.raw(); });
  };
  make.operator()<cuda::Context>("CUcontext");
  make.operator()<cuda::Stream>("CUstream");
  make.operator()<cuda::Event>("CUevent");
  make.operator()<cuda::Module>("CUmodule");
  make.operator()<cuda::Library>("CUlibrary");
  make.operator()<cuda::Kernel>("CUkernel");
  make.operator()<cuda::Linker>("CUlinkState");
  make.operator()<cuda::Array>("CUarray");
  make.operator()<cuda::MipmappedArray>("CUmipmappedArray");
  make.operator()<cuda::Texture>("CUtexObject");
  make.operator()<cuda::Surface>("CUsurfObject");
  make.operator()<cuda::Device>("CUdevice");
  make.operator()<cuda::Graph>("CUgraph");
  make.operator()<cuda::GraphExec>("CUgraphExec");
  make.operator()<cuda::GraphNode>("CUgraphNode");
  make.operator()<cuda::GreenContext>("CUgreenCtx");
  make.operator()<cuda::MemoryPool>("CUmemoryPool");
  make.operator()<cuda::PhysicalMemory>("CUmemGenericAllocationHandle");
  make.operator()<cuda::ExternalMemory>("CUexternalMemory");
  make.operator()<cuda::ExternalSemaphore>("CUexternalSemaphore");
  make.operator()<cuda::GraphicsResource>("CUgraphicsResource");
  make_integer<cuda::Condition>(nb::type<cuda::Condition>(), "CUgraphConditionalHandle",
                                [](const cuda::Condition& self) { return self.value; });
  const auto make_address = [&]<class T>(const char* bindings_name) {
    make_integer<T>(nb::type<T>(), bindings_name, [](const T& self) { return self.address(); });
  };
  make_address.operator()<cuda::AddressReservation>("CUdeviceptr");
  make_address.operator()<cuda::IpcMemory>("CUdeviceptr");
  make_address.operator()<cuda::ManagedMemory>("CUdeviceptr");
  make_integer<cuda::HostMemory>(nb::type<cuda::HostMemory>(), nullptr,
                                 [](const cuda::HostMemory& self) { return self.data(); });
  for (const char* memory : {"DeviceMemory", "Mapping", "ExternalBuffer"})
    name_for_bindings(nb::object(m.attr(memory)), "CUdeviceptr");
}

}  // namespace

void bind_cuda_handles(nb::module_& m) {
  make_integers(m);
  make_wraps();
  make_wraps_of_memory();
  make_wraps_of_graphs();
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
      "as_bindings", [](nb::object object) { return as_bindings(object); }, nb::arg("object"),
      nb::sig("def as_bindings(object: object) -> typing.Any"),
      "The handle as cuda.bindings.driver has it, of objects of pycuda.driver too; `object` must "
      "live as long as it is used. Raises ImportError without that package.");
}

}  // namespace treadle::bindings
