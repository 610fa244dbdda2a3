// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/diagnostics.hpp"

#include <algorithm>
#include <atomic>

#define FMT_HEADER_ONLY
#include <fmt/format.h>

#include "cuda_cpu/runtime/driver_api.hpp"
#include "cuda_cpu/runtime/memory.hpp"

namespace treadle::cuda_cpu {
namespace {

/// Writes the file's name and returns the line; 0 if it does not know.
using SiteSource = int (*)(const char** file);
std::atomic<SiteSource> site_source{nullptr};

/// Farther away than this, an allocation is not mentioned: the index was hardly meant for it.
constexpr std::uintptr_t nearby = 256u << 20;
/// The same of memory among the program's own, which lies beside everything.
constexpr std::uintptr_t nearby_in_program = 64u << 10;
/// Within this distance the allocation is taken for the one that was meant.
constexpr std::uintptr_t off_by_some = 64;
/// Nothing is ever mapped there.
constexpr std::uintptr_t null_page = 64u << 10;

/// "the 400 bytes at 0x7f.. allocated at user.py:7"
std::string name_of(const Allocation& allocation) {
  if (allocation.kind == MemoryKind::global)
    return fmt::format("the {} bytes at {:#x} of a device variable", allocation.size,
                       allocation.base);
  if (allocation.kind == MemoryKind::kernel_heap)
    return fmt::format("the {} bytes at {:#x} that a kernel allocated", allocation.size,
                       allocation.base);
  const char* const verb = allocation.kind == MemoryKind::registered ? "registered"
                           : allocation.kind == MemoryKind::imported ? "opened"
                                                                     : "allocated";
  const Site& site = allocation.site;
  return fmt::format(
      "the {} bytes at {:#x}{}", allocation.size, allocation.base,
      site.file == nullptr ? "" : fmt::format(" {} at {}:{}", verb, site.file, site.line));
}

std::uintptr_t reach_of(const Allocation& allocation) {
  const bool in_program =
      allocation.kind == MemoryKind::global || allocation.kind == MemoryKind::registered;
  return in_program ? nearby_in_program : nearby;
}

std::string byte_count(std::uintptr_t count) {
  return fmt::format("{} byte{}", count, count == 1 ? "" : "s");
}

}  // namespace

Site calling_site() {
  const SiteSource source = site_source.load(std::memory_order_acquire);
  Site site;
  if (source != nullptr) site.line = source(&site.file);
  return site;
}

std::string describe_address(std::uintptr_t address, std::size_t size) {
  if (address < null_page) return "a null pointer, or an index from one";
  const auto [before, behind] = neighbouring_memory(address);
  if (before && address < before->base + before->size) {
    const std::uintptr_t left = before->base + before->size - address;
    return left >= size ? "inside " + name_of(*before)
                        : byte_count(size - left) + " of it past the end of " + name_of(*before);
  }
  const std::uintptr_t past = before ? address - (before->base + before->size) : nearby;
  const std::uintptr_t ahead = behind ? behind->base - address : nearby;
  const std::uintptr_t distance = std::min(past, ahead);
  // Memory is reused all the time: most addresses around an array belonged to another one before.
  if (const auto freed = find_freed_memory(address); freed && distance >= off_by_some)
    return "inside " + name_of(*freed) + ", which were freed";
  const bool is_past = past == distance;
  if (distance >= nearby || distance >= reach_of(is_past ? *before : *behind)) return {};
  if (is_past)
    return (past == 0 ? "just" : byte_count(past)) + " past the end of " + name_of(*before);
  return byte_count(ahead) + " before " + name_of(*behind);
}

}  // namespace treadle::cuda_cpu

/// `source` tells which line of the program its calling thread is at; allocations remember it. It
/// is called with no lock held. Null: no source.
TREADLE_CPU_EXPORT void treadle_cpu_set_site_source(treadle::cuda_cpu::SiteSource source) {
  treadle::cuda_cpu::site_source.store(source, std::memory_order_release);
}
