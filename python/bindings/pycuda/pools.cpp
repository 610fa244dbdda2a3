// SPDX-License-Identifier: MIT
// pycuda.tools' pools: device memory and page-locked host memory.
#include <utility>

#include "caller.hpp"
#include "memory/pools.hpp"
#include "pycuda/classes.hpp"
#include "pycuda/pooled.hpp"
#include "rooms.hpp"
#include "treadle/cuda/memory.hpp"

namespace treadle::bindings {
namespace face {
namespace {

/// Allocates a pool's device memory, in one context.
struct DeviceBlocks {
  using Block = cuda::DeviceMemory;
  cuda::Context context;

  Block allocate(std::size_t size_bytes) {
    note_launch_site();
    return cuda::DeviceMemory(context, size_bytes);
  }
};

/// Allocates page-locked memory in the context that is current at the first allocation. With a
/// unified address space the memory is page-locked for every context.
struct PageLockedBlocks {
  using Block = cuda::HostMemory;
  cuda::HostMemoryFlags flags = cuda::HostMemoryFlags::none;
  cuda::Context context = {};

  Block allocate(std::size_t size_bytes) {
    if (!context) context = current_context();
    const cuda::CurrentContext current(context);
    return cuda::HostMemory(size_bytes, flags);
  }
};

struct DeviceMemoryPool {
  memory::Pool<DeviceBlocks> pool{DeviceBlocks{current_context()}, face_options()};
};
struct PageLockedAllocator {
  PageLockedBlocks blocks;
};
struct PageLockedMemoryPool {
  explicit PageLockedMemoryPool(const PageLockedBlocks& blocks) : pool(blocks, face_options()) {}
  memory::Pool<PageLockedBlocks> pool;
};

constexpr NoMemory no_memory{2, "CUDA_ERROR_OUT_OF_MEMORY"};

using PooledDevice = Pooled<DeviceBlocks>;
using PooledHost = Pooled<PageLockedBlocks>;
PyTypeObject* pooled_device_class = nullptr;
PyTypeObject* pooled_host_class = nullptr;

void require_valid(const cuda::Context& context) {
  if (context && !context.is_valid())
    throw InvalidState("the context of the pool was detached, and its memory with it",
                       "make a new pool in the context that is current now");
}

PyObject* allocate_device(PyObject* self, PyObject* size) noexcept {
  return pycuda_result([&] {
    auto& pool = pool_owner<DeviceMemoryPool>(self).pool;
    require_valid(pool.allocator().context);
    nb::object made = in_pool_words(no_memory, [&] {
      return PooledDevice::make(pooled_device_class, pool, pool_size_argument(size));
    });
    PooledDevice& allocation = PooledDevice::of(made.ptr());
    allocation.address = allocation.memory.block().address();
    return made.release().ptr();
  });
}

PyObject* allocate_host(PyObject* self, PyObject* size) noexcept {
  return pycuda_result([&] {
    auto& pool = pool_owner<PageLockedMemoryPool>(self).pool;
    require_valid(pool.allocator().context);
    nb::object made = in_pool_words(no_memory, [&] {
      return PooledHost::make(pooled_host_class, pool, pool_size_argument(size));
    });
    PooledHost& allocation = PooledHost::of(made.ptr());
    allocation.address = reinterpret_cast<std::uint64_t>(allocation.memory.block().data());
    allocation.place.note_user();
    return made.release().ptr();
  });
}

template <class T>
PyObject* free_pooled(PyObject* self, PyObject*) noexcept {
  return pycuda_result([&]() -> PyObject* {
    auto& memory = T::of(self).memory;
    if (memory.is_freed())
      raise_logic_error("pooled_allocation::free failed: invalid resource handle");
    memory.free();
    Py_RETURN_NONE;
  });
}

int get_host_buffer(PyObject* self, Py_buffer* view, int flags) noexcept {
  try {
    const auto& memory = PooledHost::of(self).memory;
    return PyBuffer_FillInfo(view, self, memory.block().data(),
                             static_cast<Py_ssize_t>(memory.size_bytes()), 0, flags);
  } catch (...) {
    set_python_error(Face::pycuda);
    view->obj = nullptr;
    return -1;
  }
}

template <class T>
PyMethodDef* pooled_methods() {
  static PyMethodDef methods[] = {
      {"free", free_pooled<T>, METH_NOARGS, "free($self, /)\n--\n\nGives the memory to the pool."},
      {nullptr, nullptr, 0, nullptr}};
  return methods;
}

void make_pooled_classes(nb::module_& m) {
  pooled_device_class = make_pooled_class(
      m, {.name = "treadle._core.driver.PooledDeviceAllocation",
          .doc = "Device memory of a pool; int() gives its address, len() its size in bytes.",
          .basic_size = sizeof(PooledDevice),
          .dealloc = PooledDevice::dealloc,
          .methods = pooled_methods<PooledDevice>()});
  register_pointer_type(reinterpret_cast<PyObject*>(pooled_device_class), [](PyObject* object) {
    return PooledDevice::of(object).memory.block().address();
  });
  pooled_host_class =
      make_pooled_class(m, {.name = "treadle._core.driver.PooledHostAllocation",
                            .doc = "Page-locked memory of a pool: the base of an array.",
                            .basic_size = sizeof(PooledHost),
                            .dealloc = PooledHost::dealloc,
                            .methods = pooled_methods<PooledHost>(),
                            .get_buffer = get_host_buffer});
}

void bind_device_pool(nb::module_& m) {
  auto pool = nb::class_<DeviceMemoryPool>(m, "DeviceMemoryPool", nb::dynamic_attr(),
                                           nb::is_weak_referenceable(),
                                           "Device memory of the current context that is kept "
                                           "when it is freed, and given out again.");
  let_go_without_gil<DeviceMemoryPool>();
  pool.def("__init__", pycuda([](DeviceMemoryPool* self) { new (self) DeviceMemoryPool; }));
  bind_pool_members(pool);
  static PyMethodDef allocate = {
      "allocate", allocate_device, METH_O,
      "allocate($self, size, /)\n--\n\nAt least `size` bytes of device memory."};
  add_quick_method(pool, &allocate);
}

void bind_page_locked_pool(nb::module_& m) {
  nb::class_<PageLockedAllocator>(m, "PageLockedAllocator", nb::is_weak_referenceable(),
                                  "Where a PageLockedMemoryPool gets its memory.")
      .def("__init__", pycuda([](PageLockedAllocator* self, nb::object flags) {
             const auto bits = unsigned_argument(flags.ptr(), "flags", ~0u);
             new (self) PageLockedAllocator{{.flags = static_cast<cuda::HostMemoryFlags>(bits)}};
           }),
           nb::arg("flags") = 0, nb::sig("def __init__(self, flags: int = 0) -> None"));
  auto pool = nb::class_<PageLockedMemoryPool>(m, "_PageLockedMemoryPool", nb::dynamic_attr(),
                                               nb::is_weak_referenceable(),
                                               "Page-locked host memory that is kept when it is "
                                               "freed, and given out again.");
  let_go_without_gil<PageLockedMemoryPool>();
  pool.def(
      "__init__",
      [](PageLockedMemoryPool* self, const PageLockedAllocator* allocator) {
        new (self)
            PageLockedMemoryPool(allocator != nullptr ? allocator->blocks : PageLockedBlocks{});
      },
      nb::arg("allocator") = nb::none());
  bind_pool_members(pool);
  static PyMethodDef allocate = {
      "_allocate", allocate_host, METH_O,
      "_allocate($self, size, /)\n--\n\nAt least `size` bytes of page-locked memory."};
  add_quick_method(pool, &allocate);
}

}  // namespace
}  // namespace face

void bind_memory_pycuda(nb::module_& m) {
  face::make_pooled_classes(m);
  face::bind_device_pool(m);
  face::bind_page_locked_pool(m);
}

}  // namespace treadle::bindings
