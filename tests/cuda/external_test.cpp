// SPDX-License-Identifier: MIT
// Another interface, such as Vulkan, is needed for what works; a fake driver shows what is asked.
#include "treadle/cuda/external.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "cuda/fake_driver.hpp"
#include "cuda/providers.hpp"
#include "treadle/base/error.hpp"

namespace treadle::cuda {
namespace {

using testing::HasSubstr;

class Externals : public OnEachProvider {};
INSTANTIATE_TEST_SUITE_P(Providers, Externals, each_provider, provider_name);

TEST_P(Externals, BadInputIsRefusedAnywhere) {
  EXPECT_THROW(ExternalMemory::import_file(-1, 4096), InvalidArgument);
  EXPECT_THROW(ExternalMemory::import_file(0, 0), InvalidArgument);
  EXPECT_THROW(ExternalMemory::import_file(0, static_cast<std::size_t>(-1)), InvalidArgument);
  EXPECT_THROW(ExternalSemaphore::import_file(-1), InvalidArgument);
  EXPECT_THROW(signal(std::span<const SemaphoreValue>()), InvalidArgument);
  EXPECT_THROW(wait(std::span<const SemaphoreValue>()), InvalidArgument);
  EXPECT_THROW(add_signal(Graph(), {}, {}), InvalidArgument);
  EXPECT_THROW(add_wait(Graph(), {}, {}), InvalidArgument);
}

TEST_P(Externals, TheCpuDeviceSaysThatItSharesWithNobody) {
  if (GetParam() != Provider::cpu) GTEST_SKIP() << "a GPU";
  try {
    ExternalMemory::import_file(0, 4096);
    FAIL();
  } catch (const NotSupported& error) {
    EXPECT_THAT(error.message(), HasSubstr("cuImportExternalMemory"));
  }
  EXPECT_THROW(ExternalSemaphore::import_file(0), NotSupported);
}

// ---- what a driver is asked for

struct Asked {
  std::vector<std::string> calls;
  std::vector<std::uint64_t> values;
} asked;
char objects[4];

class WithAFake : public testing::Test {
 protected:
  void SetUp() override {
    fake::reset();
    asked = {};
    auto table = std::make_shared<Table>(fake::driver().table());
    table->cuImportExternalMemory = [](CUexternalMemory* made,
                                       const CUDA_EXTERNAL_MEMORY_HANDLE_DESC* description) {
      asked.values = {static_cast<std::uint64_t>(description->type),
                      static_cast<std::uint64_t>(description->handle.fd), description->size,
                      description->flags};
      *made = reinterpret_cast<CUexternalMemory>(&objects[0]);
      return CUDA_SUCCESS;
    };
    table->cuExternalMemoryGetMappedBuffer = [](CUdeviceptr* made, CUexternalMemory,
                                                const CUDA_EXTERNAL_MEMORY_BUFFER_DESC* wanted) {
      asked.values = {wanted->offset, wanted->size};
      *made = 0x1000 + wanted->offset;
      return CUDA_SUCCESS;
    };
    table->cuMemFree = [](CUdeviceptr) {
      asked.calls.emplace_back("cuMemFree");
      return CUDA_SUCCESS;
    };
    table->cuDestroyExternalMemory = [](CUexternalMemory) {
      asked.calls.emplace_back("cuDestroyExternalMemory");
      return CUDA_SUCCESS;
    };
    table->cuImportExternalSemaphore = [](CUexternalSemaphore* made,
                                          const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC* description) {
      asked.values = {static_cast<std::uint64_t>(description->type)};
      *made = reinterpret_cast<CUexternalSemaphore>(&objects[1]);
      return CUDA_SUCCESS;
    };
    table->cuDestroyExternalSemaphore = [](CUexternalSemaphore) {
      asked.calls.emplace_back("cuDestroyExternalSemaphore");
      return CUDA_SUCCESS;
    };
    table->cuSignalExternalSemaphoresAsync =
        [](const CUexternalSemaphore* semaphores,
           const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS* parameters, unsigned count, CUstream) {
          EXPECT_EQ(semaphores[0], reinterpret_cast<CUexternalSemaphore>(&objects[1]));
          asked.values = {count, parameters[count - 1].params.fence.value};
          return CUDA_SUCCESS;
        };
    table->cuWaitExternalSemaphoresAsync = [](const CUexternalSemaphore*,
                                              const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS* parameters,
                                              unsigned count, CUstream) {
      asked.values = {count, parameters[0].params.fence.value};
      return CUDA_SUCCESS;
    };
    driver_.emplace(table);
    set_default_driver(*driver_, "a test");
    current_.emplace(Context::make_current(driver_->device(0)));
  }
  void TearDown() override { current_.reset(); }
  std::optional<Driver> driver_;
  std::optional<CurrentContext> current_;
};

TEST_F(WithAFake, ABufferEndsBeforeItsMemory) {
  {
    std::optional<ExternalBuffer> buffer;
    {
      const auto memory =
          ExternalMemory::import_file(5, 8192, ExternalMemoryType::dma_buffer, true);
      EXPECT_EQ(asked.values, (std::vector<std::uint64_t>{9, 5, 8192, 1}));
      buffer = memory.buffer(4096, 4096);
      EXPECT_EQ(asked.values, (std::vector<std::uint64_t>{4096, 4096}));
      EXPECT_THROW(memory.buffer(4096, 4097), InvalidArgument);
      EXPECT_THROW(memory.buffer(8193, 0), InvalidArgument);
      EXPECT_THROW(memory.image(0, {.width = 8, .height = 8}, 9), InvalidArgument);
    }
    EXPECT_EQ(buffer->address(), 0x2000u);
    EXPECT_EQ(buffer->size_bytes(), 4096u);
    EXPECT_EQ(*static_cast<const DevicePointer*>(LaunchArgument<ExternalBuffer>::data(*buffer)),
              0x2000u);
    EXPECT_TRUE(asked.calls.empty());
  }
  EXPECT_EQ(asked.calls, (std::vector<std::string>{"cuMemFree", "cuDestroyExternalMemory"}));
}

TEST_F(WithAFake, SemaphoresAreSetAndWaitedFor) {
  {
    const auto semaphore = ExternalSemaphore::import_file(3, ExternalSemaphoreType::binary);
    EXPECT_EQ(asked.values, std::vector<std::uint64_t>{1});
    const Stream stream;
    signal({semaphore, 7}, stream);
    EXPECT_EQ(asked.values, (std::vector<std::uint64_t>{1, 7}));
    const std::vector<SemaphoreValue> two{{semaphore, 1}, {semaphore, 2}};
    signal(two, stream);
    EXPECT_EQ(asked.values, (std::vector<std::uint64_t>{2, 2}));
    wait({semaphore, 9}, stream);
    EXPECT_EQ(asked.values, (std::vector<std::uint64_t>{1, 9}));
  }
  EXPECT_EQ(asked.calls, std::vector<std::string>{"cuDestroyExternalSemaphore"});
}

}  // namespace
}  // namespace treadle::cuda
