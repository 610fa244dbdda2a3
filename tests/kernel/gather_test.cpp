// SPDX-License-Identifier: MIT
// Elements at places that an expression computes, on every device, in both schedules.
#include <gtest/gtest.h>

#include "kernel/reference/interpret.hpp"
#include "treadle/kernel/reduction.hpp"
#include "views.hpp"

namespace treadle::kernel {
namespace {

using codegen::Expression;
using codegen::ExpressionBuilder;
using codegen::Value;

/// An index space, where in it a source or a target lies before the offsets are added, and where
/// the offsets lie, in elements.
struct Example {
  Extents extents, places, offsets;
};

const std::vector<Example>& examples() {
  static const std::vector<Example> all = {
      {{1}, {0}, {1}},
      {{5000}, {0}, {1}},             // x[i]
      {{30, 200}, {0, 1}, {1, 0}},    // rows: x[i, :]
      {{30, 200}, {200, 0}, {0, 1}},  // columns: x[:, i]
      {{30, 7}, {-20, 2}, {7, 1}},    // decoded element by element
      {{3, 40, 2, 9}, {0, 1, 0, 40}, {2, 0, 1, 0}},
      {{33, 34}, {1, 33}, {34, 1}},  // x lies across z
      {{33, 34}, {0, 0}, {1, 33}},   // the offsets do
      {{0, 4}, {0, 1}, {1, 0}},
  };
  return all;
}

class GatherTest : public testing::TestWithParam<DeviceAndSchedule> {
 protected:
  void SetUp() override {
    device_ = device::find_device(std::get<0>(GetParam()));
    stream_ = device_->make_stream();
  }
  /// Runs an expression of memory that is written, memory that is read, and offsets.
  void run(const Expression& expression, const Example& example, View<float>& z, View<float>& x,
           View<std::int64_t>& offsets) {
    const memory::Buffer to(device_, z.memory), from(device_, x.memory),
        by(device_, offsets.memory);
    const Extents z_strides = in_bytes(z.strides, 4), x_strides = in_bytes(x.strides, 4),
                  by_strides = in_bytes(offsets.strides, 8);
    const ElementwiseArray into{to.location() + 4u * static_cast<std::uint64_t>(z.first),
                                z_strides},
        read{from.location() + 4u * static_cast<std::uint64_t>(x.first), x_strides},
        places{by.location() + 8u * static_cast<std::uint64_t>(offsets.first), by_strides};
    const ElementwiseArray arrays[] = {into, places, read};
    launch_elementwise(*stream_,
                       {expression, example.extents, arrays, {}, std::get<1>(GetParam())});
    stream_->synchronize();
    to.copy_to(z.memory);
  }
  /// The results of a reduction of memory that is read at offsets; 0 where nothing runs.
  std::vector<double> folded(Reduction reduction, const Example& example,
                             const std::vector<std::size_t>& axes, const View<float>& x,
                             const View<std::int64_t>& offsets, std::size_t count) {
    const memory::Buffer from(device_, x.memory), by(device_, offsets.memory),
        to(device_, std::vector<double>(count));
    const Extents x_strides = in_bytes(x.strides, 4), by_strides = in_bytes(offsets.strides, 8);
    Extents kept;
    for (std::size_t axis = 0; axis < example.extents.size(); ++axis)
      if (std::ranges::find(axes, axis) == axes.end()) kept.push_back(example.extents[axis]);
    const Extents z_strides = in_bytes(c_order(kept), 8);
    const ElementwiseArray arrays[] = {
        {by.location() + 8u * static_cast<std::uint64_t>(offsets.first), by_strides},
        {from.location() + 4u * static_cast<std::uint64_t>(x.first), x_strides},
        {to.location(), z_strides}};
    ExpressionBuilder build;
    const Value element = build.gather(Scalar::float32, build.leaf(Scalar::int64));
    build.output(build.step(Op::add, Scalar::float32, {element, element}));
    codegen::ReductionExpression expression = codegen::reduction_of(reduction, build.build());
    ExpressionBuilder epilogue;
    epilogue.output(epilogue.cast(epilogue.leaf(expression.folded_dtype(0)), Scalar::float64));
    expression.epilogue = epilogue.build();
    launch_reduction(*stream_,
                     {expression, example.extents, axes, arrays, {}, std::get<1>(GetParam())});
    stream_->synchronize();
    std::vector<double> results(count);
    to.copy_to(results);
    return results;
  }
  static std::size_t place(const View<float>& view, const Extents& index, std::int64_t offset) {
    return static_cast<std::size_t>(
        std::inner_product(index.begin(), index.end(), view.strides.begin(), view.first + offset));
  }
  bool runs_kernels() const { return device_->info().traits.runs_kernels; }

 private:
  std::shared_ptr<device::Device> device_;
  std::shared_ptr<device::Stream> stream_;
};
INSTANTIATE_TEST_SUITE_P(Devices, GatherTest, each_device_and_schedule(), schedule_test_name);

/// z = x[offset] + x[offset]
Expression gathering() {
  ExpressionBuilder build;
  const Value x = build.gather(Scalar::float32, build.leaf(Scalar::int64));
  build.output(build.step(Op::add, Scalar::float32, {x, x}));
  return build.build();
}
/// z[offset] = x
Expression scattering() {
  ExpressionBuilder build;
  build.scatter(build.leaf(Scalar::int64));
  build.output(build.leaf(Scalar::float32));
  return build.build();
}

TEST_P(GatherTest, ReadsElementsAtComputedPlaces) {
  for (const Example& example : examples()) {
    View<float> z = view_of<float>(example.extents, c_order(example.extents), 1);
    View<float> x = view_of<float>(example.extents, example.places, 2);
    View<std::int64_t> offsets = view_of<std::int64_t>(example.extents, example.offsets, 3);
    x.memory.insert(x.memory.begin(), 8, 3.f);
    x.memory.insert(x.memory.end(), 8, 4.f);
    x.first += 8;
    View<float> expected = z;
    visit(example.extents, [&](const Extents& index) {
      element(expected, index) = 2 * x.memory[place(x, index, element(offsets, index))];
    });
    run(gathering(), example, z, x, offsets);
    if (runs_kernels()) {
      EXPECT_EQ(z.memory, expected.memory);
    }
  }
}

TEST_P(GatherTest, StoresElementsAtComputedPlacesUnlessTheyAreBelowZero) {
  for (const Example& example : examples()) {
    View<float> x = view_of<float>(example.extents, c_order(example.extents), 2);
    View<float> z = view_of<float>(example.extents, example.places, 1);
    View<std::int64_t> offsets = view_of<std::int64_t>(example.extents, example.offsets, 3);
    // Every place is named once: behind each other's last element, a few left out.
    const auto behind = static_cast<std::int64_t>(z.memory.size());
    for (std::size_t i = 0; i < offsets.memory.size(); ++i)
      offsets.memory[i] = i % 7 == 3 ? -1 : static_cast<std::int64_t>(i) * behind;
    z.memory.resize(z.memory.size() * (offsets.memory.size() + 1), 0);
    View<float> expected = z;
    visit(example.extents, [&](const Extents& index) {
      if (element(offsets, index) < 0) return;
      expected.memory[place(z, index, element(offsets, index))] = element(x, index);
    });
    run(scattering(), example, z, x, offsets);
    if (runs_kernels()) {
      EXPECT_EQ(z.memory, expected.memory);
    }
  }
}

/// Folds x[offset] + x[offset] along axes; where places are folded, the first greatest one is
/// wanted.
TEST_P(GatherTest, ReductionsReadElementsAtComputedPlaces) {
  for (const Example& example : examples()) {
    const std::size_t rank = example.extents.size();
    if (example.extents[0] == 0) continue;
    for (const std::size_t along : {std::size_t{0}, rank - 1}) {
      if (along != 0 && rank == 4) continue;  // as with two axes
      const std::vector<std::size_t> axes{along};
      const Reduction reduction = axes[0] == 0 ? Reduction::sum : Reduction::argmax;
      View<float> x = view_of<float>(example.extents, example.places, 2);
      View<std::int64_t> offsets = view_of<std::int64_t>(example.extents, example.offsets, 3);
      x.memory.insert(x.memory.begin(), 8, 3.f);
      x.memory.insert(x.memory.end(), 8, 4.f);
      x.first += 8;
      Extents kept = example.extents;
      for (const std::size_t axis : axes) kept[axis] = 1;
      View<double> expected = view_of<double>(kept, c_order(kept), 1);
      View<double> best = expected;
      std::ranges::fill(expected.memory, 0);
      std::ranges::fill(best.memory, -1e9);
      visit(example.extents, [&](const Extents& index) {
        Extents to = index;
        for (const std::size_t axis : axes) to[axis] = 0;
        const double value = 2 * x.memory[place(x, index, element(offsets, index))];
        if (reduction == Reduction::sum) {
          element(expected, to) += value;
        } else if (value > element(best, to)) {
          element(best, to) = value;
          element(expected, to) = static_cast<double>(index[axes[0]]);
        }
      });
      const std::vector<double> got =
          folded(reduction, example, axes, x, offsets, expected.memory.size());
      if (runs_kernels()) {
        EXPECT_EQ(got, expected.memory)
            << testing::PrintToString(example.extents) << testing::PrintToString(axes);
      }
    }
  }
}

TEST(Gather, IsInterpretedOnTheHost) {
  const std::vector<float> x = {0, 1, 2, 3};
  const std::vector<std::int64_t> offsets = {2, -1, 0};
  std::vector<float> gathered(3), scattered(4, 9);
  const Layout all = Layout::contiguous(Extents{3}, 4), first(Extents{3}, Extents{0}, 4);
  const HostInput places{offsets.data(), Layout::contiguous(Extents{3}, 8)};
  const HostInput from[] = {places, {x.data(), first}}, values[] = {places, {x.data(), all}};
  const HostOutput into[] = {{gathered.data(), all}}, to[] = {{scattered.data(), first}};
  interpret(gathering(), from, {}, into);
  EXPECT_EQ(gathered, (std::vector<float>{6, 0, 2}));
  interpret(scattering(), values, {}, to);
  EXPECT_EQ(scattered, (std::vector<float>{9, 2, 9, 0}));
}

TEST(Gather, ExpressionsOfItAreChecked) {
  Expression expression = gathering();
  expression.leaves[1].is_gathered = false;
  EXPECT_THROW(expression.require_valid(), InvalidArgument);
  ExpressionBuilder wrong;
  wrong.output(wrong.gather(Scalar::float32, wrong.leaf(Scalar::int32)));
  EXPECT_THROW(wrong.build(), InvalidArgument);
  ExpressionBuilder two = ExpressionBuilder();
  const Value place = two.leaf(Scalar::int64);
  two.scatter(place);
  two.output(place);
  two.output(place);
  EXPECT_THROW(two.build(), InvalidArgument);
  EXPECT_NE(gathering().key(), scattering().key());
}

}  // namespace
}  // namespace treadle::kernel
