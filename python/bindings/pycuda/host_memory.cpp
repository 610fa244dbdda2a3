// SPDX-License-Identifier: MIT
// Host memory of several kinds. Each class has Python's buffer interface, and driver.py makes
// arrays of the memory.
#include <nanobind/stl/unique_ptr.h>

#include <cstdlib>

#include "instance.hpp"
#include "interrupt.hpp"
#include "kept_objects.hpp"
#include "memory/buffer_slots.hpp"
#include "pycuda/memory.hpp"
#include "rooms.hpp"

namespace treadle::bindings {
namespace face {
namespace {

struct HostPointer {
  virtual ~HostPointer() = default;
  virtual std::byte* data() const = 0;
  virtual std::size_t size_bytes() const = 0;
  virtual cuda::DevicePointer device_pointer() const = 0;
};

struct PagelockedHostAllocation final : HostPointer {
  explicit PagelockedHostAllocation(cuda::HostMemory allocated) : memory(std::move(allocated)) {}
  bool is_freed() const noexcept { return memory.is_freed(); }
  std::byte* data() const override { return memory.data(); }
  std::size_t size_bytes() const override { return memory.size_bytes(); }
  cuda::DevicePointer device_pointer() const override { return memory.device_pointer(); }
  cuda::HostMemory memory;
};

struct RegisteredHostMemory final : HostPointer {
  RegisteredHostMemory(cuda::RegisteredMemory registered, nb::object array)
      : memory(std::move(registered)), base(std::move(array)) {}
  ~RegisteredHostMemory() override {
    if (!is_object_freed_at_end(memory)) keep_for_left_work();
    const GilReleasedForDestructor released;
    const cuda::RegisteredMemory ended = std::move(memory);
  }
  std::byte* data() const override { return memory.data(); }
  std::size_t size_bytes() const override { return memory.size_bytes(); }
  cuda::DevicePointer device_pointer() const override { return memory.device_pointer(); }
  cuda::RegisteredMemory memory;
  nb::object base;  // owns the page-locked memory

 private:
  void keep_for_left_work() noexcept {
    using Kept = std::pair<nb::object, cuda::RegisteredMemory>;  // the array ends behind it
    const auto end = [](Kept* kept) {
      {
        const GilReleasedForDestructor released;  // a callback in Python may be what it waits for
        const cuda::RegisteredMemory ended = std::move(kept->second);
      }
      delete kept;
    };
    try {
      keep_until_left_work_ends({new Kept(base, std::move(memory)), end});
    } catch (const std::bad_alloc&) {
      // It is unlocked, after waiting.
    }
  }
};

class AlignedHostAllocation final : public HostPointer {
 public:
  AlignedHostAllocation(std::size_t size, std::size_t alignment) : size_(size) {
    if (alignment == 0 || (alignment & (alignment - 1)) != 0)
      raise_logic_error("aligned_malloc failed: invalid argument - alignment " +
                        std::to_string(alignment) + " is not a power of two");
    const std::size_t unit = std::max(alignment, sizeof(void*));
    data_.reset(static_cast<std::byte*>(
        std::aligned_alloc(unit, (std::max<std::size_t>(size, 1) + unit - 1) / unit * unit)));
    if (!data_) throw std::bad_alloc();
  }
  std::byte* data() const override {
    if (!data_) raise_logic_error("aligned_host_allocation failed: invalid resource handle");
    return data_.get();
  }
  std::size_t size_bytes() const override { return size_; }
  cuda::DevicePointer device_pointer() const override {
    throw NotSupported("aligned host memory is not page-locked: the device has no address for it");
  }
  void free() {
    data();  // throws the second time
    data_.reset();
  }

 private:
  struct Release {
    void operator()(std::byte* memory) const noexcept { std::free(memory); }
  };
  std::size_t size_;
  std::unique_ptr<std::byte, Release> data_;
};

// The driver cannot allocate zero bytes, but there are empty arrays.
std::size_t size_argument(nb::handle size) {
  return std::max<std::uint64_t>(unsigned_argument(size.ptr(), "size"), 1);
}

std::unique_ptr<RegisteredHostMemory> register_array(nb::object array, nb::handle flags) {
  const auto bits = static_cast<cuda::RegisterFlags>(unsigned_argument(flags.ptr(), "flags", ~0u));
  current_context();
  const HostBuffer buffer(array, HostBuffer::read);
  return std::make_unique<RegisteredHostMemory>(
      cuda::RegisteredMemory(buffer.data(), buffer.size(), bits), std::move(array));
}

void bind_page_locked(nb::module_& m) {
  auto base = nb::class_<HostPointer>(m, "HostPointer", nb::dynamic_attr(),
                                      nb::is_weak_referenceable(), "Host memory of the driver.");
  refuse_construction(base);
  base.def("get_device_pointer",
           pycuda([](const HostPointer& self) { return self.device_pointer(); }),
           "The address kernels use.");
  auto locked = nb::class_<PagelockedHostAllocation, HostPointer>(
      m, "PagelockedHostAllocation",
      nb::type_slots(buffer_slots<PagelockedHostAllocation, Face::pycuda>()),
      "Page-locked memory.");
  let_go_without_gil<PagelockedHostAllocation>();
  refuse_construction(locked);
  locked
      .def(
          "free", pycuda([](PagelockedHostAllocation& self) {
            if (self.memory.is_freed())
              raise_logic_error("pagelocked_host_allocation::free failed: invalid resource handle");
            free_without_gil(self.memory);
          }),
          "Frees now; no copy may be in flight. Raises LogicError the second time.")
      .def("get_flags", pycuda([](const PagelockedHostAllocation& self) {
             return static_cast<unsigned>(self.memory.flags());
           }),
           "host_alloc_flags, as the driver has them.");
  m.attr("HostAllocation") = locked;
  // No tp_clear: the array must outlive the page-locking. The array's own tp_clear ends a cycle.
  static PyType_Slot registered_slots[] = {
      type_slot(Py_bf_getbuffer, get_buffer<RegisteredHostMemory, Face::pycuda>),
      type_slot(Py_tp_traverse, traverse_kept<RegisteredHostMemory, &RegisteredHostMemory::base>),
      {0, nullptr}};
  auto registered = nb::class_<RegisteredHostMemory, HostPointer>(
      m, "RegisteredHostMemory", nb::type_slots(registered_slots),
      "Memory of someone else that is page-locked while this lives.");
  refuse_construction(registered);
  registered
      .def("unregister", pycuda([](RegisteredHostMemory& self) {
             if (!self.memory.is_registered())
               raise_logic_error(
                   "registered_host_memory::unregister failed: invalid resource handle");
             without_gil_asked(self.memory.context(), [&] { self.memory.unregister(); });
           }),
           "Unlocks now. Raises LogicError the second time.")
      .def_prop_ro("base", [](const RegisteredHostMemory& self) { return self.base; });
  m.def("_pagelocked_allocation", pycuda([](nb::object size, nb::object flags) {
          const auto bits =
              static_cast<cuda::HostMemoryFlags>(unsigned_argument(flags.ptr(), "mem_flags", ~0u));
          const std::size_t bytes = size_argument(size);
          current_context();
          return allocate_with_retry([&] {
            return std::make_unique<PagelockedHostAllocation>(cuda::HostMemory(bytes, bits));
          });
        }));
  m.def("_register_array", pycuda([](nb::object array, nb::object flags) {
          return register_array(std::move(array), flags);
        }));
}

void bind_aligned(nb::module_& m) {
  auto aligned = nb::class_<AlignedHostAllocation, HostPointer>(
      m, "AlignedHostAllocation",
      nb::type_slots(buffer_slots<AlignedHostAllocation, Face::pycuda>()),
      "Aligned, pageable memory.");
  refuse_construction(aligned);
  aligned.def("free", pycuda([](AlignedHostAllocation& self) { self.free(); }),
              "Frees now; no array may show it any more. Raises LogicError the second time.");
  m.def("_aligned_allocation", pycuda([](nb::object size, nb::object alignment) {
          current_context();
          return std::make_unique<AlignedHostAllocation>(
              size_argument(size), unsigned_argument(alignment.ptr(), "alignment"));
        }));
}

void bind_managed(nb::module_& m) {
  auto managed = nb::class_<ManagedAllocation, DeviceAllocation>(
      m, "ManagedAllocation", nb::type_slots(buffer_slots<ManagedAllocation, Face::pycuda>()),
      "Memory with one address on host and device.");
  let_go_without_gil<ManagedAllocation>();
  refuse_construction(managed);
  managed
      .def("get_device_pointer",
           pycuda([](const ManagedAllocation& self) { return self.live_address(); }),
           "The address kernels use, which is the same on the host.")
      .def("attach", pycuda([](const ManagedAllocation& self, nb::object flags, nb::object stream) {
             self.memory().attach(
                 static_cast<cuda::AttachFlags>(unsigned_argument(flags.ptr(), "mem_flags", ~0u)),
                 stream_argument(stream.ptr()));
           }),
           nb::arg("mem_flags"), nb::arg("stream") = nb::none(),
           "Says who may touch the memory while work runs; ordered on `stream`.");
  register_pointer_type(nb::type<ManagedAllocation>(), [](PyObject* object) {
    return instance_of<ManagedAllocation>(object).live_address();
  });
  m.def("_managed_allocation", pycuda([](nb::object size, nb::object flags) {
          // 0 is no flag of the driver. Without flags, any stream may use the memory.
          const auto bits = unsigned_argument(flags.ptr(), "mem_flags", ~0u);
          const auto attach =
              bits == 0 ? cuda::AttachFlags::global : static_cast<cuda::AttachFlags>(bits);
          const std::size_t bytes = size_argument(size);
          current_context();
          return allocate_with_retry([&] {
            return std::make_unique<ManagedAllocation>(cuda::ManagedMemory(bytes, attach));
          });
        }));
}

}  // namespace
}  // namespace face

void bind_pycuda_host_memory(nb::module_& m) {
  face::bind_page_locked(m);
  face::bind_aligned(m);
  face::bind_managed(m);
}

}  // namespace treadle::bindings
