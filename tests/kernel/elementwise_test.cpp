// SPDX-License-Identifier: MIT
// Expressions on every device, in both schedules, against a loop on the host.
#include "treadle/kernel/elementwise.hpp"

#include <gtest/gtest.h>

#include "views.hpp"

namespace treadle::kernel {
namespace {

using codegen::Expression;
using codegen::ExpressionBuilder;
using codegen::SpaceKind;
using codegen::Value;

class ElementwiseTest : public testing::TestWithParam<DeviceAndSchedule> {
 protected:
  void SetUp() override {
    device_ = device::find_device(std::get<0>(GetParam()));
    stream_ = device_->make_stream();
  }
  Schedule schedule() const { return std::get<1>(GetParam()); }
  device::Device& device() const { return *device_; }
  device::Stream& stream() const { return *stream_; }
  bool runs_kernels() const { return device_->info().traits.runs_kernels; }

  /// Runs an expression with one output on views, and compares all of the output's memory.
  template <class Out, class In>
  void expect_computes(const Expression& expression, const Extents& extents, View<Out> out,
                       std::vector<View<In>> in, const std::vector<ElementBytes>& scalars,
                       const std::function<Out(const std::vector<In>&)>& compute) {
    std::vector<memory::Buffer> buffers{{device_, out.memory}};
    for (const auto& view : in) buffers.emplace_back(device_, view.memory);
    std::vector<ElementwiseArray> arrays;
    std::vector<Extents> strides{in_bytes(out.strides, sizeof(Out))};
    for (const auto& view : in) strides.push_back(in_bytes(view.strides, sizeof(In)));
    arrays.push_back(
        {buffers[0].location() + static_cast<std::uint64_t>(out.first) * sizeof(Out), strides[0]});
    for (std::size_t k = 0; k < in.size(); ++k)
      arrays.push_back(
          {buffers[k + 1].location() + static_cast<std::uint64_t>(in[k].first) * sizeof(In),
           strides[k + 1]});
    launch_elementwise(stream(), {expression, extents, arrays, scalars, schedule()});
    stream().synchronize();
    visit(extents, [&](const Extents& index) {
      std::vector<In> values;
      for (auto& view : in) values.push_back(element(view, index));
      element(out, index) = compute(values);
    });
    std::vector<Out> got(out.memory.size());
    buffers[0].copy_to(got);
    if (runs_kernels()) {
      EXPECT_EQ(got, out.memory);
    }
  }

  /// z = a * x + y of any dtype, in which small integers are exact.
  template <class T>
  void expect_scales_and_adds(const Extents& extents, const Extents& z, const Extents& x,
                              const Extents& y) {
    const Scalar dtype = dtype_of<T>().scalar();
    ExpressionBuilder build;
    const Value product = build.step(Op::multiply, dtype, {build.scalar(dtype), build.leaf(dtype)});
    build.output(build.step(Op::add, dtype, {product, build.leaf(dtype)}));
    expect_computes<T, T>(
        build.build(), extents, view_of<T>(extents, z, 1),
        {view_of<T>(extents, x, 2), view_of<T>(extents, y, 3)}, {scalar_bytes(static_cast<T>(3))},
        [](const std::vector<T>& v) { return static_cast<T>(static_cast<T>(3 * v[0]) + v[1]); });
  }

  memory::Buffer buffer(const std::vector<float>& values) const { return {device_, values}; }
  std::vector<float> contents(const memory::Buffer& memory) const {
    std::vector<float> values(memory.size_bytes() / sizeof(float));
    memory.copy_to(values);
    return values;
  }

 private:
  std::shared_ptr<device::Device> device_;
  std::shared_ptr<device::Stream> stream_;
};
INSTANTIATE_TEST_SUITE_P(Devices, ElementwiseTest, each_device_and_schedule(), schedule_test_name);

TEST_P(ElementwiseTest, LinearOfAnyLength) {
  for (const std::int64_t n : {0, 1, 2, 255, 256, 1023, 1024, 1025, 4096, 65535, 65536, 70001})
    expect_scales_and_adds<float>({n}, {1}, {1}, {1});
}

TEST_P(ElementwiseTest, LinearOfAnyDtype) {
  for (const std::int64_t n : {1, 4095, 4097, 9000}) {
    expect_scales_and_adds<double>({n}, {1}, {1}, {1});
    expect_scales_and_adds<std::int64_t>({n}, {1}, {1}, {1});
    expect_scales_and_adds<std::int32_t>({n}, {1}, {1}, {1});
    expect_scales_and_adds<std::uint16_t>({n}, {1}, {1}, {1});
    expect_scales_and_adds<std::int8_t>({n}, {1}, {1}, {1});
  }
}

TEST_P(ElementwiseTest, LinearWithStepsAndBroadcastElements) {
  for (const std::int64_t n : {1, 1000, 5000}) {
    expect_scales_and_adds<float>({n}, {1}, {0}, {1});
    expect_scales_and_adds<float>({n}, {1}, {1}, {-1});
    expect_scales_and_adds<float>({n}, {3}, {2}, {0});
    expect_scales_and_adds<float>({n}, {-1}, {-1}, {-1});
  }
}

TEST_P(ElementwiseTest, RowsOfAnyLength) {
  for (const std::int64_t inner : {128, 129, 200, 1000, 1024, 1030, 3000})
    for (const std::int64_t rows : {2, 3, 37}) {
      const Extents whole{inner, 1};
      expect_scales_and_adds<float>({rows, inner}, whole, {0, 1}, {1, 0});
      expect_scales_and_adds<float>({rows, inner}, {inner + 4, 1}, {inner + 8, 1}, whole);
      expect_scales_and_adds<std::int8_t>({rows, inner}, whole, {inner + 3, 1}, {1, 0});
    }
}

TEST_P(ElementwiseTest, RowsUnderManyAxes) {
  const Extents extents{2, 3, 4, 150};
  expect_scales_and_adds<float>(extents, c_order(extents), {0, 150, 0, 1},
                                {4 * 301, -301, 8 * 301, 2});
}

TEST_P(ElementwiseTest, StridedOfAnyRank) {
  for (const Extents& extents : std::vector<Extents>{
           {300, 20}, {7, 3}, {5, 6, 7}, {2, 3, 4, 5}, {2, 3, 2, 3, 2}, {2, 2, 3, 2, 2, 3}}) {
    Extents reversed(extents.rbegin(), extents.rend()), transposed = c_order(reversed),
                                                        gaps = c_order(extents);
    std::ranges::reverse(transposed);
    for (auto& stride : gaps) stride = stride * 2 + 1;
    Extents broadcast = c_order(extents);
    broadcast.back() = 0;
    expect_scales_and_adds<float>(extents, c_order(extents), transposed, broadcast);
    expect_scales_and_adds<float>(extents, transposed, gaps, Extents(extents.size(), 0));
  }
}

TEST_P(ElementwiseTest, TiledWhereInputsLieAcross) {
  for (const auto& [rows, columns] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {32, 32}, {33, 64}, {100, 45}, {31, 64}}) {
    const Extents whole{columns, 1}, across{1, rows};
    expect_scales_and_adds<float>({rows, columns}, whole, across, whole);
    expect_scales_and_adds<double>({rows, columns}, whole, across, across);
    expect_scales_and_adds<std::int8_t>({rows, columns}, whole, across, {0, 1});
    expect_scales_and_adds<std::int16_t>({rows, columns}, {2 * columns, 2}, across, {1, 0});
  }
  const Extents extents{3, 40, 2, 50};
  expect_scales_and_adds<float>(extents, c_order(extents), {40 * 2 * 50, 1, 40 * 50, 40},
                                {0, 1, 80, 160});
}

TEST_P(ElementwiseTest, WritesInPlace) {
  ExpressionBuilder build;
  const Value z = build.leaf(Scalar::float32, 0), x = build.leaf(Scalar::float32);
  build.output(build.step(Op::subtract, Scalar::float32, {x, z}));
  for (const auto& [extents, strides] : std::vector<std::pair<Extents, Extents>>{
           {{5000}, {1}}, {{40, 50}, {100, 2}}, {{9, 200}, {200, 1}}}) {
    View<float> target = view_of<float>(extents, strides, 1);
    View<float> before = target;
    expect_computes<float, float>(
        build.build(), extents, target, {view_of<float>(extents, Extents(extents.size(), 0), 2)},
        {}, [&, i = 0](const std::vector<float>& v) mutable {
          // Elements come in the order of the index.
          Extents index(extents.size());
          for (std::size_t axis = extents.size(), rest = static_cast<std::size_t>(i++);
               axis-- > 0;) {
            const auto extent = static_cast<std::size_t>(extents[axis]);
            index[axis] = static_cast<std::int64_t>(rest % extent);
            rest /= extent;
          }
          return v[0] - element(before, index);
        });
  }
}

TEST_P(ElementwiseTest, KnowsThePositionWhateverTheOrder) {
  ExpressionBuilder build;
  build.output(build.position());
  for (const auto& [extents, strides] : std::vector<std::pair<Extents, Extents>>{
           {{5000}, {1}}, {{5000}, {-1}}, {{40, 50}, {1, 40}}, {{3, 200}, {200, 1}}}) {
    std::int64_t next = 0;
    expect_computes<std::int64_t, float>(build.build(), extents,
                                         view_of<std::int64_t>(extents, strides, 1), {}, {},
                                         [&](const auto&) { return next++; });
  }
}

TEST_P(ElementwiseTest, StoresSeveralOutputsOfSeveralDtypes) {
  ExpressionBuilder build;
  const Value x = build.leaf(Scalar::float32), y = build.leaf(Scalar::float32);
  build.output(build.step(Op::add, Scalar::float32, {x, y}));
  build.output(build.step(Op::less, Scalar::boolean, {x, y}));
  build.output(build.cast(build.step(Op::multiply, Scalar::float32, {x, y}), Scalar::float64));
  const Expression expression = build.build();
  constexpr std::size_t n = 3000;
  std::vector<float> a(n), b(n);
  for (std::size_t i = 0; i < n; ++i) a[i] = float(i % 13), b[i] = float(i % 7);
  const auto shared = device().shared_from_this();
  const memory::Buffer in_a(shared, a), in_b(shared, b), sum(shared, n * 4), less(shared, n),
      product(shared, n * 8);
  const Extents extents{n}, one{1}, four{4}, eight{8};
  const ElementwiseArray arrays[] = {{sum.location(), four},
                                     {less.location(), one},
                                     {product.location(), eight},
                                     {in_a.location(), four},
                                     {in_b.location(), four}};
  launch_elementwise(stream(), {expression, extents, arrays, {}, schedule()});
  stream().synchronize();
  std::vector<float> sums(n);
  std::vector<std::uint8_t> lesses(n);
  std::vector<double> products(n);
  sum.copy_to(sums);
  less.copy_to(lesses);
  product.copy_to(products);
  if (!runs_kernels()) return;
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_EQ(sums[i], a[i] + b[i]);
    ASSERT_EQ(lesses[i], a[i] < b[i] ? 1 : 0);
    ASSERT_EQ(products[i], double(a[i]) * double(b[i]));
  }
}

TEST_P(ElementwiseTest, MovesRecordsWhole) {
  struct Sample {
    float at;
    std::int16_t count;
  };
  const std::pair<std::string, DType> fields[] = {{"at", Scalar::float32},
                                                  {"count", Scalar::int16}};
  const DType sample = DType::c_structure("sample", fields);
  ExpressionBuilder build;
  build.output(build.leaf(sample));
  std::vector<Sample> from(100);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = {float(i), std::int16_t(2 * i)};
  const auto shared = device().shared_from_this();
  const memory::Buffer in(shared, from), out(shared, from.size() / 2 * sizeof(Sample));
  const Extents extents{50}, one{sizeof(Sample)}, two{2 * sizeof(Sample)};
  const ElementwiseArray arrays[] = {{out.location(), one}, {in.location(), two}};
  launch_elementwise(stream(), {build.build(), extents, arrays, {}, schedule()});
  stream().synchronize();
  std::vector<Sample> got(50);
  out.copy_to(got);
  if (!runs_kernels()) return;
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i].at, float(2 * i));
    ASSERT_EQ(got[i].count, std::int16_t(4 * i));
  }
}

/// z = x + x, with launches of it.
class OnePlan : public ElementwiseTest {
 protected:
  void SetUp() override {
    ElementwiseTest::SetUp();
    ExpressionBuilder build;
    const Value x = build.leaf(Scalar::float32);
    build.output(build.step(Op::add, Scalar::float32, {x, x}));
    twice_ = build.build();
  }
  const ElementwisePlan& plan(const Extents& extents, const Extents& in) {
    const auto shared = device().shared_from_this();
    const memory::Buffer z(shared, 4000 * 4), x(shared, 4000 * 4);
    const Extents z_strides = in_bytes(c_order(extents), 4), x_strides = in_bytes(in, 4);
    const ElementwiseArray arrays[] = {{z.location(), z_strides}, {x.location(), x_strides}};
    return plan_elementwise(device(), {twice_, extents, arrays, {}, schedule()});
  }
  const Expression& twice() const { return twice_; }

 private:
  Expression twice_;
};
INSTANTIATE_TEST_SUITE_P(Devices, OnePlan, each_device_and_schedule(), schedule_test_name);

TEST_P(OnePlan, ServesEveryExtentAndStride) {
  const ElementwisePlan* const linear = &plan({1000}, {1});
  EXPECT_EQ(&plan({40, 50}, {50, 1}), linear);
  EXPECT_EQ(&plan({}, {}), linear);
  EXPECT_EQ(&plan({0}, {1}), linear);
  const ElementwisePlan* const rows = &plan({10, 200}, {0, 1});
  EXPECT_NE(rows, linear);
  EXPECT_EQ(&plan({20, 160}, {320, 1}), rows);
  EXPECT_EQ(linear->text.name, "add_f32");
  EXPECT_NE(linear->text.text.find("z = add(x, x)"), std::string::npos) << linear->text.text;
}

TEST_P(OnePlan, IsMadeOnceForManyThreads) {
  ExpressionBuilder build;
  Value x = build.leaf(Scalar::float32);
  for (int i = 0; i < 7; ++i) x = build.step(Op::add, Scalar::float32, {x, x});
  build.output(x);
  const Expression expression = build.build();
  const Extents extents{100}, one{4};
  const memory::Buffer memory(device().shared_from_this(), 800);
  const ElementwiseArray arrays[] = {{memory.location(), one}, {memory.location() + 400, one}};
  std::vector<const ElementwisePlan*> plans(4);
  std::vector<std::thread> threads;
  for (auto& plan : plans)
    threads.emplace_back(
        [&] { plan = &plan_elementwise(device(), {expression, extents, arrays, {}, schedule()}); });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(plans, std::vector<const ElementwisePlan*>(4, plans[0]));
}

TEST_P(OnePlan, IsCalledAgainForOtherArrays) {
  const memory::Buffer in = buffer({1, 2, 3, 4, 5, 6, 7, 8}), out = buffer(std::vector<float>(8));
  ExpressionBuilder build;
  build.output(build.step(Op::multiply, Scalar::float32,
                          {build.scalar(Scalar::float32), build.leaf(Scalar::float32)}));
  const Expression scaled = build.build();
  const Extents extents{4}, one{4}, back{-4};
  // The input is read backwards: the place that is passed is not where the array begins.
  const ElementwiseArray arrays[] = {{out.location(), one}, {in.location() + 12, back}};
  const ElementBytes scalars[] = {scalar_bytes(2.0f)};
  const auto call = prepare_elementwise(device(), {scaled, extents, arrays, scalars, schedule()});
  ASSERT_NE(call, nullptr);
  call->launch(stream(), arrays, scalars);
  const ElementwiseArray second[] = {{out.location() + 16, one}, {in.location() + 28, back}};
  const ElementBytes ten[] = {scalar_bytes(10.0f)};
  call->launch(stream(), second, ten);
  stream().synchronize();
  if (runs_kernels()) {
    EXPECT_EQ(contents(out), (std::vector<float>{8, 6, 4, 2, 80, 70, 60, 50}));
  }
  const Extents none{0};
  EXPECT_EQ(prepare_elementwise(device(), {scaled, none, arrays, scalars, schedule()}), nullptr);
}

TEST_P(OnePlan, RefusesOperandsThatDoNotFit) {
  const memory::Buffer memory(device().shared_from_this(), 800);
  const Extents extents{100}, one{4}, none;
  const ElementwiseArray z{memory.location(), one}, rankless{memory.location(), none};
  const auto launch = [&](std::vector<ElementwiseArray> arrays, std::vector<ElementBytes> scalars) {
    launch_elementwise(stream(), {twice(), extents, arrays, scalars, schedule()});
  };
  device::expect_error<InvalidArgument>([&] { launch({z}, {}); }, {"1 arrays", "has 2"});
  device::expect_error<InvalidArgument>([&] { launch({z, z}, {ElementBytes{}}); }, {"1 scalars"});
  device::expect_error<InvalidArgument>([&] { launch({z, rankless}, {}); }, {"0 strides"});
}

TEST_P(OnePlan, OrderHoldsWithoutElements) {
  const memory::Buffer memory(device().shared_from_this(), 800);
  const Extents extents{0}, one{4};
  const ElementwiseArray arrays[] = {{memory.location(), one}, {memory.location(), one}};
  const auto before = device().make_event(), after = device().make_event();
  stream().record(*before);
  const device::Event* const list[] = {before.get()};
  launch_elementwise(stream(), {twice(), extents, arrays, {}, schedule()},
                     {.after = list, .done = after.get()});
  after->synchronize();
  EXPECT_TRUE(before->is_done());
}

TEST(ElementwisePlans, SpacesThatAreTooLargeForOneLaunchRunByHalves) {
  const auto null = device::make_null_device();
  ExpressionBuilder build;
  build.output(
      build.step(Op::add, Scalar::int8, {build.leaf(Scalar::int8), build.leaf(Scalar::int8)}));
  const Expression expression = build.build();
  const memory::Buffer memory(null, 64);
  const Extents extents{std::int64_t{1} << 30, 3}, whole{3, 1}, row{0, 1};
  const ElementwiseArray arrays[] = {
      {memory.location(), whole}, {memory.location(), whole}, {memory.location(), row}};
  EXPECT_EQ(prepare_elementwise(*null, {expression, extents, arrays})->steps.size(), 2u);
  const auto done = null->make_event();
  launch_elementwise(*null->default_stream(), {expression, extents, arrays}, {.done = done.get()});
  std::vector<std::string> launches;
  for (const std::string& call : device::null_calls(*null))
    if (call.starts_with("launch")) launches.push_back(call);
  // 2^29 rows of three, 1024 elements a group.
  EXPECT_EQ(launches, std::vector<std::string>(2, "launch add_i8 1572864x1x1 256x1x1 12"));
  EXPECT_TRUE(done->is_done());
}

TEST(ElementwisePlans, DoNotKeepTheirDevice) {
  std::weak_ptr<device::Device> device;
  {
    const auto null = device::make_null_device();
    device = null;
    ExpressionBuilder build;
    build.output(build.leaf(Scalar::float32));
    const Expression expression = build.build();
    const Extents extents{10}, one{4};
    const memory::Buffer memory(null, 80);
    const ElementwiseArray arrays[] = {{memory.location(), one}, {memory.location() + 40, one}};
    launch_elementwise(*null->default_stream(), {expression, extents, arrays});
    EXPECT_EQ(device::null_calls(*null).back(), "launch copy_f32 1x1x1 256x1x1 3");
  }
  EXPECT_TRUE(device.expired());
}

}  // namespace
}  // namespace treadle::kernel
