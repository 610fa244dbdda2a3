// SPDX-License-Identifier: MIT
// What the driver is asked about buffers and images of OpenGL, and what is refused. That kernels
// write them is seen in tests/python/pycuda/gl_test.py, which makes a context of EGL.
#include "treadle/cuda/graphics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "cuda/fake_driver.hpp"
#include "cuda/providers.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::cuda {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr unsigned texture_2d = 0x0DE1;

class OnGraphics : public OnEachProvider {};
INSTANTIATE_TEST_SUITE_P(Providers, OnGraphics, each_provider, provider_name);

TEST_P(OnGraphics, WithoutAContextOfOpenGlNothingIsRegistered) {
  const auto refusal = [](auto call) -> std::string {
    try {
      call();
    } catch (const NotSupported& error) {
      return "not supported: " + error.message();
    } catch (const InvalidState& error) {
      return "invalid state: " + error.message();
    } catch (const LibraryNotFound& error) {
      return "no library: " + error.message();
    }
    return "was not refused";
  };
  for (const std::string& text : {refusal([] { GraphicsResource::gl_buffer(1); }),
                                  refusal([] { GraphicsResource::gl_image(1, texture_2d); })}) {
    if (GetParam() == Provider::cpu)
      EXPECT_EQ(text, "not supported: the CPU device shares no memory with OpenGL");
    else if (has_gl(device().driver()))
      EXPECT_EQ(text, "invalid state: no OpenGL context is current on this thread");
    else
      EXPECT_THAT(text, HasSubstr("libEGL.so.1"));
  }
  if (GetParam() == Provider::cpu) {
    EXPECT_FALSE(has_gl(device().driver()));
  }
}

/// What the driver was asked, in order.
std::vector<std::string> asked_calls;

CUresult record_call(std::string call) {
  asked_calls.push_back(std::move(call));
  return CUDA_SUCCESS;
}

/// The fake driver with buffers and images: each is a resource of its own name.
Driver driver_with_gl() {
  auto table = std::make_shared<Table>(fake::driver().table());
  static const auto raw = [](unsigned name) {
    return reinterpret_cast<CUgraphicsResource>(std::uintptr_t{name});
  };
  static const auto name = [](CUgraphicsResource resource) {
    return std::to_string(reinterpret_cast<std::uintptr_t>(resource));
  };
  table->cuGraphicsGLRegisterBuffer = [](CUgraphicsResource* resource, unsigned buffer,
                                         unsigned flags) -> CUresult {
    *resource = raw(buffer);
    if (buffer == 13) return CUDA_ERROR_INVALID_VALUE;
    return record_call("buffer " + std::to_string(buffer) + " flags " + std::to_string(flags));
  };
  table->cuGraphicsGLRegisterImage = [](CUgraphicsResource* resource, unsigned image,
                                        unsigned target, unsigned flags) -> CUresult {
    *resource = raw(image);
    return record_call("image " + std::to_string(image) + " of " + std::to_string(target) +
                       " flags " + std::to_string(flags));
  };
  table->cuGraphicsMapResources = [](unsigned count, CUgraphicsResource* resources,
                                     CUstream) -> CUresult {
    return record_call("map " + std::to_string(count) + ": " + name(*resources));
  };
  table->cuGraphicsUnmapResources = [](unsigned, CUgraphicsResource* resources,
                                       CUstream stream) -> CUresult {
    return record_call("unmap " + name(*resources) + (stream == nullptr ? "" : " in a stream"));
  };
  table->cuGraphicsUnregisterResource = [](CUgraphicsResource resource) -> CUresult {
    return record_call("unregister " + name(resource));
  };
  table->cuGraphicsResourceGetMappedPointer = [](CUdeviceptr* address, std::size_t* size,
                                                 CUgraphicsResource) -> CUresult {
    *address = 4096;
    *size = 256;
    return CUDA_SUCCESS;
  };
  table->cuGraphicsSubResourceGetMappedArray = [](CUarray* array, CUgraphicsResource,
                                                  unsigned index, unsigned level) -> CUresult {
    static CUDA_ARRAY3D_DESCRIPTOR descriptor{4, 4, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4, 0};
    *array = reinterpret_cast<CUarray>(&descriptor);
    return index > 1 || level > 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
  };
  table->cuGraphicsResourceGetMappedMipmappedArray = [](CUmipmappedArray* levels,
                                                        CUgraphicsResource resource) -> CUresult {
    *levels = reinterpret_cast<CUmipmappedArray>(resource);
    return name(resource) == "7" ? CUDA_ERROR_NOT_MAPPED_AS_ARRAY : CUDA_SUCCESS;
  };
  table->cuMipmappedArrayGetLevel = [](CUarray* array, CUmipmappedArray,
                                       unsigned level) -> CUresult {
    static CUDA_ARRAY3D_DESCRIPTOR levels[] = {{8, 4, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4, 0},
                                               {4, 2, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4, 0}};
    *array = reinterpret_cast<CUarray>(&levels[level]);
    return CUDA_SUCCESS;
  };
  return Driver(table);
}

class Graphics : public testing::Test {
 protected:
  void SetUp() override {
    fake::reset();
    asked_calls.clear();
    current_.emplace(Context::make_current(Device(driver_with_gl(), 0)));
  }
  void TearDown() override { current_.reset(); }
  template <class Refusal = InvalidArgument, class Call>
  static std::string refusal_of(Call call) {
    try {
      call();
    } catch (const Refusal& error) {
      return error.message();
    }
    return "was not refused";
  }

 private:
  std::optional<CurrentContext> current_;
};

TEST_F(Graphics, BuffersAreMappedAsMemoryForALaunchOrMore) {
  const auto buffer = GraphicsResource::gl_buffer(7, GraphicsFlags::write_discard);
  {
    const GraphicsMapping mapping = buffer.map();
    EXPECT_EQ(mapping.memory().address, 4096u);
    EXPECT_EQ(mapping.memory().size_bytes, 256u);
  }
  EXPECT_THAT(asked_calls, ElementsAre("buffer 7 flags 2", "map 1: 7", "unmap 7"));
  const Stream stream;
  GraphicsMapping mapping = buffer.map(stream);
  mapping.unmap();
  EXPECT_TRUE(mapping.is_unmapped());
  EXPECT_EQ(asked_calls.back(), "unmap 7 in a stream");
  GraphicsMapping another = buffer.map(stream);
  another.unmap(StreamRef{});
  EXPECT_EQ(asked_calls.back(), "unmap 7");
}

TEST_F(Graphics, ImagesAreMappedAsArraysThatKeepTheMapping) {
  std::optional<Array> array;
  {
    const auto image = GraphicsResource::gl_image(
        9, texture_2d, GraphicsFlags::surface_load_store | GraphicsFlags::write_discard);
    array = image.map().array(1, 0);
  }
  EXPECT_EQ(array->shape().channels, 4u);
  EXPECT_THAT(asked_calls, ElementsAre("image 9 of 3553 flags 6", "map 1: 9"));
  array.reset();
  EXPECT_THAT(asked_calls,
              ElementsAre("image 9 of 3553 flags 6", "map 1: 9", "unmap 9", "unregister 9"));
}

TEST_F(Graphics, EveryLevelOfAnImageKeepsTheMapping) {
  std::optional<Array> half;
  {
    const MipmappedArray levels =
        GraphicsResource::gl_image(9, texture_2d).map().mipmapped_array(2);
    EXPECT_EQ(levels.shape().width, 8u);
    EXPECT_THROW(levels.level(2), IndexError);
    half = levels.level(1);
  }
  EXPECT_EQ(half->shape().width, 4u);
  EXPECT_THAT(asked_calls, ElementsAre("image 9 of 3553 flags 0", "map 1: 9"));
  half.reset();
  EXPECT_THAT(asked_calls,
              ElementsAre("image 9 of 3553 flags 0", "map 1: 9", "unmap 9", "unregister 9"));
}

TEST_F(Graphics, WhatIsNotThereIsRefusedByName) {
  EXPECT_THAT(refusal_of([] { GraphicsResource::gl_buffer(0); }), HasSubstr("buffer is 0"));
  EXPECT_THAT(refusal_of([] { GraphicsResource::gl_image(0, texture_2d); }),
              HasSubstr("image is 0"));
  EXPECT_THAT(refusal_of([] { GraphicsResource::gl_image(1, 5); }), HasSubstr("target is 5"));
  EXPECT_THAT(refusal_of<DeviceError>([] { GraphicsResource::gl_buffer(13); }),
              HasSubstr("OpenGL's buffer 13"));
  const auto image = GraphicsResource::gl_image(9, texture_2d);
  EXPECT_THAT(refusal_of<DeviceError>([&] { image.map().array(2); }),
              HasSubstr("index 2, level 0"));
  EXPECT_THAT(refusal_of([&] { image.map().mipmapped_array(0); }), HasSubstr("levels is 0"));
  const auto buffer = GraphicsResource::gl_buffer(7);
  EXPECT_THAT(refusal_of<DeviceError>([&] { buffer.map().mipmapped_array(1); }),
              HasSubstr("buffers are mapped as memory"));
}

TEST_F(Graphics, WhatHasEndedRefusesToBeUsed) {
  GraphicsResource buffer = GraphicsResource::gl_buffer(7);
  GraphicsMapping mapping = buffer.map();
  EXPECT_THAT(refusal_of<InvalidState>([&] { buffer.unregister(); }), HasSubstr("is mapped"));
  mapping.unmap();
  EXPECT_THROW(mapping.unmap(), InvalidState);
  EXPECT_THROW(mapping.memory(), InvalidState);
  EXPECT_THROW(mapping.array(), InvalidState);
  EXPECT_THROW(mapping.mipmapped_array(1), InvalidState);
  buffer.unregister();
  EXPECT_TRUE(buffer.is_unregistered());
  EXPECT_THROW(buffer.unregister(), InvalidState);
  EXPECT_THROW(buffer.map(), InvalidState);
  EXPECT_THROW(buffer.raw(), InvalidState);
}

}  // namespace
}  // namespace treadle::cuda
