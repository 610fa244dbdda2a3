// SPDX-License-Identifier: MIT
// Copies and fills of a stream.
//
// OpenCL moves a box in one command where the pitch between slices is a multiple of that between
// rows on both sides; any other box is moved slice by slice. It refuses boxes of one buffer whose
// pitches differ, and has no command from host memory to host memory, which page-locked memory may
// be (see OpenclDevice): those go by way of a buffer that lives as long as the commands.
#include <cstdint>
#include <span>
#include <utility>

#include "device/opencl/stream.hpp"
#include "treadle/opencl/transfer.hpp"

namespace treadle::device {
namespace {

/// One side of a copy.
struct Side {
  opencl::Buffer buffer;      // not read where `host` is set
  std::byte* host = nullptr;  // the address of the first byte
  std::uint64_t offset = 0;   // the same in the buffer
  Pitch pitch;

  bool is_host() const noexcept { return host != nullptr; }
  Side from_byte(std::uint64_t bytes) const {
    Side later = *this;
    if (is_host())
      later.host += bytes;
    else
      later.offset += bytes;
    return later;
  }
};

Side memory_side(OpenclMemory memory, Location location, const Pitch& pitch) {
  std::byte* const host = memory.host != nullptr ? memory.host + location.offset : nullptr;
  return {std::move(memory.buffer), host, location.offset, pitch};
}

/// From a buffer or host memory to another.
class Transfer {
 public:
  Transfer(const opencl::Queue& queue, const Box& box, Side from, Side to)
      : queue_(queue), box_(box), from_(std::move(from)), to_(std::move(to)) {
    if (box_.rows == 1) {  // then it has no rows, but slices that can be taken for them
      box_.rows = std::exchange(box_.slices, 1);
      for (Side* side : {&from_, &to_}) side->pitch.row_bytes = side->pitch.slice_bytes;
    }
    for (Side* side : {&from_, &to_}) {
      if (box_.rows == 1) side->pitch.row_bytes = box_.row_bytes;
      if (box_.slices == 1) side->pitch.slice_bytes = box_.rows * side->pitch.row_bytes;
    }
  }

  bool is_possible() const noexcept {
    if (from_.is_host() || to_.is_host()) return from_.is_host() != to_.is_host();
    return is_linear() || !(from_.buffer == to_.buffer);
  }
  /// The same in two steps, the first into `buffer` and the second from there.
  std::pair<Transfer, Transfer> by_way_of(const opencl::Buffer& buffer) const {
    const Side between{buffer, nullptr, 0, {box_.row_bytes, box_.rows * box_.row_bytes}};
    return {Transfer(queue_, box_, from_, between), Transfer(queue_, box_, between, to_)};
  }
  std::size_t commands() const noexcept { return is_in_slices() ? box_.slices : 1; }

  void add_to(Sequence& sequence) const {
    if (!is_in_slices()) {
      sequence.add([&](const opencl::Order& order) { return enqueue(order); });
      return;
    }
    for (std::size_t z = 0; z < box_.slices; ++z) slice(z).add_to(sequence);
  }

 private:
  static constexpr auto no_wait = opencl::Blocking::no;

  bool is_linear() const noexcept { return box_.rows == 1 && box_.slices == 1; }
  bool is_in_slices() const noexcept {
    if (box_.slices == 1) return false;
    const auto fits = [&](const Pitch& pitch) {
      return pitch.slice_bytes % pitch.row_bytes == 0 &&
             pitch.slice_bytes >= box_.rows * pitch.row_bytes;
    };
    return !fits(from_.pitch) || !fits(to_.pitch);
  }
  Transfer slice(std::size_t z) const {
    Transfer one(*this);
    one.box_.slices = 1;
    for (Side* side : {&one.from_, &one.to_}) {
      *side = side->from_byte(z * side->pitch.slice_bytes);
      side->pitch.slice_bytes = box_.rows * side->pitch.row_bytes;
    }
    return one;
  }

  opencl::Event enqueue(const opencl::Order& order) const {
    return is_linear() ? enqueue_row(order) : enqueue_box(order);
  }
  opencl::Event enqueue_row(const opencl::Order& order) const {
    if (from_.is_host())
      return opencl::write(queue_, to_.buffer, host_range(from_), to_.offset, order, no_wait);
    if (to_.is_host())
      return opencl::read(queue_, from_.buffer, host_range(to_), from_.offset, order, no_wait);
    return opencl::copy(
        queue_, from_.buffer, to_.buffer,
        {.size_bytes = box_.row_bytes, .from_offset = from_.offset, .to_offset = to_.offset},
        order);
  }
  opencl::Event enqueue_box(const opencl::Order& order) const {
    const opencl::Box box{
        .region = {box_.row_bytes, box_.rows, box_.slices}, .from = place(from_), .to = place(to_)};
    if (from_.is_host())
      return opencl::write_box(queue_, to_.buffer, host_range(from_), box, order, no_wait);
    if (to_.is_host())
      return opencl::read_box(queue_, from_.buffer, host_range(to_), box, order, no_wait);
    return opencl::copy_box(queue_, from_.buffer, to_.buffer, box, order);
  }
  static opencl::BoxPlace place(const Side& side) noexcept {
    opencl::BoxPlace place{.row_pitch = side.pitch.row_bytes,
                           .slice_pitch = side.pitch.slice_bytes};
    if (!side.is_host())
      place.origin = {side.offset % side.pitch.row_bytes, side.offset / side.pitch.row_bytes, 0};
    return place;
  }
  std::span<std::byte> host_range(const Side& side) const noexcept {
    return {side.host, (box_.slices - 1) * side.pitch.slice_bytes +
                           (box_.rows - 1) * side.pitch.row_bytes + box_.row_bytes};
  }

  const opencl::Queue& queue_;
  Box box_;
  Side from_, to_;
};

}  // namespace

void OpenclStream::queue_copy(const Copy& copy, const Order& order) {
  using enum Copy::Direction;
  const auto side_of = [](const Device& device, Location location, const Pitch& pitch) {
    return memory_side(static_cast<const OpenclDevice&>(device).memory_at(location), location,
                       pitch);
  };
  const auto host_side = [&](const Pitch& pitch) {
    return Side{{}, static_cast<std::byte*>(copy.host), 0, pitch};
  };
  const Device& from = copy.direction == from_peer ? *copy.peer : device();
  const Device& to = copy.direction == to_peer ? *copy.peer : device();
  const Transfer direct(queue_, copy.box,
                        copy.direction == to_device ? host_side(copy.source_pitch)
                                                    : side_of(from, copy.source, copy.source_pitch),
                        copy.direction == to_host
                            ? host_side(copy.destination_pitch)
                            : side_of(to, copy.destination, copy.destination_pitch));
  const bool is_with_host = copy.direction == to_device || copy.direction == to_host;
  if (is_with_host && is_in_order() && direct.is_possible() && direct.commands() == 1 &&
      copy.box.size_bytes() <= opencl::ReadStaging::most_bytes) {
    // Most small copies are waited for next; their own event saves a marker, which takes 2 us.
    return enqueue_marking([&] {
      opencl::Event end;
      Sequence sequence(*this, order, 1, &end);
      direct.add_to(sequence);
      return end;
    });
  }
  if (direct.is_possible()) [[likely]] {
    Sequence sequence(*this, order, direct.commands());
    direct.add_to(sequence);
  } else {
    const opencl::Buffer between(own_device().context(), copy.box.size_bytes());
    const auto [in, out] = direct.by_way_of(between);
    Sequence sequence(*this, order, in.commands() + out.commands());
    in.add_to(sequence);
    out.add_to(sequence);
  }
  note_work();
}

void OpenclStream::fetch(void* destination, Location source, std::size_t size_bytes,
                         const std::function<void()>& wait) {
  const auto copy = [&](std::span<std::byte> bytes) {
    copy_out(bytes.data(), source, bytes.size());
  };
  const std::span host(static_cast<std::byte*>(destination), size_bytes);
  if (!is_in_order() || destination == nullptr || !staging_.read(host, copy, wait))
    Stream::fetch(destination, source, size_bytes, wait);
}

void OpenclStream::queue_fill(Location destination, std::span<const std::byte> pattern,
                              std::size_t count, const Order& order) {
  const OpenclMemory memory = own_device().memory_at(destination);
  const std::size_t bytes = count * pattern.size();
  const auto fill = [&](const opencl::Buffer& buffer, std::size_t offset) {
    return [&pattern, &buffer, this, offset, bytes](const opencl::Order& command) {
      return opencl::fill(queue_, buffer, pattern, offset, bytes, command);
    };
  };
  if (memory.host == nullptr) [[likely]] {
    Sequence(*this, order, 1).add(fill(memory.buffer, destination.offset));
  } else {
    const opencl::Buffer between(own_device().context(), bytes);
    Sequence sequence(*this, order, 2);
    sequence.add(fill(between, 0));
    Transfer(queue_, {.row_bytes = bytes}, {between, nullptr, 0, {}},
             memory_side(memory, destination, {}))
        .add_to(sequence);
  }
  note_work();
}

}  // namespace treadle::device
