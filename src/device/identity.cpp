// SPDX-License-Identifier: MIT
#include "treadle/device/identity.hpp"

#include <charconv>
#include <map>

#include "device/identity.hpp"
#include "treadle/device/device.hpp"

namespace treadle::device {

DeviceIdentity identity_of(const Device& device) {
  const DeviceInfo& info = device.info();
  std::map<std::string, std::string> build(info.build_identity.begin(), info.build_identity.end());
  DeviceIdentity made{.name = info.name,
                      .architecture = info.target,
                      .uuid = cuda_uuid(device),
                      .driver = build["driver version"]};
  if (made.uuid.empty()) made.uuid = opencl_uuid(device);
  if (made.architecture.empty()) {
    made.architecture = build["device version"];
    if (const std::string& vendor = build["device vendor"]; !vendor.empty())
      made.architecture += " " + vendor;
  }
  if (made.architecture.empty()) made.architecture = info.runtime;
  if (made.driver.empty()) made.driver = info.runtime;
  return made;
}

namespace {
// "sm_90a" is 90.
std::optional<unsigned> number_of_architecture(std::string_view text) {
  constexpr std::string_view prefix = "sm_";
  unsigned made = 0;
  if (!text.starts_with(prefix)) return {};
  text.remove_prefix(prefix.size());
  if (std::from_chars(text.data(), text.data() + text.size(), made).ec != std::errc()) return {};
  return made;
}
}  // namespace

std::optional<unsigned> architecture_age(std::string_view known, std::string_view here) {
  if (known == here) return 0;
  const auto older = number_of_architecture(known), newer = number_of_architecture(here);
  if (!older || !newer || *older > *newer) return {};
  return *newer - *older;
}

}  // namespace treadle::device
