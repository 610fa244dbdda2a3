// SPDX-License-Identifier: MIT
#include "tune/array_workloads.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "treadle/array/array.hpp"
#include "treadle/array/counting.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/cumulative.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/order_statistics.hpp"
#include "treadle/array/ordering.hpp"
#include "treadle/array/random.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/device/device.hpp"
#include "treadle/kernel/product.hpp"
#include "tune/sparse_workloads.hpp"

namespace treadle::tune {
namespace {

using array::Array;

/// The arrays that workloads read, and what they make of them.
class ArrayProblem {
 public:
  ArrayProblem(const std::shared_ptr<device::Stream>& stream, std::uint64_t elements)
      : stream_(stream),
        side_(std::max<std::int64_t>(
            64, static_cast<std::int64_t>(std::sqrt(double(elements))) / 64 * 64)) {
    std::mt19937 random(1);
    std::vector<float> values(static_cast<std::size_t>(side_ * side_));
    for (float& each : values) each = static_cast<float>(random() % 1000) / 16;
    square_ = array::reshape(Array::from(values), {side_, side_});
    flat_ = array::reshape(square_, {side_ * side_});
    other_ = Array::from(values);
    std::vector<std::uint32_t> keys(values.size());
    for (std::uint32_t& each : keys) each = static_cast<std::uint32_t>(random());
    keys_ = Array::from(keys);
  }

  std::vector<ArrayWorkload> elementwise() const {
    return {of("one input", [x = flat_] { return x * x + 1.0f; }),
            of("two inputs", [x = flat_, y = other_] { return 2.0f * x + y; }),
            of("rows", [x = square_, y = row()] { return (x - y) * y; }),
            of("random", [shape = array::Shape{side_, side_}, stream = stream_] {
              array::Generator generator(1, stream->device().shared_from_this());
              return generator.draw(RandomDraw::normal(Scalar::float32), shape);
            })};
  }
  std::vector<ArrayWorkload> transpose() const {
    return {of("copy", [x = square_] { return array::transpose(x) + 0.0f; }),
            of("sum", [x = square_] { return array::transpose(x) + x; })};
  }
  std::vector<ArrayWorkload> fold() const {
    return {of("all", [x = flat_] { return array::sum(x * 2.0f); }),
            of("rows", [x = square_] { return array::sum(x, {.axes = 1}); }),
            of("columns", [x = square_] { return array::sum(x, {.axes = 0}); }),
            of("short rows", [x = array::reshape(flat_, {side_ * side_ / 32, 32})] {
              return array::sum(x, {.axes = 1});
            })};
  }
  std::vector<ArrayWorkload> scan() const {
    return {of("all", [x = flat_] { return array::cumulative_sum(x); }),
            of("rows", [x = square_] { return array::cumulative_sum(x, {.axes = 1}); })};
  }
  std::vector<ArrayWorkload> sort() const {
    return {of("all", [x = keys_] { return array::sorted(x); }),
            of("rows", [x = array::reshape(keys_, {side_, side_})] { return array::sorted(x); })};
  }
  std::vector<ArrayWorkload> selection() const {
    return {of("largest", [x = flat_] { return array::top_k(x, 10).values; }),
            of("largest of rows", [x = square_] { return array::top_k(x, 32).values; }),
            of("median", [x = flat_] { return array::median(x); })};
  }
  std::vector<ArrayWorkload> counting() const {
    const auto bins = [&](std::int64_t count) {
      return of(std::to_string(count) + " bins", [x = flat_, count] {
        return array::histogram(x, {.count = count, .range = array::HistogramRange{0, 64}}).counts;
      });
    };
    return {bins(256), bins(4096)};
  }
  // By the generated kernel, also where a library would multiply.
  std::vector<ArrayWorkload> product() const {
    const auto one = [&](const std::string& name, std::int64_t side, bool is_transposed) {
      const Array x = flat_, z = array::zeros({side, side}, Scalar::float32);
      const auto queue = [=, stream = stream_] {
        const kernel::ProductOperand rows{x.location(), side, 1}, columns{x.location(), 1, side};
        const auto count = static_cast<std::uint64_t>(side);
        kernel::launch_product(*stream, {.dtype = Scalar::float32,
                                         .m = count,
                                         .n = count,
                                         .k = count,
                                         .x = rows,
                                         .y = is_transposed ? columns : rows,
                                         .z = z.location()});
      };
      return ArrayWorkload{name, elements(), queue, [=] { return some_numbers(z); }};
    };
    return {one("square", side_, false), one("by transposed", side_, true),
            one("odd extents", side_ - 3, false)};
  }

 private:
  std::uint64_t elements() const { return static_cast<std::uint64_t>(side_ * side_); }
  Array row() const { return Array::from(std::vector<float>(static_cast<std::size_t>(side_), 3)); }

  ArrayWorkload of(std::string name, std::function<Array()> made_by) const {
    const auto last = std::make_shared<Array>();
    return {std::move(name), elements(),
            [made_by = std::move(made_by), last] {
              *last = Array();
              *last = made_by();
              last->buffer();  // it is computed
            },
            [last] { return some_numbers(*last); }};
  }

  std::shared_ptr<device::Stream> stream_;
  std::int64_t side_;
  Array square_, flat_, other_, keys_;
};

}  // namespace

std::vector<double> some_numbers(const Array& x) {
  std::vector<double> made;
  const auto take = [&](const auto& values) {
    const std::size_t step = values.size() / 4096 + 1;
    for (std::size_t k = 0; k < values.size(); k += step)
      made.push_back(static_cast<double>(values[k]));
  };
  if (x.dtype() == DType(Scalar::float32))
    take(x.as<float>());
  else if (x.dtype() == DType(Scalar::float64))
    take(x.as<double>());
  else if (x.dtype() == DType(Scalar::int64))
    take(x.as<std::int64_t>());
  else
    take(x.as<std::uint32_t>());
  return made;
}

std::vector<std::uint64_t> array_sizes(const std::string& family, device::DeviceKind kind) {
  const bool is_cpu = kind == device::DeviceKind::cpu;
  if (family == "product")
    return is_cpu ? std::vector<std::uint64_t>{1 << 12, 1 << 16, 1 << 20}
                  : std::vector<std::uint64_t>{1 << 16, 1 << 20, 1 << 24};
  if (family == "conjugate")  // rows: those of one group, of groups that meet, and more
    return is_cpu ? std::vector<std::uint64_t>{1 << 9, 1 << 12, 1 << 15, 1 << 18}
                  : std::vector<std::uint64_t>{1 << 9, 1 << 12, 1 << 14, 1 << 18, 1 << 20};
  return is_cpu ? std::vector<std::uint64_t>{1 << 12, 1 << 17, 1 << 21, 1 << 24}
                : std::vector<std::uint64_t>{1 << 14, 1 << 19, 1 << 25};
}

std::vector<ArrayWorkload> array_workloads(const std::string& family,
                                           const std::shared_ptr<device::Stream>& stream,
                                           std::uint64_t elements) {
  if (family == "sparse") return sparse_workloads(stream, elements);
  if (family == "conjugate") return conjugate_workloads(stream, elements);
  const ArrayProblem problem(stream, elements);
  if (family == "elementwise") return problem.elementwise();
  if (family == "transpose") return problem.transpose();
  if (family == "fold") return problem.fold();
  if (family == "scan") return problem.scan();
  if (family == "sort") return problem.sort();
  if (family == "selection") return problem.selection();
  if (family == "counting") return problem.counting();
  return problem.product();
}

}  // namespace treadle::tune
