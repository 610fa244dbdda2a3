// SPDX-License-Identifier: MIT
// Einstein's sums: axes have labels, and operands are contracted in pairs.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "linalg/matrix_product.hpp"
#include "linalg/operands.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/base/bfloat16.hpp"
#include "treadle/base/error.hpp"
#include "treadle/base/layout.hpp"
#include "treadle/base/promotion.hpp"
#include "treadle/linalg/product.hpp"

namespace treadle::linalg {
namespace {

using array::Shape;
/// A letter, or for axes of an ellipsis a number above all letters: their place from the end.
using Label = int;
using Labels = std::vector<Label>;
constexpr Label first_of_ellipsis = 256;

struct Operand {
  Array array;
  Labels labels;
};

bool has(const Labels& labels, Label label) {
  return std::ranges::find(labels, label) != labels.end();
}

class Sum {
 public:
  Sum(std::string_view subscripts, std::span<const Array> arrays) : subscripts_(subscripts) {
    read(arrays);
  }

  Array result() {
    for (Operand& operand : operands_) simplify(operand, {&operand, 1});
    while (operands_.size() > 1) contract_smallest();
    return in_order(operands_.front());
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw InvalidArgument("einsum \"" + subscripts_ + "\": " + why, "einsum(\"ij,jk->ik\", x, y)");
  }

  // Reading.

  /// The labels of a part between commas; `rank` axes, or for the output as many as it names.
  Labels labels_of(std::string_view part, std::optional<int> rank) {
    Labels labels;
    bool has_ellipsis = false;
    std::size_t at_ellipsis = 0;
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (part[i] == '.') {
        if (has_ellipsis || part.substr(i, 3) != "...") refuse("dots are no ellipsis");
        has_ellipsis = true;
        at_ellipsis = labels.size();
        i += 2;
      } else if ((part[i] | 32) >= 'a' && (part[i] | 32) <= 'z') {
        labels.push_back(part[i]);
      } else {
        refuse(std::string("'") + part[i] + "' is no letter");
      }
    }
    const int named = static_cast<int>(labels.size());
    if (rank && (has_ellipsis ? named > *rank : named != *rank))
      refuse("\"" + std::string(part) + "\" names " + std::to_string(named) +
             " axes of an array that has " + std::to_string(*rank));
    if (has_ellipsis) {
      const int count = rank ? *rank - named : ellipsis_rank_;
      ellipsis_rank_ = std::max(ellipsis_rank_, count);
      Labels unnamed;
      for (int i = 0; i < count; ++i) unnamed.push_back(first_of_ellipsis + count - 1 - i);
      labels.insert(labels.begin() + static_cast<std::ptrdiff_t>(at_ellipsis), unnamed.begin(),
                    unnamed.end());
    }
    return labels;
  }

  void read(std::span<const Array> arrays) {
    std::string text;
    for (const char c : subscripts_)
      if (c != ' ') text += c;
    const std::size_t arrow = text.find("->");
    std::string inputs = text.substr(0, arrow);
    std::vector<std::string> parts(1);
    for (const char c : inputs) {
      if (c == ',')
        parts.emplace_back();
      else
        parts.back() += c;
    }
    if (parts.size() != arrays.size() || arrays.empty())
      refuse(std::to_string(parts.size()) + " parts for " + std::to_string(arrays.size()) +
             " arrays");
    Scalar dtype = arrays[0].dtype().scalar();
    for (const Array& x : arrays) dtype = promote(dtype, x.dtype().scalar());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      Labels labels = labels_of(parts[i], arrays[i].rank());
      const Array x = in_dtype(arrays[i], dtype);
      note_lengths(x, labels);
      operands_.push_back({x, std::move(labels)});
    }
    if (arrow != std::string::npos)
      output_ = labels_of(text.substr(arrow + 2), std::nullopt);
    else
      output_ = implicit_output();
    for (std::size_t i = 0; i < output_.size(); ++i) {
      if (!lengths_.contains(output_[i])) refuse("the output has a letter that no array has");
      if (std::ranges::count(output_, output_[i]) > 1) refuse("the output has a letter twice");
    }
    // Axes of length 1 are broadcast.
    for (Operand& operand : operands_) broaden(operand);
  }
  void note_lengths(const Array& x, const Labels& labels) {
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const std::int64_t length = x.shape()[i];
      const auto [known, is_new] = lengths_.emplace(labels[i], length);
      if (is_new || known->second == length) continue;
      if (known->second != 1 && length != 1)
        throw ShapeError("einsum \"" + subscripts_ + "\": an axis of " + std::to_string(length) +
                             " elements has the letter of one of " + std::to_string(known->second),
                         "give them letters of their own");
      known->second = std::max(known->second, length);
    }
  }
  Labels implicit_output() const {
    std::map<Label, int> counts;
    for (const Operand& operand : operands_)
      for (const Label label : operand.labels) ++counts[label];
    Labels labels;
    for (int i = ellipsis_rank_; i-- > 0;) labels.push_back(first_of_ellipsis + i);
    for (const auto& [label, count] : counts)
      if (label < first_of_ellipsis && count == 1) labels.push_back(label);
    return labels;
  }
  void broaden(Operand& operand) {
    Shape shape;
    for (const Label label : operand.labels) shape.push_back(lengths_.at(label));
    if (!std::ranges::equal(shape, operand.array.shape()))
      operand.array = array::broadcast_to(operand.array, shape);
  }

  // Contracting.

  /// Whether the output or an operand beside `apart` has the label.
  bool is_needed(Label label, std::span<const Operand> apart) const {
    if (has(output_, label)) return true;
    for (const Operand& operand : operands_) {
      const bool is_apart =
          std::ranges::any_of(apart, [&](const Operand& own) { return &own == &operand; });
      if (!is_apart && has(operand.labels, label)) return true;
    }
    return false;
  }
  /// Takes diagonals of labels that come twice, and sums over those that nobody else has.
  void simplify(Operand& operand, std::span<const Operand> apart) {
    for (std::size_t i = 0; i < operand.labels.size(); ++i)
      for (std::size_t j = i + 1; j < operand.labels.size();) {
        if (operand.labels[j] != operand.labels[i]) {
          ++j;
          continue;
        }
        const Label label = operand.labels[i];
        operand.array = array::diagonal(operand.array, 0, static_cast<int>(i), static_cast<int>(j));
        operand.labels.erase(operand.labels.begin() + static_cast<std::ptrdiff_t>(j));
        operand.labels.erase(operand.labels.begin() + static_cast<std::ptrdiff_t>(i));
        operand.labels.push_back(label);
        i = 0, j = 1;
      }
    std::vector<int> summed;
    Labels left;
    for (std::size_t i = 0; i < operand.labels.size(); ++i)
      if (is_needed(operand.labels[i], apart))
        left.push_back(operand.labels[i]);
      else
        summed.push_back(static_cast<int>(i));
    if (summed.empty()) return;
    operand.array =
        array::sum(operand.array, {.axes = summed, .dtype = operand.array.dtype().scalar()});
    operand.labels = std::move(left);
  }

  double size_of(const Labels& labels) const {
    double size = 1;
    for (const Label label : labels) size *= static_cast<double>(lengths_.at(label));
    return size;
  }
  void contract_smallest() {
    std::size_t first = 0, second = 1;
    double least = -1;
    for (std::size_t i = 0; i < operands_.size(); ++i)
      for (std::size_t j = i + 1; j < operands_.size(); ++j) {
        const double size = size_of(joined_pair(i, j)) - size_of(operands_[i].labels) -
                            size_of(operands_[j].labels);
        if (least != -1 && size >= best_) continue;
        least = 0, best_ = size, first = i, second = j;
      }
    Operand made = contracted(first, second);
    operands_.erase(operands_.begin() + static_cast<std::ptrdiff_t>(second));
    operands_[first] = std::move(made);
    simplify(operands_[first], {&operands_[first], 1});
  }
  Labels joined_pair(std::size_t i, std::size_t j) const {
    Labels labels;
    for (const Labels* list : {&operands_[i].labels, &operands_[j].labels})
      for (const Label label : *list)
        if (!has(labels, label) && is_needed_beside(label, i, j)) labels.push_back(label);
    return labels;
  }
  bool is_needed_beside(Label label, std::size_t i, std::size_t j) const {
    if (has(output_, label)) return true;
    for (std::size_t k = 0; k < operands_.size(); ++k)
      if (k != i && k != j && has(operands_[k].labels, label)) return true;
    return false;
  }

  /// Two operands as one: a product of matrices, one for each value of the labels that stay.
  Operand contracted(std::size_t i, std::size_t j) const {
    const Operand &a = operands_[i], &b = operands_[j];
    Labels batch, own_a, own_b, summed;
    for (const Label label : a.labels) {
      if (!has(b.labels, label))
        own_a.push_back(label);
      else if (is_needed_beside(label, i, j))
        batch.push_back(label);
      else
        summed.push_back(label);
    }
    for (const Label label : b.labels)
      if (!has(a.labels, label)) own_b.push_back(label);
    Labels labels = batch;
    labels.insert(labels.end(), own_a.begin(), own_a.end());
    labels.insert(labels.end(), own_b.begin(), own_b.end());
    const auto extents = [&](std::initializer_list<const Labels*> lists) {
      Shape shape;
      for (const Labels* list : lists) shape.push_back(static_cast<std::int64_t>(size_of(*list)));
      return shape;
    };
    const Array left =
        array::reshape(ordered(a, {&batch, &own_a, &summed}), extents({&batch, &own_a, &summed}));
    const Array right =
        array::reshape(ordered(b, {&batch, &summed, &own_b}), extents({&batch, &summed, &own_b}));
    Shape shape;
    for (const Label label : labels) shape.push_back(lengths_.at(label));
    if (summed.empty())  // no sum, no product of matrices
      return {array::reshape(left * right, shape), labels};
    return {matrix_product(left, right, shape), labels};
  }
  Array ordered(const Operand& operand, std::initializer_list<const Labels*> lists) const {
    std::vector<int> order;
    for (const Labels* list : lists)
      for (const Label label : *list)
        order.push_back(
            static_cast<int>(std::ranges::find(operand.labels, label) - operand.labels.begin()));
    return std::ranges::is_sorted(order) ? operand.array
                                         : array::permute_dims(operand.array, order);
  }
  Array in_order(const Operand& operand) const { return ordered(operand, {&output_}); }

  const std::string subscripts_;
  std::vector<Operand> operands_;
  Labels output_;
  std::map<Label, std::int64_t> lengths_;
  int ellipsis_rank_ = 0;
  double best_ = 0;
};

}  // namespace

Array einsum(std::string_view subscripts, List<Array> operands) {
  const auto is_short = [](const Array& x) { return is_bfloat16(x.dtype()); };
  if (std::ranges::any_of(operands, is_short)) {  // sums in float32
    std::vector<Array> wide;
    for (const Array& x : operands)
      wide.push_back(is_short(x) ? array::cast(x, Scalar::float32) : x);
    const Array made = einsum(subscripts, wide);
    return std::ranges::all_of(operands, is_short) ? array::cast(made, bfloat16_dtype()) : made;
  }
  return Sum(subscripts, operands).result();
}

}  // namespace treadle::linalg
