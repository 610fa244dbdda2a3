// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "reduction_tiling.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/reduction.hpp"

namespace treadle::codegen {
namespace {

constexpr std::uint64_t decoded_in_32_bits = std::uint64_t{1} << 31;
/// Assumed for a device that does not report its compute units.
constexpr unsigned usual_compute_units = 16;

std::uint64_t in_parts(std::uint64_t whole, std::uint64_t part) {
  return whole / part + (whole % part != 0);
}

/// Makes the steps of lower_reduction().
class ReductionLowerer {
 public:
  ReductionLowerer(std::span<const std::int64_t> kept, std::span<const std::int64_t> folded,
                   std::span<const ReducedLayout> operands, const ReductionTarget& target)
      : kept_(kept), folded_(folded), operands_(operands), target_(target), tiling_(target.tiling) {
    // No tiles: a tile would exchange axes, and the innermost axes must stay adjacent in memory.
    tiling_.tile_side = std::numeric_limits<std::int64_t>::max();
  }

  ReductionLowering run() {
    lower_kept();
    lower_folded();
    if (is_wide())
      plan_wide();
    else
      plan_narrow();
    result_.group_size = group_size();
    result_.loop.kept = kept().loop;
    result_.loop.folded = folded().loop;
    return std::move(result_);
  }

 private:
  bool is_wide() const { return tiling_.schedule == Schedule::wide; }
  unsigned group_size() const { return reduction_group_size(tiling_, target_.partial_bytes); }
  /// Whether the text for one result of many elements is used.
  bool is_one_of_few() { return target_.has_few_texts && kept().count() == 1; }
  Lowering& kept() { return result_.kept; }
  Lowering& folded() { return result_.folded; }
  /// The number of operands that have a value for each element.
  std::size_t elements() const {
    const auto end = std::ranges::find(operands_, false, &ReducedLayout::is_of_elements);
    return static_cast<std::size_t>(end - operands_.begin());
  }
  std::uint64_t units() const {
    return target_.compute_units == 0 ? usual_compute_units : target_.compute_units;
  }

  void lower_kept() {
    std::vector<OperandLayout> layouts;
    for (const ReducedLayout& operand : operands_)
      layouts.push_back(
          {operand.kept_strides, operand.size_bytes, operand.address, operand.is_indirect});
    kept() = lower(kept_, layouts, 0, tiling_);
    kept().is_too_large = false;
  }

  void lower_folded() {
    std::vector<OperandLayout> layouts;
    for (std::size_t k = 0; k < elements(); ++k) {
      const ReducedLayout& operand = operands_[k];
      const auto moved = static_cast<std::uint64_t>(kept().offsets[k]) * operand.size_bytes;
      layouts.push_back({operand.folded_strides, operand.size_bytes, operand.address + moved,
                         operand.is_indirect});
    }
    folded() = lower(folded_, layouts, 0, tiling_);
    folded().is_too_large = false;
    choose_neighbours();
  }

  /// Chooses the axes along which neighbouring work-items, or the elements of vectors, lie.
  void choose_neighbours() {
    const std::size_t inner_kept = kept().extents.size() - 1,
                      inner_folded = folded().extents.size() - 1;
    const std::int64_t neighbours = kept().extents[inner_kept];
    bool is_nearer = false;
    // Positions decide how elements are arranged only if no operand lies in memory. A gathered leaf
    // decides before its indices: along the axes that the indices do not choose, its own strides
    // hold.
    const bool has_memory = std::ranges::any_of(
        operands_.first(elements()), [](const auto& operand) { return operand.size_bytes != 0; });
    std::vector<std::size_t> order(elements());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_partition(order, [&](std::size_t k) { return operands_[k].is_indirect; });
    for (const std::size_t k : order) {
      if (operands_[k].size_bytes == 0 && has_memory) continue;
      const std::int64_t along_kept = std::abs(kept().stride(k, inner_kept));
      const std::int64_t along_folded = std::abs(folded().stride(k, inner_folded));
      if (along_kept == along_folded) continue;
      is_nearer = along_kept != 0 && (along_folded == 0 || along_kept < along_folded);
      break;
    }
    result_.loop.has_columns = is_nearer && neighbours >= tiling_.fewest_columns &&
                               kept().count() > 1 && folded().count() > 1;
  }

  /// Turns a space into a loop that decodes each position.
  static void decode_each(Lowering& space) {
    LoopClass loop;
    loop.kind = SpaceKind::strided;
    loop.outer_rank = static_cast<std::uint8_t>(space.extents.size() - 1);
    for (std::size_t k = 0; k < space.offsets.size(); ++k) {
      bool moves = false;
      for (std::size_t axis = 0; axis < space.extents.size(); ++axis)
        moves |= space.stride(k, axis) != 0 && space.extents[axis] > 1;
      loop.steps.push_back(moves ? Step::any : Step::zero);
    }
    space.loop = std::move(loop);
  }
  bool has_32_bits(const Lowering& space) const {
    return is_wide() && space.count() < decoded_in_32_bits;
  }

  void plan_wide() {
    ReductionClass& loop = result_.loop;
    decode_each(kept());
    loop.kept_has_32_bits = has_32_bits(kept());
    const std::uint64_t length = folded().count();
    LoopClass& inner = folded().loop;
    if (inner.kind == SpaceKind::strided && !has_32_bits(folded())) set_rows();
    const unsigned depth = wide_depth(length);
    loop.depth_log2 = static_cast<std::uint8_t>(std::countr_zero(depth));
    // A work-item has room for this number of accumulators.
    const std::size_t most_parts =
        std::bit_floor(std::max<std::size_t>(1, tiling_.part_bytes / target_.accumulator_bytes));
    if (loop.has_columns || !has_aligned_rows() || most_parts < tiling_.strided_items)
      inner.has_vectors = false;
    if (!inner.has_vectors) {
      inner.items = static_cast<std::uint8_t>(std::min<std::size_t>(
          most_parts, loop.has_columns ? tiling_.column_elements : tiling_.strided_items));
      inner.rounds = 1;
    }
    if (inner.kind != SpaceKind::linear) inner.rounds = 1;
    while (inner.rounds > 1 && !is_one_of_few() &&
           length < std::uint64_t{depth} * inner.items * inner.rounds)
      --inner.rounds;
    const std::uint64_t tile = std::uint64_t{depth} * inner.items * inner.rounds;
    std::uint64_t pieces = in_parts(length, tile);
    if (inner.kind == SpaceKind::rows) {
      const auto row = static_cast<std::uint64_t>(folded().extents.back());
      pieces = length / std::max<std::uint64_t>(1, row) * in_parts(row, tile);
    }
    loop.folded_has_32_bits = has_32_bits(folded()) && pieces < decoded_in_32_bits;
    folded().piece = tile;
    folded().pieces = pieces;
    const std::uint64_t width = group_size() / depth;
    result_.tiles = in_parts(kept().count(), width);
    split(units() * wide_groups_per_unit(), pieces, width);
  }
  /// The work-items for a result.
  unsigned wide_depth(std::uint64_t length) const {
    if (result_.loop.has_columns) {
      unsigned depth = std::min(tiling_.column_depth, group_size());
      while (depth > 1 && length < std::uint64_t{depth} * tiling_.column_elements) depth /= 2;
      return depth;
    }
    const bool is_one = result_.kept.count() <= 1;
    const unsigned depth = is_one || length > tiling_.middle_row || is_long_for_group(length)
                               ? group_size()
                           : length > tiling_.short_row ? tiling_.middle_row_depth
                           : length > tiling_.lone_row  ? tiling_.short_row_depth
                                                        : 1;
    return std::min(depth, group_size());
  }
  bool is_long_for_group(std::uint64_t length) const {
    const LoopClass& inner = result_.folded.loop;
    if (inner.kind != SpaceKind::linear || length <= tiling_.short_row || has_places())
      return false;
    return length >= std::uint64_t{tiling_.group_turns} * group_size() * inner.items;
  }
  unsigned wide_groups_per_unit() const {
    if (result_.loop.has_columns) return tiling_.columns_per_unit;
    if (target_.map_cost >= tiling_.costly_map) return tiling_.costly_per_unit;
    return has_places() ? tiling_.places_per_unit : tiling_.groups_per_unit;
  }
  /// Whether a position is folded, which only argmin and argmax need.
  bool has_places() const {
    return std::ranges::any_of(operands_, [](const ReducedLayout& operand) {
      return operand.is_of_elements && operand.size_bytes == 0;
    });
  }
  void set_rows() {
    LoopClass& inner = folded().loop;
    inner.kind = SpaceKind::rows;
    inner.has_vectors = false;
    for (std::size_t k = 0; k < inner.steps.size(); ++k) {
      const std::int64_t step = folded().stride(k, folded().extents.size() - 1);
      inner.steps[k] = step == 0 ? Step::zero : step == 1 ? Step::unit : Step::any;
    }
  }
  /// Whether every row is aligned to a vector.
  bool has_aligned_rows() {
    const LoopClass& inner = folded().loop;
    for (std::size_t k = 0; k < elements(); ++k) {
      const std::size_t size = operands_[k].size_bytes;
      if (size == 0 || inner.steps[k] != Step::unit) continue;
      const auto access = std::min<std::size_t>(inner.items * size, tiling_.access_bytes);
      for (std::size_t axis = 0; axis < kept().extents.size(); ++axis)
        if (kept().extents[axis] > 1 &&
            static_cast<std::uint64_t>(kept().stride(k, axis)) * size % access != 0)
          return false;
    }
    return true;
  }

  /// If there are too few tiles, several groups share a tile, as many as there is work for.
  void split(std::uint64_t wanted, std::uint64_t pieces, std::uint64_t tile_partials) {
    if (result_.tiles * 2 <= wanted)
      result_.splits = std::min(wanted / std::max<std::uint64_t>(1, result_.tiles),
                                std::max<std::uint64_t>(1, pieces));
    result_.loop.is_split = result_.splits > 1 || is_one_of_few();
    result_.tile_partials = tile_partials;
    result_.groups = result_.tiles * result_.splits;
  }

  std::uint64_t chunk() const {
    std::size_t largest = 1;
    for (std::size_t k = 0; k < elements(); ++k)
      largest = std::max(largest, operands_[k].size_bytes);
    const std::uint64_t elements = tiling_.chunk_bytes / largest;
    return std::max<std::uint64_t>(1, elements / tiling_.chunk_length) * tiling_.chunk_length;
  }

  void plan_narrow() { result_.loop.has_columns ? plan_strips() : plan_narrow_rows(); }

  void plan_narrow_rows() {
    decode_each(kept());
    const std::uint64_t length = folded().count();
    std::uint64_t chunk = this->chunk();
    result_.tiles = kept().count();
    result_.tile_partials = 1;
    const bool is_split = length > chunk && result_.tiles < units() * tiling_.groups_per_unit;
    if (!is_split) chunk = std::max<std::uint64_t>(length, 1);
    if (in_parts(length, chunk) > tiling_.most_chunks)
      chunk = in_parts(in_parts(length, tiling_.most_chunks), tiling_.chunk_length) *
              tiling_.chunk_length;
    const auto row = static_cast<std::uint64_t>(folded().extents.back());
    const std::uint64_t lanes =
        lanes_of(tiling_, std::max<std::size_t>(1, target_.accumulator_bytes));
    result_.loop.has_short_rows =
        !is_one_of_few() &&
        row < (target_.has_runs ? tiling_.longest_in_blocks : tiling_.short_row_turns * lanes);
    result_.loop.has_blocks =
        target_.has_runs && result_.loop.has_short_rows && row > tiling_.block_elements;
    folded().piece = std::max<std::uint64_t>(1, std::min(row, chunk));
    folded().pieces = length / std::max<std::uint64_t>(1, row) * in_parts(row, folded().piece);
    folded().group_pieces = std::max<std::uint64_t>(1, chunk / folded().piece);
    result_.splits =
        is_split ? std::max<std::uint64_t>(1, in_parts(folded().pieces, folded().group_pieces)) : 1;
    result_.loop.is_split = result_.splits > 1 || is_one_of_few();
    count_groups(length);
  }

  /// Plans strips of results, to which pieces of rows are added.
  void plan_strips() {
    const std::uint64_t width = strip_length(tiling_, target_.accumulator_bytes);
    LoopClass& loop = kept().loop;
    loop = {};
    loop.kind = SpaceKind::rows;
    loop.outer_rank = static_cast<std::uint8_t>(kept().extents.size() - 1);
    for (std::size_t k = 0; k < operands_.size(); ++k) {
      const std::int64_t step = kept().stride(k, kept().extents.size() - 1);
      loop.steps.push_back(step == 0 ? Step::zero : step == 1 ? Step::unit : Step::any);
    }
    decode_each(folded());
    const auto row = static_cast<std::uint64_t>(kept().extents.back());
    kept().piece = width;
    result_.tiles = kept().count() / row * in_parts(row, width);
    kept().pieces = result_.tiles;
    result_.tile_partials = width;
    const std::uint64_t length = folded().count(), strip = std::min(row, width);
    std::uint64_t rows = std::max<std::uint64_t>(1, chunk() / strip);
    rows = std::max(rows, in_parts(length, tiling_.most_chunks));
    result_.loop.has_blocks = target_.has_runs && length > tiling_.run_rows;
    const bool is_split = length > rows && result_.tiles < units() * tiling_.groups_per_unit;
    if (!is_split) rows = std::max<std::uint64_t>(1, length);
    folded().group_pieces = rows;
    result_.splits = is_split ? in_parts(length, rows) : 1;
    result_.loop.is_split = result_.splits > 1;
    count_groups(length * strip);
  }
  /// If tiles are not shared and are small, a group takes several tiles.
  void count_groups(std::uint64_t tile_elements) {
    if (!result_.loop.is_split)
      result_.group_tiles =
          std::max<std::uint64_t>(1, chunk() / std::max<std::uint64_t>(1, tile_elements));
    result_.groups = in_parts(result_.tiles, result_.group_tiles) * result_.splits;
  }

  std::span<const std::int64_t> kept_, folded_;
  std::span<const ReducedLayout> operands_;
  const ReductionTarget& target_;
  Tiling tiling_;
  ReductionLowering result_;
};

}  // namespace

void ReductionClass::append_key(std::string& key) const {
  kept.append_key(key);
  key += '\0';
  folded.append_key(key);
  key += static_cast<char>(has_columns | is_split << 1 | kept_has_32_bits << 2 |
                           folded_has_32_bits << 3 | has_short_rows << 4 | has_blocks << 5);
  key += static_cast<char>(depth_log2);
}

std::uint64_t ReductionLowering::value(const ReductionParameter& parameter) const {
  switch (parameter.role) {
    case ReductionParameter::Role::kept:
      return kept.value(parameter.space);
    case ReductionParameter::Role::folded:
      return folded.value(parameter.space);
    case ReductionParameter::Role::tiles:
      return tiles;
    case ReductionParameter::Role::group_tiles:
      return group_tiles;
    case ReductionParameter::Role::splits:
      return splits;
    default:
      return 0;
  }
}

ReductionLowering lower_reduction(std::span<const std::int64_t> kept_extents,
                                  std::span<const std::int64_t> folded_extents,
                                  std::span<const ReducedLayout> operands,
                                  const ReductionTarget& target) {
  return ReductionLowerer(kept_extents, folded_extents, operands, target).run();
}

}  // namespace treadle::codegen
