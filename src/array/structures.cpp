// SPDX-License-Identifier: MIT
#include "array/structures.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "treadle/array/creation.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/base/error.hpp"

namespace treadle::array {
namespace {

bool is_of_records(const Operand& operand) {
  return operand.array() != nullptr && operand.array()->dtype().scalar() == Scalar::structure;
}

std::string operand_name(const Operand& operand) {
  return operand.array() != nullptr ? operand.array()->dtype().name() : operand.type().name();
}

/// Copies the elements of a field. Fields of packed records may be misaligned, so that kernels
/// cannot read them by their dtype; a kernel moves their bytes.
Array field_elements(const Array& x, const Field& field) {
  const Layout& layout = x.layout();
  Shape shape(layout.shape().begin(), layout.shape().end());
  Shape strides(layout.strides().begin(), layout.strides().end());
  const std::size_t size_bytes = field.count() * field.type.size_bytes();
  shape.push_back(static_cast<std::int64_t>(size_bytes));
  strides.push_back(1);
  const auto behind = layout.offset_bytes() + static_cast<std::int64_t>(field.offset);
  const Array bytes = dense_copy(x.viewed(Layout(shape, strides, behind), Scalar::uint8));
  shape.pop_back();
  shape.insert(shape.end(), field.shape.begin(), field.shape.end());
  return bytes.viewed(Layout::contiguous(shape, field.type.size_bytes()), field.type);
}

bool are_alike(const Field& a, const Field& b) { return a.name == b.name && a.shape == b.shape; }

Array equal_records(const Array& x, const Array& y) {
  const auto ours = x.dtype().fields(), theirs = y.dtype().fields();
  if (!std::ranges::equal(ours, theirs, are_alike))
    throw DTypeError(
        "records of " + x.dtype().name() + " are not compared with those of " + y.dtype().name(),
        "compare fields that both have");
  std::optional<Array> all_equal;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const Array a = field_elements(x, ours[i]), b = field_elements(y, theirs[i]);
    Array one = is_of_records(a) && is_of_records(b) ? equal_records(a, b) : equal(a, b);
    if (!ours[i].shape.empty()) {
      std::vector<int> axes(ours[i].shape.size());
      std::iota(axes.begin(), axes.end(), -static_cast<int>(axes.size()));
      one = all(one, {.axes = std::move(axes)});
    }
    all_equal = all_equal ? logical_and(*all_equal, one) : one;
  }
  return *all_equal;
}

}  // namespace

bool has_records(std::span<const Operand> operands) {
  return std::ranges::any_of(operands, is_of_records);
}

std::optional<Array> compared_records(Op op, std::span<const Operand> operands) {
  if ((op != Op::equal && op != Op::not_equal) || operands.size() != 2) return {};
  if (!has_records(operands)) return {};
  if (!is_of_records(operands[0]) || !is_of_records(operands[1]))
    throw DTypeError(
        operand_name(operands[0]) + " is not compared with " + operand_name(operands[1]),
        "compare with one of the fields of the records");
  Array result = equal_records(*operands[0].array(), *operands[1].array());
  return op == Op::equal ? result : logical_not(result);
}

}  // namespace treadle::array
