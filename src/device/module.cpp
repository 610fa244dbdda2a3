// SPDX-License-Identifier: MIT
#include "treadle/device/module.hpp"

#include "treadle/base/error.hpp"
#include "treadle/device/device.hpp"

namespace treadle::device {

Module::~Module() {
  for (const Location location : globals_) device_->forget(location);
}

Global Module::global(std::string_view name) {
  const DeviceInfo& info = device_->info();
  if (!info.traits.module_globals)
    throw NotSupported(info.id + " (" + info.runtime + ") does not tell where variables of a " +
                           "module lie: \"" + std::string(name) + "\"",
                       "pass memory to the kernel as an argument");
  const Global found = find_global(name);
  const std::lock_guard lock(mutex_);
  globals_.reserve(globals_.size() + 1);  // so that nothing fails once the memory is known
  device_->adopt(found.location, found.size_bytes);
  globals_.push_back(found.location);
  return found;
}

}  // namespace treadle::device
