// SPDX-License-Identifier: MIT
#include "treadle/cuda/memory_pool.hpp"

#include <nanobind/stl/optional.h>

#include <cstring>

#include "caller.hpp"
#include "calls/argument.hpp"
#include "interrupt.hpp"
#include "rooms.hpp"
#include "treadle/base/error.hpp"
#include "treadle/cuda/driver.hpp"

namespace treadle::bindings {

using namespace treadle::cuda;

namespace {

/// Converts an object to a number of bytes; `name` is the argument's name.
std::size_t pool_bytes(nb::handle size, const char* name) {
  return static_cast<std::size_t>(unsigned_argument(size.ptr(), name, PTRDIFF_MAX));
}

Device or_default(const std::optional<Device>& device) {
  return device ? *device : default_device();
}

void bind_reuse(nb::module_& m) {
  nb::class_<PoolReuse>(m, "PoolReuse", "How the memory of a pool is used again across streams.")
      .def(
          "__init__",
          [](PoolReuse* self, bool follow_events, bool opportunistic, bool insert_dependencies) {
            new (self) PoolReuse{follow_events, opportunistic, insert_dependencies};
          },
          nb::kw_only(), nb::arg("follow_events") = true, nb::arg("opportunistic") = true,
          nb::arg("insert_dependencies") = true)
      .def_ro("follow_events", &PoolReuse::follow_events,
              "Where an event orders the free before the allocation.")
      .def_ro("opportunistic", &PoolReuse::opportunistic, "Where the free is found to be done.")
      .def_ro("insert_dependencies", &PoolReuse::insert_dependencies,
              "Where the allocating stream can be made to wait.")
      .def(
          "__eq__",
          [](const PoolReuse& self, nb::handle other) {
            return nb::isinstance<PoolReuse>(other) && self == nb::cast<const PoolReuse&>(other);
          },
          nb::is_operator());
}

/// Shares a pool with other devices and other processes.
void bind_sharing(nb::class_<MemoryPool>& type) {
  type.def_static(
          "import_file",
          [](int descriptor, nb::handle device) {
            return MemoryPool::import_file(
                device.is_none() ? default_device() : nb::cast<const Device&>(device), descriptor);
          },
          nb::arg("descriptor"), nb::arg("device") = nb::none(),
          nb::sig("def import_file(descriptor: int, device: Device | None = None) -> MemoryPool"),
          "The pool of another process, which exported it; take() gives its allocations.")
      .def("export_file", &MemoryPool::export_file,
           "A file descriptor for another process, which the caller closes.")
      .def(
          "take",
          [](const MemoryPool& self, const nb::bytes& allocation, nb::handle size_bytes) {
            PooledAllocation data;
            if (allocation.size() != data.size())
              throw InvalidArgument("allocation has " + std::to_string(allocation.size()) +
                                        " bytes, and " + std::to_string(data.size()) +
                                        " are needed",
                                    "pass what export_allocation() returned");
            std::memcpy(data.data(), allocation.data(), data.size());
            return self.take(data, pool_bytes(size_bytes, "size_bytes"));
          },
          nb::arg("allocation"), nb::arg("size_bytes"),
          "An allocation of an imported pool: what export_allocation() returned there.")
      .def("set_access", &MemoryPool::set_access, nb::arg("device"),
           nb::arg("access") = MemoryAccess::read_write,
           "Lets another device use all memory of the pool, or not any more.")
      .def("access", &MemoryPool::access, nb::arg("device"), "What a device may do.");
}

/// Pools of other places, such as the host.
void bind_pools_of_places(nb::class_<MemoryPool>& type) {
  type.def_static(
          "at",
          [](MemoryLocation where, PoolMemory memory, nb::handle max_bytes) {
            return MemoryPool::at(where, memory, pool_bytes(max_bytes, "max_bytes"));
          },
          nb::arg("where"), nb::arg("memory") = PoolMemory::pinned, nb::arg("max_bytes") = 0,
          nb::sig("def at(where: MemoryLocation, memory: PoolMemory = ..., max_bytes: int = 0) -> "
                  "MemoryPool"),
          "A new one of memory at a place, the host's for instance.")
      .def_static(
          "default_at",
          [](MemoryLocation where, PoolMemory memory) {
            return MemoryPool::default_at(where, memory);
          },
          nb::arg("where"), nb::arg("memory") = PoolMemory::pinned, "The one that a place has.")
      .def_static(
          "current_at",
          [](MemoryLocation where, PoolMemory memory) {
            return MemoryPool::current_at(where, memory);
          },
          nb::arg("where"), nb::arg("memory") = PoolMemory::pinned,
          "What was made current at a place, else default_at().");
}

void bind_pool(nb::module_& m) {
  nb::class_<MemoryPool> type(m, "MemoryPool", nb::is_weak_referenceable(),
                              "A pool of the driver's, for allocations in the order of streams.");
  let_go_without_gil<MemoryPool>();
  type.def(
          "__init__",
          [](MemoryPool* self, const std::optional<Device>& device, nb::handle max_bytes,
             SharedAs shared_as) {
            new (self)
                MemoryPool(or_default(device), pool_bytes(max_bytes, "max_bytes"), shared_as);
          },
          nb::arg("device") = nb::none(), nb::arg("max_bytes") = 0,
          nb::arg("shared_as") = SharedAs::nothing,
          "A new one, which gives out at most `max_bytes`; 0: as the device has.")
      .def_static(
          "default_of",
          [](const std::optional<Device>& device) {
            return MemoryPool::default_of(or_default(device));
          },
          nb::arg("device") = nb::none(), "The one that every device has.")
      .def_static(
          "current_of",
          [](const std::optional<Device>& device) {
            return MemoryPool::current_of(or_default(device));
          },
          nb::arg("device") = nb::none(), "What allocate_async() takes from.")
      .def("make_current", &MemoryPool::make_current,
           "Lets allocate_async() take from it; the caller keeps the pool.")
      .def(
          "allocate",
          [](const MemoryPool& self, nb::handle size_bytes, nb::handle stream) {
            note_launch_site();
            return self.allocate(pool_bytes(size_bytes, "size_bytes"),
                                 stream_argument(stream.ptr()));
          },
          nb::arg("size_bytes"), nb::arg("stream") = nb::none(),
          "Memory that work queued on the stream from now on may use. Raises OutOfMemory.")
      .def(
          "trim",
          [](const MemoryPool& self, nb::handle keep_bytes) {
            self.trim(pool_bytes(keep_bytes, "keep_bytes"));
          },
          nb::arg("keep_bytes") = 0, "Gives unused memory back to the device.");
  bind_pools_of_places(type);
  bind_sharing(type);
  type.def_prop_rw("release_threshold", &MemoryPool::release_threshold,
                   &MemoryPool::set_release_threshold,
                   "Unused bytes that the pool keeps when something is waited for; 0 at first.")
      .def_prop_rw("reuse", &MemoryPool::reuse, &MemoryPool::set_reuse,
                   "How memory is used again across streams.")
      .def_prop_ro("used_bytes", &MemoryPool::used_bytes, "Bytes given out.")
      .def_prop_ro("most_used_bytes", &MemoryPool::most_used_bytes, "At most, so far.")
      .def_prop_ro("reserved_bytes", &MemoryPool::reserved_bytes,
                   "Bytes that the pool has of the device.")
      .def_prop_ro("most_reserved_bytes", &MemoryPool::most_reserved_bytes, "At most, so far.")
      .def("reset_most", &MemoryPool::reset_most,
           "Lets the two most_ properties begin again from what is the case now.")
      .def_prop_ro("device", &MemoryPool::device)
      .def_prop_ro(
          "raw",
          [](const MemoryPool& self) { return reinterpret_cast<std::uintptr_t>(self.raw()); })
      .def(
          "__eq__",
          [](const MemoryPool& self, nb::handle other) {
            return nb::isinstance<MemoryPool>(other) && self == nb::cast<const MemoryPool&>(other);
          },
          nb::is_operator())
      .def("__hash__", [](const MemoryPool& self) { return std::hash<const void*>()(self.raw()); });
}

}  // namespace

void bind_cuda_memory_pool(nb::module_& m) {
  bind_reuse(m);
  nb::enum_<PoolMemory>(m, "PoolMemory", "What a pool gives out.")
      .value("pinned", PoolMemory::pinned, "That stays where it is.")
      .value("managed", PoolMemory::managed, "That moves to who uses it.");
  bind_pool(m);
  m.def(
      "allocate_async",
      [](nb::handle size_bytes, nb::handle stream) {
        note_launch_site();
        return allocate_async(pool_bytes(size_bytes, "size_bytes"), stream_argument(stream.ptr()));
      },
      nb::arg("size_bytes"), nb::arg("stream") = nb::none(),
      "Memory of the current pool, for work queued on the stream from now on. Raises OutOfMemory.");
  m.def(
      "export_allocation",
      [](const DeviceMemory& memory) {
        const PooledAllocation data = export_allocation(memory);
        return nb::bytes(data.data(), data.size());
      },
      nb::arg("memory"),
      "Memory of a pool whose export_file() was called, as bytes for MemoryPool.take() elsewhere.");
  m.def(
      "free_async",
      [](DeviceMemory& memory, nb::handle stream) {
        free_async(memory, stream_argument(stream.ptr()));
      },
      nb::arg("memory"), nb::arg("stream") = nb::none(),
      "Frees once the stream is past the work queued so far; for the host, at once.");
}

}  // namespace treadle::bindings
