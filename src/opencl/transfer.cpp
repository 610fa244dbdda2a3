// SPDX-License-Identifier: MIT
#include "treadle/opencl/transfer.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "opencl/ordering.hpp"
#include "treadle/opencl/allocation.hpp"

namespace treadle::opencl {
namespace {

void check_fits(std::size_t host_bytes, const MemoryObject& memory, std::size_t offset_bytes) {
  if (offset_bytes <= memory.size_bytes() && host_bytes <= memory.size_bytes() - offset_bytes)
    return;
  throw InvalidArgument(std::to_string(host_bytes) + " bytes of the host from byte " +
                            std::to_string(offset_bytes) + " on do not fit the memory of " +
                            std::to_string(memory.size_bytes()) + " bytes",
                        "make the host range smaller, or the buffer larger");
}

/// One past the last byte a box touches on one side.
std::size_t box_end(const Box& box, const BoxPlace& place) {
  const std::size_t row = place.row_pitch != 0 ? place.row_pitch : box.region[0];
  const std::size_t slice = place.slice_pitch != 0 ? place.slice_pitch : row * box.region[1];
  const auto last = [&](unsigned i) { return place.origin[i] + box.region[i] - 1; };
  return last(2) * slice + last(1) * row + last(0) + 1;
}

void check_box_fits(const Box& box, const BoxPlace& place, std::size_t host_bytes) {
  // OpenCL refuses empty boxes itself.
  if (std::ranges::count(box.region, std::size_t{0}) > 0) return;
  if (const std::size_t end = box_end(box, place); end > host_bytes)
    throw InvalidArgument("the box ends at byte " + std::to_string(end) +
                              " of the host range, which has " + std::to_string(host_bytes),
                          "check region, origin and pitches: the first of each is in bytes");
}

std::string describe_box(const Box& box) {
  const auto& r = box.region;
  return "a box of " + std::to_string(r[0]) + " bytes, " + std::to_string(r[1]) + " rows, " +
         std::to_string(r[2]) + " slices";
}

std::string describe_range(std::size_t size_bytes, const char* what, const MemoryObject& memory,
                           std::size_t offset_bytes) {
  return std::to_string(size_bytes) + " bytes " + what + " a buffer of " +
         std::to_string(memory.size_bytes()) + " at byte " + std::to_string(offset_bytes);
}

cl_bool to_cl(Blocking blocking) { return blocking == Blocking::yes ? CL_TRUE : CL_FALSE; }

}  // namespace

Event write(const Queue& queue, const MemoryObject& to, ConstHostRange from,
            std::size_t offset_bytes, const Order& order, Blocking blocking) {
  const auto host = from.bytes();
  check_fits(host.size(), to, offset_bytes);
  const Table& cl = queue.table();
  Ordering o(order);
  check_allocated(
      cl, "clEnqueueWriteBuffer",
      [&] {
        return cl.clEnqueueWriteBuffer(queue.raw(), to.raw(), to_cl(blocking), offset_bytes,
                                       host.size(), host.data(), o.count(), o.list(), o.event());
      },
      [&] { return describe_range(host.size(), "to", to, offset_bytes); });
  return o.take(queue);
}

Event read(const Queue& queue, const MemoryObject& from, HostRange to, std::size_t offset_bytes,
           const Order& order, Blocking blocking) {
  const auto host = to.bytes();
  check_fits(host.size(), from, offset_bytes);
  const Table& cl = queue.table();
  Ordering o(order);
  check_allocated(
      cl, "clEnqueueReadBuffer",
      [&] {
        return cl.clEnqueueReadBuffer(queue.raw(), from.raw(), to_cl(blocking), offset_bytes,
                                      host.size(), host.data(), o.count(), o.list(), o.event());
      },
      [&] { return describe_range(host.size(), "from", from, offset_bytes); });
  return o.take(queue);
}

Event copy(const Queue& queue, const MemoryObject& from, const MemoryObject& to,
           const CopyRange& range, const Order& order) {
  std::size_t size_bytes = range.size_bytes;
  if (size_bytes == 0)
    size_bytes = std::min(from.size_bytes() - std::min(range.from_offset, from.size_bytes()),
                          to.size_bytes() - std::min(range.to_offset, to.size_bytes()));
  const Table& cl = queue.table();
  Ordering o(order);
  check_allocated(
      cl, "clEnqueueCopyBuffer",
      [&] {
        return cl.clEnqueueCopyBuffer(queue.raw(), from.raw(), to.raw(), range.from_offset,
                                      range.to_offset, size_bytes, o.count(), o.list(), o.event());
      },
      [&] {
        return describe_range(size_bytes, "from", from, range.from_offset) + " to one of " +
               std::to_string(to.size_bytes()) + " at byte " + std::to_string(range.to_offset);
      });
  return o.take(queue);
}

Event write_box(const Queue& queue, const MemoryObject& to, ConstHostRange from, const Box& box,
                const Order& order, Blocking blocking) {
  check_box_fits(box, box.from, from.bytes().size());
  const Table& cl = queue.table();
  Ordering o(order);
  check_allocated(
      cl, "clEnqueueWriteBufferRect",
      [&] {
        return cl.clEnqueueWriteBufferRect(
            queue.raw(), to.raw(), to_cl(blocking), box.to.origin.data(), box.from.origin.data(),
            box.region.data(), box.to.row_pitch, box.to.slice_pitch, box.from.row_pitch,
            box.from.slice_pitch, from.bytes().data(), o.count(), o.list(), o.event());
      },
      [&] { return describe_box(box); });
  return o.take(queue);
}

Event read_box(const Queue& queue, const MemoryObject& from, HostRange to, const Box& box,
               const Order& order, Blocking blocking) {
  check_box_fits(box, box.to, to.bytes().size());
  const Table& cl = queue.table();
  Ordering o(order);
  check_allocated(
      cl, "clEnqueueReadBufferRect",
      [&] {
        return cl.clEnqueueReadBufferRect(
            queue.raw(), from.raw(), to_cl(blocking), box.from.origin.data(), box.to.origin.data(),
            box.region.data(), box.from.row_pitch, box.from.slice_pitch, box.to.row_pitch,
            box.to.slice_pitch, to.bytes().data(), o.count(), o.list(), o.event());
      },
      [&] { return describe_box(box); });
  return o.take(queue);
}

Event copy_box(const Queue& queue, const MemoryObject& from, const MemoryObject& to, const Box& box,
               const Order& order) {
  const Table& cl = queue.table();
  Ordering o(order);
  check_allocated(
      cl, "clEnqueueCopyBufferRect",
      [&] {
        return cl.clEnqueueCopyBufferRect(
            queue.raw(), from.raw(), to.raw(), box.from.origin.data(), box.to.origin.data(),
            box.region.data(), box.from.row_pitch, box.from.slice_pitch, box.to.row_pitch,
            box.to.slice_pitch, o.count(), o.list(), o.event());
      },
      [&] { return describe_box(box); });
  return o.take(queue);
}

Event fill(const Queue& queue, const MemoryObject& to, ConstHostRange pattern,
           std::size_t offset_bytes, std::size_t size_bytes, const Order& order) {
  const auto bytes = pattern.bytes();
  constexpr const char* call = "clEnqueueFillBuffer";
  const auto describe = [&] {
    return "a pattern of " + std::to_string(bytes.size()) + " bytes over " +
           describe_range(size_bytes, "of", to, offset_bytes) +
           "; it must divide both the bytes and where they begin";
  };
  const Table& cl = queue.table();
  // The standard's rule, asked here: NVIDIA's driver fills something all the same.
  if (bytes.empty() || size_bytes % bytes.size() != 0 || offset_bytes % bytes.size() != 0)
    raise(cl, CL_INVALID_VALUE, call, describe());
  Ordering o(order);
  check_allocated(
      cl, call,
      [&] {
        return cl.clEnqueueFillBuffer(queue.raw(), to.raw(), bytes.data(), bytes.size(),
                                      offset_bytes, size_bytes, o.count(), o.list(), o.event());
      },
      describe);
  return o.take(queue);
}

Event migrate(const Queue& queue, std::span<const MemoryObject> memory, MemMigrationFlags flags,
              const Order& order) {
  // NVIDIA's driver (580) reads a null pointer when memory whose parts a command has written goes
  // to the host. Where memory lies is a hint: it stays on the device.
  if (queue.device().platform().vendor() == "NVIDIA Corporation")
    flags = static_cast<MemMigrationFlags>(static_cast<cl_mem_migration_flags>(flags) &
                                           ~cl_mem_migration_flags{CL_MIGRATE_MEM_OBJECT_HOST});
  std::vector<RawMemory> raws;
  for (const MemoryObject& object : memory) raws.push_back(object.raw());
  const Table& cl = queue.table();
  Ordering o(order);
  check_allocated(
      cl, "clEnqueueMigrateMemObjects",
      [&] {
        return cl.clEnqueueMigrateMemObjects(
            queue.raw(), static_cast<cl_uint>(raws.size()), raws.data(),
            static_cast<cl_mem_migration_flags>(flags), o.count(), o.list(), o.event());
      },
      [&] { return std::to_string(raws.size()) + " memory object(s)"; });
  return o.take(queue);
}

Mapping map(const Queue& queue, const MemoryObject& memory, MapFlags flags, const MapRange& range,
            const Order& order, Blocking blocking) {
  const std::size_t size_bytes =
      range.size_bytes != 0
          ? range.size_bytes
          : memory.size_bytes() - std::min(range.offset_bytes, memory.size_bytes());
  // Made first: if copying queue or memory fails, nothing is mapped yet.
  Mapping mapping(queue, memory, size_bytes);
  const Table& cl = queue.table();
  Ordering o(order);
  cl_int code = CL_SUCCESS;
  void* data = nullptr;
  check_allocated(
      cl, "clEnqueueMapBuffer",
      [&] {
        data = cl.clEnqueueMapBuffer(queue.raw(), memory.raw(), to_cl(blocking),
                                     static_cast<cl_map_flags>(flags), range.offset_bytes,
                                     size_bytes, o.count(), o.list(), o.event(), &code);
        return code;
      },
      [&] { return describe_range(size_bytes, "of", memory, range.offset_bytes); });
  mapping.data_ = data;
  mapping.event_ = o.take(queue);
  return mapping;
}

}  // namespace treadle::opencl
