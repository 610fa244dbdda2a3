// SPDX-License-Identifier: MIT
#include "treadle/codegen/lowering.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <initializer_list>
#include <numeric>
#include <optional>

#include "treadle/base/error.hpp"

namespace treadle::codegen {
namespace {

using What = SpaceParameter::What;

/// Positions that are decoded by multiplication must be below this number.
constexpr std::uint64_t decodable = std::uint64_t{1} << 31;

std::uint64_t pieces_of(std::uint64_t extent, std::uint64_t piece) {
  return extent / piece + (extent % piece != 0);
}

/// Makes the steps of lower(), in their order.
class Lowerer {
 public:
  Lowerer(std::span<const std::int64_t> extents, std::span<const OperandLayout> operands,
          std::size_t output_count, const Tiling& tiling)
      : extents_(extents), operands_(operands), output_count_(output_count), tiling_(tiling) {
    result_.offsets.resize(operands.size());
    result_.extents.reserve(extents.size() + 1);
    result_.strides.reserve(operands.size() * (extents.size() + 1));
    result_.loop.steps.reserve(operands.size());
  }

  Lowering run() {
    collect_axes();
    choose_kind();
    if (is_wide()) choose_items();
    if (result_.count() > 0) count_pieces();
    return std::move(result_);
  }

 private:
  bool is_wide() const { return tiling_.schedule == Schedule::wide; }
  std::size_t rank() const { return result_.extents.size(); }
  std::uint64_t inner() const { return static_cast<std::uint64_t>(result_.extents.back()); }
  std::int64_t stride(std::size_t operand, std::size_t axis) const {
    return result_.stride(operand, axis);
  }
  std::int64_t inner_stride(std::size_t operand) const { return stride(operand, rank() - 1); }

  /// Drops axes of length 1, sorts the others by the output's strides, and appends them.
  void collect_axes() {
    std::vector<std::size_t> order;
    bool is_empty = false;
    for (std::size_t axis = 0; axis < extents_.size(); ++axis) {
      const std::int64_t extent = extents_[axis];
      if (extent < 0)
        throw InvalidArgument("axis " + std::to_string(axis) + " of an index space has extent " +
                              std::to_string(extent));
      is_empty |= extent == 0;
      if (extent > 1) order.push_back(axis);
    }
    if (is_empty) {
      result_.extents = {0};
      result_.strides.assign(operands_.size(), 1);
      return;
    }
    // A scattered output's strides do not say which elements are adjacent, so they do not sort the
    // axes.
    if (!operands_[0].is_indirect)
      std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t axis) {
        return std::abs(operands_[0].strides[axis]);
      });
    for (const std::size_t axis : order) append_axis(axis);
    // For a single element every operand counts as contiguous, so that the most common kernel can
    // be used.
    if (order.empty()) {
      result_.extents = {1};
      result_.strides.assign(operands_.size(), 1);
    }
  }

  void append_axis(std::size_t axis) {
    const std::int64_t extent = extents_[axis];
    bool is_backwards = false, is_forwards = false;
    std::vector<std::int64_t> steps;
    steps.reserve(operands_.size());
    for (std::size_t k = 0; k < operands_.size(); ++k) {
      const std::int64_t step = step_along(k, axis);
      if (k < output_count_ && step == 0 && !operands_[k].is_indirect)
        throw InvalidArgument("output " + std::to_string(k) + " has stride 0 along axis " +
                                  std::to_string(axis) + " of length " + std::to_string(extent),
                              "write to memory that has an element for each result");
      is_backwards |= step < 0;
      is_forwards |= step > 0;
      steps.push_back(step);
    }
    if (is_backwards && !is_forwards)
      for (std::size_t k = 0; k < operands_.size(); ++k) {
        result_.offsets[k] += steps[k] * (extent - 1);
        steps[k] = -steps[k];
      }
    if (!result_.extents.empty() && is_one_axis(steps, extent)) {
      result_.extents.back() *= extent;
      std::ranges::copy(steps, result_.strides.end() - static_cast<std::ptrdiff_t>(steps.size()));
    } else {
      result_.extents.push_back(extent);
      result_.strides.insert(result_.strides.end(), steps.begin(), steps.end());
    }
  }
  /// The stride in elements.
  std::int64_t step_along(std::size_t k, std::size_t axis) const {
    const std::int64_t bytes = operands_[k].strides[axis];
    const auto size = static_cast<std::int64_t>(operands_[k].size_bytes);
    if (size <= 1) return bytes;
    if (bytes % size != 0)
      throw InvalidArgument("operand " + std::to_string(k) + " has a stride of " +
                                std::to_string(bytes) + " bytes along axis " +
                                std::to_string(axis) + ", and elements of " + std::to_string(size),
                            "copy it first");
    return bytes / size;
  }

  /// Whether this axis continues the last appended axis without a gap, in every operand.
  bool is_one_axis(const std::vector<std::int64_t>& steps, std::int64_t extent) const {
    for (std::size_t k = 0; k < operands_.size(); ++k)
      if (inner_stride(k) != steps[k] * extent) return false;
    return true;
  }

  void choose_kind() {
    LoopClass& loop = result_.loop;
    std::optional<std::size_t> other = crossing_axis();
    const bool is_crossed = other.has_value();
    if (!is_crossed && has_short_rows()) other = take_short_rows_across();
    const bool has_rows = !is_wide() || static_cast<std::int64_t>(inner()) >= tiling_.rows_extent;
    loop.kind = rank() == 1 ? SpaceKind::linear
                : other     ? SpaceKind::tiled
                : has_rows  ? SpaceKind::rows
                            : SpaceKind::strided;
    if (is_crossed) move_beside_inner(*other);
    loop.outer_rank = static_cast<std::uint8_t>(rank() - (other ? 2 : 1));
    std::uint64_t tile_bytes = 0;
    for (std::size_t k = 0; k < operands_.size(); ++k) {
      Step step = step_of(k);
      // An operand for whose tile local memory has no room is read in its own order.
      if (is_crossed && crosses(k, rank() - 2) &&
          (!is_wide() || tile_bytes + bytes_of_tile(k) <= tiling_.local_bytes)) {
        step = Step::crossed;
        tile_bytes += bytes_of_tile(k);
      }
      loop.steps.push_back(step);
    }
  }

  std::uint64_t bytes_of_tile(std::size_t k) const {
    const auto side = static_cast<std::uint64_t>(tiling_.tile_side);
    return side * (side + 1) * operands_[k].size_bytes;
  }

  Step step_of(std::size_t k) const {
    if (result_.loop.kind == SpaceKind::strided) {
      for (std::size_t axis = 0; axis < rank(); ++axis)
        if (stride(k, axis) != 0) return Step::any;
      return Step::zero;
    }
    const std::int64_t step = inner_stride(k);
    return step == 0 ? Step::zero : step == 1 ? Step::unit : Step::any;
  }

  /// Whether an input is contiguous along `axis` and has larger strides along the innermost axis.
  bool crosses(std::size_t k, std::size_t axis) const {
    return k >= output_count_ && !operands_[k].is_indirect && operands_[k].size_bytes != 0 &&
           std::abs(inner_stride(k)) > 1 && stride(k, axis) == 1 &&
           (!is_wide() || bytes_of_tile(k) <= tiling_.local_bytes);
  }
  std::optional<std::size_t> crossing_axis() const {
    if (rank() < 2 || inner_stride(0) != 1) return std::nullopt;
    if (result_.extents.back() < tiling_.tile_side || inner() >= decodable) return std::nullopt;
    for (std::size_t k = output_count_; k < operands_.size(); ++k)
      for (std::size_t axis = 0; axis + 1 < rank(); ++axis)
        if (crosses(k, axis) && result_.extents[axis] >= tiling_.tile_side &&
            static_cast<std::uint64_t>(result_.extents[axis]) < decodable)
          return axis;
    return std::nullopt;
  }
  /// Narrow: whether the innermost axis is too short for a loop of its own, but the next axis is
  /// not.
  bool has_short_rows() const {
    return !is_wide() && output_count_ > 0 && rank() > 1 &&
           static_cast<std::int64_t>(inner()) <= tiling_.tile_side / 8 &&
           result_.extents[rank() - 2] >= tiling_.tile_side &&
           static_cast<std::uint64_t>(result_.extents[rank() - 2]) < decodable &&
           std::ranges::none_of(operands_, &OperandLayout::is_indirect);
  }
  /// Exchanges the two innermost axes, so that a tile of both stays in the first-level cache.
  /// Returns the other axis of the tile.
  std::size_t take_short_rows_across() {
    std::swap(result_.extents[rank() - 2], result_.extents[rank() - 1]);
    const auto width = static_cast<std::ptrdiff_t>(operands_.size());
    std::swap_ranges(result_.strides.end() - width, result_.strides.end(),
                     result_.strides.end() - 2 * width);
    result_.loop.items = static_cast<std::uint8_t>(tiling_.short_row_squares);
    return rank() - 2;
  }
  void move_beside_inner(std::size_t axis) {
    const auto first = static_cast<std::ptrdiff_t>(axis);
    std::rotate(result_.extents.begin() + first, result_.extents.begin() + first + 1,
                result_.extents.end() - 1);
    const auto width = static_cast<std::ptrdiff_t>(operands_.size());
    std::rotate(result_.strides.begin() + first * width,
                result_.strides.begin() + (first + 1) * width, result_.strides.end() - width);
  }

  /// Chooses how many elements a work-item computes at a time, and whether one access reads them.
  void choose_items() {
    LoopClass& loop = result_.loop;
    if (loop.kind == SpaceKind::tiled) return;
    loop.items = static_cast<std::uint8_t>(tiling_.strided_items);
    if (loop.kind == SpaceKind::strided) return;
    std::size_t smallest = tiling_.access_bytes, largest = 1, stored = 1, inputs = 0,
                input_bytes = 0;
    bool has_vectors = true;
    for (std::size_t k = 0; k < operands_.size(); ++k) {
      const std::size_t size = operands_[k].size_bytes;
      // A gathered leaf is read element by element beside vectors of other leaves; a scattered
      // output prevents vectors.
      if (operands_[k].is_indirect) {
        has_vectors &= k >= output_count_;
        continue;
      }
      has_vectors &= loop.steps[k] != Step::any;
      if (size == 0 || loop.steps[k] == Step::zero) continue;
      has_vectors &= std::has_single_bit(size) && size <= tiling_.access_bytes;
      smallest = std::min(smallest, size);
      largest = std::max(largest, size);
      if (k < output_count_) {
        stored = std::max(stored, size);
        continue;
      }
      ++inputs;
      input_bytes += size;
    }
    std::size_t items = std::bit_floor(std::max<std::size_t>(
        1, std::min(tiling_.access_bytes / smallest, tiling_.operand_bytes / largest)));
    while (items > 1 && items * input_bytes > std::size_t{4} * tiling_.register_words) items /= 2;
    std::size_t rounds = inputs < 2 ? tiling_.lone_rounds : 1;
    // Each store is one access, so that neighbouring work-items together fill whole sectors. Two
    // accesses with a gap between them took twice the time (uint8 to float64, H100).
    while (items > 2 && items * stored > tiling_.access_bytes) {
      items /= 2;
      rounds *= 2;
    }
    loop.items = static_cast<std::uint8_t>(items);
    loop.has_vectors = has_vectors && items > 1 && is_aligned(items);
    loop.rounds = static_cast<std::uint8_t>(
        loop.kind == SpaceKind::linear ? std::min<std::size_t>(rounds, tiling_.most_rounds) : 1);
  }
  bool is_aligned(std::size_t items) const {
    for (std::size_t k = 0; k < operands_.size(); ++k) {
      const std::size_t size = operands_[k].size_bytes;
      if (size == 0 || operands_[k].is_indirect || result_.loop.steps[k] != Step::unit) continue;
      const std::size_t access = std::min<std::size_t>(items * size, tiling_.access_bytes);
      const auto start =
          operands_[k].address + static_cast<std::uint64_t>(result_.offsets[k]) * size;
      if (start % access != 0) return false;
      for (std::size_t axis = 0; axis + 1 < rank(); ++axis)
        if (static_cast<std::uint64_t>(stride(k, axis)) * size % access != 0) return false;
    }
    return true;
  }

  /// Computes the number of groups and the work of each group.
  void count_pieces() {
    const std::uint64_t count = result_.count(), outer = count / inner();
    switch (result_.loop.kind) {
      case SpaceKind::linear:
        result_.piece = is_wide() ? group_items() * result_.loop.rounds : chunk();
        result_.pieces = result_.groups = pieces_of(count, result_.piece);
        break;
      case SpaceKind::rows:
        return is_wide() ? count_wide_rows(outer) : count_narrow_rows(outer);
      case SpaceKind::strided:
        result_.piece = group_items();
        result_.pieces = result_.groups = pieces_of(count, result_.piece);
        result_.is_too_large = count >= decodable;
        break;
      case SpaceKind::tiled:
        const auto side = static_cast<std::uint64_t>(tiling_.tile_side) * result_.loop.items;
        const auto second = static_cast<std::uint64_t>(result_.extents[rank() - 2]);
        result_.piece = side;
        result_.pieces = outer / second * pieces_of(second, side) * pieces_of(inner(), side);
        if (!is_wide())
          result_.group_pieces =
              std::max<std::uint64_t>(1, chunk() / (side * std::min(side, second)));
        result_.groups = pieces_of(result_.pieces, result_.group_pieces);
        result_.is_too_large = is_wide() && result_.pieces >= decodable;
    }
  }
  void count_wide_rows(std::uint64_t rows) {
    // As many work-items share a row as have work there.
    std::uint64_t lanes = tiling_.group_size;
    while (lanes > 1 && lanes * result_.loop.items > inner()) lanes /= 2;
    result_.lanes_log2 = static_cast<std::uint32_t>(std::countr_zero(lanes));
    result_.piece = lanes * result_.loop.items;
    result_.pieces = rows * pieces_of(inner(), result_.piece);
    result_.groups = pieces_of(result_.pieces, tiling_.group_size / lanes);
    result_.is_too_large = result_.pieces >= decodable;
  }
  void count_narrow_rows(std::uint64_t rows) {
    result_.piece = std::min(inner(), chunk());
    result_.pieces = rows * pieces_of(inner(), result_.piece);
    result_.group_pieces = std::max<std::uint64_t>(1, chunk() / result_.piece);
    result_.groups = pieces_of(result_.pieces, result_.group_pieces);
  }
  std::uint64_t group_items() const {
    return std::uint64_t{tiling_.group_size} * result_.loop.items;
  }
  std::uint64_t chunk() const {
    std::size_t largest = 1;
    for (const OperandLayout& operand : operands_) largest = std::max(largest, operand.size_bytes);
    const std::uint64_t elements = tiling_.chunk_bytes / largest;
    return std::max<std::uint64_t>(1, elements / tiling_.chunk_length) * tiling_.chunk_length;
  }

  std::span<const std::int64_t> extents_;
  std::span<const OperandLayout> operands_;
  std::size_t output_count_;
  const Tiling& tiling_;
  Lowering result_;
};

/// Collects the parameters of a class of loop.
class ParameterList {
 public:
  ParameterList(const LoopClass& loop, Schedule schedule) : loop_(loop), schedule_(schedule) {}

  std::vector<SpaceParameter> make() {
    switch (loop_.kind) {
      case SpaceKind::linear:
        add({{What::count}});
        if (!is_wide()) add({{What::piece}});
        break;
      case SpaceKind::rows:
        add({{What::inner}, {What::pieces}, {What::row_pieces}});
        if (is_wide())
          add({{What::row_divider}, {What::lanes_log2}});
        else
          add({{What::piece}, {What::group_pieces}});
        break;
      case SpaceKind::strided:
        add({{What::count}});
        break;
      case SpaceKind::tiled:
        add({{What::inner}, {What::second}, {What::row_pieces}, {What::column_pieces}});
        if (is_wide())
          add({{What::row_divider}, {What::column_divider}});
        else
          add({{What::pieces}, {What::group_pieces}});
        break;
    }
    add_axes();
    for (std::size_t k = 0; k < loop_.steps.size(); ++k) add_strides(static_cast<std::uint8_t>(k));
    return std::move(all_);
  }

 private:
  bool is_wide() const { return schedule_ == Schedule::wide; }
  /// The number of axes whose strides are passed; in a strided loop this includes the innermost
  /// axis.
  unsigned axes() const { return loop_.outer_rank + (loop_.kind == SpaceKind::strided ? 1u : 0u); }
  void add_axes() {
    for (std::uint8_t axis = 1; axis < axes(); ++axis) {
      add({{What::extent, axis}});
      if (is_wide()) add({{What::extent_divider, axis}});
    }
  }
  void add_strides(std::uint8_t k) {
    const Step step = loop_.steps[k];
    if (loop_.kind == SpaceKind::strided && step == Step::zero) return;
    for (std::uint8_t axis = 0; axis < axes(); ++axis) add({{What::stride, axis, k}});
    if (loop_.kind == SpaceKind::strided) return;
    if (loop_.kind == SpaceKind::tiled && step != Step::crossed) add({{What::second_stride, 0, k}});
    if (step == Step::any || step == Step::crossed) add({{What::inner_stride, 0, k}});
  }
  void add(std::initializer_list<SpaceParameter> parameters) {
    all_.insert(all_.end(), parameters);
  }

  const LoopClass& loop_;
  Schedule schedule_;
  std::vector<SpaceParameter> all_;
};

}  // namespace

std::string_view space_kind_name(SpaceKind kind) noexcept {
  constexpr std::string_view names[] = {"linear", "rows", "strided", "tiled"};
  return names[static_cast<std::size_t>(kind)];
}

void LoopClass::append_key(std::string& key) const {
  key += static_cast<char>(kind);
  key += static_cast<char>(outer_rank);
  key += static_cast<char>(items);
  key += static_cast<char>(rounds);
  key += static_cast<char>(has_vectors);
  for (const Step step : steps) key += static_cast<char>(step);
}

Scalar SpaceParameter::dtype(Schedule schedule) const noexcept {
  switch (what) {
    case What::extent_divider:
    case What::row_divider:
    case What::column_divider:
      return Scalar::uint64;
    case What::lanes_log2:
      return Scalar::uint32;
    case What::extent:
    case What::row_pieces:
    case What::column_pieces:
      return schedule == Schedule::wide ? Scalar::uint32 : Scalar::int64;
    default:
      return Scalar::int64;
  }
}

std::vector<SpaceParameter> space_parameters(const LoopClass& loop, Schedule schedule) {
  return ParameterList(loop, schedule).make();
}

std::uint64_t dividing_by(std::uint32_t divisor) noexcept {
  const auto shift = static_cast<std::uint64_t>(std::bit_width(divisor - 1));
  const std::uint64_t power = std::uint64_t{1} << shift;
  const std::uint64_t multiplier = ((power - divisor) << 32) / divisor + 1;
  return shift << 32 | multiplier;
}

std::uint64_t Lowering::count() const noexcept {
  return std::accumulate(extents.begin(), extents.end(), std::uint64_t{1},
                         [](std::uint64_t count, std::int64_t extent) {
                           return count * static_cast<std::uint64_t>(extent);
                         });
}

std::uint64_t Lowering::value(const SpaceParameter& parameter) const {
  const std::size_t rank = extents.size();
  const auto unsigned_extent = [&](std::size_t axis) {
    return static_cast<std::uint64_t>(extents[axis]);
  };
  const auto divider = [](std::uint64_t divisor) {
    return dividing_by(static_cast<std::uint32_t>(divisor));
  };
  const auto stride_along = [&](std::size_t axis) {
    return static_cast<std::uint64_t>(stride(parameter.operand, axis));
  };
  switch (parameter.what) {
    case What::count:
      return count();
    case What::inner:
      return unsigned_extent(rank - 1);
    case What::second:
      return unsigned_extent(rank - 2);
    case What::extent:
      return unsigned_extent(parameter.axis);
    case What::extent_divider:
      return divider(unsigned_extent(parameter.axis));
    case What::pieces:
      return pieces;
    case What::row_pieces:
      return pieces_of(unsigned_extent(rank - 1), piece);
    case What::row_divider:
      return divider(pieces_of(unsigned_extent(rank - 1), piece));
    case What::column_pieces:
      return pieces_of(unsigned_extent(rank - 2), piece);
    case What::column_divider:
      return divider(pieces_of(unsigned_extent(rank - 2), piece));
    case What::piece:
      return piece;
    case What::group_pieces:
      return group_pieces;
    case What::lanes_log2:
      return lanes_log2;
    case What::stride:
      return stride_along(parameter.axis);
    case What::second_stride:
      return stride_along(rank - 2);
    case What::inner_stride:
      return stride_along(rank - 1);
  }
  return 0;
}

Lowering lower(std::span<const std::int64_t> extents, std::span<const OperandLayout> operands,
               std::size_t output_count, const Tiling& tiling) {
  return Lowerer(extents, operands, output_count, tiling).run();
}

}  // namespace treadle::codegen
