// SPDX-License-Identifier: MIT
#include "treadle/cuda/managed_memory.hpp"

#include <array>
#include <string>

#include "cuda/argument_check.hpp"
#include "cuda/context_state.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::cuda {
namespace {

void refuse_no_range(const char* call, ManagedRange range) {
  refuse_null(call, "range.address", range.address, 1);
  refuse_negative(call, "range.size_bytes", range.size_bytes);
}

CUmemLocation raw_location(MemoryLocation location) {
  CUmemLocation raw{};
  raw.type = static_cast<CUmemLocationType>(location.kind);
  raw.id = location.id;
  return raw;
}

std::string describe(ManagedRange range) {
  return std::to_string(range.size_bytes) + " bytes at " + std::to_string(range.address) +
         ", which must be of managed memory";
}

/// Ranges as the driver takes a batch of them.
struct ManagedBatch {
  ManagedBatch(const char* call, std::span<const ManagedRange> ranges, StreamRef stream) {
    if (stream.is_default())
      throw InvalidArgument(std::string(call) + ": the default stream takes no batches",
                            "make a Stream, or pass the ranges one by one");
    for (const ManagedRange& range : ranges) {
      refuse_no_range(call, range);
      addresses.push_back(range.address);
      sizes.push_back(range.size_bytes);
    }
  }
  std::string text() const { return std::to_string(sizes.size()) + " ranges of managed memory"; }

  std::vector<CUdeviceptr> addresses;
  std::vector<std::size_t> sizes;
};

std::optional<MemoryLocation> found_location(int type, int id) {
  const auto kind = static_cast<MemoryLocation::Kind>(type);
  if (kind == MemoryLocation::Kind::none) return std::nullopt;
  // CUDA says that the numbers of other kinds mean nothing.
  const bool has_number =
      kind == MemoryLocation::Kind::device || kind == MemoryLocation::Kind::host_numa;
  return MemoryLocation{kind, has_number ? id : 0};
}

}  // namespace

MemoryLocation MemoryLocation::of(const Device& device) { return {Kind::device, device.raw()}; }

void prefetch(ManagedRange range, MemoryLocation to, StreamRef stream) {
  refuse_no_range("cuMemPrefetchAsync", range);
  const Table& cu = current_table();
  check(cu,
        cu.cuMemPrefetchAsync(range.address, range.size_bytes, raw_location(to), 0, stream.raw()),
        "cuMemPrefetchAsync", [&] { return describe(range); });
}

void prefetch(std::span<const ManagedRange> ranges, MemoryLocation to, StreamRef stream) {
  ManagedBatch batch("cuMemPrefetchBatchAsync", ranges, stream);
  if (ranges.empty()) return;
  const Table& cu = current_table();
  CUmemLocation place = raw_location(to);
  std::size_t first = 0;
  check(cu,
        cu.cuMemPrefetchBatchAsync(batch.addresses.data(), batch.sizes.data(), batch.sizes.size(),
                                   &place, &first, 1, 0, stream.raw()),
        "cuMemPrefetchBatchAsync", [&] { return batch.text(); });
}

void discard(std::span<const ManagedRange> ranges, StreamRef stream) {
  ManagedBatch batch("cuMemDiscardBatchAsync", ranges, stream);
  if (ranges.empty()) return;
  const Table& cu = current_table();
  check(cu,
        cu.cuMemDiscardBatchAsync(batch.addresses.data(), batch.sizes.data(), batch.sizes.size(), 0,
                                  stream.raw()),
        "cuMemDiscardBatchAsync", [&] { return batch.text(); });
}

void discard_and_prefetch(std::span<const ManagedRange> ranges, MemoryLocation to,
                          StreamRef stream) {
  ManagedBatch batch("cuMemDiscardAndPrefetchBatchAsync", ranges, stream);
  if (ranges.empty()) return;
  const Table& cu = current_table();
  CUmemLocation place = raw_location(to);
  std::size_t first = 0;
  check(
      cu,
      cu.cuMemDiscardAndPrefetchBatchAsync(batch.addresses.data(), batch.sizes.data(),
                                           batch.sizes.size(), &place, &first, 1, 0, stream.raw()),
      "cuMemDiscardAndPrefetchBatchAsync", [&] { return batch.text(); });
}

void advise(ManagedRange range, MemoryAdvice advice, MemoryLocation location) {
  refuse_no_range("cuMemAdvise", range);
  // CUDA ignores the place of these three, and NVIDIA's driver refuses one that is none.
  const bool ignores_place = advice == MemoryAdvice::set_read_mostly ||
                             advice == MemoryAdvice::unset_read_mostly ||
                             advice == MemoryAdvice::unset_preferred_location;
  if (ignores_place && location.kind == MemoryLocation::Kind::none)
    location = MemoryLocation::host();
  const Table& cu = current_table();
  check(cu,
        cu.cuMemAdvise(range.address, range.size_bytes, static_cast<CUmem_advise>(advice),
                       raw_location(location)),
        "cuMemAdvise", [&] { return describe(range); });
}

ManagedAdvice managed_advice(ManagedRange range) {
  refuse_no_range("cuMemRangeGetAttributes", range);
  const Table& cu = current_table();
  int read_mostly = 0, preferred_type = 0, preferred_id = 0, last_type = 0, last_id = 0;
  std::array<int, 64> accessed_by{};  // more devices than a machine has
  accessed_by.fill(CU_DEVICE_INVALID);
  std::array names = {CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY,
                      CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY,
                      CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE,
                      CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID,
                      CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE,
                      CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID};
  std::array<void*, names.size()> answers = {&read_mostly,  accessed_by.data(), &preferred_type,
                                             &preferred_id, &last_type,         &last_id};
  std::array sizes = {sizeof(int), sizeof accessed_by, sizeof(int),
                      sizeof(int), sizeof(int),        sizeof(int)};
  check(cu,
        cu.cuMemRangeGetAttributes(answers.data(), sizes.data(), names.data(), names.size(),
                                   range.address, range.size_bytes),
        "cuMemRangeGetAttributes", [&] { return describe(range); });
  ManagedAdvice advice{.read_mostly = read_mostly != 0,
                       .preferred = found_location(preferred_type, preferred_id),
                       .last_prefetch = found_location(last_type, last_id)};
  for (const int device : accessed_by) {
    if (device == CU_DEVICE_CPU)
      advice.accessed_by.push_back(MemoryLocation::host());
    else if (device != CU_DEVICE_INVALID)
      advice.accessed_by.push_back({MemoryLocation::Kind::device, device});
  }
  return advice;
}

}  // namespace treadle::cuda
