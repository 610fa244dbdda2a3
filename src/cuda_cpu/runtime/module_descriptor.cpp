// SPDX-License-Identifier: MIT
// Every count and pointer of a module's descriptor is checked before it is used. The digest proves
// that the bytes are what a compiler wrote; these checks, that it is consistent with this run-time.
#include <algorithm>
#include <cstring>

#include "cuda_cpu/runtime/device.hpp"
#include "cuda_cpu/runtime/module_image.hpp"

namespace treadle::cuda_cpu {
namespace {

constexpr std::uint32_t most_entries = 1u << 16;
constexpr std::uint64_t most_counters = 1u << 24;
constexpr std::uint64_t most_bytes_per_thread = 1u << 20;
// Eight bytes a thread are in use; room for compilers to come.
constexpr std::uint64_t most_exchange_bytes = 1u << 16;

class Checker {
 public:
  explicit Checker(std::span<const MappedRange> mapped) : mapped_(mapped) {}

  std::string descriptor(const ModuleDescriptor* d) const {
    if (!holds(d, sizeof *d)) return "outside the library";
    if (d->abi_version != module_abi_version || d->size != sizeof *d) return "of another version";
    if (d->kernel_count > most_entries || !array(d->kernels, d->kernel_count))
      return "kernel table";
    if (d->global_count > most_entries || !array(d->globals, d->global_count))
      return "variable table";
    if (d->services != nullptr && !array(d->services, 1)) return "services pointer";
    if (!bytes(d->deferred, d->deferred_size) ||
        !bytes(d->deferred_arguments, d->deferred_arguments_size))
      return "deferred kernels";
    if (!counted(*d)) return "counted places";
    for (const Kernel& k : std::span(d->kernels, d->kernel_count))
      if (const char* defect = kernel(k))
        return std::string(defect) + (text(k.name) ? " of " + std::string(k.name) : "");
    for (const Global& g : std::span(d->globals, d->global_count))
      if (!text(g.name) || !holds(g.address, g.size)) return "variable";
    return {};
  }

 private:
  bool holds(const void* start, std::uint64_t size) const {
    const auto begin = reinterpret_cast<std::uintptr_t>(start);
    return std::any_of(mapped_.begin(), mapped_.end(), [&](const MappedRange& r) {
      return begin >= r.begin && begin <= r.end && size <= r.end - begin;
    });
  }
  bool counted(const ModuleDescriptor& d) const {
    const auto count = static_cast<std::uint32_t>(d.counted_places_count);
    if (count != d.counted_places_count || count > most_entries || !array(d.counted_places, count))
      return false;
    const auto all = std::span(d.counted_places, count);
    return std::all_of(all.begin(), all.end(), [&](const CountedPlaces& places) {
      return bytes(places.map, places.map_size) && places.counter_count <= most_counters &&
             places.counters != nullptr && array(places.counters, 1);
    });
  }
  bool bytes(const char* first, std::uint64_t size) const {
    return size == 0 || holds(first, size);
  }
  template <class Entry>
  bool array(const Entry* first, std::uint32_t count) const {
    return count == 0 || (reinterpret_cast<std::uintptr_t>(first) % alignof(Entry) == 0 &&
                          holds(first, count * sizeof(Entry)));
  }
  bool code(BlockFunction function) const {
    const auto at = reinterpret_cast<std::uintptr_t>(function);
    return std::any_of(mapped_.begin(), mapped_.end(), [&](const MappedRange& r) {
      return r.executable && at >= r.begin && at < r.end;
    });
  }
  bool text(const char* string) const {
    const auto begin = reinterpret_cast<std::uintptr_t>(string);
    for (const MappedRange& r : mapped_)
      if (begin >= r.begin && begin < r.end)
        return std::memchr(string, 0, r.end - begin) != nullptr;
    return false;
  }

  /// What is wrong with the kernel, or null.
  const char* kernel(const Kernel& k) const {
    if (!text(k.name) || *k.name == '\0') return "kernel name";
    if (k.signature != nullptr && !text(k.signature)) return "signature";
    if (k.parameter_count > most_entries || !array(k.parameters, k.parameter_count) ||
        !parameters(k))
      return "parameters";
    if (k.static_shared > shared_per_block_optin || k.exchange_shared > most_exchange_bytes)
      return "shared memory";
    if (k.max_threads > max_threads_per_block) return "launch bounds";
    if (k.varying_frame_size > most_bytes_per_thread || k.local_size > most_bytes_per_thread ||
        k.uniform_frame_size > most_bytes_per_thread)
      return "frame sizes";
    if ((k.flags & kernel_is_deferred) != 0) return nullptr;
    if ((k.flags & kernel_has_barrier) == 0 && !code(k.run)) return "code";
    if (k.thread != nullptr && !code(k.thread)) return "code of a thread";
    if ((k.flags & (kernel_has_barrier | kernel_has_steps)) == 0) return nullptr;
    return k.region_count > 0 && k.region_count <= max_regions &&
                   array(k.regions, k.region_count) && regions(k)
               ? nullptr
               : "regions";
  }

  bool parameters(const Kernel& k) const {
    if (k.parameter_bytes > parameter_limit) return false;
    std::uint64_t end = 0;
    for (const ParameterRecord& p : std::span(k.parameters, k.parameter_count)) {
      const bool power_of_two = p.align != 0 && (p.align & (p.align - 1)) == 0;
      if (!power_of_two || p.align > 64 || p.offset % p.align != 0 || p.offset < end) return false;
      end = std::uint64_t{p.offset} + p.size;
      if ((p.name != nullptr && !text(p.name)) || (p.type != nullptr && !text(p.type)))
        return false;
    }
    return end <= k.parameter_bytes;
  }

  bool regions(const Kernel& k) const {
    const auto all = std::span(k.regions, k.region_count);
    return std::all_of(all.begin(), all.end(), [&](const Region& r) {
      const bool successor =
          r.only_successor == -1 || r.only_successor == region_exited ||
          (r.only_successor >= 0 && static_cast<std::uint32_t>(r.only_successor) < k.region_count);
      return successor && r.barrier <= static_cast<std::uint8_t>(BarrierKind::tile) &&
             code(r.run_all) && (r.run_selected == nullptr || code(r.run_selected));
    });
  }

  std::span<const MappedRange> mapped_;
};

}  // namespace

std::string descriptor_defect(const ModuleDescriptor* descriptor,
                              std::span<const MappedRange> mapped) {
  if (descriptor == nullptr) return "not exported";
  return Checker(mapped).descriptor(descriptor);
}

}  // namespace treadle::cuda_cpu
