// SPDX-License-Identifier: MIT
#include "treadle/cuda/launch_attributes.hpp"

#include <string>

#include "cuda/argument_check.hpp"
#include "cuda/context_state.hpp"
#include "cuda/launch_ring.hpp"
#include "cuda/raw_attributes.hpp"

namespace treadle::cuda {
namespace {

/// Throws unless `whole` is made of `parts` in each direction.
void check_multiple(const char* whole_name, const Dim3& whole, const char* part_name,
                    const Dim3& part) {
  const auto fits = [](unsigned all, unsigned each) { return each != 0 && all % each == 0; };
  if (fits(whole.x, part.x) && fits(whole.y, part.y) && fits(whole.z, part.z)) return;
  throw InvalidArgument(std::string(whole_name) + " is " + dim_text(whole) +
                            ", and a multiple of " + part_name + " = " + dim_text(part) +
                            " was expected in each direction",
                        "round the grid up and let blocks behind its end do nothing");
}

CUaccessPolicyWindow raw_window(const AccessWindow& window) {
  refuse_negative("access window", "size_bytes", window.size_bytes);
  refuse_null("access window", "address", window.address, window.size_bytes);
  if (!(window.hit_ratio >= 0 && window.hit_ratio <= 1))
    throw InvalidArgument(
        "hit_ratio is " + std::to_string(window.hit_ratio) + ", and 0 to 1 was expected",
        "give the share of the lines that are to be treated as hits");
  if (window.misses == CacheLines::persisting)
    throw InvalidArgument("misses is persisting, and normal or streaming was expected",
                          "let hits persist, with a hit_ratio of 1 for all lines");
  return {reinterpret_cast<void*>(window.address), window.size_bytes, window.hit_ratio,
          static_cast<CUaccessProperty>(window.hits), static_cast<CUaccessProperty>(window.misses)};
}

}  // namespace

RawAttributes::RawAttributes(const LaunchConfig& config) {
  if (config.cooperative) add(CU_LAUNCH_ATTRIBUTE_COOPERATIVE).cooperative = 1;
  if (config.attributes == nullptr) return;
  const LaunchAttributes& given = *config.attributes;
  add_clusters(config);
  if (given.priority) add(CU_LAUNCH_ATTRIBUTE_PRIORITY).priority = *given.priority;
  if (given.overlaps_previous)
    add(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
        .programmaticStreamSerializationAllowed = 1;
  if (given.triggered != nullptr) {
    refuse_moved_from("triggered", given.triggered->raw());
    add(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT).programmaticEvent.event = given.triggered->raw();
  }
  if (given.started != nullptr) {
    refuse_moved_from("started", given.started->raw());
    add(CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT).launchCompletionEvent.event =
        given.started->raw();
  }
  if (given.access_window)
    add(CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW).accessPolicyWindow =
        raw_window(*given.access_window);
  if (given.memory_domain)
    add(CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN).memSyncDomain =
        static_cast<CUlaunchMemSyncDomain>(*given.memory_domain);
  if (given.shared_memory_percent) {
    const int percent = *given.shared_memory_percent;
    if (percent < -1 || percent > 100)
      throw InvalidArgument("shared_memory_percent is " + std::to_string(percent) +
                                ", and 0 to 100, or -1, was expected",
                            "give the share in percent, or -1 to leave it to the driver");
    add(CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT).sharedMemCarveout =
        static_cast<unsigned>(percent);
  }
}

void RawAttributes::add_clusters(const LaunchConfig& config) {
  const LaunchAttributes& given = *config.attributes;
  if (given.cluster) {
    check_multiple("grid", config.grid, "cluster", *given.cluster);
    add(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION).clusterDim = {given.cluster->x, given.cluster->y,
                                                             given.cluster->z};
  }
  if (given.preferred_cluster) {
    const Dim3& preferred = *given.preferred_cluster;
    check_multiple("preferred_cluster", preferred, "cluster", given.cluster.value_or(Dim3{}));
    check_multiple("grid", config.grid, "preferred_cluster", preferred);
    add(CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION).preferredClusterDim = {
        preferred.x, preferred.y, preferred.z};
  }
  if (given.cluster_scheduling)
    add(CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE)
        .clusterSchedulingPolicyPreference =
        static_cast<CUclusterSchedulingPolicy>(*given.cluster_scheduling);
}

CUlaunchAttributeValue& RawAttributes::add(CUlaunchAttributeID id) {
  CUlaunchAttribute& added = raw_[count_++];
  added = {};
  added.id = id;
  return added.value;
}

void set_access_window(StreamRef stream, const AccessWindow& window) {
  CUlaunchAttributeValue value{};
  value.accessPolicyWindow = raw_window(window);
  const Table& cu = current_table();
  check(cu, cu.cuStreamSetAttribute(stream.raw(), CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &value),
        "cuStreamSetAttribute", [&] { return std::to_string(window.size_bytes) + " bytes"; });
}

namespace {

CUstreamAttrValue stream_attribute(StreamRef stream, CUstreamAttrID attribute) {
  CUstreamAttrValue value{};
  const Table& cu = current_table();
  check(cu, cu.cuStreamGetAttribute(stream.raw(), attribute, &value), "cuStreamGetAttribute");
  return value;
}

}  // namespace

AccessWindow access_window(StreamRef stream) {
  const CUaccessPolicyWindow raw =
      stream_attribute(stream, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW).accessPolicyWindow;
  return {.address = reinterpret_cast<DevicePointer>(raw.base_ptr),
          .size_bytes = raw.num_bytes,
          .hit_ratio = raw.hitRatio,
          .hits = static_cast<CacheLines>(raw.hitProp),
          .misses = static_cast<CacheLines>(raw.missProp)};
}

MemoryDomain memory_domain(StreamRef stream) {
  return static_cast<MemoryDomain>(
      stream_attribute(stream, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN).memSyncDomain);
}

void set_memory_domain(StreamRef stream, MemoryDomain domain) {
  CUstreamAttrValue value{};
  value.memSyncDomain = static_cast<CUlaunchMemSyncDomain>(domain);
  const Table& cu = current_table();
  check(cu, cu.cuStreamSetAttribute(stream.raw(), CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, &value),
        "cuStreamSetAttribute",
        [&] { return "memory domain " + std::to_string(static_cast<int>(domain)); });
}

void copy_attributes(StreamRef to, StreamRef from) {
  const Table& cu = current_table();
  check(cu, cu.cuStreamCopyAttributes(to.raw(), from.raw()), "cuStreamCopyAttributes");
}

void reset_persisting_lines() {
  const Table& cu = current_table();
  check(cu, cu.cuCtxResetPersistingL2Cache(), "cuCtxResetPersistingL2Cache");
}

}  // namespace treadle::cuda
