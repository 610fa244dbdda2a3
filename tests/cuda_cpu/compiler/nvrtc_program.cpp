// SPDX-License-Identifier: MIT
#include "cuda_cpu/compiler/nvrtc_program.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace treadle::cuda_cpu::test {
namespace {

NvrtcTable open_library() {
  NvrtcTable table;
  const char* folder = std::getenv("TREADLE_LIBRARY_DIR");
  const std::string path = std::string(folder ? folder : ".") + "/libtreadle_clang.so";
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    ADD_FAILURE() << dlerror();
    std::exit(1);
  }
#define TREADLE_NVRTC_SYMBOL(result, name, parameters)                        \
  table.name = reinterpret_cast<decltype(table.name)>(dlsym(library, #name)); \
  EXPECT_NE(table.name, nullptr) << #name;
#include "compile/nvrtc_symbols.def"
  return table;
}

std::vector<const char*> pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> result;
  for (const std::string& text : texts) result.push_back(text.c_str());
  return result;
}

}  // namespace

const NvrtcTable& nvrtc() {
  static const NvrtcTable table = open_library();
  return table;
}

CompileOutput compile(const CompileInput& input) {
  const NvrtcTable& api = nvrtc();
  std::vector<const char*> header_names, header_texts;
  for (const auto& [name, text] : input.headers) {
    header_names.push_back(name.c_str());
    header_texts.push_back(text.c_str());
  }
  CompileOutput output;
  nvrtcProgram program = nullptr;
  EXPECT_EQ(api.nvrtcCreateProgram(&program, input.source.c_str(), input.name.c_str(),
                                   static_cast<int>(header_texts.size()), header_texts.data(),
                                   header_names.data()),
            NVRTC_SUCCESS);
  for (const std::string& expression : input.name_expressions) {
    EXPECT_EQ(api.nvrtcAddNameExpression(program, expression.c_str()), NVRTC_SUCCESS);
  }
  const std::vector<const char*> options = pointers(input.options);
  output.result =
      api.nvrtcCompileProgram(program, static_cast<int>(options.size()), options.data());
  std::size_t size = 0;
  EXPECT_EQ(api.nvrtcGetProgramLogSize(program, &size), NVRTC_SUCCESS);
  output.log.resize(size);
  EXPECT_EQ(api.nvrtcGetProgramLog(program, output.log.data()), NVRTC_SUCCESS);
  output.log.pop_back();  // its NUL
  if (output.result == NVRTC_SUCCESS) {
    EXPECT_EQ(api.nvrtcGetCUBINSize(program, &size), NVRTC_SUCCESS);
    output.image.resize(size);
    EXPECT_EQ(api.nvrtcGetCUBIN(program, output.image.data()), NVRTC_SUCCESS);
  }
  for (const std::string& expression : input.name_expressions) {
    const char* name = nullptr;
    if (api.nvrtcGetLoweredName(program, expression.c_str(), &name) == NVRTC_SUCCESS) {
      output.lowered_names[expression] = name;
    }
  }
  EXPECT_EQ(api.nvrtcDestroyProgram(&program), NVRTC_SUCCESS);
  return output;
}

}  // namespace treadle::cuda_cpu::test
