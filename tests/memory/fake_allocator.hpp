// SPDX-License-Identifier: MIT
// Memory that is only counted, and streams that only remember what they were told.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "treadle/base/error.hpp"
#include "treadle/memory/allocator.hpp"

namespace treadle::memory::fake {

/// What there is and what was asked. Shared by an allocator, its blocks and the test.
struct Heap {
  std::mutex mutex;
  std::size_t capacity_bytes = ~std::size_t{0};
  std::size_t used_bytes = 0;
  int live_blocks = 0;
  int calls = 0;                          ///< of allocate, is_done, mark and wait
  int fail_call = 0;                      ///< the call with this number, from 1, fails
  bool fail_with_other = false;           ///< with another error than OutOfMemory
  std::vector<std::size_t> asked, freed;  ///< sizes, in order
  std::vector<std::string> ordering;      ///< "mark a", "wait b for a"
  std::set<std::string> busy;             ///< streams that have not done their work

  /// Counts a call; throws if this one is to fail.
  void enter(const char* call) {
    if (++calls != fail_call) return;
    if (fail_with_other)
      throw LaunchError(DeviceFailure{700, "LOST", call, "the device is lost", ""});
    throw_out_of_memory(call);
  }
  [[noreturn]] static void throw_out_of_memory(const char* call) {
    throw OutOfMemory(DeviceFailure{2, "NO_MEMORY", call, "out of memory", ""});
  }
};

class Block {
 public:
  Block(std::shared_ptr<Heap> heap, std::size_t size_bytes, int number)
      : heap_(std::move(heap)), size_bytes_(size_bytes), number_(number) {}
  Block(Block&&) noexcept = default;
  Block& operator=(Block&&) = delete;
  ~Block() {
    if (!heap_) return;
    const std::lock_guard lock(heap_->mutex);
    heap_->used_bytes -= size_bytes_;
    --heap_->live_blocks;
    heap_->freed.push_back(size_bytes_);
  }
  std::size_t size_bytes() const { return size_bytes_; }
  int number() const { return number_; }  ///< different for each block there ever was

 private:
  std::shared_ptr<Heap> heap_;
  std::size_t size_bytes_;
  int number_;
};

class Allocator {
 public:
  using Block = fake::Block;

  explicit Allocator(std::shared_ptr<Heap> heap) : heap_(std::move(heap)) {}
  Block allocate(std::size_t size_bytes) {
    const std::lock_guard lock(heap_->mutex);
    heap_->enter("allocate");
    if (size_bytes > heap_->capacity_bytes - heap_->used_bytes)
      Heap::throw_out_of_memory("allocate");
    heap_->used_bytes += size_bytes;
    ++heap_->live_blocks;
    heap_->asked.push_back(size_bytes);
    return Block(heap_, size_bytes, static_cast<int>(heap_->asked.size()));
  }

 protected:
  std::shared_ptr<Heap> heap_;
};

/// Adds streams: shared names. Whoever keeps a stream alive is seen in its use count.
class OrderedAllocator : public Allocator {
 public:
  using Stream = std::shared_ptr<std::string>;
  using Mark = std::string;

  using Allocator::Allocator;
  bool is_done(const Stream& stream) {
    const std::lock_guard lock(heap_->mutex);
    heap_->enter("is_done");
    return !heap_->busy.contains(*stream);
  }
  Mark mark(const Stream& stream) { return note("mark " + *stream), *stream; }
  void wait(const Stream& stream, const Mark& mark) { note("wait " + *stream + " for " + mark); }

 private:
  void note(std::string text) {
    const std::lock_guard lock(heap_->mutex);
    heap_->enter("order");
    heap_->ordering.push_back(std::move(text));
  }
};

static_assert(memory::Allocator<Allocator> && !memory::OrderedAllocator<Allocator>);
static_assert(memory::OrderedAllocator<OrderedAllocator>);

}  // namespace treadle::memory::fake
