// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/harness.hpp"

namespace treadle::cuda_cpu::test {
namespace {

class DeviceTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_CU(CU(cuInit)(0)); }
  static int attribute(CUdevice_attribute which) {
    int value = -7;
    EXPECT_CU(CUDA_SUCCESS, CU(cuDeviceGetAttribute)(&value, which, 0)) << which;
    return value;
  }
};

TEST_F(DeviceTest, init_takes_no_flags) { EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuInit)(1)); }

TEST_F(DeviceTest, is_one_device_of_cuda_13) {
  int version = 0, count = 0;
  CUdevice device = -1;
  EXPECT_CU(CUDA_SUCCESS, CU(cuDriverGetVersion)(&version));
  EXPECT_EQ(version, 13000);
  EXPECT_CU(CUDA_SUCCESS, CU(cuDeviceGetCount)(&count));
  EXPECT_EQ(count, 1);
  EXPECT_CU(CUDA_SUCCESS, CU(cuDeviceGet)(&device, 0));
  EXPECT_EQ(device, 0);
  EXPECT_CU(CUDA_ERROR_INVALID_DEVICE, CU(cuDeviceGet)(&device, 1));
  EXPECT_CU(CUDA_ERROR_INVALID_DEVICE, CU(cuDeviceGet)(&device, -1));
}

TEST_F(DeviceTest, answers_every_attribute_cuda_h_knows) {
  for (int which = 1; which < CU_DEVICE_ATTRIBUTE_MAX; ++which)
    EXPECT_NE(attribute(static_cast<CUdevice_attribute>(which)), -7);
  int value = 0;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuDeviceGetAttribute)(&value, CU_DEVICE_ATTRIBUTE_MAX, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            CU(cuDeviceGetAttribute)(nullptr, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_DEVICE,
            CU(cuDeviceGetAttribute)(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 3));
}

TEST_F(DeviceTest, has_the_limits_of_compute_capability_7_0) {
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR), 7);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR), 0);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE), 32);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 1024);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X), 2147483647);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK), 48 * 1024);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING), 1);
  EXPECT_GE(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT), 1);
}

TEST_F(DeviceTest, is_named_after_the_processor) {
  char name[128] = "", short_name[5] = "";
  EXPECT_CU(CUDA_SUCCESS, CU(cuDeviceGetName)(name, sizeof name, 0));
  EXPECT_NE(std::string(name), "");
  EXPECT_CU(CUDA_SUCCESS, CU(cuDeviceGetName)(short_name, sizeof short_name, 0));
  EXPECT_EQ(std::string(short_name), std::string(name).substr(0, 4));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuDeviceGetName)(name, 0, 0));
}

TEST_F(DeviceTest, is_found_by_its_bus_id) {
  char id[16] = "";
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuDeviceGetPCIBusId)(id, 5, 0));
  ASSERT_CU(CU(cuDeviceGetPCIBusId)(id, sizeof id, 0));
  CUdevice device = -1;
  for (const char* text : {static_cast<const char*>(id), "0:0:0.0", "00:00.0", "00:00"}) {
    EXPECT_CU(CUDA_SUCCESS, CU(cuDeviceGetByPCIBusId)(&device, text)) << text;
    EXPECT_EQ(device, 0);
  }
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuDeviceGetByPCIBusId)(&device, "nonsense"));
  EXPECT_CU(CUDA_ERROR_INVALID_DEVICE, CU(cuDeviceGetByPCIBusId)(&device, "0000:01:00.0"));
}

TEST_F(DeviceTest, keeps_its_uuid_and_has_memory) {
  CUuuid first{}, second{};
  ASSERT_CU(CU(cuDeviceGetUuid)(&first, 0));
  ASSERT_CU(CU(cuDeviceGetUuid)(&second, 0));
  EXPECT_EQ(std::string(first.bytes, sizeof first.bytes),
            std::string(second.bytes, sizeof second.bytes));
  size_t bytes = 0;
  ASSERT_CU(CU(cuDeviceTotalMem)(&bytes, 0));
  EXPECT_GT(bytes, size_t{64} << 20);
  int can = 1;
  EXPECT_CU(CUDA_SUCCESS, CU(cuDeviceCanAccessPeer)(&can, 0, 0));
  EXPECT_EQ(can, 0);
}

TEST_F(DeviceTest, get_proc_address_gives_the_version_a_program_was_built_for) {
  const auto look = [](const char* name, int version) {
    void* found = nullptr;
    CUdriverProcAddressQueryResult status{};
    const CUresult result = CU(cuGetProcAddress)(name, &found, version, 0, &status);
    EXPECT_EQ(result == CUDA_SUCCESS, status == CU_GET_PROC_ADDRESS_SUCCESS);
    return found;
  };
  EXPECT_EQ(look("cuMemAlloc", 13000), entry_point("cuMemAlloc_v2"));
  EXPECT_EQ(look("cuCtxCreate", 13000), entry_point("cuCtxCreate_v4"));
  EXPECT_EQ(look("cuCtxCreate", 11000), entry_point("cuCtxCreate_v2"));
  EXPECT_EQ(look("cuEventElapsedTime", 12000), entry_point("cuEventElapsedTime"));
  EXPECT_EQ(look("cuEventElapsedTime", 13000), entry_point("cuEventElapsedTime_v2"));
  EXPECT_EQ(look("cuLaunchKernel", 13000), entry_point("cuLaunchKernel"));
  EXPECT_EQ(look("cuNoSuchThing", 13000), nullptr);
}

}  // namespace
}  // namespace treadle::cuda_cpu::test
