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
