// SPDX-License-Identifier: MIT
#include "device/launch_log.hpp"

#include "treadle/device/device.hpp"
#include "treadle/process/settings.hpp"

namespace treadle::device {
namespace {

std::string launches_text(const Device& device) {
  std::string text;
  for (const LaunchRecord& record : last_launches(device)) {
    text += text.empty() ? "last launches, the latest first: \"" : "; \"";
    text += record.kernel + "\", " + shape_text(record.shape) + site_text(record.site);
  }
  return text;
}

}  // namespace

std::string shape_text(const LaunchShape& shape) {
  std::string text = "groups " + extent_text(shape.groups) + " of " + extent_text(shape.group_size);
  if (shape.local_bytes != 0)
    text += ", " + std::to_string(shape.local_bytes) + " bytes of local memory";
  if (shape.cooperative) text += ", cooperative";
  return text;
}

std::vector<LaunchRecord> LaunchLog::records() const {
  if (shell_) return shell_();
  std::vector<LaunchRecord> all;
  for (const auto& record : ring_.records())
    all.push_back({*record.kernel, record.shape, record.site});
  return all;
}

std::vector<LaunchRecord> last_launches(const Device& device) {
  return device.launches().records();
}

void raise_again(const DeviceError& error, const std::string& detail, std::string hint) {
  DeviceFailure failure{error.code(), error.code_name(), error.call(), error.driver_text(),
                        error.detail()};
  failure.detail += (failure.detail.empty() ? "" : "; ") + detail;
  if (dynamic_cast<const LaunchError*>(&error) != nullptr)
    throw LaunchError(std::move(failure), std::move(hint));
  if (dynamic_cast<const OutOfMemory*>(&error) != nullptr)
    throw OutOfMemory(std::move(failure), std::move(hint));
  throw DeviceError(std::move(failure), std::move(hint));
}

void raise_with_launches(const DeviceError& error, const Device& device) {
  const std::string launches = settings().sync ? std::string() : launches_text(device);
  if (launches.empty()) throw;  // where each launch is waited for, the guilty one has been named
  raise_again(error, launches,
              error.hint().empty() ? "run with TREADLE_SYNC=1: it waits after every launch and "
                                     "names the one that fails"
                                   : error.hint());
}

}  // namespace treadle::device
