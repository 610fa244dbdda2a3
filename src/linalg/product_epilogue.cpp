// SPDX-License-Identifier: MIT
#include "linalg/product_epilogue.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "treadle/base/layout.hpp"

namespace treadle::linalg {
namespace {

using codegen::Expression;
using kernel::ElementwiseArray;
using kernel::ElementwiseLaunch;

/// More arrays would be more parameters than every device takes.
constexpr std::size_t most_arrays = 8;

bool is_product(const Expression& expression, codegen::Value value) {
  const codegen::Instruction& step = expression.instructions[value];
  return step.op == Op::leaf && step.operands[0] == 0;
}

std::vector<std::int64_t> dense_strides(std::span<const std::int64_t> extents, Scalar dtype) {
  const array::Shape shape(extents.begin(), extents.end());
  const Layout layout = Layout::contiguous(shape, DType(dtype).size_bytes());
  return {layout.strides().begin(), layout.strides().end()};
}

/// Whether elements lie in C's order without gaps.
bool is_dense(const ElementwiseArray& array, std::span<const std::int64_t> extents, Scalar dtype) {
  auto dense = static_cast<std::int64_t>(DType(dtype).size_bytes());
  for (std::size_t i = extents.size(); i-- > 0; dense *= extents[i])
    if (extents[i] != 1 && array.strides[i] != dense) return false;
  return true;
}

bool is_for_kernel(const Expression& expression) {
  if (expression.scatter || expression.uses_position() ||
      expression.outputs.size() + expression.leaves.size() - 1 > most_arrays)
    return false;
  const auto is_plain = [](const codegen::LeafSpec& leaf) {
    return leaf.in_place < 0 && !leaf.is_gathered && leaf.dtype.scalar() != Scalar::structure;
  };
  return std::ranges::all_of(expression.leaves, is_plain);
}

/// The distances along axes of `lengths` of an array over the axes `extents`, each of which is a
/// part of one of those; in elements.
std::optional<std::vector<std::int64_t>> gathered(std::span<const std::int64_t> extents,
                                                  std::span<const std::int64_t> strides,
                                                  std::span<const std::int64_t> lengths,
                                                  std::int64_t size_bytes) {
  std::vector<std::int64_t> steps(lengths.size(), 0);
  std::size_t axis = extents.size();
  for (std::size_t i = lengths.size(); i-- > 0;) {
    for (std::int64_t have = 1; have != lengths[i];) {
      if (axis == 0 || have > lengths[i]) return std::nullopt;
      if (extents[--axis] == 1) continue;
      if (have == 1)
        steps[i] = strides[axis];
      else if (strides[axis] != have * steps[i])
        return std::nullopt;
      have *= extents[axis];
    }
    if (steps[i] % size_bytes != 0) return std::nullopt;
    steps[i] /= size_bytes;
  }
  return steps;
}

}  // namespace

std::optional<std::vector<GatheredArray>> epilogue_arrays(const ElementwiseLaunch& epilogue,
                                                          std::span<const std::int64_t> lengths) {
  if (!is_for_kernel(epilogue.expression)) return std::nullopt;
  std::vector<GatheredArray> made;
  for (const ElementwiseArray& array : epilogue.arrays) {
    const std::size_t size = kernel::array_dtype(epilogue.expression, made.size()).size_bytes();
    if ((array.location.handle | array.location.offset) % size != 0) return std::nullopt;
    auto steps =
        gathered(epilogue.extents, array.strides, lengths, static_cast<std::int64_t>(size));
    if (!steps) return std::nullopt;
    const std::int64_t column = steps->back(), row = (*steps)[steps->size() - 2];
    steps->resize(steps->size() - 2);
    made.push_back({{array.location, row, column}, *std::move(steps)});
  }
  return made;
}

std::optional<device::Location> plain_result(const ElementwiseLaunch& epilogue, Scalar dtype) {
  const Expression& expression = epilogue.expression;
  if (expression.outputs.size() != 1 || !is_product(expression, expression.outputs[0]) ||
      expression.scatter || !is_dense(epilogue.arrays[0], epilogue.extents, dtype))
    return std::nullopt;
  return epilogue.arrays[0].location;
}

RawProduct::RawProduct(const ElementwiseLaunch& epilogue, Scalar dtype, device::Stream* stream)
    : epilogue_(epilogue),
      expression_(epilogue.expression),
      dtype_(dtype),
      strides_(dense_strides(epilogue.extents, dtype)),
      arrays_(epilogue.arrays.begin(), epilogue.arrays.end()) {
  const std::size_t outputs = expression_.outputs.size();
  std::optional<std::size_t> same, alike;  // the product itself; what may be computed in its place
  for (std::size_t i = 0; i < outputs; ++i) {
    const auto is_read = [&](const codegen::LeafSpec& leaf) {
      return leaf.in_place == static_cast<int>(i);
    };
    if (!is_dense(arrays_[i], epilogue.extents, dtype) || expression_.scatter ||
        std::ranges::any_of(expression_.leaves, is_read))
      continue;
    const codegen::Value value = expression_.outputs[i];
    if (is_product(expression_, value)) same = i;
    if (expression_.dtype_of(value) == DType(dtype)) alike = i;
  }
  if (same) {
    place_ = arrays_[*same].location;
    const auto at = static_cast<std::ptrdiff_t>(*same);
    expression_.outputs.erase(expression_.outputs.begin() + at);
    arrays_.erase(arrays_.begin() + at);
    // Leaves in the place of an output are numbered by it.
    for (codegen::LeafSpec& leaf : expression_.leaves)
      if (leaf.in_place > static_cast<int>(*same)) --leaf.in_place;
  } else if (alike) {
    place_ = arrays_[*alike].location;
    expression_.leaves[0].in_place = static_cast<std::int8_t>(*alike);
    return;
  } else if (stream != nullptr) {
    const auto count = static_cast<std::size_t>(element_count(epilogue.extents));
    own_ = memory::Buffer::pooled(stream->shared_from_this(), count * DType(dtype).size_bytes());
    place_ = own_->location();
  }
  arrays_.insert(arrays_.begin() + static_cast<std::ptrdiff_t>(expression_.outputs.size()),
                 {place_, strides_});
}

std::optional<ElementBytes> RawProduct::factor() const {
  if (expression_.outputs.size() != 1 || expression_.leaves[0].in_place != 0) return std::nullopt;
  const codegen::Instruction& step = expression_.instructions[expression_.outputs[0]];
  if (step.op != Op::multiply || step.dtype != dtype_) return std::nullopt;
  for (const unsigned own : {0u, 1u}) {
    const codegen::Instruction& other = expression_.instructions[step.operands[1 - own]];
    if (!is_product(expression_, step.operands[own]) || other.op != Op::scalar) continue;
    const ElementBytes& bytes = epilogue_.scalars[other.operands[0]];
    const auto number = Number::stored(dtype_, bytes.data()).as_complex();
    const bool is_finite = std::isfinite(number.real()) && std::isfinite(number.imag());
    if (is_finite && number != 0.0) return bytes;
  }
  return std::nullopt;
}

ElementwiseLaunch RawProduct::others() const {
  return {expression_, epilogue_.extents, arrays_, epilogue_.scalars};
}

kernel::KernelNote joined_notes(device::Device& device, const kernel::KernelNote& first,
                                const kernel::KernelNote& second) {
  struct Joined {
    std::mutex mutex;
    // By the notes' texts, which live as long as the device.
    std::map<std::pair<const std::string*, const std::string*>, std::pair<std::string, std::string>>
        known;
  };
  if (first.name == nullptr || second.name == nullptr)
    return first.name != nullptr ? first : second;
  Joined& joined = device.slot<Joined>();
  const std::lock_guard lock(joined.mutex);
  const auto [place, is_new] = joined.known.try_emplace({first.text, second.text});
  auto& [name, text] = place->second;
  if (is_new) {
    const auto of = [](const std::string* one) { return one != nullptr ? *one : std::string(); };
    name = *first.name + ", then " + *second.name;
    text = of(first.text) + "\n\n" + of(second.text);
  }
  return {.name = &name,
          .text = &text,
          .bytes_read = first.bytes_read + second.bytes_read,
          .bytes_written = first.bytes_written + second.bytes_written,
          .instructions = first.instructions + second.instructions};
}

}  // namespace treadle::linalg
