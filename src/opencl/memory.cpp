// SPDX-License-Identifier: MIT
#include "treadle/opencl/memory.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "opencl/callback.hpp"
#include "opencl/limits.hpp"
#include "opencl/property_list.hpp"
#include "opencl/query.hpp"
#include "treadle/opencl/allocation.hpp"

namespace treadle::opencl {
namespace {

using Destructor = std::function<void()>;

void CL_CALLBACK call_once(RawMemory, void* user) {
  const std::unique_ptr<Destructor> callback(static_cast<Destructor*>(user));
  call_safely("a callback for the end of OpenCL memory", *callback);
}

std::string allocating(const Context& context, std::size_t size_bytes, int code) {
  std::string text =
      "allocating " + std::to_string(size_bytes) + " bytes on " + context.devices().front().name();
  if (code == CL_INVALID_BUFFER_SIZE)
    text += "; a buffer has 1 to " +
            std::to_string(largest<DeviceInfo::max_mem_alloc_size>(context)) + " bytes there";
  return text;
}

/// NVIDIA's driver takes any size and fails at the first use. What is above max_mem_alloc_size but
/// could be there is the platform's to decide: some allow it.
bool exceeds_all_memory(const Context& context, std::size_t size_bytes) {
  constexpr std::size_t never_too_large = std::size_t{1} << 28;  // saves asking for most buffers
  return size_bytes > never_too_large && size_bytes > largest<DeviceInfo::global_mem_size>(context);
}

}  // namespace

MemoryObject::MemoryObject(Context context, Handle<RawMemory> handle, std::size_t size_bytes)
    : context_(std::move(context)), handle_(std::move(handle)), size_bytes_(size_bytes) {}

MemoryObject::MemoryObject(Context context, Handle<RawMemory> handle)
    : context_(std::move(context)), handle_(std::move(handle)) {
  size_bytes_ = ask_value<std::size_t>(table(), "clGetMemObjectInfo", table().clGetMemObjectInfo,
                                       raw(), CL_MEM_SIZE);
}

MemoryObject::MemoryObject(std::shared_ptr<const Table> table, RawMemory raw, Ownership ownership) {
  Handle<RawMemory> owned(table, raw, ownership);
  const auto ask = table->clGetMemObjectInfo;
  context_ =
      Context(table, ask_value<RawContext>(*table, "clGetMemObjectInfo", ask, raw, CL_MEM_CONTEXT),
              Ownership::retain);
  size_bytes_ = ask_value<std::size_t>(*table, "clGetMemObjectInfo", ask, raw, CL_MEM_SIZE);
  handle_ = Handle<RawMemory>(context_.shared_table(), owned.detach(), Ownership::adopt);
}

InfoValue MemoryObject::info(MemInfo parameter) const {
  return query_object(table(), "clGetMemObjectInfo", table().clGetMemObjectInfo, raw(), parameter);
}

MemFlags MemoryObject::flags() const { return static_cast<MemFlags>(get<MemInfo::flags>()); }

void MemoryObject::on_destruction(std::function<void()> callback) const {
  auto owned = std::make_unique<Destructor>(std::move(callback));
  check(table(), table().clSetMemObjectDestructorCallback(raw(), &call_once, owned.get()),
        "clSetMemObjectDestructorCallback");
  static_cast<void>(owned.release());  // call_once owns it now
}

void MemoryObject::release() {
  const std::shared_ptr<const Table> table = handle_.shared_table();
  const RawMemory raw = handle_.detach();
  check(*table, table->clReleaseMemObject(raw), "clReleaseMemObject");
}

Buffer::Buffer(const Context& context, std::size_t size_bytes, MemFlags flags, void* host)
    : MemoryObject(
          context,
          [&] {
            const Table& cl = context.table();
            cl_int code = CL_SUCCESS;
            if (exceeds_all_memory(context, size_bytes))
              raise(cl, CL_INVALID_BUFFER_SIZE, "clCreateBuffer",
                    allocating(context, size_bytes, CL_INVALID_BUFFER_SIZE));
            RawMemory raw = nullptr;
            check_allocated(
                cl, "clCreateBuffer",
                [&] {
                  raw = cl.clCreateBuffer(context.raw(), static_cast<cl_mem_flags>(flags),
                                          size_bytes, host, &code);
                  return code;
                },
                [&] { return allocating(context, size_bytes, code); });
            return Handle<RawMemory>(context.shared_table(), raw, Ownership::adopt);
          }(),
          size_bytes) {}

Buffer Buffer::with_properties(const Context& context, std::span<const std::uint64_t> properties,
                               std::size_t size_bytes, MemFlags flags, void* host) {
  constexpr const char* call = "clCreateBufferWithProperties";
  const Table& cl = context.table();
  if (exceeds_all_memory(context, size_bytes))
    raise(cl, CL_INVALID_BUFFER_SIZE, call,
          allocating(context, size_bytes, CL_INVALID_BUFFER_SIZE));
  const std::vector<cl_mem_properties> list = ended_pairs(properties, call);
  cl_int code = CL_SUCCESS;
  RawMemory raw = nullptr;
  check_allocated(
      cl, call,
      [&] {
        raw = cl.clCreateBufferWithProperties(
            context.raw(), list.data(), static_cast<cl_mem_flags>(flags), size_bytes, host, &code);
        return code;
      },
      [&] { return allocating(context, size_bytes, code); });
  return {context, Handle<RawMemory>(context.shared_table(), raw, Ownership::adopt), size_bytes};
}

Buffer Buffer::sub_buffer(std::size_t offset_bytes, std::size_t size_bytes, MemFlags flags) const {
  const cl_buffer_region region{offset_bytes, size_bytes};
  constexpr const char* call = "clCreateSubBuffer";
  cl_int code = CL_SUCCESS;
  const auto describe = [&] {
    std::string text = "bytes " + std::to_string(offset_bytes) + " to " +
                       std::to_string(offset_bytes + size_bytes) + " of a buffer of " +
                       std::to_string(this->size_bytes());
    if (code == CL_MISALIGNED_SUB_BUFFER_OFFSET)
      text += "; the offset must be a multiple of " +
              std::to_string(largest<DeviceInfo::mem_base_addr_align>(context()) / 8);
    return text;
  };
  // Asked here, because NVIDIA's driver makes parts that reach beyond their buffer's end.
  if (offset_bytes > this->size_bytes() || size_bytes > this->size_bytes() - offset_bytes)
    raise(table(), CL_INVALID_VALUE, call, describe());
  const RawMemory part = table().clCreateSubBuffer(raw(), static_cast<cl_mem_flags>(flags),
                                                   CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  check(table(), code, call, describe);
  return {context(), Handle<RawMemory>(shared_table(), part, Ownership::adopt), size_bytes};
}

}  // namespace treadle::opencl
