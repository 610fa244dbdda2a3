// SPDX-License-Identifier: MIT
#include "treadle/opencl/program_binary.hpp"

#include <algorithm>
#include <span>

#include "base/characters.hpp"
#include "treadle/base/error.hpp"
#include "treadle/opencl/device.hpp"
#include "treadle/opencl/platform.hpp"

namespace treadle::opencl {
namespace {

constexpr int most_kernels_of_pocl = 4;

/// How often the text has the word that kernels begin with, comments and names of types included.
int count_kernels(std::string_view text) {
  int count = 0;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string_view word = text.substr(i, end - i);
    if (word == "kernel" || word == "__kernel") ++count;
    i = end + (end == i ? 1 : 0);
  }
  return count;
}

}  // namespace

ProgramBinary compile_binary(const Context& context, const Device& device, std::string_view source,
                             const std::string& options) {
  return compile_binary(Program::from_source(context, source), device, options);
}

ProgramBinary compile_binary(const Program& program, const Device& device,
                             const std::string& options) {
  program.build(options, std::span(&device, 1));
  const std::vector<Device> devices = program.devices();
  std::vector<Bytes> binaries = program.binaries();
  // PoCL lists the device that was built for alone.
  for (std::size_t i = 0; i < std::min(devices.size(), binaries.size()); ++i)
    if (devices[i].raw() == device.raw() && !binaries[i].empty())
      return {std::move(binaries[i]), program.build_log(device)};
  throw NotSupported("platform " + device.platform().name() + " gives no binary of a program",
                     "build it from source each time");
}

bool is_costly_as_binary(const Device& device, std::string_view source) {
  return count_kernels(source) > most_kernels_of_pocl &&
         device.platform().name() == "Portable Computing Language";
}

std::vector<std::pair<std::string, std::string>> binary_identity(const Device& device) {
  const Platform platform = device.platform();
  return {{"platform", platform.name()},
          {"platform vendor", platform.vendor()},
          {"platform version", platform.get<PlatformInfo::version>()},
          {"device", device.get<DeviceInfo::name>()},
          {"device vendor", device.get<DeviceInfo::vendor>()},
          {"device version", device.get<DeviceInfo::version>()},
          {"driver version", device.get<DeviceInfo::driver_version>()}};
}

}  // namespace treadle::opencl
