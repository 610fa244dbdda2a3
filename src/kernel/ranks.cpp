// SPDX-License-Identifier: MIT
#include "treadle/kernel/ranks.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "declared_kernel.hpp"
#include "plan_table.hpp"
#include "several_launches.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/ordered_key.hpp"
#include "treadle/codegen/ranks.hpp"
#include "treadle/kernel/tiling.hpp"

namespace treadle::kernel {

/// The kernels of one dtype; they do not keep the device alive.
struct RanksPlan {
  DeclaredKernel begin, count, choose;
};

namespace {

constexpr std::uint64_t most_ranks = 16;  // for more places a sort is faster
constexpr std::uint64_t most_counted = std::numeric_limits<std::uint32_t>::max();

std::shared_ptr<const RanksPlan> make_ranks_plan(device::Device& device, Scalar dtype,
                                                 const codegen::Tiling& tiling) {
  auto kernels = declared_kernels(
      device, codegen::generate_ranks(dtype, tiling, codegen::dialect_of(device.info().language)));
  return std::make_shared<RanksPlan>(
      RanksPlan{std::move(kernels[0]), std::move(kernels[1]), std::move(kernels[2])});
}

}  // namespace

bool is_worth_ranks(device::Device& device, const Ranks& ranks) {
  return ranks.n > tiling_of(device, ranks.schedule).lone_sort && ranks.n <= most_counted &&
         ranks.rank_count <= most_ranks;
}

void launch_ranks(device::Stream& stream, const Ranks& ranks, const RanksArguments& arguments,
                  const device::Order& order) {
  const DType dtype(ranks.dtype);
  if (dtype.kind() == ScalarKind::complex || ranks.dtype == Scalar::structure)
    throw DTypeError("ranks of " + dtype.name(), "look for real numbers");
  if (ranks.n == 0 || ranks.rank_count == 0)
    throw InvalidArgument(
        std::to_string(ranks.rank_count) + " places of " + std::to_string(ranks.n) + " elements",
        "let there be one of each");
  device::Device& device = stream.device();
  if (ranks.n > most_counted)
    throw InvalidArgument(
        "ranks of " + std::to_string(ranks.n) + " elements, which are counted in " + "uint32",
        "sort them");
  const codegen::Tiling& tiling = tiling_of(device, ranks.schedule);
  const bool is_wide = tiling.schedule == Schedule::wide;
  std::string key{static_cast<char>(ranks.dtype)};
  append_key(key, tiling);
  const RanksPlan& plan = plans<RanksPlan>(device).find(
      key, [&] { return make_ranks_plan(device, ranks.dtype, tiling); });
  const Intervals intervals = intervals_of(
      ranks.n, is_wide ? tiling.group_size * tiling.loads_in_flight : tiling.interval_length,
      tiling, device.info());
  const auto rank_count = static_cast<std::uint32_t>(ranks.rank_count);
  const auto n = static_cast<std::int64_t>(ranks.n);
  const memory::Buffer known =
      scratch_on(stream, ranks.rank_count * codegen::numbers_of_place * sizeof(std::uint64_t));
  const std::uint64_t counting = is_wide ? 1 : static_cast<std::uint64_t>(intervals.count);
  const memory::Buffer counts = scratch_on(
      stream, (counting * ranks.rank_count << tiling.select_bits) * sizeof(std::uint32_t));
  LaunchesInTurn launches(stream, order);
  const auto launch = [&](const DeclaredKernel& kernel, const std::vector<UserArgument>& given,
                          std::int64_t groups, LaunchesInTurn::Place place) {
    launches.then(
        [&](const device::Order& own) {
          kernel.launch(stream, given, static_cast<std::uint64_t>(groups), tiling.group_size, own);
        },
        place);
  };
  using Place = LaunchesInTurn::Place;
  is_wide
      ? launch(plan.begin, {arguments.places, known, counts, rank_count}, 1, Place::before_others)
      : launch(plan.begin, {arguments.places, known, rank_count}, 1, Place::before_others);
  for (unsigned left = codegen::element_bits(ranks.dtype); left > 0;) {
    const std::uint32_t width = std::min(left, tiling.select_bits), shift = left - width;
    launch(plan.count,
           {arguments.elements, known, counts, n, intervals.length, rank_count, width, shift},
           intervals.count, Place::before_others);
    launch(plan.choose, {known, counts, arguments.found, intervals.count, rank_count, width, shift},
           1, shift == 0 ? Place::last : Place::before_others);
    left = shift;
  }
}

}  // namespace treadle::kernel
