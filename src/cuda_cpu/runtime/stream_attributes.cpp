// SPDX-License-Identifier: MIT
// Entry points for attributes of streams. All of them are hints, kept to be asked for.
#include "cuda_cpu/runtime/entry.hpp"
#include "cuda_cpu/runtime/stream.hpp"

namespace treadle::cuda_cpu {
namespace {

bool is_of_streams(CUstreamAttrID attribute) {
  return attribute == CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW ||
         attribute == CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY ||
         attribute == CU_STREAM_ATTRIBUTE_PRIORITY ||
         attribute == CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP ||
         attribute == CU_STREAM_ATTRIBUTE_MEM_SYNC_DOMAIN;
}

/// Calls `body(stream)` for a stream of the current context.
template <class Body>
CUresult with_attributes_of(CUstream handle, Body&& body) {
  return with_context([&](const auto& context) -> CUresult {
    std::shared_ptr<Stream> stream;
    const CUresult failure = resolve_stream(context, handle, stream);
    return failure != CUDA_SUCCESS ? failure : body(*stream);
  });
}

}  // namespace

void StreamAttributes::set(CUstreamAttrID attribute, const CUstreamAttrValue& value) {
  const std::lock_guard lock(mutex_);
  values_[attribute] = value;
}

CUstreamAttrValue StreamAttributes::get(CUstreamAttrID attribute) const {
  const std::lock_guard lock(mutex_);
  const auto found = values_.find(attribute);
  return found == values_.end() ? CUstreamAttrValue{} : found->second;
}

void StreamAttributes::copy_from(const StreamAttributes& other) {
  if (&other == this) return;
  const std::scoped_lock lock(mutex_, other.mutex_);
  values_ = other.values_;
}

}  // namespace treadle::cuda_cpu

using namespace treadle::cuda_cpu;

CUresult cuStreamSetAttribute(CUstream handle, CUstreamAttrID attribute,
                              const CUstreamAttrValue* value) {
  return with_attributes_of(handle, [&](Stream& stream) -> CUresult {
    if (value == nullptr || !is_of_streams(attribute)) return CUDA_ERROR_INVALID_VALUE;
    stream.attributes.set(attribute, *value);
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamGetAttribute(CUstream handle, CUstreamAttrID attribute, CUstreamAttrValue* value) {
  return with_attributes_of(handle, [&](const Stream& stream) -> CUresult {
    if (value == nullptr || !is_of_streams(attribute)) return CUDA_ERROR_INVALID_VALUE;
    *value = stream.attributes.get(attribute);
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamCopyAttributes(CUstream to, CUstream from) {
  return with_attributes_of(to, [&](Stream& target) -> CUresult {
    return with_attributes_of(from, [&](const Stream& source) -> CUresult {
      target.attributes.copy_from(source.attributes);
      return CUDA_SUCCESS;
    });
  });
}
