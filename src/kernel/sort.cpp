// SPDX-License-Identifier: MIT
#include "treadle/kernel/sort.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "plan_table.hpp"
#include "several_launches.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/sort.hpp"
#include "treadle/device/event.hpp"
#include "treadle/kernel/tiling.hpp"

namespace treadle::kernel {

/// A kernel that was made for a form on one device.
struct SortPlan {
  device::Kernel kernel;  ///< does not keep the device alive
  unsigned group_size;
};

namespace {

using codegen::SortStep;

void require_aligned(const SortElements& elements) {
  (void)element_offset(elements.location, elements.dtype);
}

/// Makes and launches the kernels of one sort.
class SortLauncher {
 public:
  SortLauncher(device::Stream& stream, const Sort& sort)
      : stream_(stream),
        device_(stream.device()),
        sort_(sort),
        tiling_(tiling_of(device_, sort.schedule)),
        dialect_(codegen::dialect_of(device_.info().language)),
        tile_(codegen::sort_tile_length(tiling_)),
        total_(sort.outer * sort.length * sort.inner) {
    require_aligned(sort.values);
    if (sort.carried) require_aligned(*sort.carried);
    if (sort.values.dtype == Scalar::float64 && !device_.info().traits.fp64)
      throw NotSupported(device_.info().id + " has no float64", "sort float32");
    if (total_ / tile_ >= std::numeric_limits<std::int32_t>::max())
      throw InvalidArgument(std::to_string(total_) + " elements are too many for one sort");
  }

  void run(const device::Order& order) {
    LaunchesInTurn launches(stream_, order);
    using Place = LaunchesInTurn::Place;
    const auto then = [&](SortStep step, std::uint64_t first, std::uint64_t last, Place place) {
      launches.then([&](const device::Order& own) { launch(step, first, last, own); }, place);
    };
    const auto place = [&](std::uint64_t stage) {
      return stage == sort_.length ? Place::last : Place::before_others;
    };
    const std::uint64_t within = std::min(sort_.length, tile_);
    then(SortStep::tile, 2, within, place(within));
    for (std::uint64_t stage = 2 * within; stage <= sort_.length; stage *= 2) {
      for (std::uint64_t distance = stage / 2; distance >= tile_; distance /= 2)
        then(SortStep::pass, stage, distance, Place::before_others);
      then(SortStep::tile, stage, stage, place(stage));
    }
  }

 private:
  void launch(SortStep step, std::uint64_t first, std::uint64_t last,
              const device::Order& order) const {
    const SortPlan& plan = plan_for(
        {step, sort_.values.dtype,
         sort_.carried ? std::optional(sort_.carried->dtype) : std::nullopt, sort_.inner == 1});
    std::vector<device::Argument> arguments;
    std::uint64_t offsets[] = {0, 0};
    add_elements(arguments, sort_.values, offsets[0]);
    if (sort_.carried) add_elements(arguments, *sort_.carried, offsets[1]);
    const std::uint64_t* const numbers[] = {&total_, &sort_.length, &sort_.inner, &first, &last};
    for (const std::uint64_t* number : numbers) arguments.emplace_back(*number);
    const std::uint64_t groups = (total_ + tile_ - 1) / tile_;
    stream_.launch_arguments(
        plan.kernel, {.groups = static_cast<unsigned>(groups), .group_size = plan.group_size},
        arguments, order);
  }
  void add_elements(std::vector<device::Argument>& arguments, const SortElements& elements,
                    std::uint64_t& offset) const {
    if (dialect_.has_addresses) {
      arguments.emplace_back(elements.location);
      return;
    }
    offset = element_offset(elements.location, elements.dtype);
    arguments.emplace_back(device::Location{elements.location.handle, 0});
    arguments.emplace_back(offset);
  }

  const SortPlan& plan_for(const codegen::SortForm& form) const {
    std::string key{static_cast<char>(form.step), static_cast<char>(form.dtype),
                    static_cast<char>(form.carried.value_or(Scalar::structure)),
                    static_cast<char>(form.is_dense)};
    append_key(key, tiling_);
    return plans<SortPlan>(device_).find(key, [&] {
      const codegen::SortText made = codegen::generate_sort(form, tiling_, dialect_);
      const LoadedText loaded = load_text(device_, made.text, made.name, 0);
      return std::make_shared<const SortPlan>(SortPlan{loaded.kernel, made.group_size});
    });
  }

  device::Stream& stream_;
  device::Device& device_;
  const Sort& sort_;
  const codegen::Tiling& tiling_;
  const codegen::Dialect& dialect_;
  std::uint64_t tile_, total_;
};

}  // namespace

void sort(device::Stream& stream, const Sort& sort, const device::Order& order) {
  if (sort.length != 0 && !std::has_single_bit(sort.length))
    throw InvalidArgument("a bitonic sort of lines of " + std::to_string(sort.length) + " elements",
                          "let the length be a power of two: pad with the largest value");
  for (const SortElements* elements : {&sort.values, sort.carried ? &*sort.carried : nullptr})
    if (elements != nullptr && elements->dtype == Scalar::structure)
      throw DTypeError("a bitonic sort of elements of a structure",
                       "carry an array of indices along");
  if (sort.length < 2 || sort.outer == 0 || sort.inner == 0) {
    for (const device::Event* event : order.after) stream.wait(*event);
    if (order.done != nullptr) stream.record(*order.done);
    return;
  }
  SortLauncher(stream, sort).run(order);
}

}  // namespace treadle::kernel
