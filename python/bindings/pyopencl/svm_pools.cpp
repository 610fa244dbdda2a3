// SPDX-License-Identifier: MIT
// pyopencl.tools' allocators and pools of shared virtual memory.
#include <optional>
#include <string>
#include <utility>

#include "memory/place.hpp"
#include "memory/pools.hpp"
#include "pyopencl/object_arguments.hpp"
#include "pyopencl/svm.hpp"

namespace treadle::bindings::cl {
namespace {

using opencl::SharedMemory;

/// Allocates a pool's shared memory, bound to a queue if there is one.
struct SharedBlocks {
  using Block = SharedMemory;
  opencl::Context context;
  std::size_t alignment = 0;
  opencl::SvmMemFlags flags = opencl::SvmMemFlags::read_write;
  std::optional<opencl::Queue> queue = {};

  Block allocate(std::size_t size_bytes) {
    SharedMemory memory(context, size_bytes, flags, alignment);
    if (queue) memory.bind_to_queue(*queue);
    return memory;
  }
};

struct SVMAllocator {
  SharedBlocks blocks;
};

struct SVMPool {
  SVMPool(const SharedBlocks& blocks, unsigned leading_bits)
      : pool(blocks, face_options(leading_bits)) {}
  memory::Pool<SharedBlocks> pool;
  bool is_traced = false;
};

class PooledSVM final : public SVMPointer {
 public:
  void* address() const override { return allocation.block().data(); }
  std::optional<std::size_t> size() const override { return allocation.size_bytes(); }
  const opencl::Context* context() const override { return &allocation.block().context(); }

  PythonPlace place;  // before the allocation: the pool may use the place until the allocation ends
  memory::Allocation<SharedBlocks> allocation;
};

constexpr NoMemory no_shared_memory{-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"};

SVMAllocator make_allocator(const Context& context, std::size_t alignment, std::uint64_t flags,
                            nb::handle queue) {
  SharedBlocks blocks{.context = context.context,
                      .alignment = alignment,
                      .flags = static_cast<opencl::SvmMemFlags>(flags)};
  if (!queue.is_none()) {
    blocks.queue = use_queue(object_in<CommandQueue>(queue, {"SVMAllocator", "queue"}));
    SharedMemory(context.context, 0).bind_to_queue(*blocks.queue);  // throws if it is out of order
  }
  return {blocks};
}

// A block that was bound to another queue is used after the commands that are enqueued there.
void order_block(SharedMemory& block, const std::optional<opencl::Queue>& queue) {
  if (queue) {
    block.bind_to_queue(*queue);
  } else if (block.queue() != nullptr) {
    const nb::gil_scoped_release released;
    block.unbind_from_queue();
  }
}

nb::object allocate_pooled_svm(SVMPool& self, nb::handle size) {
  const std::size_t bytes = pool_size_argument(size.ptr());
  const std::size_t held = self.pool.statistics().held_blocks;
  auto pooled = std::make_unique<PooledSVM>();
  pooled->place.note();
  pooled->allocation = in_pool_words(
      no_shared_memory, [&] { return self.pool.allocate(bytes, pooled->place.site()); });
  order_block(pooled->allocation.block(), self.pool.allocator().queue);
  if (self.is_traced)
    PySys_FormatStdout("[pool] %zu bytes, bin %u: %s\n", bytes, self.pool.bins().bin_number(bytes),
                       self.pool.statistics().held_blocks < held ? "a held block" : "a new block");
  return nb::cast(pooled.release(), nb::rv_policy::take_ownership);
}

void bind_allocator(nb::module_& m) {
  nb::class_<SVMAllocator>(m, "SVMAllocator", "What makes shared virtual memory of a size.")
      .def("__init__",
           pyopencl([](SVMAllocator* self, const Context& context, std::size_t alignment,
                       std::uint64_t flags, nb::handle queue) {
             new (self) SVMAllocator(make_allocator(context, alignment, flags, queue));
           }),
           nb::arg("context"), nb::arg("alignment") = 0,
           nb::arg("flags") = static_cast<std::uint64_t>(opencl::SvmMemFlags::read_write),
           nb::arg("queue") = nb::none())
      .def("__call__", pyopencl([](SVMAllocator& self, nb::handle size) {
             const std::size_t bytes = pool_size_argument(size.ptr());
             return nb::cast(
                 new SVMAllocation(with_retry([&] { return self.blocks.allocate(bytes); })),
                 nb::rv_policy::take_ownership);
           }),
           nb::arg("size"), nb::sig("def __call__(self, size: int) -> SVMAllocation"),
           "An SVMAllocation, of zero bytes too.");
}

void bind_pooled_svm(nb::module_& m) {
  static PyType_Slot slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(export_svm)},
                                {0, nullptr}};
  const auto address = [](const PooledSVM& self) {
    return reinterpret_cast<std::uintptr_t>(self.address());
  };
  auto type =
      nb::class_<PooledSVM, SVMPointer>(m, "PooledSVM", nb::dynamic_attr(), nb::type_slots(slots),
                                        "Shared virtual memory of a pool.");
  for (const char* name : {"release", "enqueue_release"})
    type.def(name, pyopencl([](PooledSVM& self) { self.allocation.free(); }),
             "Gives the memory to the pool, which reuses it after what is enqueued in its queue.");
  type.def("bind_to_queue", pyopencl([](PooledSVM& self, const CommandQueue& queue) {
             self.allocation.block().bind_to_queue(use_queue(queue));
           }),
           nb::arg("queue"), "From now on it is used in the order of `queue`.")
      .def("unbind_from_queue", pyopencl([](PooledSVM& self) {
             const nb::gil_scoped_release released;
             self.allocation.block().unbind_from_queue();
           }),
           "Waits for the queue it is bound to.")
      .def_prop_ro("_queue", pyopencl([](const PooledSVM& self) {
                     return queue_of(self.allocation.block());
                   }))
      .def("__hash__", pyopencl([address](const PooledSVM& self) {
             return static_cast<Py_hash_t>(address(self) >> 4);
           }))
      .def("__eq__", pyopencl([address](const PooledSVM& self, nb::handle other) {
             PooledSVM* same = nullptr;
             return nb::try_cast(other, same) && same != nullptr && address(self) == address(*same);
           }),
           nb::arg().none());
}

void bind_svm_pool(nb::module_& m) {
  auto type = nb::class_<SVMPool>(m, "SVMPool",
                                  "Shared virtual memory that is kept when it is freed, and given "
                                  "out again.");
  type.def("__init__",
           pyopencl([](SVMPool* self, const SVMAllocator& allocator, unsigned leading_bits) {
             new (self) SVMPool(allocator.blocks, leading_bits);
           }),
           nb::arg("allocator"), nb::arg("leading_bits_in_bin_id") = 4);
  for (const char* name : {"__call__", "allocate"})
    type.def(name, pyopencl(allocate_pooled_svm), nb::arg("size"),
             nb::sig(std::string_view(name) == "allocate"
                         ? "def allocate(self, size: int) -> PooledSVM"
                         : "def __call__(self, size: int) -> PooledSVM"),
             "A PooledSVM of at least `size` bytes.");
  type.def(
      "_set_trace", [](SVMPool& self, bool flag) { self.is_traced = flag; }, nb::arg("flag"),
      "Prints a line for each allocation.");
  bind_pool_members(type);
}

}  // namespace

void bind_svm_pools(nb::module_& m) {
  bind_allocator(m);
  bind_pooled_svm(m);
  bind_svm_pool(m);
}

}  // namespace treadle::bindings::cl
