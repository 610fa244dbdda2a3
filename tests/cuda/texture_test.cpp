// SPDX-License-Identifier: MIT
// Objects and references without a kernel: what is refused, what is kept, and what the driver is
// asked in which order. Kernels that read them are in texture_kernel_test.cpp.
#include "treadle/cuda/texture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <vector>

#include "cuda/fake_driver.hpp"
#include "cuda/providers.hpp"
#include "cuda/reference_set.hpp"
#include "treadle/cuda/module.hpp"

namespace treadle::cuda {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <class Refusal = InvalidArgument, class Call>
std::string refusal_of(Call call) {
  try {
    call();
  } catch (const Refusal& error) {
    return error.message();
  }
  return "was not refused";
}

class OnTextures : public OnEachProvider {};

TEST_P(OnTextures, ObjectsOfEveryKindOfSourceAreMade) {
  const Array array({.width = 8, .height = 4});
  const MipmappedArray levels({.width = 8, .height = 4}, 3);
  const DeviceMemory row(1024), rows = DeviceMemory::pitched(32, 4, 4);
  EXPECT_NE(Texture(array).raw(), 0u);
  EXPECT_NE(
      Texture(levels, {.filter = FilterMode::linear, .mipmap_filter = FilterMode::linear}).raw(),
      0u);
  EXPECT_NE(Texture({.address = row.address(), .shape = {.width = 256}}).raw(), 0u);
  EXPECT_NE(Texture({.address = rows.address(),
                     .shape = {.width = 8, .height = 4},
                     .pitch_bytes = rows.pitch_bytes()})
                .raw(),
            0u);
  const Array writable({.width = 8, .height = 4, .flags = ArrayFlags::surface_load_store});
  EXPECT_NE(Surface(writable).raw(), 0u);
}

TEST_P(OnTextures, SettingsThatDoNotGoWithTheFormatAreRefusedByName) {
  const Array bytes({.width = 8, .format = ArrayFormat::uint8});
  const Array integers({.width = 8, .format = ArrayFormat::int32});
  EXPECT_THAT(refusal_of([&] { Texture(bytes, {.filter = FilterMode::linear}); }),
              HasSubstr("filter is linear, and the elements are read as integers"));
  EXPECT_NO_THROW(Texture(bytes, {.filter = FilterMode::linear, .normalized_values = true}));
  EXPECT_THAT(refusal_of([&] { Texture(integers, {.normalized_values = true}); }),
              HasSubstr("normalized_values is set, and the elements are integers of 32 bits"));
  EXPECT_THAT(refusal_of([&] { Texture(bytes, {.max_anisotropy = 17}); }),
              HasSubstr("max_anisotropy is 17"));
  TextureSettings settings;
  settings.address_modes[1] = AddressMode{9};
  EXPECT_THAT(refusal_of([&] { Texture(bytes, settings); }), HasSubstr("address mode is 9"));
}

TEST_P(OnTextures, MemoryThatNoTextureReadsIsRefusedByName) {
  const DeviceMemory memory(1 << 16);
  const auto message = [&](auto change) {
    TextureMemory source{
        .address = memory.address(), .shape = {.width = 64, .height = 4}, .pitch_bytes = 512};
    change(source);
    return refusal_of([&] { Texture{source}; });
  };
  EXPECT_EQ(message([](TextureMemory&) {}), "was not refused");
  EXPECT_THAT(message([](TextureMemory& m) { m.address = 0; }), HasSubstr("address is null"));
  EXPECT_THAT(message([](TextureMemory& m) { m.address += 4; }), HasSubstr("and a multiple of"));
  EXPECT_THAT(message([](TextureMemory& m) { m.pitch_bytes = 255; }),
              HasSubstr("pitch_bytes is 255, and its rows have 256 bytes"));
  EXPECT_THAT(message([](TextureMemory& m) { m.pitch_bytes = 513; }), HasSubstr("pitch_bytes is"));
  EXPECT_THAT(message([](TextureMemory& m) { m.shape.width = 0; }), HasSubstr("no elements"));
  EXPECT_THAT(message([](TextureMemory& m) { m.shape.depth = 2; }), HasSubstr("depth is 2"));
  EXPECT_THAT(message([](TextureMemory& m) { m.shape.channels = 3; }), HasSubstr("channels is 3"));
  EXPECT_THAT(message([](TextureMemory& m) { m.shape.width = static_cast<std::size_t>(-8); }),
              HasSubstr("width is -8"));
}

TEST_P(OnTextures, ThoseOfOthersSayWhatTheyAre) {
  const Array array({.width = 8,
                     .height = 4,
                     .format = ArrayFormat::uint8,
                     .flags = ArrayFlags::surface_load_store});
  const TextureSettings settings{
      .address_modes = {AddressMode::wrap, AddressMode::border, AddressMode::clamp},
      .filter = FilterMode::linear,
      .normalized_coordinates = true,
      .normalized_values = true,
      .border = {1, 2, 3, 4}};
  const Texture ours(array, settings);
  {
    const Texture theirs = Texture::wrap(context(), ours.raw());
    EXPECT_EQ(theirs.raw(), ours.raw());
    TextureSettings told = theirs.settings();
    // NVIDIA's driver keeps the colour of the border to itself.
    if (GetParam() == Provider::nvidia) told.border = settings.border;
    EXPECT_EQ(told, settings);
    EXPECT_EQ(theirs.view(), TextureView{});
  }
  EXPECT_NO_THROW((void)Texture::wrap(context(), ours.raw())) << "a wrapper has destroyed it";
  const MipmappedArray levels({.width = 8, .height = 8}, 4);
  const Texture part(levels, {.mipmap_bias = 0.5f, .max_mipmap_level = 2},
                     {.format = ArrayFormat::int32, .channels = 1, .first_level = 1});
  const Texture told = Texture::wrap(context(), part.raw());
  EXPECT_EQ(told.settings().mipmap_bias, 0.5f);
  EXPECT_EQ(told.settings().max_mipmap_level, 2);
  EXPECT_EQ(told.view().format, ArrayFormat::int32);
  EXPECT_EQ(told.view().first_level, 1u);
  EXPECT_EQ(told.view().last_level, 3u);
  const Surface surface(array);
  EXPECT_EQ(Surface::wrap(context(), surface.raw()).array().shape(), array.shape());
  EXPECT_THROW(Texture::wrap(context(), 0), InvalidArgument);
  EXPECT_THROW(Surface::wrap(context(), 0), InvalidArgument);
}

TEST_P(OnTextures, ASurfaceWantsAnArrayThatIsMadeForIt) {
  EXPECT_THAT(refusal_of([] { Surface(Array({.width = 8})); }),
              HasSubstr("flags 0, and surface_load_store (2) was expected"));
}

TEST_P(OnTextures, KeepTheirArray) {
  std::optional<Array> array(Array({.width = 8, .flags = ArrayFlags::surface_load_store}));
  const Texture texture(*array);
  const Surface surface(*array);
  Array shared = *array;
  array.reset();
  EXPECT_FALSE(shared.is_freed());
  EXPECT_NE(texture.raw(), 0u);
  shared.free();
  EXPECT_THROW(texture.raw(), InvalidState);
  EXPECT_THROW(surface.raw(), InvalidState);
  EXPECT_THROW(LaunchArgument<Texture>::data(texture), InvalidState);
  EXPECT_THROW(LaunchArgument<Surface>::data(surface), InvalidState);
  EXPECT_THROW(Texture{shared}, InvalidState);
  EXPECT_THROW(Texture{Array()}, InvalidState);
}

TEST_P(OnTextures, OneThatWasMovedFromRefusesToBeUsed) {
  const Array array({.width = 8, .flags = ArrayFlags::surface_load_store});
  Texture texture(array);
  Surface surface(array);
  const Texture texture_after(std::move(texture));
  const Surface surface_after(std::move(surface));
  EXPECT_THROW(texture.raw(), InvalidState);
  EXPECT_THROW(surface.raw(), InvalidState);
  EXPECT_NE(texture_after.raw(), surface_after.raw());
}

TEST_P(OnTextures, AReferenceToNoVariableHoldsSettings) {
  TextureReference reference;
  const Array array({.width = 8, .format = ArrayFormat::int16, .channels = 2});
  EXPECT_FALSE(reference.array());
  EXPECT_EQ(reference.address(), 0u);
  EXPECT_EQ(reference.name(), "");
  reference.set_array(array);
  EXPECT_EQ(reference.array(), array);
  EXPECT_EQ(reference.format(), (ArrayShape{.format = ArrayFormat::int16, .channels = 2}));
  TextureSettings settings;
  settings.filter = FilterMode::linear;
  reference.set_settings(settings);
  EXPECT_EQ(reference.settings(), settings);

  const DeviceMemory memory(1024);
  reference.set_format(ArrayFormat::uint8, 4);
  EXPECT_EQ(reference.set_address(memory.address(), 1024), 0u);
  EXPECT_THAT(refusal_of([&] { reference.set_address(memory.address() + 4, 512); }),
              HasSubstr("the address is 4 bytes behind a multiple of"));
  EXPECT_EQ(reference.set_address(memory.address() + 4, 512, TextureOffset::allowed), 4u);
  EXPECT_EQ(reference.address(), memory.address());
  EXPECT_FALSE(reference.array());
  EXPECT_EQ(reference.format().channels, 4u);
  EXPECT_THAT(refusal_of([&] { reference.set_address(0, 4); }), HasSubstr("address is null"));
  EXPECT_THAT(refusal_of([&] { reference.set_address(memory.address(), 3); }),
              HasSubstr("size_bytes is 3, and an element has 4"));
  EXPECT_THAT(refusal_of([&] { reference.set_format(ArrayFormat{99}, 1); }),
              HasSubstr("format is 99"));
  EXPECT_THAT(refusal_of([&] { reference.set_format(ArrayFormat::uint8, 3); }),
              HasSubstr("channels is 3"));
  EXPECT_THAT(refusal_of([&] { reference.set_address_2d({.address = memory.address()}); }),
              HasSubstr("rows of 0 elements"));
  EXPECT_THROW(reference.set_array(Array()), InvalidState);
}

INSTANTIATE_TEST_SUITE_P(Providers, OnTextures, each_provider, provider_name);

/// A module with a texture reference, a surface reference, a table and a kernel.
class References : public testing::Test {
 protected:
  void SetUp() override {
    fake::reset();
    fake::state().kernels = {{"k", {}}};
    declare("image", {.mark = ReferenceDeclaration::expected_mark,
                      .kind = ReferenceDeclaration::texture,
                      .shape = 2,
                      .channels = 1,
                      .format = 0x20,
                      .normalized_coordinates = 1,
                      .filter = 1,
                      .address_mode = 2});
    declare("target", {.mark = ReferenceDeclaration::expected_mark,
                       .kind = ReferenceDeclaration::surface,
                       .shape = 2});
    declare("other", {.mark = 5});
    current_.emplace(Context::make_current(fake::device()));
    module_.emplace(ModuleImage{std::vector<std::byte>(16), {}});
    kernel_.emplace(module_->function("k"));
  }
  void TearDown() override {
    kernel_.reset();
    module_.reset();
    current_.reset();
  }

  static void declare(const std::string& name, const ReferenceDeclaration& declaration) {
    auto& bytes = fake::state().variables[name];
    bytes.resize(sizeof declaration);
    std::memcpy(bytes.data(), &declaration, sizeof declaration);
  }
  static unsigned long long object_in(const std::string& name) {
    unsigned long long object = 0;
    std::memcpy(&object, fake::state().variables[name].data(), sizeof object);
    return object;
  }
  void launch(StreamRef stream = {}) { kernel_->launch({.stream = stream}); }
  /// What a launch asks of the driver, without questions about what is current.
  std::vector<std::string> calls_of_launch(StreamRef stream = {}) {
    fake::state().calls.clear();
    launch(stream);
    return fake::state().calls;
  }

  std::optional<CurrentContext> current_;
  std::optional<Module> module_;
  std::optional<Function> kernel_;
};

TEST_F(References, BeginAsTheyWereDeclared) {
  const TextureReference image = module_->texture_reference("image");
  EXPECT_EQ(image.settings().filter, FilterMode::linear);
  EXPECT_EQ(image.settings().address_modes[2], AddressMode::mirror);
  EXPECT_TRUE(image.settings().normalized_coordinates);
  EXPECT_EQ(image.format(), (ArrayShape{.format = ArrayFormat::float32, .channels = 1}));
  EXPECT_EQ(image.name(), "image");
  EXPECT_TRUE(image.is_of(*kernel_));
  EXPECT_FALSE(TextureReference().is_of(*kernel_));
  EXPECT_EQ(image, module_->texture_reference("image"));
}

TEST_F(References, ThatAreNoneAreRefusedByName) {
  EXPECT_THAT(refusal_of([&] { module_->texture_reference("table"); }),
              HasSubstr("\"table\" is a variable of 4 bytes, and no texture reference"));
  EXPECT_THAT(refusal_of([&] { module_->texture_reference("other"); }),
              HasSubstr("\"other\" is a variable of 24 bytes, and no texture"));
  EXPECT_THAT(refusal_of([&] { module_->texture_reference("target"); }),
              HasSubstr("\"target\" is a surface reference, and no texture"));
  EXPECT_THAT(refusal_of([&] { module_->surface_reference("image"); }),
              HasSubstr("\"image\" is a texture reference, and no surface"));
  module_->texture_reference("image");
  EXPECT_THAT(refusal_of([&] { module_->surface_reference("image"); }), HasSubstr("no surface"));
  EXPECT_THAT(refusal_of<DeviceError>([&] { module_->texture_reference("nothing"); }),
              HasSubstr("\"nothing\""));
}

TEST_F(References, WithoutOneALaunchIsOneCall) {
  EXPECT_THAT(calls_of_launch(), ElementsAre("cuLaunchKernel(100)"));
  module_->texture_reference("image");
  EXPECT_THAT(calls_of_launch(), ElementsAre("cuLaunchKernel(100)"));
}

TEST_F(References, AreWrittenBeforeTheLaunchAndOnlyWhenTheyHaveChanged) {
  TextureReference image = module_->texture_reference("image");
  const Array array({.width = 8, .height = 4});
  image.set_array(array);
  EXPECT_EQ(object_in("image"), 0u);
  EXPECT_THAT(calls_of_launch(),
              ElementsAre("cuTexObjectCreate()", "cuMemcpyHtoDAsync(0)", "cuEventCreate()",
                          "cuEventRecord(0)", "cuLaunchKernel(100)"));
  EXPECT_EQ(object_in("image"), 1u);
  EXPECT_THAT(calls_of_launch(),
              ElementsAre("cuEventQuery()", "cuEventDestroy()", "cuLaunchKernel(100)"));
  image.set_array(array);
  image.set_settings(image.settings());
  EXPECT_THAT(calls_of_launch(), ElementsAre("cuLaunchKernel(100)"));

  TextureSettings settings = image.settings();
  settings.filter = FilterMode::point;
  image.set_settings(settings);
  launch();
  EXPECT_EQ(object_in("image"), 2u);
}

TEST_F(References, TheOldObjectIsDestroyedOnceTheNewOneIsWritten) {
  TextureReference image = module_->texture_reference("image");
  image.set_array(Array({.width = 8, .height = 4}));
  launch();
  image.set_array(Array({.width = 8, .height = 4}));
  fake::state().fail_next["cuEventQuery"] = CUDA_ERROR_NOT_READY;
  launch();
  EXPECT_EQ(fake::state().count("cuTexObjectDestroy"), 0);
  fake::state().fail_next["cuEventQuery"] = CUDA_ERROR_NOT_READY;
  launch();
  EXPECT_EQ(fake::state().count("cuArrayDestroy"), 0);
  EXPECT_EQ(fake::state().count("cuTexObjectDestroy"), 0);
  launch();
  EXPECT_EQ(fake::state().count("cuTexObjectDestroy"), 1);
  EXPECT_EQ(fake::state().count("cuArrayDestroy"), 1);
}

TEST_F(References, AreWrittenAfterLaunchesThatReadThemOnOtherStreams) {
  TextureReference image = module_->texture_reference("image");
  const Stream a(StreamFlags::non_blocking), b(StreamFlags::non_blocking);  // 7 and 8
  image.set_array(Array({.width = 8, .height = 4}));
  launch(a);
  launch(b);
  launch();
  image.set_array(Array({.width = 8, .height = 4}));
  fake::state().fail_next["cuEventQuery"] = CUDA_ERROR_NOT_READY;
  EXPECT_THAT(calls_of_launch(b), testing::AllOf(testing::Contains("cuEventRecord(0)"),
                                                 testing::Contains("cuStreamWaitEvent(8)").Times(3),
                                                 testing::Contains("cuMemcpyHtoDAsync(8)")));
  // Whoever launches next waits for the write, until it is done.
  fake::state().fail_next["cuEventQuery"] = CUDA_ERROR_NOT_READY;
  EXPECT_THAT(calls_of_launch(a), testing::Contains("cuStreamWaitEvent(7)"));
  EXPECT_THAT(calls_of_launch(a), testing::Not(testing::Contains("cuStreamWaitEvent(7)")));
}

TEST_F(References, WhatTheyAreBoundToIsKept) {
  fake::state().calls.clear();
  {
    TextureReference image = module_->texture_reference("image");
    image.set_array(Array({.width = 8, .height = 4}));
  }
  launch();
  EXPECT_EQ(fake::state().count("cuArrayDestroy"), 0);
  TextureReference image = module_->texture_reference("image");
  kernel_.reset();
  module_.reset();
  EXPECT_EQ(fake::state().count("cuModuleUnload"), 0);
  image = TextureReference();
  EXPECT_EQ(fake::state().count("cuModuleUnload"), 1);
  EXPECT_EQ(fake::state().count("cuTexObjectDestroy"), 1);
  EXPECT_EQ(fake::state().count("cuArrayDestroy"), 1);
  EXPECT_EQ(fake::state().count("cuStreamSynchronize"), 1);  // the launch may still read it
}

TEST_F(References, OwnersOfAddressesAreKeptUntilAnotherIsBound) {
  TextureReference image = module_->texture_reference("image");
  auto owner = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = owner;
  alignas(512) static float values[256];
  const auto address = reinterpret_cast<DevicePointer>(&values);
  image.set_address(address, sizeof values, TextureOffset::refused, std::move(owner));
  launch();
  image.set_array(Array({.width = 8, .height = 4}));
  EXPECT_FALSE(watch.expired());  // the launch may still read it
  launch();
  launch();
  EXPECT_TRUE(watch.expired());
}

TEST_F(References, AFreedArrayIsRefusedAtTheLaunch) {
  TextureReference image = module_->texture_reference("image");
  SurfaceReference target = module_->surface_reference("target");
  Array array({.width = 8, .height = 4, .flags = ArrayFlags::surface_load_store});
  target.set_array(array);
  EXPECT_EQ(target.array(), array);
  launch();
  EXPECT_EQ(object_in("target"), 2u);  // 1 was made to see whether it can be
  array.free();
  EXPECT_THAT(refusal_of<InvalidState>([&] { launch(); }),
              HasSubstr("surface reference \"target\" is bound to was freed"));
  EXPECT_THROW(image.set_array(array), InvalidState);
  EXPECT_THROW(target.set_array(array), InvalidState);
  EXPECT_THAT(refusal_of([&] { target.set_array(Array({.width = 8})); }),
              HasSubstr("surface_load_store"));
}

TEST_F(References, AnArrayOfAnotherContextIsRefused) {
  TextureReference image = module_->texture_reference("image");
  const Array elsewhere(Context::create(fake::device()), {.width = 8});
  EXPECT_THAT(refusal_of([&] { image.set_array(elsewhere); }),
              HasSubstr("reference \"image\": the array is of another context"));
}

TEST_F(References, WhatCannotBeMadeIsRefusedAtEachLaunchUntilItIsChanged) {
  TextureReference image = module_->texture_reference("image");
  image.set_array(Array({.width = 8, .format = ArrayFormat::int32}));  // declared: linear, float
  for (int i = 0; i < 2; ++i)
    EXPECT_THAT(refusal_of([&] { launch(); }),
                HasSubstr("texture reference \"image\": texture: filter is linear"));
  EXPECT_EQ(fake::state().count("cuLaunchKernel"), 0);
  image.set_array(Array({.width = 8, .format = ArrayFormat::int16}));
  launch();  // floats of 0 to 1, as the kernel was compiled to read
  EXPECT_EQ(fake::state().count("cuLaunchKernel"), 1);
}

TEST_F(References, AFailedWriteIsTriedAgain) {
  TextureReference image = module_->texture_reference("image");
  image.set_array(Array({.width = 8, .height = 4}));
  fake::state().fail_next["cuMemcpyHtoDAsync"] = CUDA_ERROR_INVALID_VALUE;
  EXPECT_THAT(refusal_of<DeviceError>([&] { launch(); }), HasSubstr("binding reference \"image\""));
  EXPECT_EQ(fake::state().count("cuLaunchKernel"), 0);
  launch();
  EXPECT_NE(object_in("image"), 0u);
}

TEST_P(OnTextures, TheWidestOneOverMemoryIsTold) {
  EXPECT_THROW(max_linear_texture_width(device(), ArrayFormat::float32, 3), InvalidArgument);
  EXPECT_THROW(max_linear_texture_width(device(), static_cast<ArrayFormat>(99)), InvalidArgument);
  EXPECT_GE(max_linear_texture_width(device(), ArrayFormat::float32), 1u << 27);
  EXPECT_GE(max_linear_texture_width(device(), ArrayFormat::uint8, 1),
            max_linear_texture_width(device(), ArrayFormat::float32, 4));
}

}  // namespace
}  // namespace treadle::cuda
