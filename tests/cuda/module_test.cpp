// SPDX-License-Identifier: MIT
#include "treadle/cuda/module.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "cuda/fake_driver.hpp"
#include "cuda/kernel_names.hpp"

namespace treadle::cuda {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(KernelNames, ReturnTypeAndParametersAreLeftAway) {
  EXPECT_EQ(kernel_name("scale(float*, int)"), "scale");
  EXPECT_EQ(kernel_name("void scale<float, 4>(float*)"), "scale<float, 4>");
  EXPECT_EQ(kernel_name("void a::b<std::pair<int, float> >(int (*)(float))"),
            "a::b<std::pair<int, float> >");
  EXPECT_EQ(kernel_name("plain_c_symbol"), "plain_c_symbol");
  EXPECT_EQ(kernel_name("(anonymous namespace)::k(int)"), "(anonymous namespace)::k");
}

TEST(KernelNames, BlanksCountOnlyBetweenWords) {
  EXPECT_EQ(squeeze(" k < float , 4 > "), "k<float,4>");
  EXPECT_EQ(squeeze("k<unsigned  int>"), "k<unsigned int>");
}

TEST(KernelNames, ManglingIsUndone) {
  EXPECT_EQ(demangle("_Z5scaleIfLi4EEvPT_"), "void scale<float, 4>(float*)");
  EXPECT_EQ(demangle("twice"), "twice");
}

TEST(KernelNames, NearOnesAreFoundNearestFirst) {
  const std::vector<std::string> names = {"twice", "thrice", "scale<float, 4>", "unrelated"};
  EXPECT_THAT(near_matches("twise", names), ElementsAre("twice"));
  EXPECT_THAT(near_matches("Twice", names), testing::Contains("twice"));
  EXPECT_THAT(near_matches("scale<double, 8>", names), ElementsAre("scale<float, 4>"));
  EXPECT_THAT(near_matches("xyz", names), IsEmpty());
}

class ModuleLookup : public testing::Test {
 protected:
  void SetUp() override {
    fake::reset();
    set_default_driver(fake::driver(), "a test");
    fake::state().kernels = {{"twice", {}},
                             {"_Z5scaleIfLi4EEvPT_", {{0, 8}}},
                             {"_Z3addPfi", {}},
                             {"_Z4overi", {}},
                             {"_Z4overf", {}}};
  }
  std::string refusal(const Module& module, const std::string& name) {
    try {
      module.function(name);
    } catch (const DeviceError& error) {
      EXPECT_EQ(error.code(), 500);
      EXPECT_EQ(error.call(), "cuModuleGetFunction");
      return error.detail();
    }
    return "found";
  }
  const ModuleImage image_{std::vector<std::byte>(16), {{"scale<float,4>", "_Z5scaleIfLi4EEvPT_"}}};
};

TEST_F(ModuleLookup, FindsASymbolANameExpressionAndAPlainCppName) {
  const auto guard = Context::make_current(fake::device());
  const Module module(image_);
  EXPECT_EQ(module.function("twice").symbol(), "twice");
  const Function scale = module.function("scale< float, 4 >");
  EXPECT_EQ(scale.symbol(), "_Z5scaleIfLi4EEvPT_");
  EXPECT_EQ(scale.name(), "scale<float, 4>");
  EXPECT_EQ(module.function("add").symbol(), "_Z3addPfi");
  EXPECT_EQ(module.function("add(float*,int)").symbol(), "_Z3addPfi");
  EXPECT_EQ(module.function("over(int)").symbol(), "_Z4overi");
}

TEST_F(ModuleLookup, FindsATemplateByItsMangledNameAlone) {
  const auto guard = Context::make_current(fake::device());
  const Module module(image_.code);
  EXPECT_EQ(module.function("scale<float,4>").symbol(), "_Z5scaleIfLi4EEvPT_");
}

TEST_F(ModuleLookup, AnUnknownNameIsRefusedWithTheNearestOnes) {
  const auto guard = Context::make_current(fake::device());
  const Module module(image_);
  EXPECT_EQ(refusal(module, "twise"), "the module has no kernel \"twise\"; near it: \"twice\"");
  EXPECT_THAT(refusal(module, "scale<double, 4>"), HasSubstr("near it: \"scale<float"));
  EXPECT_THAT(refusal(module, "zzzzzz"), HasSubstr("it has "));
  EXPECT_EQ(refusal(module, "over"),
            "kernel \"over\" is overloaded: \"over(int)\", \"over(float)\"");
}

TEST_F(ModuleLookup, FindsVariables) {
  const auto guard = Context::make_current(fake::device());
  const Module module(image_);
  EXPECT_EQ(module.global("table").size_bytes, 4u);
  try {
    module.global("tabel");
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.detail(), "the module has no variable \"tabel\"");
  }
}

TEST_F(ModuleLookup, AFunctionKeepsItsModuleLoaded) {
  const auto guard = Context::make_current(fake::device());
  std::optional<Function> function;
  {
    const Module module(image_);
    function = module.function("twice");
  }
  EXPECT_EQ(fake::state().count("cuModuleUnload"), 0);
  function.reset();
  EXPECT_EQ(fake::state().count("cuModuleUnload"), 1);
}

TEST_F(ModuleLookup, PtxIsGivenItsTerminatorAndImagesAreNot) {
  static std::size_t length = 0;
  auto table = std::make_shared<Table>(fake::driver().table());
  table->cuModuleLoadDataEx = [](CUmodule* module, const void* image, unsigned, CUjit_option*,
                                 void**) -> CUresult {
    *module = nullptr;
    length = std::strlen(static_cast<const char*>(image));
    return CUDA_SUCCESS;
  };
  const auto guard = Context::make_current(Device(Driver(table), 0));
  const std::string_view ptx = ".version 8.0";
  const Module module(std::as_bytes(std::span(ptx)));
  EXPECT_EQ(length, ptx.size());
}

TEST_F(ModuleLookup, TheDriversLogIsTheDetailOfAFailedLoad) {
  auto table = std::make_shared<Table>(fake::driver().table());
  table->cuModuleLoadDataEx = [](CUmodule*, const void*, unsigned count, CUjit_option* options,
                                 void** values) -> CUresult {
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
        std::strcpy(static_cast<char*>(values[i]), "ptxas: line 3: syntax error\n");
    return CUDA_ERROR_INVALID_PTX;
  };
  const auto guard = Context::make_current(Device(Driver(table), 0));
  JitLog log;
  try {
    const Module module(image_.code, {}, &log);
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.detail(), "ptxas: line 3: syntax error");
  }
  EXPECT_EQ(log.error, "ptxas: line 3: syntax error");
  EXPECT_THROW(Module(std::span<const std::byte>{}), InvalidArgument);
}

/// A driver that takes images beginning with 'g' only, and says of others what `refusal` is.
class RefusedImage : public ModuleLookup {
 protected:
  static Device choosy(CUresult refusal) {
    static CUresult answer;
    answer = refusal;
    auto table = std::make_shared<Table>(fake::driver().table());
    table->cuModuleLoadDataEx = [](CUmodule* module, const void* image, unsigned, CUjit_option*,
                                   void**) -> CUresult {
      *module = nullptr;
      return *static_cast<const char*>(image) == 'g' ? CUDA_SUCCESS : answer;
    };
    return Device(Driver(table), 0);
  }
  ModuleImage cached_image(char remade) {
    ModuleImage image{std::vector<std::byte>(16), {}};
    image.remake = [this, remade] {
      ++remakes_;
      return ModuleImage{std::vector<std::byte>(16, static_cast<std::byte>(remade)), {}};
    };
    return image;
  }
  int remakes_ = 0;
};

TEST_F(RefusedImage, P9_IsMadeAnewOnce) {
  const auto guard = Context::make_current(choosy(CUDA_ERROR_INVALID_IMAGE));
  EXPECT_NO_THROW(Module(cached_image('g')));
  EXPECT_EQ(remakes_, 1);
  EXPECT_THROW(Module(cached_image('b')), DeviceError);
  EXPECT_EQ(remakes_, 2);
}

TEST_F(RefusedImage, P9_IsRefusedForGoodWhereTheCompilerMakesItAgain) {
  const auto guard = Context::make_current(choosy(CUDA_ERROR_NO_BINARY_FOR_GPU));
  EXPECT_THROW(Module(cached_image('\0')), DeviceError);
  EXPECT_EQ(remakes_, 1);
}

TEST_F(RefusedImage, P9_IsNotMadeAnewForOtherFailures) {
  const auto guard = Context::make_current(choosy(CUDA_ERROR_OUT_OF_MEMORY));
  EXPECT_THROW(Module(cached_image('g')), OutOfMemory);
  EXPECT_THROW(Module(ModuleImage{std::vector<std::byte>(16), {}}), OutOfMemory);
  EXPECT_EQ(remakes_, 0);
}

}  // namespace
}  // namespace treadle::cuda
