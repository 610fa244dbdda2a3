// SPDX-License-Identifier: MIT
#include "treadle/cuda/tensor_map.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "cuda/fake_driver.hpp"
#include "cuda/providers.hpp"
#include "treadle/base/error.hpp"
#include "treadle/compile/compile.hpp"
#include "treadle/cuda/module.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::cuda {
namespace {

// One box of 32 x 8 floats, by the tensor memory accelerator.
const char* const boxes = R"(
struct alignas(64) Map { unsigned long long words[16]; };
extern "C" __global__ void load(const __grid_constant__ Map map, float* out, int x, int y)
{
    alignas(128) __shared__ float box[8 * 32];
    __shared__ unsigned long long barrier;
    unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);
    unsigned to = (unsigned)__cvta_generic_to_shared(box);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(at) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                     :: "r"(at), "r"((int)sizeof box) : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%0], [%1, {%2, %3}], [%4];"
                     :: "r"(to), "l"(&map), "r"(x), "r"(y), "r"(at) : "memory");
    }
    unsigned done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; "
                     "selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at) : "memory");
    for (int i = threadIdx.x; i < 8 * 32; i += blockDim.x) out[i] = box[i];
})";

class TensorMaps : public OnEachProvider {
 protected:
  TiledTensor tensor(DevicePointer address) const {
    return {{.address = address, .element = TensorElement::float32, .shape = {64, 20}}, {32, 8}};
  }
};
INSTANTIATE_TEST_SUITE_P(Providers, TensorMaps, each_provider, provider_name);

TEST_P(TensorMaps, AKernelLoadsBoxesByOne) {
  if (GetParam() != Provider::nvidia ||
      device().attribute(DeviceAttribute::compute_capability_major) < 9)
    GTEST_SKIP() << "no tensor memory accelerator";
  std::vector<float> values(64 * 20), box(32 * 8), expected;
  std::iota(values.begin(), values.end(), 1.f);
  DeviceMemory first(values.size() * 4), second(values.size() * 4), out(box.size() * 4);
  first.copy_from(values);
  TensorMap map = TensorMap::tiled(tensor(first.address()), device().driver());
  const Module module(
      compile::compile_cuda(boxes, compile::Target::parse(device().target()), {}).image);
  const auto load = [&](int x, int y) {
    module.function("load").launch({.grid = {1}, .block = {32}}, map, out, x, y);
    out.copy_to(box);
  };
  const auto expect = [&](int x, int y) {
    expected.clear();
    for (int row = y; row < y + 8; ++row)
      for (int column = x; column < x + 32; ++column)
        expected.push_back(
            row < 20 && column < 64 ? values[static_cast<std::size_t>(64 * row + column)] : 0.f);
    EXPECT_EQ(box, expected);
  };
  load(16, 4);
  expect(16, 4);
  load(48, 16);  // over two edges
  expect(48, 16);
  for (float& value : values) value = -value;
  second.copy_from(values);
  map.set_address(second.address());
  EXPECT_EQ(map.address(), second.address());
  load(0, 0);
  expect(0, 0);
}

TEST_P(TensorMaps, TheCpuDeviceSaysThatItHasNone) {
  if (GetParam() != Provider::cpu) GTEST_SKIP() << "a GPU";
  EXPECT_THROW(TensorMap::tiled(tensor(4096), device().driver()), NotSupported);
  EXPECT_THROW(TensorMap::image({{.address = 4096, .shape = {64, 8, 8}}, {0}, {0}, 32, 16},
                                device().driver()),
               NotSupported);
}

// ---- what is refused before the driver is asked, which a fake one shows

// over 6 parameters because the driver's function has them.
CUresult encoded(CUtensorMap* map, CUtensorMapDataType, cuuint32_t rank, void* address,
                 const cuuint64_t* shape, const cuuint64_t* strides, const cuuint32_t*,
                 const cuuint32_t* steps, CUtensorMapInterleave, CUtensorMapSwizzle,
                 CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  map->opaque[0] = reinterpret_cast<std::uintptr_t>(address);
  map->opaque[1] = rank;
  map->opaque[2] = shape[rank - 1];
  map->opaque[3] = rank > 1 ? strides[rank - 2] : 0;
  map->opaque[4] = steps[0];
  return CUDA_SUCCESS;
}

class TensorRules : public testing::Test {
 protected:
  TensorRules() {
    auto table = std::make_shared<Table>(fake::driver().table());
    table->cuTensorMapEncodeTiled = encoded;
    table->cuTensorMapReplaceAddress = [](CUtensorMap* map, void* address) -> CUresult {
      map->opaque[0] = reinterpret_cast<std::uintptr_t>(address);
      return CUDA_SUCCESS;
    };
    driver_.emplace(table);
  }
  static TiledTensor good() {
    return {{.address = 4096, .element = TensorElement::float16, .shape = {64, 20, 3}}, {32, 8, 1}};
  }
  template <class Change>
  std::string refusal(Change&& change) const {
    TiledTensor tensor = good();
    change(tensor);
    try {
      (void)TensorMap::tiled(tensor, *driver_);
    } catch (const InvalidArgument& error) {
      return error.message();
    }
    return "taken";
  }
  void refuses(const char* text, void (*change)(TiledTensor&)) const {
    EXPECT_NE(refusal(change).find(text), std::string::npos) << refusal(change);
  }
  std::optional<Driver> driver_;
};

TEST_F(TensorRules, WhatIsGoodReachesTheDriver) {
  TensorMap map = TensorMap::tiled(good(), *driver_);
  EXPECT_EQ(map.data()[0], 4096u);
  EXPECT_EQ(map.data()[1], 3u);
  EXPECT_EQ(map.data()[2], 3u);
  EXPECT_EQ(map.data()[3], 64u * 2 * 20) << "without gaps";
  EXPECT_EQ(map.data()[4], 1u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(map.data()) % TensorMap::alignment, 0u);
  map.set_address(8192);
  EXPECT_EQ(map.data()[0], 8192u);
  EXPECT_THROW(map.set_address(8), InvalidArgument);
  EXPECT_THROW(map.set_address(0), InvalidArgument);
}

TEST_F(TensorRules, WhatCudaDoesNotAllowIsNamed) {
  refuses("address is null", [](TiledTensor& t) { t.address = 0; });
  refuses("address is 4104", [](TiledTensor& t) { t.address = 4104; });
  refuses("number of dimensions is 0", [](TiledTensor& t) { t.shape.clear(); });
  refuses("number of dimensions is 6", [](TiledTensor& t) { t.shape.assign(6, 8); });
  refuses("number of dimensions is 2", [](TiledTensor& t) {
    t.interleave = TensorInterleave::bytes16;
    t.shape = {64, 20};
  });
  refuses("shape[1] is 0", [](TiledTensor& t) { t.shape[1] = 0; });
  refuses("shape[0] is 4294967297", [](TiledTensor& t) { t.shape[0] = (1ull << 32) + 1; });
  refuses("strides_bytes has 1", [](TiledTensor& t) { t.strides_bytes = {128}; });
  refuses("strides_bytes[1] is 2568", [](TiledTensor& t) { t.strides_bytes = {128, 2568}; });
  refuses("strides_bytes[0] is 126", [](TiledTensor& t) { t.shape[0] = 63; });
  refuses("box has 2", [](TiledTensor& t) { t.box = {32, 8}; });
  refuses("box[1] is 257", [](TiledTensor& t) { t.box[1] = 257; });
  refuses("box[2] is 0", [](TiledTensor& t) { t.box[2] = 0; });
  refuses("box[0] in bytes is 66", [](TiledTensor& t) { t.box[0] = 33; });
  refuses("box[0] in bytes is 64", [](TiledTensor& t) { t.swizzle = TensorSwizzle::bytes32; });
  refuses("steps[0] is 9", [](TiledTensor& t) { t.steps = {9, 1, 1}; });
  refuses("steps has 2", [](TiledTensor& t) { t.steps = {1, 1}; });
  refuses("swizzle is not", [](TiledTensor& t) { t.interleave = TensorInterleave::bytes32; });
  refuses("fill is nan", [](TiledTensor& t) {
    t.element = TensorElement::int32;
    t.fill = TensorFill::nan;
  });
  refuses("element is 16", [](TiledTensor& t) { t.element = static_cast<TensorElement>(16); });
  EXPECT_EQ(refusal([](TiledTensor& t) { t.swizzle = TensorSwizzle::bytes64; }), "taken");
}

TEST_F(TensorRules, AWideMapIsCheckedToo) {
  const auto refusal_of = [&](void (*change)(WideTensor&)) -> std::string {
    WideTensor tensor{
        {.address = 4096, .element = TensorElement::float16, .shape = {64, 32, 8}}, 0, 0, 64, 128};
    change(tensor);
    try {
      (void)TensorMap::wide(tensor, *driver_);
    } catch (const InvalidArgument& error) {
      return error.message();
    } catch (const NotSupported&) {
      return "taken";  // by our rules; the fake driver has no such call
    }
    return "made";
  };
  EXPECT_EQ(refusal_of([](WideTensor&) {}), "taken");
  const auto refuses_wide = [&](const char* text, void (*change)(WideTensor&)) {
    EXPECT_NE(refusal_of(change).find(text), std::string::npos) << refusal_of(change);
  };
  refuses_wide("number of dimensions is 2", [](WideTensor& t) { t.shape = {64, 32}; });
  refuses_wide("lower_corner is -32769", [](WideTensor& t) { t.lower_corner = -32769; });
  refuses_wide("upper_corner is 40000", [](WideTensor& t) { t.upper_corner = 40000; });
  refuses_wide("channels is 0", [](WideTensor& t) { t.channels = 0; });
  refuses_wide("pixels is 1025", [](WideTensor& t) { t.pixels = 1025; });
  refuses_wide("interleave is given",
               [](WideTensor& t) { t.interleave = TensorInterleave::bytes16; });
}

}  // namespace
}  // namespace treadle::cuda
