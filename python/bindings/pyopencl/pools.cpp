// SPDX-License-Identifier: MIT
// pyopencl.tools' allocators and pools of buffers.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "calls/named_arguments.hpp"
#include "memory/place.hpp"
#include "memory/pools.hpp"
#include "pyopencl/classes.hpp"
#include "treadle/opencl/transfer.hpp"

namespace treadle::bindings::cl {
namespace {

using opencl::MemFlags;

/// Allocates a pool's buffers. With a queue the platform has to allocate the memory at once, and
/// not at the first use.
struct BufferBlocks {
  using Block = opencl::Buffer;
  opencl::Context context;
  std::optional<opencl::Queue> queue;
  MemFlags flags = MemFlags::read_write;

  Block allocate(std::size_t size_bytes) {
    opencl::Buffer buffer(context, size_bytes, flags);
    if (queue) {
      const opencl::MemoryObject memory = buffer;
      opencl::migrate(*queue, {&memory, 1}, opencl::MemMigrationFlags::content_undefined);
    }
    return buffer;
  }
};

struct AllocatorBase {
  BufferBlocks blocks;
};
struct DeferredAllocator : AllocatorBase {};
struct ImmediateAllocator : AllocatorBase {};

struct MemoryPool {
  MemoryPool(const BufferBlocks& blocks, unsigned leading_bits)
      : pool(blocks, face_options(leading_bits)) {}
  memory::Pool<BufferBlocks> pool;
  bool is_traced = false;
};

class PooledBuffer final : public MemoryObjectHolder {
 public:
  const opencl::MemoryObject& memory() const override { return allocation.block(); }

  PythonPlace place;  // before the allocation: the pool may use the place until the allocation ends
  memory::Allocation<BufferBlocks> allocation;
};

constexpr NoMemory no_memory{-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"};
PyObject* pooled_buffer_class = nullptr;
constinit KeywordNames<1> allocate_names({"size"});

BufferBlocks blocks_of(const Context& context, const CommandQueue* queue, std::uint64_t bits) {
  const auto flags = static_cast<MemFlags>(bits);
  if (opencl::has(flags, MemFlags::use_host_ptr) || opencl::has(flags, MemFlags::copy_host_ptr))
    raise_logic_error("Allocator",
                      "mem_flags may not hold USE_HOST_PTR or COPY_HOST_PTR: "
                      "an allocator has no memory of the host");
  BufferBlocks blocks{.context = context.context, .queue = {}, .flags = flags};
  if (queue != nullptr) blocks.queue = queue->queue;
  return blocks;
}

nb::object allocate_buffer(AllocatorBase& self, nb::handle size) {
  const std::size_t bytes = pool_size_argument(size.ptr());
  if (bytes == 0) return nb::none();
  return nb::cast(Buffer(with_retry([&] { return self.blocks.allocate(bytes); })));
}

void trace(const MemoryPool& self, std::size_t size, std::size_t held_before) {
  const bool was_held = self.pool.statistics().held_blocks < held_before;
  PySys_FormatStdout("[pool] %zu bytes, bin %u: %s\n", size, self.pool.bins().bin_number(size),
                     was_held ? "a held block" : "a new block");
}

nb::object allocate_pooled(PyObject* self, PyObject* size) {
  auto& owner = pool_owner<MemoryPool>(self);
  const std::size_t bytes = pool_size_argument(size);
  const std::size_t held = owner.is_traced ? owner.pool.statistics().held_blocks : 0;
  nb::object made = nb::inst_alloc(pooled_buffer_class);
  auto* const buffer = new (nb::inst_ptr<PooledBuffer>(made)) PooledBuffer;
  nb::inst_mark_ready(made);
  buffer->place.note();
  buffer->allocation =
      in_pool_words(no_memory, [&] { return owner.pool.allocate(bytes, buffer->place.site()); });
  if (owner.is_traced) trace(owner, bytes, held);
  return made;
}

PyObject* quick_allocate(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                         PyObject* keywords) noexcept {
  try {
    const auto [size] = named_arguments("allocate", allocate_names, arguments, count, keywords);
    return allocate_pooled(self, size).release().ptr();
  } catch (...) {
    set_error();
    return nullptr;
  }
}

PyObject* call_pool(PyObject* self, PyObject* arguments, PyObject* keywords) noexcept {
  PyObject* size = nullptr;
  static const char* names[] = {"size", nullptr};
  if (PyArg_ParseTupleAndKeywords(arguments, keywords, "O:MemoryPool", const_cast<char**>(names),
                                  &size) == 0)
    return nullptr;
  return quick_allocate(self, &size, 1, nullptr);
}

void bind_allocators(nb::module_& m) {
  const auto read_write = static_cast<std::uint64_t>(MemFlags::read_write);
  nb::class_<AllocatorBase>(m, "AllocatorBase", "What makes buffers of a size.")
      .def("__call__", pyopencl([](AllocatorBase& self, nb::handle size) {
             return allocate_buffer(self, size);
           }),
           nb::arg("size"), nb::sig("def __call__(self, size: int) -> Buffer | None"),
           "A Buffer; None for 0 bytes.");
  const auto deferred =
      pyopencl([](DeferredAllocator* self, const Context& context, std::uint64_t mem_flags) {
        new (self) DeferredAllocator{{blocks_of(context, nullptr, mem_flags)}};
      });
  nb::class_<DeferredAllocator, AllocatorBase>(
      m, "DeferredAllocator", "Buffers for which the platform may find memory at first use.")
      .def("__init__", deferred, nb::arg("context"), nb::arg("mem_flags") = read_write)
      .def("__init__", deferred, nb::arg("queue"), nb::arg("mem_flags") = read_write,
           "The first argument is a context under either name.");
  nb::class_<ImmediateAllocator, AllocatorBase>(
      m, "ImmediateAllocator", "Buffers whose memory is there, or missing, at once.")
      .def("__init__",
           pyopencl(
               [](ImmediateAllocator* self, const CommandQueue& queue, std::uint64_t mem_flags) {
                 const Context context{queue.queue.context()};
                 new (self) ImmediateAllocator{{blocks_of(context, &queue, mem_flags)}};
               }),
           nb::arg("queue"), nb::arg("mem_flags") = read_write);
}

void bind_pooled_buffer(nb::module_& m) {
  auto type = nb::class_<PooledBuffer, MemoryObjectHolder>(m, "PooledBuffer", nb::dynamic_attr(),
                                                           "A buffer of a pool; `size` is that of "
                                                           "the whole block.");
  type.def("release", pyopencl([](PooledBuffer& self) { self.allocation.free(); }),
           "Gives the memory to the pool; LogicError the second time.")
      .def(
          "bind_to_queue", [](PooledBuffer&, const CommandQueue&) {}, nb::arg("queue"),
          "Does nothing: a buffer has no queue.")
      .def("unbind_from_queue", [](PooledBuffer&) {}, "Does nothing.");
  pooled_buffer_class = type.ptr();
}

void bind_pool(nb::module_& m) {
  static PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void*>(call_pool)}, {0, nullptr}};
  auto type = nb::class_<MemoryPool>(m, "MemoryPool", nb::type_slots(slots),
                                     "Buffers that are kept when they are freed, and given out "
                                     "again.");
  type.def("__init__",
           pyopencl([](MemoryPool* self, const AllocatorBase& allocator, unsigned leading_bits) {
             if (!allocator.blocks.queue)
               warn_python(PyExc_UserWarning,
                           "a MemoryPool over a DeferredAllocator notices too late that memory is "
                           "exhausted: use an ImmediateAllocator");
             new (self) MemoryPool(allocator.blocks, leading_bits);
           }),
           nb::arg("allocator"), nb::arg("leading_bits_in_bin_id") = 4);
  type.def(
      "_set_trace", [](MemoryPool& self, bool flag) { self.is_traced = flag; }, nb::arg("flag"),
      "Prints a line for each allocation.");
  bind_pool_members(type);
  static PyMethodDef allocate = {
      "allocate", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(quick_allocate)),
      METH_FASTCALL | METH_KEYWORDS,
      "allocate($self, size)\n--\n\nA PooledBuffer of at least `size` bytes."};
  allocate_names.intern();
  add_quick_method(type, &allocate);
}

/// A pool without memory, for tests of sizes.
struct NoBlocks {
  struct Block {};
  Block allocate(std::size_t) { return {}; }
};
struct TestMemoryPool {
  explicit TestMemoryPool(unsigned leading_bits) : pool(NoBlocks{}, face_options(leading_bits)) {}
  memory::Pool<NoBlocks> pool;
};

void bind_test_pool(nb::module_& m) {
  auto type = nb::class_<TestMemoryPool>(m, "_TestMemoryPool", "A pool of no memory.");
  type.def("__init__", pyopencl([](TestMemoryPool* self, unsigned leading_bits) {
             new (self) TestMemoryPool(leading_bits);
           }),
           nb::arg("leading_bits_in_bin_id") = 4)
      .def(
          "allocate",
          [](TestMemoryPool& self, nb::handle size) {
            (void)self.pool.allocate(pool_size_argument(size.ptr()));
          },
          nb::arg("size"));
  bind_pool_members(type);
}

}  // namespace

void bind_pools(nb::module_& m) {
  bind_allocators(m);
  bind_pooled_buffer(m);
  bind_pool(m);
  bind_test_pool(m);
}

}  // namespace treadle::bindings::cl
