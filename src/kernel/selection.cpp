// SPDX-License-Identifier: MIT
// Wide, it is a scan of the mask that stores elements at the place before them. Narrow, an interval
// has one work-item, which counts first, and then stores every element and moves on by what the
// mask is: without a branch, which a processor would guess wrongly. The last one of an interval
// ends the loop, so nothing is stored behind it:
//
//   mask      1 0 1 1 | 0 1 0 1      counts 3 2      places from 0, 3
//   elements  a b c d | e f g h      stored a c d | f h
#include "treadle/kernel/selection.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plan_table.hpp"
#include "several_launches.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/signature.hpp"
#include "treadle/kernel/program.hpp"
#include "treadle/kernel/scan_kernel.hpp"
#include "treadle/kernel/tiling.hpp"

namespace treadle::kernel {

/// The kernels of one size of elements, which do not keep the device alive.
struct MaskedPlan {
  std::unique_ptr<ScanKernel> scan;                                        ///< wide
  std::vector<codegen::ParameterSpec> count_parameters, store_parameters;  ///< narrow
  std::optional<device::Kernel> counts, stores;
};

namespace {

/// How an element is moved: as so many unsigned integers.
struct Words {
  Scalar word;
  std::size_t count;
};
Words words_of(std::size_t item_bytes) {
  if (item_bytes == 0) return {Scalar::int64, 1};
  if (item_bytes % 8 == 0) return {Scalar::uint64, item_bytes / 8};
  if (item_bytes % 4 == 0) return {Scalar::uint32, item_bytes / 4};
  if (item_bytes % 2 == 0) return {Scalar::uint16, item_bytes / 2};
  return {Scalar::uint8, item_bytes};
}

class MaskedTexts {
 public:
  MaskedTexts(const codegen::Dialect& dialect, std::size_t item_bytes)
      : dialect_(dialect),
        types_(dialect),
        words_(words_of(item_bytes)),
        stores_places_(item_bytes == 0) {}

  std::string name() const {
    if (stores_places_) return "places_under_mask";
    return "select_" + std::to_string(words_.count) + "_" + DType(words_.word).name();
  }
  std::string arguments() const {
    const std::string word = types_.name_of(words_.word);
    return "const " + types_.name_of(Scalar::uint8) + " *mask, const " + word + " *elements, " +
           word + " *selected, long *total, long capacity";
  }
  /// Stores element i at a place.
  std::string store(const std::string& place) const {
    if (stores_places_) return "selected[" + place + "] = i;";
    std::string text;
    const std::string count = std::to_string(words_.count);
    for (std::size_t k = 0; k < words_.count; ++k)
      text += words_.count == 1
                  ? "selected[" + place + "] = elements[i];"
                  : "selected[(" + place + ") * " + count + " + " + std::to_string(k) +
                        "] = elements[i * " + count + " + " + std::to_string(k) + "];";
    return text;
  }
  ScanTexts scan() const {
    ScanTexts texts{.arguments = arguments(),
                    .input = "mask[i] != 0",
                    .scan = "a + b",
                    .output = "if (item != prev_item && prev_item < capacity) { " +
                              store("prev_item") + " }\nif (i == N - 1) *total = item",
                    .neutral = "0",
                    .one_for_one = {"mask"}};
    if (words_.count > 1) return texts;
    texts.compactions = {{"selected", stores_places_ ? "i" : "elements[i]", "capacity"}};
    texts.total = "total";
    if (!stores_places_) texts.one_for_one.emplace_back("elements");
    return texts;
  }

  // Narrow.
  static constexpr const char* counting = "const uchar *mask, long n, long length, long *counts";
  std::string storing() const { return arguments() + ", long n, long length, long *counts"; }
  std::string program(const MaskedPlan& plan) const {
    return "#include \"treadle/dialect.h\"\n" + opened("counts", plan.count_parameters) +
           R"(  treadle_int64 sum = 0;
  for (treadle_int64 i = begin; i < end; ++i) sum += mask[i] != 0;
  counts[group] = sum;
}
)" + opened("stores", plan.store_parameters) +
           R"(  treadle_int64 place = 0, i = begin;
  for (treadle_int64 k = 0; k < group; ++k) place += counts[k];
  const treadle_int64 behind = place + counts[group];
  if (end == n) *total = behind;
  const treadle_int64 stop = behind < capacity ? behind : capacity;
  while (place < stop) {
    )" + store("place") +
           R"(
    place += mask[i] != 0;
    ++i;
  }
}
)";
  }
  const codegen::TypeNames& types() const { return types_; }

 private:
  std::string opened(const std::string& suffix,
                     const std::vector<codegen::ParameterSpec>& parameters) const {
    return "TREADLE_KERNEL TREADLE_GROUP_SIZE(1, 1, 1) " + name() + "_" + suffix + "(" +
           codegen::declare(parameters, dialect_, types_) + ")\n{\n" +
           codegen::define_pointers(parameters, dialect_, types_) +
           R"(  const treadle_int64 group = treadle_group_id(0), begin = group * length;
  const treadle_int64 end = begin + length < n ? begin + length : n;
)";
  }

  const codegen::Dialect& dialect_;
  codegen::TypeNames types_;
  Words words_;
  bool stores_places_;
};

std::shared_ptr<const MaskedPlan> make_masked_plan(device::Device& device,
                                                   const MaskedElements& what) {
  const MaskedTexts texts(codegen::dialect_of(device.info().language), what.item_bytes);
  auto plan = std::make_shared<MaskedPlan>();
  if (tiling_of(device, what.schedule).schedule == Schedule::wide) {
    plan->scan = std::make_unique<ScanKernel>(
        device.shared_from_this(), Scalar::int64, texts.scan(),
        ScanOptions{.name = texts.name(), .schedule = what.schedule, .is_apart = true});
    plan->scan->let_go_of_device();
    return plan;
  }
  plan->count_parameters = declared_parameters(MaskedTexts::counting, texts.types(), device);
  plan->store_parameters = declared_parameters(texts.storing(), texts.types(), device);
  const Program program(device.shared_from_this(), texts.program(*plan),
                        {.source_name = texts.name()});
  plan->counts = program.kernel(texts.name() + "_counts");
  plan->stores = program.kernel(texts.name() + "_stores");
  plan->counts->let_go_of_device();
  plan->stores->let_go_of_device();
  return plan;
}

void launch_narrow(device::Stream& stream, const MaskedPlan& plan, const MaskedElements& what,
                   const MaskedArguments& arguments, const device::Order& order) {
  const codegen::Tiling& tiling = tiling_of(stream.device(), what.schedule);
  const Intervals intervals =
      intervals_of(what.size, tiling.interval_length, tiling, stream.device().info());
  const memory::Buffer counts =
      scratch_on(stream, static_cast<std::size_t>(intervals.count) * sizeof(std::int64_t));
  const auto size = static_cast<std::int64_t>(what.size);
  const auto capacity = static_cast<std::int64_t>(what.capacity);
  const UserArgument counted[] = {arguments.mask, size, intervals.length, counts};
  const UserArgument stored[] = {arguments.mask,     arguments.elements,
                                 arguments.selected, arguments.count,
                                 capacity,           size,
                                 intervals.length,   counts};
  const device::LaunchShape shape = {.groups = static_cast<unsigned>(intervals.count),
                                     .group_size = 1};
  LaunchesInTurn launches(stream, order);
  const auto launch = [&](const device::Kernel& kernel, std::span<const UserArgument> given,
                          const std::vector<codegen::ParameterSpec>& parameters,
                          LaunchesInTurn::Place place) {
    const std::vector<ElementUse> uses(parameters.size(), ElementUse::unknown);
    ReadArguments declared =
        DeclaredArguments(parameters, "a selection", uses).read(given, {}, stream.device());
    launches.then(
        [&](const device::Order& own) {
          stream.launch_arguments(kernel, shape, declared.all(), own);
        },
        place);
  };
  launch(*plan.counts, counted, plan.count_parameters, LaunchesInTurn::Place::before_others);
  launch(*plan.stores, stored, plan.store_parameters, LaunchesInTurn::Place::last);
}

}  // namespace

void launch_masked(device::Stream& stream, const MaskedElements& what,
                   const MaskedArguments& arguments, const device::Order& order) {
  if (what.size == 0) {
    constexpr std::array<std::byte, sizeof(std::int64_t)> zero{};
    return stream.fill(arguments.count.location(), zero, 1, order);
  }
  device::Device& device = stream.device();
  std::string key = std::to_string(what.item_bytes) + " ";
  append_key(key, tiling_of(device, what.schedule));
  const MaskedPlan& plan =
      plans<MaskedPlan>(device).find(key, [&] { return make_masked_plan(device, what); });
  if (plan.scan == nullptr) return launch_narrow(stream, plan, what, arguments, order);
  const auto capacity = static_cast<std::int64_t>(what.capacity);
  const UserArgument all[] = {arguments.mask, arguments.elements, arguments.selected,
                              arguments.count, capacity};
  plan.scan->launch_arguments(stream, what.size, all, order);
}

}  // namespace treadle::kernel
