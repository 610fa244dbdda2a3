// SPDX-License-Identifier: MIT
#include "treadle/memory/site.hpp"

namespace treadle::memory {

std::string Site::text() const {
  if (describe_ != nullptr) return describe_(place_);
  if (place_ == nullptr) return "an unknown place";
  return std::string(static_cast<const char*>(place_)) + ':' + std::to_string(line_);
}

}  // namespace treadle::memory
