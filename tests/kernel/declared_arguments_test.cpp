// SPDX-License-Identifier: MIT
// Which arguments are refused for the declarations of users' kernels: by the rules themselves, and
// by kernels of every family.
#include "treadle/kernel/declared_arguments.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "treadle/kernel/group_kernel.hpp"
#include "treadle/kernel/radix_sort_kernel.hpp"
#include "treadle/kernel/reduction_kernel.hpp"
#include "treadle/kernel/scan_kernel.hpp"
#include "treadle/kernel/select_kernel.hpp"
#include "views.hpp"

namespace treadle::kernel {
namespace {

using Spec = codegen::ParameterSpec;

const DType float_dtype = Scalar::float32, double_dtype = Scalar::float64,
            complex_dtype = Scalar::complex64;

UserArgument array_of(std::int64_t size, const DType& dtype = float_dtype, bool in_c_order = true,
                      bool in_fortran_order = true) {
  return {device::Argument(device::Location{}), {&dtype, size, in_c_order, in_fortran_order}};
}

DeclaredArguments floats(std::vector<ElementUse> uses) {
  std::vector<Spec> all;
  for (std::size_t i = 0; i < uses.size(); ++i)
    all.push_back({Spec::Kind::vector, Scalar::float32, "x" + std::to_string(i)});
  return {all, "kernel k", std::move(uses)};
}

void check(ElementUse use, const UserArgument& argument, const Indices& indices) {
  floats({use}).check({&argument, 1}, indices);
}

TEST(DeclaredArgumentsTest, PointersMeanTheirElementsAndWhatProgramsSeeAsThem) {
  EXPECT_TRUE(may_point_to(Scalar::float32, Scalar::float32));
  EXPECT_TRUE(may_point_to(Scalar::float32, Scalar::complex64));  // pairs
  EXPECT_TRUE(may_point_to(Scalar::uint32, Scalar::float32));     // bits
  EXPECT_TRUE(may_point_to(Scalar::uint8, Scalar::complex128));   // bytes
  EXPECT_TRUE(may_point_to(Scalar::int32, Scalar::uint32));
  EXPECT_TRUE(may_point_to(Scalar::uint16, Scalar::float16));
  EXPECT_TRUE(may_point_to(Scalar::int16, Scalar::float16));
  EXPECT_FALSE(may_point_to(Scalar::float32, Scalar::float64));
  EXPECT_FALSE(may_point_to(Scalar::float32, Scalar::int32));
  EXPECT_FALSE(may_point_to(Scalar::int32, Scalar::float32));
  EXPECT_FALSE(may_point_to(Scalar::complex64, Scalar::complex128));
  EXPECT_FALSE(may_point_to(Scalar::complex64, Scalar::float64));
}

TEST(DeclaredArgumentsTest, ArraysAreAsLongAsTheIndices) {
  EXPECT_NO_THROW(check(ElementUse::every, array_of(10), {0, 9}));
  EXPECT_THROW(check(ElementUse::every, array_of(10), {0, 10}), InvalidArgument);
  EXPECT_THROW(check(ElementUse::every, array_of(10), {-1, 9}), InvalidArgument);
  EXPECT_NO_THROW(check(ElementUse::all_but_last, array_of(10), {0, 10}));
  EXPECT_THROW(check(ElementUse::all_but_last, array_of(10), {0, 11}), InvalidArgument);
  EXPECT_NO_THROW(check(ElementUse::unknown, array_of(10), {0, 100}));
  EXPECT_NO_THROW(check(ElementUse::every, array_of(0), {}));
  EXPECT_NO_THROW(check(ElementUse::every, array_of(5, complex_dtype), {0, 9}));
  EXPECT_THROW(check(ElementUse::every, array_of(5, complex_dtype), {0, 10}), InvalidArgument);
}

TEST(DeclaredArgumentsTest, WhatIsMadeOneForOneHasElementsOfTheSize) {
  EXPECT_THROW(check(ElementUse::one_for_one, array_of(5, complex_dtype), {0, 4}), DTypeError);
  EXPECT_THROW(check(ElementUse::one_for_one, array_of(4), {0, 4}), InvalidArgument);
}

TEST(DeclaredArgumentsTest, OrdersOfMemoryAreOne) {
  const UserArgument rows = array_of(4, float_dtype, true, false),
                     columns = array_of(4, float_dtype, false, true);
  const UserArgument both[] = {rows, columns}, same[] = {rows, rows};
  const std::vector<ElementUse> every(2, ElementUse::every), unknown(2, ElementUse::unknown);
  EXPECT_THROW(floats(every).check(both, {0, 3}), InvalidArgument);
  EXPECT_NO_THROW(floats(every).check(same, {0, 3}));
  EXPECT_NO_THROW(floats(unknown).check(both, {0, 3}));
}

/// An array, as far as kernels know arrays.
class Lying {
 public:
  Lying(memory::Buffer buffer, std::int64_t size, std::int64_t stride, DType dtype)
      : buffer_(std::move(buffer)),
        layout_(std::span(&size, 1), std::span(&stride, 1)),
        dtype_(std::move(dtype)) {}
  device::Location location() const { return buffer_; }
  device::Device& device() const { return buffer_.device(); }
  const Layout& layout() const { return layout_; }
  const DType& dtype() const { return dtype_; }

 private:
  memory::Buffer buffer_;
  Layout layout_;
  DType dtype_;
};

constexpr std::uint64_t count = 10;

/// A family: launches its kernel of a float `a` and floats `x` with these arguments.
struct Family {
  const char* name;
  std::function<void(device::Stream&, std::span<const UserArgument>)> launch;
};

std::vector<Family> families(const std::shared_ptr<device::Device>& device) {
  const std::string arguments = "float a, const float *x";
  const auto elementwise =
      std::make_shared<ElementwiseKernel>(device, arguments + ", float *y", "y[i] = a * x[i]");
  const auto reduction = std::make_shared<ReductionKernel>(
      device, Scalar::float32, ReductionTexts{"0", "a + b", "a * x[i]", arguments});
  const auto scan = std::make_shared<ScanKernel>(device, Scalar::float32,
                                                 ScanTexts{.arguments = arguments + ", float *y",
                                                           .input = "x[i] * a",
                                                           .scan = "a + b",
                                                           .output = "y[i] = item"});
  const auto sort = std::make_shared<RadixSortKernel>(
      device,
      RadixSortTexts{.arguments = arguments, .key = "(unsigned)(x[i] * a)", .sorted = {"x"}});
  const memory::Buffer room(device, count * 4);
  const auto with_room = [room](std::span<const UserArgument> given) {
    std::vector<UserArgument> all(given.begin(), given.end());
    all.emplace_back(room);
    return all;
  };
  return {
      {"elementwise kernel elementwise",
       [=](device::Stream& stream, std::span<const UserArgument> given) {
         elementwise->launch_arguments(stream, count, with_room(given));
       }},
      {"reduction kernel reduction",
       [=](device::Stream& stream, std::span<const UserArgument> given) {
         reduction->launch_arguments(stream, ElementRange{0, count}, room, given);
       }},
      {"scan scan",
       [=](device::Stream& stream, std::span<const UserArgument> given) {
         scan->launch_arguments(stream, count, with_room(given));
       }},
      {"radix sort radix_sort", [=](device::Stream& stream, std::span<const UserArgument> given) {
         const UserArgument sorted[] = {room};
         sort->launch(stream, count, {given, sorted});
       }}};
}

class DeclaredArgumentsOfDeviceTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { device_ = device::find_device(GetParam()); }
  const std::shared_ptr<device::Device>& device() const { return device_; }
  memory::Buffer floats_of(std::uint64_t n) const { return {device_, std::vector<float>(n, 1.0f)}; }

 private:
  std::shared_ptr<device::Device> device_;
};
INSTANTIATE_TEST_SUITE_P(Devices, DeclaredArgumentsOfDeviceTest, device::each_native_device(),
                         device::device_test_name);

/// The same calls are refused by kernels of every family, each before anything is compiled or runs.
TEST_P(DeclaredArgumentsOfDeviceTest, EveryFamilyRefusesTheSameCalls) {
  const auto stream = device()->make_stream();
  const memory::Buffer x = floats_of(count), shorter = floats_of(count - 1);
  const memory::Buffer there(device::make_null_device(), count * 4);
  memory::Buffer freed = floats_of(count);
  freed.free();
  const float a = 2;
  const std::int64_t n = count;
  const Lying gaps(floats_of(2 * count), n, 8, float_dtype), reversed(x, n, -4, float_dtype),
      doubles(floats_of(2 * count), n, 8, double_dtype), few(x, n - 1, 4, float_dtype);
  for (const Family& family : families(device())) {
    SCOPED_TRACE(family.name);
    const auto refuses = [&]<class Error>(std::vector<UserArgument> given,
                                          std::vector<std::string> words, Error*) {
      words.emplace_back(family.name);
      device::expect_error<Error>([&] { family.launch(*stream, given); }, words);
    };
    const std::string name = "argument 1 (x)";
    InvalidArgument* const invalid = nullptr;
    refuses({a}, {}, invalid);
    refuses({a, x, x}, {}, invalid);
    refuses({x, x}, {"argument 0 (a)", "declared a value"}, invalid);
    refuses({a, a}, {name, "declared a pointer"}, invalid);
    refuses({a, shorter}, {name, "has 9 elements", "x[9]"}, invalid);
    refuses({a, few}, {name, "has 9 elements", "x[9]"}, invalid);
    refuses({a, there}, {name, "another device"}, invalid);
    refuses({a, doubles}, {name, "float32", "float64"}, static_cast<DTypeError*>(nullptr));
    refuses({a, gaps}, {name, "gaps"}, static_cast<NotSupported*>(nullptr));
    refuses({a, reversed}, {name, "gaps"}, static_cast<NotSupported*>(nullptr));
    EXPECT_THROW(UserArgument{freed}, InvalidState);
  }
}

/// What kernels write to is looked at as what they read.
TEST_P(DeclaredArgumentsOfDeviceTest, ResultsHaveRoomForWhatIsWritten) {
  const auto stream = device()->make_stream();
  const memory::Buffer x = floats_of(count), shorter = floats_of(count - 1);
  const memory::Buffer narrow(device(), 2);
  const std::uint64_t zero = 0;
  const memory::Buffer found(device(), std::span(&zero, 1));
  ReductionKernel sum(
      device(), Scalar::float32,
      {.neutral = "0", .reduce = "a + b", .map = "x[i]", .arguments = "const float *x"});
  device::expect_error<InvalidArgument>([&] { sum.launch(*stream, count, narrow, x); },
                                        {"(result)", "has 0 elements"});
  const UserArgument targets[] = {shorter}, given[] = {x};
  device::expect_error<InvalidArgument>(
      [&] { sum.launch_along(*stream, {count, 1, 1}, targets, given); }, {"(result)", "result[9]"});
  ScanKernel cumulative(device(), Scalar::float32, scan_of_array("float", "a + b"));
  device::expect_error<InvalidArgument>([&] { cumulative.launch(*stream, count, x, shorter); },
                                        {"argument 1 (y)", "y[9]"});
  SelectKernel positive(device(), Selection::matching,
                        {.type = "float", .predicate = "ary[i] > 0"});
  device::expect_error<InvalidArgument>([&] { positive.launch(*stream, count, x, shorter, found); },
                                        {"(out)", "out[9]"});
  RadixSortKernel sort(device(), {.arguments = "const uint *k", .key = "k[i]", .sorted = {"k"}},
                       {.types = {{"uint", Scalar::uint32}}});
  device::expect_error<InvalidArgument>([&] { sort.launch(*stream, count, {given, targets}); },
                                        {"radix sort", "has 9 elements"});
}

}  // namespace
}  // namespace treadle::kernel
