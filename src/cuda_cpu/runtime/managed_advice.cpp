// SPDX-License-Identifier: MIT
// Entry points that advise on, prefetch and discard managed memory, and tell what was said of it.
#include "cuda_cpu/runtime/managed_advice.hpp"

#include <unistd.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "cuda_cpu/runtime/entry.hpp"
#include "cuda_cpu/runtime/memory.hpp"
#include "cuda_cpu/runtime/stream.hpp"

namespace treadle::cuda_cpu {

std::uintptr_t ManagedAdvice::first_page(std::uintptr_t address) {
  static const auto size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  return address / size;
}

namespace {

/// The managed allocation that holds all of these bytes; none for any other memory.
std::optional<Allocation> find_managed(CUdeviceptr pointer, std::size_t size) {
  auto found = find_memory(pointer);
  const bool fits =
      found && found->advice != nullptr && size > 0 && size <= found->base + found->size - pointer;
  return fits ? found : std::nullopt;
}

CUresult check_location(CUmemLocation location) {
  switch (location.type) {
    case CU_MEM_LOCATION_TYPE_DEVICE:
      return location.id == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
    case CU_MEM_LOCATION_TYPE_HOST:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
      return CUDA_SUCCESS;
    case CU_MEM_LOCATION_TYPE_HOST_NUMA: {
      const std::string node = "/sys/devices/system/node/node" + std::to_string(location.id);
      return access(node.c_str(), F_OK) == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
    }
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

/// As the older entry points have it.
CUmemLocation location_of(CUdevice device) {
  return device == CU_DEVICE_CPU ? CUmemLocation{CU_MEM_LOCATION_TYPE_HOST, 0}
                                 : CUmemLocation{CU_MEM_LOCATION_TYPE_DEVICE, device};
}

CUresult check_advice(CUmem_advise advice, CUmemLocation location) {
  switch (advice) {
    case CU_MEM_ADVISE_SET_READ_MOSTLY:
    case CU_MEM_ADVISE_UNSET_READ_MOSTLY:
    case CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
      return CUDA_SUCCESS;  // the location is ignored
    case CU_MEM_ADVISE_SET_PREFERRED_LOCATION:
      return check_location(location);
    case CU_MEM_ADVISE_SET_ACCESSED_BY:
    case CU_MEM_ADVISE_UNSET_ACCESSED_BY:
      return location.type == CU_MEM_LOCATION_TYPE_DEVICE ||
                     location.type == CU_MEM_LOCATION_TYPE_HOST
                 ? check_location(location)
                 : CUDA_ERROR_INVALID_VALUE;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

void take_advice(PageAdvice& page, CUmem_advise advice, CUmemLocation location) {
  bool& accessed = location.type == CU_MEM_LOCATION_TYPE_DEVICE ? page.accessed_by_device
                                                                : page.accessed_by_host;
  switch (advice) {
    case CU_MEM_ADVISE_SET_READ_MOSTLY:
    case CU_MEM_ADVISE_UNSET_READ_MOSTLY:
      page.read_mostly = advice == CU_MEM_ADVISE_SET_READ_MOSTLY;
      break;
    case CU_MEM_ADVISE_SET_PREFERRED_LOCATION:
      page.preferred = location;
      break;
    case CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
      page.preferred = {CU_MEM_LOCATION_TYPE_INVALID, 0};
      break;
    default:
      accessed = advice == CU_MEM_ADVISE_SET_ACCESSED_BY;
  }
}

CUresult advise(CUdeviceptr pointer, std::size_t size, CUmem_advise advice,
                CUmemLocation location) {
  return with_context([&](const auto&) -> CUresult {
    const auto found = find_managed(pointer, size);
    if (!found) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult failure = check_advice(advice, location); failure != CUDA_SUCCESS)
      return failure;
    found->advice->apply(pointer, size,
                         [&](PageAdvice& page) { take_advice(page, advice, location); });
    return CUDA_SUCCESS;
  });
}

CUresult check_stream(const std::shared_ptr<Context>& context, CUstream handle) {
  std::shared_ptr<Stream> stream;
  return resolve_stream(context, handle, stream);
}

CUresult prefetch(CUdeviceptr pointer, std::size_t size, CUmemLocation to, CUstream stream) {
  return with_context([&](const auto& context) -> CUresult {
    if (const CUresult failure = check_stream(context, stream); failure != CUDA_SUCCESS)
      return failure;
    const auto found = find_managed(pointer, size);
    if (!found) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult failure = check_location(to); failure != CUDA_SUCCESS) return failure;
    found->advice->apply(pointer, size, [&](PageAdvice& page) { page.prefetched = to; });
    return CUDA_SUCCESS;
  });
}

/// The ranges of a batch, and where each is to go; no places for one that discards.
struct Batch {
  CUdeviceptr* pointers;
  std::size_t* sizes;
  std::size_t count;
  CUmemLocation* places = nullptr;
  std::size_t* first_of_place = nullptr;
  std::size_t place_count = 0;

  CUresult check() const {
    if (pointers == nullptr || sizes == nullptr || count == 0) return CUDA_ERROR_INVALID_VALUE;
    for (std::size_t i = 0; i < count; ++i)
      if (!find_managed(pointers[i], sizes[i])) return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
  }
  CUresult check_places() const {
    if (places == nullptr || first_of_place == nullptr || place_count == 0 || place_count > count)
      return CUDA_ERROR_INVALID_VALUE;
    for (std::size_t i = 0; i < place_count; ++i) {
      const bool in_order =
          i == 0 ? first_of_place[0] == 0
                 : first_of_place[i] > first_of_place[i - 1] && first_of_place[i] < count;
      if (!in_order) return CUDA_ERROR_INVALID_VALUE;
      if (const CUresult failure = check_location(places[i]); failure != CUDA_SUCCESS)
        return failure;
    }
    return CUDA_SUCCESS;
  }
  void note_places() const {
    for (std::size_t i = 0, place = 0; i < count; ++i) {
      if (place + 1 < place_count && first_of_place[place + 1] == i) ++place;
      if (const auto found = find_managed(pointers[i], sizes[i]))
        found->advice->apply(pointers[i], sizes[i],
                             [&](PageAdvice& page) { page.prefetched = places[place]; });
    }
  }
};

CUresult run_batch(const Batch& batch, bool moves, unsigned long long flags, CUstream stream) {
  return with_context([&](const auto& context) -> CUresult {
    // CUDA has no batches on the default stream.
    if (stream == nullptr || stream == CU_STREAM_LEGACY || flags != 0)
      return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult failure = check_stream(context, stream); failure != CUDA_SUCCESS)
      return failure;
    if (const CUresult failure = batch.check(); failure != CUDA_SUCCESS) return failure;
    if (!moves) return CUDA_SUCCESS;
    if (const CUresult failure = batch.check_places(); failure != CUDA_SUCCESS) return failure;
    batch.note_places();
    return CUDA_SUCCESS;
  });
}

// ---- what was said

bool same(CUmemLocation a, CUmemLocation b) { return a.type == b.type && a.id == b.id; }

/// What holds for all pages of a range.
struct RangeAdvice {
  bool read_mostly = true, by_device = true, by_host = true, is_first = true;
  CUmemLocation preferred{}, prefetched{};

  void add(const PageAdvice& page) {
    constexpr CUmemLocation none{CU_MEM_LOCATION_TYPE_INVALID, 0};
    read_mostly = read_mostly && page.read_mostly;
    by_device = by_device && page.accessed_by_device;
    by_host = by_host && page.accessed_by_host;
    if (is_first || !same(preferred, page.preferred)) preferred = is_first ? page.preferred : none;
    if (is_first || !same(prefetched, page.prefetched))
      prefetched = is_first ? page.prefetched : none;
    is_first = false;
  }
};

int device_number(CUmemLocation location) {
  if (location.type == CU_MEM_LOCATION_TYPE_DEVICE) return location.id;
  return location.type == CU_MEM_LOCATION_TYPE_HOST ? CU_DEVICE_CPU : CU_DEVICE_INVALID;
}

CUresult write_devices(const RangeAdvice& range, std::span<int> devices) {
  std::ranges::fill(devices, CU_DEVICE_INVALID);
  std::size_t next = 0;
  if (range.by_device && next < devices.size()) devices[next++] = 0;
  if (range.by_host && next < devices.size()) devices[next] = CU_DEVICE_CPU;
  return CUDA_SUCCESS;
}

CUresult describe(void* data, std::size_t size, CUmem_range_attribute attribute,
                  const RangeAdvice& range) {
  if (data == nullptr || size == 0 || size % sizeof(int) != 0) return CUDA_ERROR_INVALID_VALUE;
  int* const answer = static_cast<int*>(data);
  if (attribute == CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY)
    return write_devices(range, {answer, size / sizeof(int)});
  if (size != sizeof(int)) return CUDA_ERROR_INVALID_VALUE;
  switch (attribute) {
    case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
      *answer = range.read_mostly ? 1 : 0;
      return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
      *answer = device_number(range.preferred);
      return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION:
      *answer = device_number(range.prefetched);
      return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE:
      *answer = static_cast<int>(range.preferred.type);
      return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID:
      *answer = range.preferred.id;
      return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE:
      *answer = static_cast<int>(range.prefetched.type);
      return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID:
      *answer = range.prefetched.id;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

std::optional<RangeAdvice> range_advice(CUdeviceptr pointer, std::size_t size) {
  const auto found = find_managed(pointer, size);
  if (!found) return std::nullopt;
  RangeAdvice range;
  found->advice->visit(pointer, size, [&](const PageAdvice& page) { range.add(page); });
  return range;
}

}  // namespace
}  // namespace treadle::cuda_cpu

using namespace treadle::cuda_cpu;

CUresult cuMemAdvise(CUdeviceptr pointer, size_t size, CUmem_advise advice,
                     CUmemLocation location) {
  return advise(pointer, size, advice, location);
}
CUresult cuMemPrefetchAsync(CUdeviceptr pointer, size_t size, CUmemLocation location,
                            unsigned flags, CUstream stream) {
  return flags != 0 ? with_context([](const auto&) -> CUresult { return CUDA_ERROR_INVALID_VALUE; })
                    : prefetch(pointer, size, location, stream);
}

#undef cuMemAdvise
#undef cuMemPrefetchAsync
TREADLE_CPU_EXPORT CUresult cuMemAdvise(CUdeviceptr pointer, size_t size, CUmem_advise advice,
                                        CUdevice device) {
  return advise(pointer, size, advice, location_of(device));
}
TREADLE_CPU_EXPORT CUresult cuMemPrefetchAsync(CUdeviceptr pointer, size_t size, CUdevice device,
                                               CUstream stream) {
  return prefetch(pointer, size, location_of(device), stream);
}

CUresult cuMemPrefetchBatchAsync(CUdeviceptr* pointers, size_t* sizes, size_t count,
                                 CUmemLocation* places, size_t* first_of_place, size_t place_count,
                                 unsigned long long flags, CUstream stream) {
  return run_batch({pointers, sizes, count, places, first_of_place, place_count}, true, flags,
                   stream);
}
/// What is discarded may have any value from then on: its own, too.
CUresult cuMemDiscardBatchAsync(CUdeviceptr* pointers, size_t* sizes, size_t count,
                                unsigned long long flags, CUstream stream) {
  return run_batch({pointers, sizes, count}, false, flags, stream);
}
CUresult cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr* pointers, size_t* sizes, size_t count,
                                           CUmemLocation* places, size_t* first_of_place,
                                           size_t place_count, unsigned long long flags,
                                           CUstream stream) {
  return run_batch({pointers, sizes, count, places, first_of_place, place_count}, true, flags,
                   stream);
}

CUresult cuMemRangeGetAttribute(void* data, size_t data_size, CUmem_range_attribute attribute,
                                CUdeviceptr pointer, size_t size) {
  return with_context([&](const auto&) -> CUresult {
    const auto range = range_advice(pointer, size);
    return range ? describe(data, data_size, attribute, *range) : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuMemRangeGetAttributes(void** data, size_t* data_sizes, CUmem_range_attribute* attributes,
                                 size_t count, CUdeviceptr pointer, size_t size) {
  return with_context([&](const auto&) -> CUresult {
    constexpr std::size_t most_attributes = 1024;  // of eight: more is a negative count
    if (data == nullptr || data_sizes == nullptr || attributes == nullptr || count == 0 ||
        count > most_attributes)
      return CUDA_ERROR_INVALID_VALUE;
    const auto range = range_advice(pointer, size);
    if (!range) return CUDA_ERROR_INVALID_VALUE;
    for (std::size_t i = 0; i < count; ++i)
      if (const CUresult failure = describe(data[i], data_sizes[i], attributes[i], *range);
          failure != CUDA_SUCCESS)
        return failure;
    return CUDA_SUCCESS;
  });
}
