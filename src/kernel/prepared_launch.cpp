// SPDX-License-Identifier: MIT
#include "treadle/kernel/prepared_launch.hpp"

#include "device/argument_room.hpp"
#include "launch_cache.hpp"
#include "plan_table.hpp"
#include "several_launches.hpp"
#include "treadle/device/event.hpp"

namespace treadle::kernel {
namespace {

/// The values of one launch.
struct Passed {
  std::span<const ElementwiseArray> arrays;
  std::span<const ElementBytes> scalars;
  std::span<const device::Argument> first = {};
  Workspace workspace = {};
  std::span<const memory::Buffer> scratch = {};
};

void queue_step(device::Stream& stream, const PreparedLaunch::Step& step, const Passed& passed,
                const device::Order& order) {
  using What = PreparedLaunch::Slot::What;
  const std::size_t before = passed.first.size(), count = before + step.slots.size();
  const device::ArgumentRoom<device::Argument> arguments(count);
  const device::ArgumentRoom<std::uint64_t> offsets(count);  // arguments refer to these
  for (std::size_t i = 0; i < before; ++i) arguments[i] = passed.first[i];
  for (std::size_t i = before; i < count; ++i) {
    const PreparedLaunch::Slot& slot = step.slots[i - before];
    const auto bytes = static_cast<std::uint64_t>(slot.number);
    const auto value = [&](const void* data) {
      return device::Argument(data, slot.size_bytes, slot.kind);
    };
    switch (slot.what) {
      case What::address:
        arguments[i] = passed.arrays[slot.index].location + bytes;
        break;
      case What::handle:
        arguments[i] = device::Location{passed.arrays[slot.index].location.handle, 0};
        break;
      case What::offset:
        offsets[i] = element_offset(passed.arrays[slot.index].location + bytes, slot.element);
        arguments[i] = value(&offsets[i]);
        break;
      case What::scalar:
        arguments[i] = value(passed.scalars[slot.index].data());
        break;
      case What::number:
        arguments[i] = value(&slot.number);
        break;
      case What::partials:
        arguments[i] = passed.workspace.partials;
        break;
      case What::tickets:
        arguments[i] = passed.workspace.tickets;
        break;
      case What::words:
        arguments[i] = passed.workspace.words;
        break;
      case What::word_count:
        arguments[i] = value(&passed.workspace.word_count);
        break;
      case What::scratch:
        arguments[i] = device::Argument(passed.scratch[slot.index]);
        break;
    }
  }
  stream.launch_arguments(*step.kernel, step.shape, {arguments.get(), count}, order);
}

void queue_first(device::Stream& stream, const PreparedLaunch& launch, Passed passed,
                 const device::Order& order) {
  if (!launch.workspace.is_used()) [[likely]]
    return queue_step(stream, launch.steps.front(), passed, order);
  with_workspace(stream, launch.workspace, [&](const Workspace& shared) {
    passed.workspace = shared;
    queue_step(stream, launch.steps.front(), passed, order);
  });
}

}  // namespace

void PreparedLaunch::launch(device::Stream& stream, std::span<const ElementwiseArray> arrays,
                            std::span<const ElementBytes> scalars,
                            const device::Order& order) const {
  if (steps.size() == 1) [[likely]]
    return queue_first(stream, *this, {arrays, scalars}, order);
  for (const device::Event* event : order.after) stream.wait(*event);
  for (const Step& step : steps) queue_step(stream, step, {arrays, scalars}, {});
  if (order.done != nullptr) stream.record(*order.done);
}

void PreparedLaunch::launch_behind(device::Stream& stream, std::span<const device::Argument> first,
                                   std::span<const ElementwiseArray> arrays,
                                   const device::Order& order) const {
  if (steps.size() == 1 && scratch.empty()) [[likely]]
    return queue_first(stream, *this, {arrays, {}, first}, order);
  std::vector<memory::Buffer> own;
  own.reserve(scratch.size());
  for (const std::size_t size_bytes : scratch) own.push_back(scratch_on(stream, size_bytes));
  if (steps.size() == 1) return queue_first(stream, *this, {arrays, {}, first, {}, own}, order);
  LaunchesInTurn launches(stream, order);
  for (const Step& step : steps)
    launches.then(
        [&](const device::Order& of_step) {
          queue_step(stream, step, {arrays, {}, first, {}, own}, of_step);
        },
        &step == &steps.back() ? LaunchesInTurn::Place::last
                               : LaunchesInTurn::Place::before_others);
}

LaunchKey::LaunchKey(std::size_t family, std::span<const ElementwiseArray> arrays,
                     std::size_t scalars)
    : text_(buffer()) {
  text_.clear();
  for (const std::size_t number : {family, arrays.size(), scalars})
    text_ += static_cast<char>(number);
  for (const ElementwiseArray& array : arrays) {
    const device::Location& place = array.location;
    // The start counts modulo 16: of the address or, without addresses, of the offset.
    text_ += static_cast<char>((place.handle + place.offset) % 16 * 16 + place.offset % 16);
    add(array.strides);
  }
}

std::string& LaunchKey::buffer() noexcept {
  static thread_local std::string used_before;
  return used_before;
}

std::uint64_t distinct_bytes(std::span<const std::int64_t> extents,
                             std::span<const std::int64_t> strides, std::size_t size_bytes) {
  std::uint64_t bytes = size_bytes;
  for (std::size_t axis = 0; axis < extents.size(); ++axis)
    if (strides[axis] != 0) bytes *= static_cast<std::uint64_t>(extents[axis]);
  return bytes;
}

std::shared_ptr<const PreparedLaunch> LaunchCache::find(std::string_view key) {
  const std::lock_guard lock(mutex_);
  const Entry& found = entries_[place_of(key)];
  return found.key == key ? found.launch : nullptr;
}

void LaunchCache::keep(std::string key, std::shared_ptr<const PreparedLaunch> launch) {
  Entry replaced{std::move(key), std::move(launch)};  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  std::swap(entries_[place_of(replaced.key)], replaced);
}

}  // namespace treadle::kernel
