// SPDX-License-Identifier: MIT
// Kernels written once, with treadle/dialect.h, run on every device in its own language.
#include <gtest/gtest.h>

#include <bit>
#include <numeric>

#include "device/each_device.hpp"

namespace treadle::kernel {
namespace {

constexpr int n = 100, group = 64, groups = 2;

class DialectKernels : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "null") GTEST_SKIP() << "the null device compiles nothing";
    device_ = device::find_device(GetParam());
  }

  template <class T, class... Arguments>
  std::vector<T> run(const char* text, std::vector<T> data, const Arguments&... arguments) {
    return run_groups(groups, group, text, std::move(data), arguments...);
  }
  template <class T, class... Arguments>
  std::vector<T> run_groups(unsigned count, unsigned size, const char* text, std::vector<T> data,
                            const Arguments&... arguments) {
    const Program program(device_, std::string("#include \"treadle/dialect.h\"\n") + text,
                          {.cache = compile::CacheUse::disabled});
    const memory::Buffer buffer(device_, data);
    const auto stream = device_->make_stream();
    stream->launch(program.kernel("k"), {.groups = count, .group_size = size}, buffer,
                   arguments...);
    stream->synchronize();
    buffer.copy_to(data);
    return data;
  }

 private:
  std::shared_ptr<device::Device> device_;
};
INSTANTIATE_TEST_SUITE_P(Devices, DialectKernels, device::each_native_device(),
                         device::device_test_name);

TEST_P(DialectKernels, KnowWhereTheyAre) {
  const auto out = run(R"(
TREADLE_KERNEL k(TREADLE_GLOBAL uint *out)
{
  uint i = treadle_global_id(0);
  out[i] = 10000 * treadle_group_id(0) + 100 * treadle_group_count(0) + treadle_local_id(0);
  if (i == 0) out[i] = treadle_local_size(0) + 1000 * treadle_global_size(0)
                     + 1000000 * treadle_global_size(1) + 10000000 * treadle_global_id(2);
})",
                       std::vector<unsigned>(group * groups));
  EXPECT_EQ(out[0], 1000000u + 1000u * group * groups + group);
  EXPECT_EQ(out[1], 100u * groups + 1);
  EXPECT_EQ(out[group + 5], 10000u + 100u * groups + 5);
}

TEST_P(DialectKernels, CountWorkItemsBeyond32Bits) {
  // The last group of 2^32 + 256 work-items: what 32 bits hold would be 5 and 256. NVIDIA's OpenCL
  // allows no larger groups.
  const auto out = run_groups((1u << 24) + 1, 256, R"(
TREADLE_KERNEL k(TREADLE_GLOBAL treadle_uint64 *out)
{
  if (treadle_group_id(0) != 16777216 || treadle_local_id(0) != 5) return;
  out[0] = treadle_global_id(0);
  out[1] = treadle_global_size(0);
  out[2] = sizeof(treadle_global_id(0));
})",
                              std::vector<std::uint64_t>(3));
  EXPECT_EQ(out[0], (std::uint64_t{1} << 32) + 5);
  EXPECT_EQ(out[1], (std::uint64_t{1} << 32) + 256);
  EXPECT_EQ(out[2], 8u);
}

TEST_P(DialectKernels, ShareLocalMemoryBehindABarrier) {
  const auto out = run(R"(
TREADLE_CONSTANT float weights[2] = {1, 10};
TREADLE_FUNCTION float weighted(TREADLE_LOCAL_POINTER float *tile,
                                TREADLE_CONSTANT_POINTER float *w, uint i)
{
  return tile[i] * w[i % 2];
}
TREADLE_KERNEL TREADLE_GROUP_SIZE(64, 1, 1) k(TREADLE_GLOBAL float *TREADLE_RESTRICT data)
{
  TREADLE_LOCAL float tile[64];
  uint l = treadle_local_id(0), i = treadle_global_id(0);
  tile[l] = data[i];
  treadle_barrier();
  data[i] = weighted(tile, weights, 63 - l);
})",
                       [] {
                         std::vector<float> data(group * groups);
                         std::iota(data.begin(), data.end(), 0.0f);
                         return data;
                       }());
  EXPECT_EQ(out[0], 630.0f);
  EXPECT_EQ(out[1], 62.0f);
  EXPECT_EQ(out[group], 1270.0f);
}

TEST_P(DialectKernels, CountTogether) {
  const auto out = run(R"(
TREADLE_KERNEL k(TREADLE_GLOBAL int *out, int n)
{
  int i = (int)treadle_global_id(0);
  if (i >= n) return;
  treadle_atomic_add(&out[0], 2);
  treadle_atomic_sub(&out[1], 1);
  treadle_atomic_min(&out[2], i - 50);
  treadle_atomic_max(&out[3], i);
  treadle_atomic_and(&out[4], ~(1 << (i % 8)));
  treadle_atomic_or(&out[5], 1 << (i % 8));
  treadle_atomic_xor(&out[6], 1 << (i % 4));
  treadle_atomic_exchange(&out[7], 7);
  treadle_atomic_compare_exchange(&out[8], 0, 5);
  treadle_atomic_add_float((TREADLE_GLOBAL float *)&out[9], 0.5f);
  treadle_fence();
})",
                       std::vector<int>{0, 0, 0, 0, 0xFFFF, 0, 0, 0, 0, 0}, n);
  EXPECT_EQ(out, (std::vector<int>{2 * n, -n, -50, n - 1, 0xFF00, 0xFF, 0b1111, 7, 5,
                                   std::bit_cast<int>(0.5f * n)}));
}

TEST_P(DialectKernels, CountTogetherIn64Bits) {
  const std::int64_t wide = std::int64_t{1} << 40;
  const auto out = run(R"(
TREADLE_KERNEL k(TREADLE_GLOBAL treadle_int64 *out, int n)
{
#if TREADLE_HAS_INT64_ATOMICS
  treadle_int64 i = (treadle_int64)treadle_global_id(0), wide = treadle_int64_literal(1) << 40;
  TREADLE_GLOBAL treadle_uint64 *bits = (TREADLE_GLOBAL treadle_uint64 *)out;
  if (i >= n) return;
  treadle_atomic_add_int64(&out[0], wide);
  treadle_atomic_sub_int64(&out[1], wide);
  treadle_atomic_min_int64(&out[2], (i - 50) * wide);
  treadle_atomic_max_int64(&out[3], i * wide);
  treadle_atomic_and_int64(&out[4], ~(wide << (i % 8)));
  treadle_atomic_or_int64(&bits[5], (treadle_uint64)wide << (i % 8));
  treadle_atomic_xor_int64(&out[6], wide << (i % 4));
  treadle_atomic_exchange_int64(&out[7], wide);
  treadle_atomic_compare_exchange_int64(&out[8], (treadle_int64)0, wide);
  treadle_atomic_max_int64(&bits[9], ~(treadle_uint64)i);
  treadle_atomic_sub_int64(&bits[10], 1u);
  if (i == 0) out[11] = 1;
#endif
})",
                       std::vector<std::int64_t>{0, 0, 0, 0, -1, 0, 0, 0, 0, 5, n, 0}, n);
  if (out[11] == 0) GTEST_SKIP() << "has no such atomics";
  EXPECT_EQ(out, (std::vector<std::int64_t>{n * wide, -n * wide, -50 * wide, (n - 1) * wide,
                                            ~(wide * 0xFF), wide * 0xFF, wide * 0xF, wide, wide, -1,
                                            0, 1}));
}

TEST_P(DialectKernels, AddAndCompareFloatsInBothMemories) {
  const auto out = run(R"(
TREADLE_KERNEL k(TREADLE_GLOBAL float *out, int n)
{
  TREADLE_LOCAL float part[3];
  uint l = treadle_local_id(0);
  int i = (int)treadle_global_id(0);
  if (l < 3) part[l] = 0.0f;
  treadle_barrier();
  if (i < n) {
    treadle_atomic_add_float_local(&part[0], 0.5f);
    treadle_atomic_min_float_local(&part[1], -(float)i);
    treadle_atomic_max_float_local(&part[2], (float)i);
    treadle_atomic_min_float(&out[3], 7.0f - i);
    treadle_atomic_max_float(&out[4], i - 7.0f);
    treadle_atomic_exchange(&out[5], 2.5f);
  }
  treadle_barrier();
  if (l == 0) {
    treadle_atomic_add_float(&out[0], part[0]);
    treadle_atomic_min_float(&out[1], part[1]);
    treadle_atomic_max_float(&out[2], part[2]);
  }
})",
                       std::vector<float>(6), n);
  EXPECT_EQ(out, (std::vector<float>{0.5f * n, 1.0f - n, n - 1.0f, 8.0f - n, n - 8.0f, 2.5f}));
}

TEST_P(DialectKernels, AddAndCompareDoublesInBothMemories) {
  if (!device::find_device(GetParam())->info().traits.fp64) GTEST_SKIP() << "has no double";
  const auto out = run(R"(
TREADLE_KERNEL k(TREADLE_GLOBAL double *out, int n)
{
#if TREADLE_HAS_DOUBLE_ATOMICS
  TREADLE_LOCAL double part[3];
  uint l = treadle_local_id(0);
  int i = (int)treadle_global_id(0);
  if (l < 3) part[l] = 0.0;
  treadle_barrier();
  if (i < n) {
    treadle_atomic_add_double_local(&part[0], 1.0 / 1024 + 1048576.0);
    treadle_atomic_min_double_local(&part[1], -(double)i);
    treadle_atomic_max_double_local(&part[2], (double)i);
  }
  treadle_barrier();
  if (l == 0) {
    treadle_atomic_add_double(&out[0], part[0]);
    treadle_atomic_min_double(&out[1], part[1]);
    treadle_atomic_max_double(&out[2], part[2]);
    out[3] = 1.0;
  }
#endif
})",
                       std::vector<double>(4), n);
  if (out[3] == 0) GTEST_SKIP() << "has no such atomics";
  EXPECT_EQ(out, (std::vector<double>{n * (1.0 / 1024 + 1048576.0), 1.0 - n, n - 1.0, 1}));
}

// What each work-item of two groups finds out, or nothing where there are no sub-groups.
constexpr const char* sub_groups = R"(
TREADLE_KERNEL k(TREADLE_GLOBAL int *out)
{
#if TREADLE_HAS_SUB_GROUPS
  int i = (int)treadle_global_id(0), lane = (int)treadle_sub_group_lane();
  TREADLE_GLOBAL int *mine = out + 10 * i;
  mine[0] = (int)treadle_sub_group_size();
  mine[1] = lane;
  mine[2] = treadle_sub_group_shuffle(i, 3);
  mine[3] = treadle_sub_group_shuffle_xor(i, 1);
  mine[4] = treadle_sub_group_shuffle_down(i, 2);
  mine[5] = treadle_sub_group_shuffle_up(i, 2);
  mine[6] = (int)(4.0f * treadle_sub_group_shuffle(0.25f * i, 1));
  mine[7] = treadle_sub_group_any(lane == 5) && !treadle_sub_group_any(lane < 0);
  mine[8] = treadle_sub_group_all(lane >= 0) && !treadle_sub_group_all(lane > 0);
  treadle_uint64 ballot = treadle_sub_group_ballot(lane % 2);
  mine[9] = (int)((ballot & 0xff) + (ballot >> lane & 1));
  treadle_sub_group_barrier();
#endif
})";

TEST_P(DialectKernels, TalkInSubGroups) {
  const auto out = run(sub_groups, std::vector<int>(10 * group * groups));
  const int size = out[0];
  const bool is_cuda = device::find_device(GetParam())->info().language == Language::cuda_c;
  EXPECT_EQ(size == 0, std::ranges::count(out, 0) == 10 * group * groups);
  EXPECT_TRUE(size == 32 || !is_cuda) << size;
  if (size == 0) GTEST_SKIP() << "has no sub-groups";
  if (size < 8 || group % size != 0) GTEST_SKIP() << "of " << size << " lanes";
  for (int i = 0; i < group * groups; ++i) {
    const int lane = i % size, first = i - lane;
    const std::vector<int> mine(out.begin() + 10 * i, out.begin() + 10 * (i + 1));
    EXPECT_EQ(mine, (std::vector<int>{size, lane, first + 3, i ^ 1, lane + 2 < size ? i + 2 : i,
                                      lane < 2 ? i : i - 2, first + 1, 1, 1, 0xAA + lane % 2}))
        << i;
  }
}

TEST_P(DialectKernels, WithoutSubGroupsSayThatThereAreNone) {
  const auto has = run(R"(
TREADLE_KERNEL k(TREADLE_GLOBAL int *out)
{
  out[0] = TREADLE_HAS_SUB_GROUPS;
})",
                       std::vector<int>{-1});
  ASSERT_GE(has[0], 0);
  const char* text = R"(
TREADLE_KERNEL k(TREADLE_GLOBAL int *out)
{
  out[0] = (int)treadle_sub_group_shuffle(out[0], 0);
})";
  if (has[0] == 1) {
    EXPECT_NO_THROW(run(text, std::vector<int>{1}));
    return;
  }
  try {
    run(text, std::vector<int>{1});
    FAIL() << "compiled";
  } catch (const CompileError& error) {
    EXPECT_NE(std::string(error.what()).find("this_device_has_no_sub_groups"), std::string::npos)
        << error.what();
  }
}

TEST_P(DialectKernels, ComputeWithVectorsOfThree) {
  const auto out = run(R"(
TREADLE_KERNEL k(TREADLE_GLOBAL float *data)
{
  uint i = treadle_global_id(0);
  if (i > 1) return;
  float3 a = treadle_load3(data, i);
  a = (a + treadle_make_float3(1.0f, 2.0f, 3.0f)) * 2.0f;
  int3 b = treadle_make_int3(1, 2, 3) - treadle_make_int3(0, 1, 0);
  uint3 c = treadle_make_uint3(6, 4, 2) / 2u;
  a -= treadle_make_float3((float)(b.z - 3), (float)(c.x - c.y - 1), (float)(c.z - 1));
  treadle_store3(data, i, a);
})",
                       std::vector<float>{1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(out, (std::vector<float>{4, 8, 12, 10, 14, 18, 7}));
}

TEST_P(DialectKernels, HaveLocalMemoryOfTheLaunch) {
  const auto device = device::find_device(GetParam());
  const Program program(device, R"(#include "treadle/dialect.h"
TREADLE_KERNEL reverse(TREADLE_GLOBAL float *x TREADLE_LAUNCH_LOCAL_PARAMETER(float, tile))
{
  TREADLE_LAUNCH_LOCAL(float, tile);
  uint l = treadle_local_id(0), size = treadle_local_size(0), i = treadle_global_id(0);
  tile[l] = x[i];
  treadle_barrier();
  x[i] = tile[size - 1 - l];
}
TREADLE_KERNEL count(TREADLE_GLOBAL int *x TREADLE_LAUNCH_LOCAL_PARAMETER(int, tile))
{
  TREADLE_LAUNCH_LOCAL(int, tile);
  tile[treadle_local_id(0)] = 1;
  treadle_barrier();
  x[treadle_global_id(0)] += tile[treadle_local_size(0) - 1 - treadle_local_id(0)];
})",
                        {.cache = compile::CacheUse::disabled});
  for (const unsigned size : {32u, 64u}) {
    std::vector<float> numbers(128);
    std::iota(numbers.begin(), numbers.end(), 0.0f);
    const memory::Buffer buffer(device, numbers), counts(device, std::vector<int>(128));
    const auto stream = device->make_stream();
    device::LaunchShape shape{.groups = 128 / size, .group_size = size};
    if (device->info().traits.shape_local_memory) {
      shape.local_bytes = 4 * size;
      stream->launch(program.kernel("reverse"), shape, buffer);
      stream->launch(program.kernel("count"), shape, counts);
    } else {
      const device::Local local{4 * size};
      stream->launch(program.kernel("reverse"), shape, buffer, local);
      stream->launch(program.kernel("count"), shape, counts, local);
    }
    stream->synchronize();
    buffer.copy_to(numbers);
    EXPECT_EQ(numbers[0], static_cast<float>(size - 1));
    EXPECT_EQ(numbers[127], static_cast<float>(128 - size));
    std::vector<int> ones(128);
    counts.copy_to(ones);
    EXPECT_EQ(ones, std::vector<int>(128, 1));
  }
}

TEST_P(DialectKernels, ComputeWithVectors) {
  const auto out = run(R"(
TREADLE_KERNEL k(TREADLE_GLOBAL float *out)
{
  if (treadle_global_id(0) > 0) return;
  float4 a = treadle_make_float4(1.0f, 2.0f, 3.0f, 4.0f);
  a = (a + a * 2.0f) / treadle_make_float4(3.0f, 3.0f, 3.0f, 1.0f);
  a -= treadle_make_float4(0.0f, 1.0f, 0.0f, 0.0f);
  int2 b = treadle_make_int2(7, 8) * treadle_make_int2(2, 3);
  uint2 c = treadle_make_uint2(1, 2) + 1u;
  out[0] = a.x; out[1] = a.y; out[2] = a.z; out[3] = a.w;
  out[4] = (float)(b.x + b.y); out[5] = (float)c.y;
})",
                       std::vector<float>(6));
  EXPECT_EQ(out, (std::vector<float>{1, 1, 3, 12, 38, 3}));
}

TEST_P(DialectKernels, ComputeWithNamesThatDiffer) {
  const auto out = run(R"(
TREADLE_KERNEL k(TREADLE_GLOBAL int *out)
{
  if (treadle_global_id(0) > 0) return;
  out[0] = treadle_clamp(12, 0, 10);
  out[1] = (int)treadle_clamp(-1.5f, -1.0f, 1.0f);
  out[2] = (int)(8.0f * treadle_mix(1.0f, 2.0f, 0.25f));
  out[3] = (int)treadle_mad(2.0f, 3.0f, 4.0f);
  out[4] = treadle_popcount(0xF1u);
  out[5] = treadle_leading_zeros(1u);
  out[6] = treadle_as_int(1.0f);
  out[7] = (int)treadle_as_float(treadle_as_uint(3.0f));
  treadle_int64 wide = (treadle_int64)1 << 40;
  treadle_uint64 all = ~(treadle_uint64)0;
  out[8] = (int)(wide >> 38) + (int)(all >> 63);
  uchar small = (uchar)300;
  ushort middle = (ushort)70000;
  out[9] = small + middle;
})",
                       std::vector<int>(10));
  EXPECT_EQ(out, (std::vector<int>{10, -1, 10, 10, 5, 31, 0x3F800000, 3, 5, 44 + 4464}));
}

TEST_P(DialectKernels, ReadTheBitsOfADouble) {
  if (!device::find_device(GetParam())->info().traits.fp64) GTEST_SKIP() << "has no double";
  const auto out = run(R"(
TREADLE_KERNEL k(TREADLE_GLOBAL treadle_uint64 *out)
{
  if (treadle_global_id(0) > 0) return;
  out[0] = treadle_as_uint64(-1.0);
  out[1] = (treadle_uint64)treadle_as_double(treadle_as_uint64(3.0));
})",
                       std::vector<std::uint64_t>(2));
  EXPECT_EQ(out, (std::vector<std::uint64_t>{0xbff0000000000000, 3}));
}

TEST_P(DialectKernels, ConvertNumbersOf16Bits) {
  const auto out = run(R"(
TREADLE_KERNEL k(TREADLE_GLOBAL uint *out)
{
  if (treadle_global_id(0) > 0) return;
  out[0] = treadle_float_to_half(1.0f);
  out[1] = treadle_float_to_half(1.00048828125f);  // halfway: to even
  out[2] = treadle_float_to_half(65520.0f);
  out[3] = treadle_as_uint(treadle_half_to_float(0x0001));
  out[4] = treadle_as_uint(treadle_half_to_float(0xFC00));
  uchar4 bytes = treadle_make_vector(uchar4)(1, 2, 3, 4);
  out[5] = bytes.w;
  out[8] = treadle_round_half(1.0015f) == 1.001953125f;
  out[9] = treadle_round_half(-65520.0f) == -TREADLE_INFINITY;
  out[10] = treadle_round_half(8.9e-8f) == 5.9604645e-8f;
  out[6] = treadle_as_uint(TREADLE_INFINITY) + (TREADLE_NAN == TREADLE_NAN);
  out[7] = (treadle_int64_literal(1) << 40 >> 39) + (uint)(treadle_uint64_literal(1) << 63 >> 62);
})",
                       std::vector<unsigned>(11));
  EXPECT_EQ(out, (std::vector<unsigned>{0x3C00, 0x3C00, 0x7C00, 0x33800000, 0xFF800000, 4,
                                        0x7F800000, 4, 1, 1, 1}));
}

}  // namespace
}  // namespace treadle::kernel
