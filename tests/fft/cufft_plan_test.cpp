// SPDX-License-Identifier: MIT
// What cuFFT is asked for, on a machine without a GPU: a table whose transforms are sums, in the
// memory that the CPU device shares with it.
#include "fft/cufft_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <map>
#include <memory>
#include <numbers>
#include <span>
#include <vector>

#include "device/each_device.hpp"
#include "fft/generated.hpp"
#include "fft/plans.hpp"
#include "treadle/cuda/capture.hpp"
#include "treadle/cuda/context.hpp"
#include "treadle/cuda/driver.hpp"
#include "treadle/device/cuda.hpp"
#include "treadle/device/driver.hpp"
#include "treadle/memory/device_pool.hpp"
#include "treadle/process/settings.hpp"

namespace treadle::fft {
namespace {

using Element = std::complex<float>;

/// Of a plan what its transforms need.
struct Sums {
  std::vector<long long> lengths;
  long long stride, distance, count;
};
std::map<int, Sums> plans_of_sums;
int sums_runs = 0;

/// The sums along one axis of a block whose elements are `step` apart.
void sum_along(Element* first, long long length, long long step, int way) {
  std::vector<Element> made(static_cast<std::size_t>(length));
  for (long long k = 0; k < length; ++k)
    for (long long j = 0; j < length; ++j) {
      const double angle = way * 2 * std::numbers::pi * static_cast<double>(j * k % length) /
                           static_cast<double>(length);
      made[static_cast<std::size_t>(k)] +=
          first[j * step] *
          Element(static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle)));
    }
  for (long long k = 0; k < length; ++k) first[k * step] = made[static_cast<std::size_t>(k)];
}

void run_sums(const Sums& plan, const Element* from, Element* to, int way) {
  long long elements = 1;
  for (const long long length : plan.lengths) elements *= length;
  for (long long one = 0; one < plan.count; ++one) {
    const long long start = one * plan.distance;
    for (long long i = 0; i < elements; ++i)
      to[start + i * plan.stride] = from[start + i * plan.stride];
    long long step = plan.stride;
    for (std::size_t axis = plan.lengths.size(); axis-- > 0; step *= plan.lengths[axis]) {
      const long long length = plan.lengths[axis], inner = step / plan.stride;
      for (long long i = 0; i < elements; ++i)
        if (i / inner % length == 0) sum_along(to + start + i * plan.stride, length, step, way);
    }
  }
}

library::CufftTable sums_for_cufft() {
  library::CufftTable table;
  table.create = [](int* plan) { return *plan = static_cast<int>(plans_of_sums.size()) + 1, 0; };
  table.destroy = [](int) { return 0; };
  table.set_auto_allocation = [](int, int) { return 0; };
  table.set_stream = [](int, void*) { return 0; };
  table.set_work_area = [](int, void* work) { return work == nullptr ? 4 : 0; };
  table.make_plan = [](int plan, int rank, long long* lengths, long long*, long long stride,
                       long long distance, long long*, long long, long long, int type,
                       long long count, std::size_t* bytes) {
    EXPECT_TRUE(type == 0x29 || type == 0x2a) << type;
    *bytes = 128;
    plans_of_sums[plan] = {{lengths, lengths + rank}, stride, distance, count};
    return lengths[rank - 1] == 13 ? 8 : 0;  // a length that it refuses
  };
  table.complex64 = [](int plan, void* input, void* output, int way) {
    ++sums_runs;
    run_sums(plans_of_sums[plan], static_cast<const Element*>(input), static_cast<Element*>(output),
             way);
    return 0;
  };
  table.from_float32 = [](int, void*, void*) { return ++sums_runs, 0; };
  return table;
}

class CufftPlanTest : public testing::Test {
 protected:
  void SetUp() override {
    plans_of_sums.clear();
    sums_runs = 0;
    device_ = device::cpu_driver()->devices().front();
    cufft_ = std::make_unique<DeviceCufft>(std::make_shared<const library::Cufft>(sums_for_cufft()),
                                           *device::cuda_context(*device_));
  }
  /// Transforms elements of a dense array, extents from the innermost axis on, in two ways.
  void expect_right(const PlanShape& shape, int calls) {
    const std::unique_ptr<DevicePlan> plan = make_cufft_plan(*cufft_, shape);
    ASSERT_NE(plan, nullptr);
    std::uint64_t count = shape.batches;
    for (unsigned axis = 0; axis < shape.rank; ++axis) count *= shape.extents[axis];
    const device::Location from = device_->allocate(count * sizeof(Element)),
                           to = device_->allocate(count * sizeof(Element));
    std::vector<Element> expected;
    for (std::uint64_t i = 0; i < count; ++i)
      expected.emplace_back(static_cast<float>(i * i % 7), static_cast<float>(i % 5));
    std::ranges::copy(expected, at(from));
    const auto stream = device_->default_stream();
    plan->run(*stream, {from, to});
    stream->synchronize();
    EXPECT_TRUE(std::ranges::equal(expected, std::span(at(from), count)));
    std::uint64_t step = 1;
    for (unsigned axis = 0; axis < shape.rank; step *= shape.extents[axis++])
      if (!shape.is_left_out[axis])
        for (std::uint64_t i = 0; i < count; ++i)
          if (i / step % shape.extents[axis] == 0)
            sum_along(expected.data() + i, static_cast<long long>(shape.extents[axis]),
                      static_cast<long long>(step), shape.is_forward ? -1 : 1);
    for (std::uint64_t i = 0; i < count; ++i)
      EXPECT_LT(std::abs(at(to)[i] - expected[i]), 1e-3f) << i;
    EXPECT_EQ(sums_runs, calls);
    device_->free(from);
    device_->free(to);
  }
  /// A device of its own, in whose transforms the sums are cuFFT.
  std::shared_ptr<device::Device> device_with_sums() {
    context_ = cuda::Context::create(cuda::Driver::cpu().device(0));
    auto device = device::device_of(context_);
    device->slot<DeviceCufft>([&] {
      return std::make_shared<DeviceCufft>(std::make_shared<const library::Cufft>(sums_for_cufft()),
                                           context_);
    });
    device->slot<EngineWays>(
        [&] { return std::make_shared<EngineWays>(*device, std::make_shared<tune::Store>("")); });
    return device;
  }
  /// It is to take shapes of this class.
  static void by_cufft(device::Device& device, const PlanShape& shape) {
    device.slot<EngineWays>().settle(class_of(shape, ""), "cufft");
  }
  static Element* at(const device::Location& place) {
    return reinterpret_cast<Element*>(place.handle + place.offset);
  }
  std::shared_ptr<device::Device> device_;
  cuda::Context context_;
  std::unique_ptr<DeviceCufft> cufft_;
};

TEST_F(CufftPlanTest, RowsAreOneCall) {
  expect_right({.rank = 1, .extents = {12}, .batches = 5}, 1);
}
TEST_F(CufftPlanTest, SeveralAxesAreOneCall) {
  expect_right({.is_forward = false, .rank = 3, .extents = {4, 3, 5}, .batches = 2}, 1);
}
TEST_F(CufftPlanTest, ColumnsAreOneCallForEachBlock) {
  expect_right({.rank = 2, .extents = {6, 5}, .is_left_out = {true}, .batches = 4}, 4);
}
TEST_F(CufftPlanTest, PlanesOfABlock) {
  expect_right({.rank = 3, .extents = {6, 5, 3}, .is_left_out = {true}, .batches = 1}, 1);
}

TEST_F(CufftPlanTest, ATransformOfSeveralAxesGoesThere) {
  if (!device::has_cpu_compiler()) GTEST_SKIP() << "left to builds with compilers";
  const auto device = device_with_sums();
  by_cufft(*device, {.rank = 2, .extents = {4, 3}});
  const device::Location from = device->allocate(96), to = device->allocate(96);
  for (int i = 0; i < 12; ++i) at(from)[i] = static_cast<float>(i);
  const std::int64_t shape[] = {3, 4}, strides[] = {32, 8};
  const auto stream = device->default_stream();
  const kernel::KernelNote note =
      run_generated(*stream, Transform(TransformKind::complex, {0, 1}, true, 0.5),
                    {from, shape, strides}, {to, shape, strides}, false);
  stream->synchronize();
  EXPECT_EQ(at(to)[0], Element(33));
  EXPECT_EQ(sums_runs, 1);
  ASSERT_NE(note.name, nullptr);
  EXPECT_TRUE(note.name->starts_with("transform of "));
  EXPECT_EQ(note.bytes_read, 96u);
  device->free(from);
  device->free(to);
  forget_plans(*device);
}

/// Both run in memory of their own; afterwards the faster one does it alone.
TEST_F(CufftPlanTest, EnginesAreMeasuredOnceAndNotWhileCaptured) {
  if (!settings().measure) GTEST_SKIP() << "TREADLE_MEASURE=0";
  if (!device::has_cpu_compiler()) GTEST_SKIP() << "left to builds with compilers";
  const auto device = device_with_sums();
  const device::Location from = device->allocate(96), to = device->allocate(96);
  for (int i = 0; i < 12; ++i) at(from)[i] = static_cast<float>(i);
  const std::int64_t shape[] = {3, 4}, strides[] = {32, 8};
  const auto stream = device->make_stream();
  const auto run = [&] {
    return run_generated(*stream, Transform(TransformKind::complex, {0, 1}, true, 1),
                         {from, shape, strides}, {to, shape, strides}, false);
  };
  // Nothing can be allocated while a stream is captured.
  memory::pool_of(*device).allocate(128, stream);
  {
    const cuda::CurrentContext current(context_);
    cuda::Capture capture(*device::cuda_stream(*stream));
    EXPECT_NE(run().text->find("captured; of the rule"), std::string::npos);
    capture.end();
  }
  EXPECT_EQ(sums_runs, 1);
  const kernel::KernelNote note = run();
  stream->synchronize();
  EXPECT_NE(note.text->find("measured here"), std::string::npos) << *note.text;
  EXPECT_EQ(at(to)[0], Element(66));
  const int measured = sums_runs;
  EXPECT_GE(measured, 14);  // one, and three times four, and the captured one
  EXPECT_EQ(*run().text, *note.text);
  stream->synchronize();
  EXPECT_LE(sums_runs, measured + 1);
  device->free(from);
  device->free(to);
  forget_plans(*device);
  memory::pool_of(*device).free_held();  // of the stream, which they keep
}

/// It reads real elements in pairs, so that generated kernels serve other places, and those alone.
TEST_F(CufftPlanTest, ATransformAtAnOddPlaceChangesNoOther) {
  if (!device::has_cpu_compiler()) GTEST_SKIP() << "left to builds with compilers";
  const auto device = device_with_sums();
  by_cufft(*device, {.kind = TransformKind::real_to_complex, .rank = 1, .extents = {8}});
  const device::Location at_pair = device->allocate(64), to = device->allocate(64);
  device::Location odd = at_pair;
  odd.offset += 4;
  for (int i = 0; i < 8; ++i) at(at_pair)[i] = {1, 1};
  const std::int64_t extents[] = {8}, spectrum[] = {5}, strides[] = {4}, wide[] = {8};
  const auto stream = device->default_stream();
  std::vector<int> runs;
  for (const device::Location from : {at_pair, odd, at_pair, odd}) {
    run_generated(*stream, Transform(TransformKind::real_to_complex, {0}, true, 1),
                  {from, extents, strides}, {to, spectrum, wide}, false);
    stream->synchronize();
    runs.push_back(sums_runs);
  }
  EXPECT_EQ(runs, (std::vector{1, 1, 2, 2}));
  EXPECT_EQ(at(to)[0], Element(8));
  device->free(at_pair);
  device->free(to);
  forget_plans(*device);
}

TEST_F(CufftPlanTest, WhatItDoesNotTakeIsLeft) {
  const auto is_left = [&](const PlanShape& shape) {
    return make_cufft_plan(*cufft_, shape) == nullptr;
  };
  EXPECT_TRUE(is_left({.rank = 3, .extents = {4, 5, 6}, .is_left_out = {false, true, false}}));
  EXPECT_TRUE(is_left({.rank = 4, .extents = {4, 5, 6, 7}}));
  EXPECT_TRUE(is_left({.rank = 2, .extents = {4, 5}, .is_left_out = {true}, .batches = 33}));
  EXPECT_TRUE(is_left({.rank = 1, .extents = {13}}));  // a status
}

TEST_F(CufftPlanTest, RowsThatAKernelHoldsAreLeftToGeneratedOnes) {
  EXPECT_FALSE(is_faster_by_cufft({.rank = 1, .extents = {8192}}));
  EXPECT_TRUE(is_faster_by_cufft({.rank = 1, .extents = {16384}}));
  EXPECT_TRUE(is_faster_by_cufft({.is_double = true, .rank = 1, .extents = {8192}}));
  EXPECT_TRUE(is_faster_by_cufft({.rank = 1, .extents = {1000}}));
  EXPECT_TRUE(is_faster_by_cufft({.rank = 2, .extents = {256, 256}}));
  EXPECT_FALSE(is_faster_by_cufft({.rank = 2, .extents = {6, 256}, .is_left_out = {true}}));
  EXPECT_TRUE(
      is_faster_by_cufft({.kind = TransformKind::real_to_complex, .rank = 1, .extents = {4096}}));
}

}  // namespace
}  // namespace treadle::fft
