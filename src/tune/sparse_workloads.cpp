// SPDX-License-Identifier: MIT
#include "tune/sparse_workloads.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <utility>

#include "treadle/array/array.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/kernel/conjugate_steps.hpp"
#include "treadle/kernel/sparse_product.hpp"
#include "treadle/kernel/tiling.hpp"

namespace treadle::tune {
namespace {

using array::Array;

/// Steps of a measurement: far from the end, and enough that the copies before them are little.
constexpr std::int64_t steps = 16;
/// Orders of rows that are kept: one each for some tilings that take turns.
constexpr std::size_t most_orders = 8;

/// A matrix in compressed rows, whose rows' lengths follow a power law: many of two entries, few of
/// thousands.
class PowerLawRows {
 public:
  PowerLawRows(const std::shared_ptr<device::Stream>& stream, std::uint64_t entries)
      : stream_(stream) {
    std::mt19937 random(1);
    std::vector<std::int64_t> starts{0};
    while (starts.back() < static_cast<std::int64_t>(entries)) {
      const double part = double(random() % 1000000 + 1) / 1e6;
      const auto length = static_cast<std::int64_t>(std::min(2 / part, double(entries) / 4));
      lengths_.push_back(std::min(length, static_cast<std::int64_t>(entries) - starts.back()));
      starts.push_back(starts.back() + lengths_.back());
    }
    std::vector<float> data(entries), vector(lengths_.size());
    std::vector<std::int32_t> columns(entries);
    for (float& each : data) each = static_cast<float>(random() % 1000) / 16;
    for (float& each : vector) each = static_cast<float>(random() % 1000) / 16;
    for (std::int32_t& each : columns) each = static_cast<std::int32_t>(random() % lengths_.size());
    data_ = Array::from(data);
    vector_ = Array::from(vector);
    columns_ = Array::from(columns);
    starts_ = Array::from(starts);
    result_ = array::zeros({vector_.size()}, Scalar::float32);
  }

  void queue() {
    kernel::SparseProduct what{.form = {.stored = Scalar::float32, .dtype = Scalar::float32},
                               .rows = lengths_.size(),
                               .columns = lengths_.size(),
                               .entries = static_cast<std::uint64_t>(data_.size())};
    kernel::SparseProductArguments given{
        .data = data_, .columns = columns_, .starts = starts_, .x = vector_, .result = result_};
    const codegen::Tiling& tiling = kernel::tiling_of(stream_->device());
    if (codegen::can_go_by_length(what.form, tiling)) {
      const auto& [classes, order] = ordered(codegen::longest_rows(tiling));
      what.classes = classes;
      given.order = order;
    }
    kernel::launch_sparse_product(*stream_, what, given);
  }
  const Array& result() const { return result_; }

 private:
  using Longest = decltype(codegen::longest_rows({}));
  using Ordered = std::pair<kernel::RowClasses, Array>;
  const Ordered& ordered(const Longest& longest) {
    if (const auto found = orders_.find(longest); found != orders_.end()) return found->second;
    if (orders_.size() == most_orders) orders_.clear();
    kernel::RowClasses classes;
    const auto class_of = [&](std::int64_t length) {
      return std::ranges::count_if(longest, [&](std::int64_t most) { return length <= most; });
    };
    std::vector<std::int32_t> order(lengths_.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::int32_t row) {
      return class_of(lengths_[static_cast<std::size_t>(row)]);
    });
    for (const std::int64_t length : lengths_)
      ++classes.counts[static_cast<std::size_t>(class_of(length))];
    if (classes.counts[0] != 0)
      classes.pieces = codegen::row_pieces(std::ranges::max(lengths_), longest[0], data_.size(),
                                           static_cast<std::int64_t>(classes.counts[0]));
    return orders_.emplace(longest, Ordered(classes, Array::from(order))).first->second;
  }

  std::shared_ptr<device::Stream> stream_;
  std::vector<std::int64_t> lengths_;
  Array data_, vector_, columns_, starts_, result_;
  std::map<Longest, Ordered> orders_;
};

/// A matrix of so many diagonals side by side.
ArrayWorkload diagonals(const std::shared_ptr<device::Stream>& stream, std::uint64_t entries,
                        std::int64_t count) {
  const std::int64_t rows = std::max<std::int64_t>(static_cast<std::int64_t>(entries) / count, 64);
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(count));
  std::iota(offsets.begin(), offsets.end(), -count / 2);
  const Array data = array::full({count * rows}, 0.5f), x = array::full({rows}, 3.0f),
              which = Array::from(offsets), result = array::zeros({rows}, Scalar::float32);
  const auto queue = [=] {
    const bool is_written = count <= kernel::tiling_of(stream->device()).sparse_diagonals;
    kernel::launch_sparse_product(
        *stream,
        {.form = {.layout = codegen::SparseLayout::diagonals,
                  .stored = Scalar::float32,
                  .dtype = Scalar::float32,
                  .shift_count = is_written ? static_cast<unsigned>(count) : 0},
         .rows = static_cast<std::uint64_t>(rows),
         .columns = static_cast<std::uint64_t>(rows),
         .entries = static_cast<std::uint64_t>(count * rows),
         .pitch = rows,
         .depth = count},
        {.data = data, .columns = which, .starts = device::Location{}, .x = x, .result = result});
  };
  return {std::to_string(count) + " diagonals", entries, queue,
          [=] { return some_numbers(result); }};
}

}  // namespace

std::vector<ArrayWorkload> sparse_workloads(const std::shared_ptr<device::Stream>& stream,
                                            std::uint64_t entries) {
  const auto rows = std::make_shared<PowerLawRows>(stream, entries);
  return {{"rows of a power law", entries, [=] { rows->queue(); },
           [=] { return some_numbers(rows->result()); }},
          diagonals(stream, entries, 5),
          diagonals(stream, entries, 48)};
}

std::vector<ArrayWorkload> conjugate_workloads(const std::shared_ptr<device::Stream>& stream,
                                               std::uint64_t rows) {
  std::mt19937 random(1);
  std::vector<double> data, b(rows);
  std::vector<std::int32_t> columns;
  std::vector<std::int64_t> starts{0};
  double square = 0;
  for (std::uint64_t row = 0; row < rows; ++row) {
    for (std::uint64_t k = row == 0 ? 0 : row - 1; k < std::min(rows, row + 2); ++k) {
      columns.push_back(static_cast<std::int32_t>(k));
      data.push_back(k == row ? 2.02 : -1);
    }
    starts.push_back(static_cast<std::int64_t>(data.size()));
    b[row] = double(random() % 1000) / 16;
    square += b[row] * b[row];
  }
  std::vector<double> state(2 * static_cast<std::size_t>(codegen::ConjugateState::count));
  const auto set = [&](codegen::ConjugateState which, double value) {
    state[static_cast<std::size_t>(which)] = value;
  };
  set(codegen::ConjugateState::rz, square);
  set(codegen::ConjugateState::norm, std::sqrt(square));
  set(codegen::ConjugateState::end, static_cast<double>(codegen::ConjugateEnd::running));
  const kernel::ConjugateSteps what{
      .product = {.form = {}, .rows = rows, .columns = rows, .entries = data.size()}};
  const Array a = Array::from(data), which = Array::from(columns), first = Array::from(starts),
              side = Array::from(b), begin = Array::from(state), product = array::zeros_like(side);
  const auto solution = std::make_shared<Array>();
  const auto queue = [=] {
    *solution = array::zeros_like(side);
    kernel::launch_conjugate_steps(*stream, what,
                                   {.data = a,
                                    .columns = which,
                                    .starts = first,
                                    .direction = array::dense_copy(side),
                                    .product = product,
                                    .residual = array::dense_copy(side),
                                    .solution = *solution,
                                    .factor = device::Location{},
                                    .state = array::dense_copy(begin)},
                                   steps);
  };
  return {{"tridiagonal", rows, queue, [=] { return some_numbers(*solution); }}};
}

}  // namespace treadle::tune
