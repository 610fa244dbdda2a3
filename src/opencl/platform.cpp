// SPDX-License-Identifier: MIT
#include "treadle/opencl/platform.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <sstream>
#include <string>

#include "opencl/large_stacks.hpp"
#include "opencl/query.hpp"
#include "opencl/version.hpp"
#include "treadle/opencl/device.hpp"

namespace treadle::opencl {

std::vector<std::string> split_words(const std::string& text, char separator) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, separator);)
    if (!word.empty()) words.push_back(word);
  return words;
}

Version parse_version(const Table& table, const char* call, const std::string& text) {
  Version version{};
  if (std::sscanf(text.c_str(), "OpenCL %d.%d", &version.major, &version.minor) != 2)
    raise(table, CL_INVALID_VALUE, call,
          "the version \"" + text + "\" does not begin with \"OpenCL <major>.<minor>\"");
  return version;
}

InfoValue Platform::info(PlatformInfo parameter) const {
  return query_object(*table_, "clGetPlatformInfo", table_->clGetPlatformInfo, raw(), parameter);
}

std::string Platform::name() const { return get<PlatformInfo::name>(); }
std::string Platform::vendor() const { return get<PlatformInfo::vendor>(); }
RawPlatform Platform::raw() const noexcept { return table_->platform; }

Version Platform::version() const {
  return parse_version(*table_, "clGetPlatformInfo", get<PlatformInfo::version>());
}

std::vector<std::string> Platform::extensions() const {
  return split_words(get<PlatformInfo::extensions>(), ' ');
}

bool Platform::has_extension(std::string_view name) const {
  return std::ranges::count(extensions(), name) > 0;
}

namespace {

bool is_of_the_standard(cl_device_type bits) {
  constexpr cl_device_type known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU |
                                   CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR |
                                   CL_DEVICE_TYPE_CUSTOM;
  return bits == CL_DEVICE_TYPE_ALL || (bits != 0 && (bits & ~known) == 0);
}

}  // namespace

std::vector<Device> Platform::devices(DeviceType type) const {
  const auto bits = static_cast<cl_device_type>(type);
  const LargeStacks stacks;
  cl_uint count = 0;
  const auto attempt = [&] {
    return "listing the devices of type " + std::to_string(bits) + " of " + name();
  };
  const int code = table_->clGetDeviceIDs(raw(), bits, 0, nullptr, &count);
  if (code == CL_DEVICE_NOT_FOUND) return {};
  // A platform older than a type (NVIDIA's knows no custom devices) has no device of it.
  if (code == CL_INVALID_DEVICE_TYPE && is_of_the_standard(bits)) return {};
  check(*table_, code, "clGetDeviceIDs", attempt);
  std::vector<RawDevice> raws(count);
  if (count > 0)
    check(*table_, table_->clGetDeviceIDs(raw(), bits, count, raws.data(), nullptr),
          "clGetDeviceIDs", attempt);
  std::vector<Device> devices;
  for (RawDevice device : raws) devices.emplace_back(table_, device, Ownership::adopt);
  return devices;
}

void Platform::unload_compiler() const {
  if (is_present(table_->clUnloadPlatformCompiler))
    check(*table_, table_->clUnloadPlatformCompiler(raw()), "clUnloadPlatformCompiler");
  else
    check(*table_, table_->clUnloadCompiler(), "clUnloadCompiler");
}

/// Shared by all copies of a loader: each platform's table is made once.
struct Loader::State {
  explicit State(std::shared_ptr<const Table> loaded) : table(std::move(loaded)) {}
  std::shared_ptr<const Table> table;
  std::mutex mutex;
  std::map<RawPlatform, std::shared_ptr<const Table>> platforms;
};

Loader::Loader(std::shared_ptr<const Table> table)
    : state_(std::make_shared<State>(std::move(table))) {}

Loader Loader::system() {
  static const Loader loader(load_loader());
  return loader;
}

const std::shared_ptr<const Table>& Loader::shared_table() const noexcept { return state_->table; }
const std::filesystem::path& Loader::library() const noexcept { return state_->table->library; }

Platform Loader::platform(RawPlatform raw) const {
  const std::lock_guard lock(state_->mutex);
  auto& table = state_->platforms[raw];
  if (table == nullptr) table = load_platform_table(*state_->table, raw);
  return Platform(table);
}

namespace {

[[noreturn]] void raise_no_platform(const Table& table) {
  std::string detail = "the loader";
  if (!table.library.empty()) detail += " " + table.library.string();
  detail += " knows none; it looked at:";
  for (const std::string& line : vendor_files()) detail += "\n    " + line;
  raise(table, CL_PLATFORM_NOT_FOUND_KHR, "clGetPlatformIDs", std::move(detail),
        "apt install ocl-icd-libopencl1 pocl-opencl-icd   (OpenCL on this processor)");
}

}  // namespace

std::vector<Platform> Loader::platforms() const {
  const Table& cl = table();
  cl_uint count = 0;
  const LargeStacks stacks;
  const int code = cl.clGetPlatformIDs(0, nullptr, &count);
  if (code == CL_PLATFORM_NOT_FOUND_KHR || (code == CL_SUCCESS && count == 0))
    raise_no_platform(cl);
  check(cl, code, "clGetPlatformIDs");
  std::vector<RawPlatform> raws(count);
  check(cl, cl.clGetPlatformIDs(count, raws.data(), nullptr), "clGetPlatformIDs");
  std::vector<Platform> platforms;
  for (RawPlatform raw : raws) platforms.push_back(platform(raw));
  return platforms;
}

}  // namespace treadle::opencl
