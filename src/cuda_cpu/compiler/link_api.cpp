// SPDX-License-Identifier: MIT
// What libtreadle_cpu calls to link objects (module_abi.h).
#include <exception>
#include <string>
#include <vector>

#include "cuda_cpu/compiler/crash_guard.hpp"
#include "cuda_cpu/compiler/object.hpp"
#include "cuda_cpu/module_abi.h"

namespace treadle::cuda_cpu {
namespace {

std::vector<Object> objects_of(const LinkInput* inputs, std::size_t count) {
  std::vector<Object> objects;
  for (std::size_t i = 0; i < count; ++i)
    objects.push_back(
        {inputs[i].name,
         {static_cast<const char*>(inputs[i].bytes), static_cast<std::size_t>(inputs[i].size)}});
  return objects;
}

}  // namespace
}  // namespace treadle::cuda_cpu

extern "C" __attribute__((visibility("default"))) int treadle_clang_link(
    const treadle::cuda_cpu::LinkInput* inputs, std::size_t count, void* receiver,
    treadle::cuda_cpu::TakeLinked take) {
  using namespace treadle::cuda_cpu;
  std::vector<char> image;
  std::string failure;
  const std::string abandoned = run_guarded([&] {
    try {
      image = link_objects(objects_of(inputs, count));
    } catch (const std::exception& error) {
      failure = error.what();
    }
  });
  if (!abandoned.empty()) failure = "error: the linker could not finish: " + abandoned;
  if (!failure.empty()) {
    take(receiver, false, failure.data(), failure.size());
    return 1;
  }
  take(receiver, true, image.data(), image.size());
  return 0;
}
