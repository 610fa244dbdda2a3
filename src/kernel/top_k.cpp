// SPDX-License-Identifier: MIT
// If there are few long rows, each row is cut into pieces. The largest elements of each piece are
// taken, and then the largest of these.
#include "treadle/kernel/top_k.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
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
#include "treadle/codegen/top_k.hpp"
#include "treadle/kernel/tiling.hpp"

namespace treadle::kernel {

struct TopKPlan {
  DeclaredKernel kernel;
};

namespace {

constexpr std::uint64_t most_kept = 2048;  // twice the largest k

std::uint64_t room_for(std::uint64_t k, const codegen::Tiling& tiling) {
  return std::bit_ceil(std::max(2 * k, tiling.kept_elements));
}

std::shared_ptr<const TopKPlan> make_top_k_plan(device::Device& device,
                                                const codegen::TopKForm& form,
                                                const codegen::Tiling& tiling) {
  auto kernels = declared_kernels(
      device, codegen::generate_top_k(form, tiling, codegen::dialect_of(device.info().language)));
  return std::make_shared<TopKPlan>(TopKPlan{std::move(kernels.front())});
}

/// The number of pieces of a row.
std::uint64_t pieces_of(device::Device& device, const TopK& top, const codegen::Tiling& tiling) {
  const std::uint64_t units = std::max(device.info().performance.compute_units, 1u);
  const std::uint64_t wanted = units * tiling.intervals_per_unit / top.rows;
  return std::clamp<std::uint64_t>(
      std::min(wanted, top.length / std::max(tiling.least_piece, 4 * top.k)), 1, 1024);
}

}  // namespace

bool has_top_k(device::Device& device, const TopK& top) {
  const codegen::Tiling& tiling = tiling_of(device, top.schedule);
  return top.k >= 1 && top.k <= top.length && 2 * top.k <= most_kept &&
         top.length <= std::numeric_limits<std::int32_t>::max() &&
         top.rows * pieces_of(device, top, tiling) <= std::numeric_limits<std::int32_t>::max() &&
         tiling.group_size <= 1u << tiling.select_bits;
}

bool is_worth_groups(device::Device& device, const TopK& top) {
  return tiling_of(device, top.schedule).schedule == Schedule::wide && top.rows > 1 &&
         top.k == top.length && has_top_k(device, top);
}

void launch_top_k(device::Stream& stream, const TopK& top, const TopKArguments& arguments,
                  const device::Order& order) {
  const DType dtype(top.dtype);
  if (dtype.kind() == ScalarKind::complex || top.dtype == Scalar::structure)
    throw DTypeError("the largest elements of " + dtype.name(), "take those of real numbers");
  device::Device& device = stream.device();
  if (!has_top_k(device, top))
    throw InvalidArgument("the largest " + std::to_string(top.k) + " of rows of " +
                              std::to_string(top.length) + " elements",
                          "take 1 to " + std::to_string(most_kept / 2) + " of them, or sort");
  const codegen::Tiling& tiling = tiling_of(device, top.schedule);
  const std::uint64_t pieces = pieces_of(device, top, tiling);
  const std::uint64_t flip = top.is_largest ? 0 : codegen::all_key_bits(top.dtype);
  const auto launch = [&](bool has_places, std::uint64_t length, std::uint64_t count,
                          std::vector<UserArgument> given, const device::Order& own) {
    const codegen::TopKForm form{top.dtype, has_places, room_for(top.k, tiling)};
    std::string key = std::to_string(form.room);
    key += {static_cast<char>(form.dtype), static_cast<char>(form.has_places)};
    append_key(key, tiling);
    const TopKPlan& plan =
        plans<TopKPlan>(device).find(key, [&] { return make_top_k_plan(device, form, tiling); });
    const std::uint64_t numbers[] = {length, count, top.k, flip};
    given.insert(given.end(), std::begin(numbers), std::end(numbers));
    plan.kernel.launch(stream, given, top.rows * count, tiling.group_size, own);
  };
  if (pieces == 1)
    return launch(false, top.length, 1, {arguments.elements, arguments.values, arguments.places},
                  order);
  const std::uint64_t between = top.rows * pieces * top.k;
  const memory::Buffer values = scratch_on(stream, between * dtype.size_bytes());
  const memory::Buffer places = scratch_on(stream, between * sizeof(std::int64_t));
  LaunchesInTurn launches(stream, order);
  launches.then([&](const device::Order& own) {
    launch(false, top.length, pieces, {arguments.elements, values, places}, own);
  });
  launches.then(
      [&](const device::Order& own) {
        launch(true, pieces * top.k, 1, {values, arguments.values, arguments.places, places}, own);
      },
      LaunchesInTurn::Place::last);
}

}  // namespace treadle::kernel
