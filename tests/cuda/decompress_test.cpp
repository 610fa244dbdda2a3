// SPDX-License-Identifier: MIT
// A GPU with an engine for it is needed for what works; a fake driver shows what is asked.
#include "treadle/cuda/decompress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "cuda/fake_driver.hpp"
#include "cuda/providers.hpp"
#include "treadle/base/error.hpp"
#include "treadle/cuda/copy.hpp"
#include "treadle/cuda/memory.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::cuda {
namespace {

using testing::HasSubstr;

constexpr Decompression one_block{.destination = 0x3000,
                                  .source = 0x1000,
                                  .source_bytes = 90,
                                  .written_bytes = 0x2000,
                                  .destination_bytes = 200,
                                  .algorithm = Compression::lz4};

std::string refusal_of_block(Decompression block) {
  try {
    decompress_batch(std::vector{one_block, block}, {});
  } catch (const InvalidArgument& error) {
    return error.message();
  }
  return "taken";
}

class Decompressing : public OnEachProvider {};
INSTANTIATE_TEST_SUITE_P(Providers, Decompressing, each_provider, provider_name);

// One block of LZ4: four letters as they are, then eight more of them from four bytes before, and
// five at the end, as the format wants.
TEST_P(Decompressing, ABlockIsDecompressedOrTheDeviceSaysThatItCannot) {
  const std::vector<unsigned char> packed{0x44, 'a', 'b', 'c', 'd', 4,  0,
                                          0x50, 'e', 'f', 'g', 'h', 'i'};
  DeviceMemory source(packed.size());
  const DeviceMemory written(4), destination(64);
  source.copy_from(packed);
  const bool has_engine =
      GetParam() == Provider::nvidia && device().driver().version() >= 12080 &&
      (device().attribute(DeviceAttribute::mem_decompress_algorithm_mask) & 4) != 0;
  const Stream stream;
  const std::vector blocks{Decompression{.destination = destination.address(),
                                         .source = source.address(),
                                         .source_bytes = packed.size(),
                                         .written_bytes = written.address(),
                                         .algorithm = Compression::lz4}};
  if (!has_engine) {
    if (GetParam() == Provider::cpu) {
      EXPECT_THROW(decompress_batch(blocks, stream), NotSupported);
    }
    GTEST_SKIP() << "the device has no engine for LZ4";
  }
  context().synchronize();
  decompress_batch(blocks, stream);
  stream.synchronize();
  std::vector<unsigned> count(1);
  written.copy_to(count);
  ASSERT_EQ(count[0], 17u);
  std::string text(17, ' ');
  copy_to_host(text.data(), destination.address(), text.size());
  EXPECT_EQ(text, "abcdabcdabcdefghi");
}

TEST_P(Decompressing, BadInputIsRefusedByItsIndex) {
  EXPECT_NO_THROW(decompress_batch({}, {}));
  Decompression block = one_block;
  block.source = 0;
  EXPECT_THAT(refusal_of_block(block), HasSubstr("block 1 has no source"));
  block = one_block;
  block.destination = 0;
  EXPECT_THAT(refusal_of_block(block), HasSubstr("block 1 has no destination"));
  block = one_block;
  block.written_bytes = 0;
  EXPECT_THAT(refusal_of_block(block), HasSubstr("block 1 has no written_bytes"));
  block = one_block;
  block.source_bytes = 0;
  EXPECT_THAT(refusal_of_block(block), HasSubstr("source_bytes is 0"));
  block.source_bytes = static_cast<std::size_t>(-1);
  EXPECT_THAT(refusal_of_block(block), HasSubstr("source_bytes"));
  block = one_block;
  block.algorithm = static_cast<Compression>(3);
  EXPECT_THAT(refusal_of_block(block), HasSubstr("block 1 has the algorithm 3"));
}

// ---- what a driver is asked for

std::vector<CUmemDecompressParams> submitted;

TEST(DecompressCalls, EveryBlockIsDescribedAndTheFailingOneNamed) {
  fake::reset();
  submitted.clear();
  auto table = std::make_shared<Table>(fake::driver().table());
  table->cuMemBatchDecompressAsync = [](CUmemDecompressParams* blocks, std::size_t count,
                                        unsigned flags, std::size_t* failing, CUstream) {
    EXPECT_EQ(flags, 0u);
    submitted.assign(blocks, blocks + count);
    *failing = 1;
    return count == 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  };
  const auto current = Context::make_current(Device(Driver(table), 0));
  decompress_batch(std::vector{one_block}, {});
  ASSERT_EQ(submitted.size(), 1u);
  EXPECT_EQ(submitted[0].srcNumBytes, 90u);
  EXPECT_EQ(submitted[0].dstNumBytes, 200u);
  EXPECT_EQ(submitted[0].algo, CU_MEM_DECOMPRESS_ALGORITHM_LZ4);
  EXPECT_EQ(reinterpret_cast<DevicePointer>(submitted[0].src), 0x1000u);
  EXPECT_EQ(reinterpret_cast<DevicePointer>(submitted[0].dst), 0x3000u);
  EXPECT_EQ(reinterpret_cast<DevicePointer>(submitted[0].dstActBytes), 0x2000u);
  try {
    decompress_batch(std::vector{one_block, one_block}, {});
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_THAT(error.message(), HasSubstr("block 1 of 2 blocks"));
  }
}

}  // namespace
}  // namespace treadle::cuda
