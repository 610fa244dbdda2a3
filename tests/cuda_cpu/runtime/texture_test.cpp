// SPDX-License-Identifier: MIT
// Making and describing texture and surface objects; what kernels fetch through them is tested in
// tests/cuda.
#include <cstring>

#include "cuda_cpu/runtime/harness.hpp"

namespace treadle::cuda_cpu::test {
namespace {

class TextureTest : public RuntimeTest {
 protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    resource_ = of_array(8, 4, 0, CUDA_ARRAY3D_SURFACE_LDST);
  }

  static CUDA_RESOURCE_DESC of_array(std::size_t width, std::size_t height, std::size_t depth,
                                     unsigned flags) {
    const CUDA_ARRAY3D_DESCRIPTOR d{width, height, depth, CU_AD_FORMAT_FLOAT, 1, flags};
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    EXPECT_CU(CUDA_SUCCESS, CU(cuArray3DCreate)(&resource.res.array.hArray, &d));
    return resource;
  }
  CUDA_RESOURCE_DESC of_memory(std::size_t bytes) {
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_LINEAR;
    resource.res.linear.devPtr = allocate(bytes);
    resource.res.linear.format = CU_AD_FORMAT_FLOAT;
    resource.res.linear.numChannels = 1;
    resource.res.linear.sizeInBytes = bytes;
    return resource;
  }
  CUDA_RESOURCE_DESC of_plane() {
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_PITCH2D;
    resource.res.pitch2D.devPtr = allocate(4 * 512);
    resource.res.pitch2D.format = CU_AD_FORMAT_FLOAT;
    resource.res.pitch2D.numChannels = 1;
    resource.res.pitch2D.width = 100;
    resource.res.pitch2D.height = 4;
    resource.res.pitch2D.pitchInBytes = 512;
    return resource;
  }
  void refuses(CUresult expected, const CUDA_RESOURCE_DESC& resource,
               const CUDA_TEXTURE_DESC& settings, const CUDA_RESOURCE_VIEW_DESC* view = nullptr) {
    CUtexObject object = 0;
    EXPECT_CU(expected, CU(cuTexObjectCreate)(&object, &resource, &settings, view));
  }

  /// A value that the enumeration lacks, as a C program passes it.
  template <class Enumeration>
  static void set(Enumeration& field, int value) {
    std::memcpy(&field, &value, sizeof value);
  }

  CUDA_RESOURCE_DESC resource_{};
};

TEST_F(TextureTest, tells_what_it_was_made_of) {
  CUDA_TEXTURE_DESC settings{};
  settings.filterMode = CU_TR_FILTER_MODE_LINEAR;
  settings.addressMode[1] = CU_TR_ADDRESS_MODE_BORDER;
  settings.borderColor[2] = 0.5f;
  CUtexObject object = 0;
  ASSERT_CU(CU(cuTexObjectCreate)(&object, &resource_, &settings, nullptr));
  EXPECT_NE(object, 0u);
  CUDA_TEXTURE_DESC told{};
  ASSERT_CU(CU(cuTexObjectGetTextureDesc)(&told, object));
  EXPECT_EQ(std::memcmp(&told, &settings, sizeof told), 0);
  CUDA_RESOURCE_DESC told_resource{};
  ASSERT_CU(CU(cuTexObjectGetResourceDesc)(&told_resource, object));
  EXPECT_EQ(told_resource.res.array.hArray, resource_.res.array.hArray);
  CUDA_RESOURCE_VIEW_DESC view{};
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuTexObjectGetResourceViewDesc)(&view, object));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuSurfObjectDestroy)(object));
  ASSERT_CU(CU(cuTexObjectDestroy)(object));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuTexObjectDestroy)(object));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuTexObjectGetTextureDesc)(&told, object));
}

TEST_F(TextureTest, settings_that_do_not_exist_are_refused) {
  CUDA_TEXTURE_DESC settings{};
  set(settings.filterMode, 2);
  refuses(CUDA_ERROR_INVALID_VALUE, resource_, settings);
  settings = {};
  set(settings.addressMode[2], 4);
  refuses(CUDA_ERROR_INVALID_VALUE, resource_, settings);
  settings = {};
  settings.flags = 0x80;
  refuses(CUDA_ERROR_INVALID_VALUE, resource_, settings);
  settings.flags = CU_TRSF_SEAMLESS_CUBEMAP | CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION;
  refuses(CUDA_SUCCESS, resource_, settings);
}

TEST_F(TextureTest, resources_that_cannot_be_read_are_refused) {
  CUDA_RESOURCE_DESC resource = resource_;
  resource.flags = 1;
  refuses(CUDA_ERROR_INVALID_VALUE, resource, {});
  resource = resource_;
  resource.res.array.hArray = nullptr;
  refuses(CUDA_ERROR_INVALID_HANDLE, resource, {});
  const CUDA_RESOURCE_DESC memory = of_memory(1024);
  resource = memory;
  resource.res.linear.sizeInBytes = 1 << 20;
  refuses(CUDA_ERROR_INVALID_VALUE, resource, {});
  resource = memory;
  resource.res.linear.devPtr += 4;
  resource.res.linear.sizeInBytes -= 4;
  refuses(CUDA_ERROR_INVALID_VALUE, resource, {});
  resource = memory;
  resource.res.linear.numChannels = 3;
  refuses(CUDA_ERROR_INVALID_VALUE, resource, {});
  const CUDA_RESOURCE_DESC plane = of_plane();
  refuses(CUDA_SUCCESS, plane, {});
  resource = plane;
  resource.res.pitch2D.height = 5;
  refuses(CUDA_ERROR_INVALID_VALUE, resource, {});
  resource = plane;
  resource.res.pitch2D.pitchInBytes = 500;
  refuses(CUDA_ERROR_INVALID_VALUE, resource, {});
  resource = plane;
  resource.res.pitch2D.width = 200;
  refuses(CUDA_ERROR_INVALID_VALUE, resource, {});
}

TEST_F(TextureTest, views_have_the_size_of_their_texels_and_of_their_array) {
  CUDA_RESOURCE_VIEW_DESC view{};
  view.format = CU_RES_VIEW_FORMAT_UINT_4X8;
  view.width = 8;
  view.height = 4;
  CUtexObject object = 0;
  const CUDA_TEXTURE_DESC settings{};
  ASSERT_CU(CU(cuTexObjectCreate)(&object, &resource_, &settings, &view));
  CUDA_RESOURCE_VIEW_DESC told{};
  ASSERT_CU(CU(cuTexObjectGetResourceViewDesc)(&told, object));
  EXPECT_EQ(told.format, view.format);
  view.format = CU_RES_VIEW_FORMAT_UINT_1X8;
  refuses(CUDA_ERROR_INVALID_VALUE, resource_, settings, &view);
  view.format = CU_RES_VIEW_FORMAT_UNSIGNED_BC7;
  refuses(CUDA_ERROR_NOT_SUPPORTED, resource_, settings, &view);
  view.format = CU_RES_VIEW_FORMAT_NONE;
  view.width = 7;
  refuses(CUDA_ERROR_INVALID_VALUE, resource_, settings, &view);
  view.width = 8;
  view.lastMipmapLevel = 1;
  refuses(CUDA_ERROR_INVALID_VALUE, resource_, settings, &view);
}

TEST_F(TextureTest, surfaces_are_made_of_arrays_for_them) {
  CUsurfObject object = 0;
  ASSERT_CU(CU(cuSurfObjectCreate)(&object, &resource_));
  CUDA_RESOURCE_DESC told{};
  ASSERT_CU(CU(cuSurfObjectGetResourceDesc)(&told, object));
  EXPECT_EQ(told.res.array.hArray, resource_.res.array.hArray);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuTexObjectDestroy)(object));
  ASSERT_CU(CU(cuSurfObjectDestroy)(object));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuSurfObjectDestroy)(object));
  const CUDA_RESOURCE_DESC plain = of_array(8, 4, 0, 0), memory = of_memory(1024);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuSurfObjectCreate)(&object, &plain));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuSurfObjectCreate)(&object, &memory));
}

TEST_F(TextureTest, ends_with_its_context) {
  CUcontext other = nullptr;
  ASSERT_CU(CU(cuCtxCreate)(&other, nullptr, 0, 0));
  const CUDA_RESOURCE_DESC resource = of_array(8, 4, 0, 0);
  const CUDA_TEXTURE_DESC settings{};
  CUtexObject object = 0;
  ASSERT_CU(CU(cuTexObjectCreate)(&object, &resource, &settings, nullptr));
  ASSERT_CU(CU(cuCtxDestroy)(other));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, CU(cuTexObjectDestroy)(object));
}

}  // namespace
}  // namespace treadle::cuda_cpu::test
