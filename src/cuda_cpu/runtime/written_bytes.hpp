// SPDX-License-Identifier: MIT
// Which bytes of device memory were written. Recorded with TREADLE_CHECK=init, and in contexts all
// of whose kernels were compiled with that check, and only for memory that kernels, copies and
// fills alone write: that of cuMemAlloc and of malloc in kernels.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace treadle::cuda_cpu {

class Context;

/// How many of some bytes.
enum class Share { none, some, all };

/// One bit for each byte of an allocation, at first clear. Thread-safe.
class WrittenBytes {
 public:
  explicit WrittenBytes(std::size_t size) : words_(size / 64 + 1) {}

  /// The bytes [first, first + count) are written now.
  void note(std::size_t first, std::size_t count) noexcept;
  /// They are a copy: as written as those of `from` that begin at `from_first`.
  void note_copy(std::size_t first, std::size_t count, const WrittenBytes& from,
                 std::size_t from_first) noexcept;
  Share written(std::size_t first, std::size_t count) const noexcept;
  /// None of them is. Not while another thread asks.
  void forget() noexcept;

 private:
  std::uint64_t bits(std::size_t first, std::size_t count) const noexcept;
  std::vector<std::atomic<std::uint64_t>> words_;
};

/// Whether memory that is allocated now in this context knows what is written to it, and whether
/// what is known of it is all there is to know.
bool writes_are_noted(const Context* context) noexcept;
/// Whether that is so in any context.
bool writes_are_noted() noexcept;
/// Called when a kernel is loaded. One that does not record its writes makes all memory count as
/// written: in its context, and wherever TREADLE_CHECK alone has asked.
void note_loaded_kernel(Context& context, bool notes_writes) noexcept;

}  // namespace treadle::cuda_cpu
