// SPDX-License-Identifier: MIT
// NVIDIA's libraries where they may be used: in contexts of NVIDIA's driver.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "treadle/base/error.hpp"
#include "treadle/cuda/context.hpp"
#include "treadle/cuda/driver.hpp"
#include "treadle/process/warning.hpp"

namespace treadle::library {

/// What `use` makes of the process's library; null where there is none, and for a context of the
/// CPU device. A library that is found and does not work is a warning, and null.
template <class Library, class Use>
auto used_in(const cuda::Context& context, Use use) -> decltype(use(Library::load(0))) {
  const cuda::Driver& driver = context.driver();
  if (driver.provider() != cuda::Provider::nvidia) return nullptr;
  try {
    return use(Library::load(driver.version()));
  } catch (const LibraryNotFound&) {
    return nullptr;  // others do its work; `doctor` tells
  } catch (const DeviceError& error) {
    warn(std::string("a library of NVIDIA's is found and not used: ") + error.what());
    return nullptr;
  }
}

}  // namespace treadle::library
