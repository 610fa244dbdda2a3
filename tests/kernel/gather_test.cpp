// SPDX-License-Identifier: MIT
// Elements at places that an expression computes, on every device, in both schedules.
#include <gtest/gtest.h>

#include "treadle/kernel/interpret.hpp"
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
