// SPDX-License-Identifier: MIT
#include "treadle/process/device_request.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <fstream>

#include "treadle/base/error.hpp"

namespace treadle {
namespace {

std::optional<int> parse_ordinal(std::string_view text) {
  int ordinal = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), ordinal);
  if (failure != std::errc{} || stop != text.data() + text.size() || ordinal < 0)
    return std::nullopt;
  return ordinal;
}

GpuRequest gpu_request(const std::string& text, const std::string& source) {
  const auto ordinal = parse_ordinal(text);
  if (!ordinal)
    throw InvalidArgument(source + ": \"" + text + "\" is not the number of a device",
                          "give one of the numbers that `python -m treadle info` lists");
  return {*ordinal, source};
}

}  // namespace

std::optional<DeviceRequest> parse_device_id(std::string_view id) {
  constexpr std::array<std::string_view, 4> runtimes = {"cuda", "opencl", "cpu", "null"};
  DeviceRequest request;
  if (id.empty()) return request;
  const std::size_t end = std::min(id.find(':'), id.size());
  request.runtime = id.substr(0, end);
  if (std::ranges::find(runtimes, request.runtime) == runtimes.end()) return std::nullopt;
  std::string_view rest = id.substr(end);
  if (rest.empty()) return request;
  rest.remove_prefix(1);
  if (request.runtime != "opencl") {
    request.ordinal = parse_ordinal(rest);
    return request.ordinal ? std::optional(request) : std::nullopt;
  }
  const std::size_t middle = std::min(rest.find(':'), rest.size());
  request.platform = parse_ordinal(rest.substr(0, middle));
  if (!request.platform) return std::nullopt;
  if (middle == rest.size()) return request;
  request.ordinal = parse_ordinal(rest.substr(middle + 1));
  return request.ordinal ? std::optional(request) : std::nullopt;
}

std::optional<GpuRequest> requested_gpu() {
  if (const char* value = std::getenv("CUDA_DEVICE"); value != nullptr && *value != '\0')
    return gpu_request(value, "CUDA_DEVICE");
  const char* home = std::getenv("HOME");
  if (home == nullptr) return std::nullopt;
  const std::string path = std::string(home) + "/.cuda_device";
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  const auto first = line.find_first_not_of(" \t\r"), last = line.find_last_not_of(" \t\r");
  return gpu_request(first == std::string::npos ? "" : line.substr(first, last - first + 1), path);
}

std::optional<OpenclRequest> requested_opencl() {
  const char* value = std::getenv("PYOPENCL_CTX");
  if (value == nullptr) return std::nullopt;
  const std::string text = value;
  const std::size_t end = std::min(text.find(':'), text.size());
  OpenclRequest request{text.substr(0, end), {}};
  if (end < text.size()) request.device = text.substr(end + 1);
  if (request.device.find(':') != std::string::npos)
    throw InvalidArgument("PYOPENCL_CTX: \"" + text + "\" has more than a platform and a device",
                          "give <platform>:<device>, each a number or a part of a name");
  request.device.resize(std::min(request.device.find(','), request.device.size()));
  return request;
}

}  // namespace treadle
