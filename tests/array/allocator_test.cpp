// SPDX-License-Identifier: MIT
#include "treadle/array/allocator.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "array/each_array_device.hpp"
#include "treadle/array/array.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/base/error.hpp"

namespace treadle::array {
namespace {

using testing::ElementsAre;

/// Memory of its own for each, counted.
struct Counting final : Allocator {
  memory::Buffer allocate(std::size_t size_bytes,
                          const std::shared_ptr<device::Stream>& stream) override {
    if (is_exhausted) throw InvalidState("the arena is exhausted");
    sizes.push_back(size_bytes);
    return {stream->device().shared_from_this(), size_bytes};
  }
  std::vector<std::size_t> sizes;
  bool is_exhausted = false;
};

class AllocatorTest : public OnEachArrayDevice {
 protected:
  Array make_counted(const std::vector<float>& values) {
    Array made = make(values);
    set_allocator(made, counting_);
    return made;
  }
  std::shared_ptr<Counting> counting_ = std::make_shared<Counting>();
};
INSTANTIATE_TEST_SUITE_P(Devices, AllocatorTest, each_device(), device_test_name);

TEST_P(AllocatorTest, GivesMemoryToResultsAndToNothingOnTheWay) {
  const device::StreamScope scope(shared_stream());
  const Array x = make_counted({1, 2, 3}), y = make({10, 20, 30});
  const Array z = 5 * x + 6 * y;
  EXPECT_TRUE(z.is_pending());
  EXPECT_THAT(counting_->sizes, ElementsAre());
  expect(z, {65, 130, 195});
  EXPECT_THAT(counting_->sizes, ElementsAre(12));
  EXPECT_EQ(z.buffer().kind(), memory::BufferKind::owned);
}

TEST_P(AllocatorTest, IsInheritedFromTheFirstOperandWithAxes) {
  const device::StreamScope scope(shared_stream());
  const Array x = make_counted({1, 2, 3}), y = make({10, 20, 30}), number = sum(y);
  EXPECT_EQ(allocator_of(x + y), counting_);
  EXPECT_EQ(allocator_of(y + x), nullptr);
  EXPECT_EQ(allocator_of(number * x), counting_);
  EXPECT_EQ(allocator_of(sum(x)), counting_);
  EXPECT_EQ(allocator_of(x.at({Index::at(1)}) + 1), counting_);
  EXPECT_EQ(allocator_of(x == 1000000000000), counting_);
  const Array later = x + 1;
  set_allocator(later, nullptr);
  evaluate({later});
  EXPECT_EQ(allocator_of(later), nullptr);
  EXPECT_THAT(counting_->sizes, ElementsAre());
}

TEST_P(AllocatorTest, OfWhatIsComputedAtOnceIsAskedOnce) {
  const device::StreamScope scope(shared_stream());
  const Array x = make_counted({1, 2, 3});
  (void)x.location();
  EXPECT_FALSE((x + 1).is_pending());
  EXPECT_THAT(counting_->sizes, ElementsAre(12));
}

TEST_P(AllocatorTest, ThatThrowsLeavesTheArrayPending) {
  const device::StreamScope scope(shared_stream());
  const Array x = make_counted({1, 2, 3}), y = x + 1;
  counting_->is_exhausted = true;
  EXPECT_THROW(evaluate({y}), InvalidState);
  EXPECT_TRUE(y.is_pending());
  counting_->is_exhausted = false;
  expect(y, {2, 3, 4});
}

TEST_P(AllocatorTest, ThatGivesTooLittleIsRefused) {
  struct Short final : Allocator {
    memory::Buffer allocate(std::size_t size_bytes,
                            const std::shared_ptr<device::Stream>& stream) override {
      return {stream->device().shared_from_this(), size_bytes - 1};
    }
  };
  const device::StreamScope scope(shared_stream());
  const Array x = make({1, 2, 3});
  set_allocator(x, std::make_shared<Short>());
  EXPECT_THROW(evaluate({x + 1}), InvalidArgument);
}

TEST_P(AllocatorTest, MemoryThatNobodyElseKnowsIsDeferredOn) {
  const device::StreamScope scope(shared_stream());
  const memory::Buffer buffer(device(), std::vector<float>{1, 2, 3});
  const Layout layout = Layout::contiguous(Shape{3}, sizeof(float));
  const DType dtype = Scalar::float32;
  EXPECT_FALSE((Array::view_of(buffer.slice(0, 12), layout, dtype) + 1).is_pending());
  const memory::Buffer other(device(), std::vector<float>{1, 2, 3});
  const Array own = Array::view_of(other, layout, dtype, {.is_unshared = true});
  EXPECT_TRUE((own + 1).is_pending());
  (void)own.location();
  EXPECT_FALSE((own + 1).is_pending());
}

}  // namespace
}  // namespace treadle::array
