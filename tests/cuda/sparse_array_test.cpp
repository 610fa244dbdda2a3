// SPDX-License-Identifier: MIT
#include "treadle/cuda/sparse_array.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "cuda/providers.hpp"
#include "treadle/base/error.hpp"
#include "treadle/cuda/copy.hpp"

namespace treadle::cuda {
namespace {

using testing::HasSubstr;

class SparseArrays : public OnEachProvider {
 protected:
  bool has_sparse() const {
    return GetParam() == Provider::nvidia &&
           device().attribute(DeviceAttribute::sparse_cuda_array_supported) != 0;
  }
};
INSTANTIATE_TEST_SUITE_P(Providers, SparseArrays, each_provider, provider_name);

TEST_P(SparseArrays, ATileThatWasMappedHoldsWhatIsCopied) {
  if (!has_sparse()) GTEST_SKIP() << "no sparse arrays";
  const Array image({.width = 4096, .height = 4096, .flags = ArrayFlags::sparse});
  const SparseLayout layout = sparse_layout(image);
  ASSERT_GT(layout.tile_width, 0u);
  ASSERT_GT(layout.tile_height, 0u);
  const MemoryLocation here = MemoryLocation::of(device());
  const std::size_t unit = allocation_granularity(here);
  const PhysicalMemory tiles = PhysicalMemory::for_tiles(unit, here, device().driver());
  const Stream stream(StreamFlags::non_blocking);
  const TileMapping first{
      .array = image,
      .part = ArrayTiles{.width = layout.tile_width, .height = layout.tile_height, .depth = 1},
      .memory = &tiles};
  map_tiles({&first, 1}, stream);
  stream.synchronize();
  std::vector<float> values(layout.tile_width * std::size_t{layout.tile_height}),
      back(values.size());
  std::iota(values.begin(), values.end(), 1.f);
  const std::size_t row_bytes = layout.tile_width * sizeof(float);
  const auto host = [&](const float* data) {
    return CopySide{.type = MemoryType::host, .host = data, .pitch_bytes = row_bytes};
  };
  const CopySide array{.type = MemoryType::array, .array = image};
  copy_2d({.source = host(values.data()),
           .destination = array,
           .width_bytes = row_bytes,
           .height = layout.tile_height});
  copy_2d({.source = array,
           .destination = host(back.data()),
           .width_bytes = row_bytes,
           .height = layout.tile_height});
  EXPECT_EQ(back, values);
  TileMapping gone = first;
  gone.memory = nullptr;
  map_tiles({&gone, 1}, stream);
  stream.synchronize();
}

TEST_P(SparseArrays, AMipmappedOneTellsItsTail) {
  if (!has_sparse()) GTEST_SKIP() << "no sparse arrays";
  const MipmappedArray image({.width = 4096, .height = 4096, .flags = ArrayFlags::sparse}, 13);
  const SparseLayout layout = sparse_layout(image);
  EXPECT_GT(layout.tail_bytes, 0u);
  EXPECT_LE(layout.tail_level, 13u);
}

TEST_P(SparseArrays, ADeferredOneTellsTheMemoryThatItNeeds) {
  if (GetParam() != Provider::nvidia ||
      device().attribute(DeviceAttribute::deferred_mapping_cuda_array_supported) == 0)
    GTEST_SKIP() << "no deferred mapping";
  const ArrayShape shape{.width = 64, .height = 64, .flags = ArrayFlags::deferred_mapping};
  const ArrayMemory memory = array_memory(Array(shape));
  EXPECT_GE(memory.size_bytes, 64u * 64 * 4);
  EXPECT_GT(memory.alignment, 0u);
  EXPECT_GE(array_memory(MipmappedArray(shape, 3)).size_bytes, 64u * 64 * 4);
}

TEST_P(SparseArrays, PlainArraysAreNoneOfThem) {
  const Array plain({.width = 8, .height = 8});
  EXPECT_THROW(map_tiles({}), InvalidArgument);
  if (GetParam() == Provider::cpu) {
    try {
      sparse_layout(plain);
      FAIL();
    } catch (const NotSupported& error) {
      EXPECT_THAT(error.message(), HasSubstr("cuArrayGetSparseProperties"));
    }
    EXPECT_THROW(array_memory(plain), NotSupported);
    EXPECT_THROW(array_plane(plain, 0), NotSupported);
    EXPECT_THROW(sparse_layout(MipmappedArray({.width = 8, .height = 8}, 2)), NotSupported);
    EXPECT_THROW(array_memory(MipmappedArray({.width = 8, .height = 8}, 2)), NotSupported);
    const TileMapping mapping{.array = plain, .part = ArrayTiles{}};
    EXPECT_THROW(map_tiles({&mapping, 1}), NotSupported);
    return;
  }
  EXPECT_THROW(sparse_layout(plain), DeviceError);
  EXPECT_THROW(array_memory(plain), DeviceError);
  EXPECT_THROW(array_plane(plain, 7), DeviceError);
}

TEST_P(SparseArrays, AnArrayThatWasFreedIsRefused) {
  Array array({.width = 8, .height = 8});
  array.free();
  EXPECT_THROW(sparse_layout(array), InvalidState);
  EXPECT_THROW(array_memory(array), InvalidState);
  const TileMapping mapping{.array = array, .part = ArrayTail{}};
  EXPECT_THROW(map_tiles({&mapping, 1}), InvalidState);
}

TEST_P(SparseArrays, ABorrowedMipmappedArrayIsItsOwners) {
  const MipmappedArray owned({.width = 8, .height = 4}, 3);
  MipmappedArray borrowed = MipmappedArray::borrow(context(), owned.raw(), 3);
  EXPECT_EQ(borrowed.shape(), owned.shape());
  EXPECT_EQ(borrowed.level(1).shape().width, 4u);
  EXPECT_THROW(borrowed.level(3), IndexError);
  EXPECT_THROW(borrowed.free(), InvalidState);
  borrowed = {};
  EXPECT_FALSE(owned.is_freed());
  EXPECT_THROW(MipmappedArray::borrow(context(), owned.raw(), 0), InvalidArgument);
  EXPECT_THROW(MipmappedArray::borrow(context(), nullptr, 1), InvalidArgument);
}

}  // namespace
}  // namespace treadle::cuda
