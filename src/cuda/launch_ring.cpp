// SPDX-License-Identifier: MIT
#include "cuda/launch_ring.hpp"

#include "cuda/context_state.hpp"
#include "treadle/cuda/launch_attributes.hpp"

namespace treadle::cuda {

std::string dim_text(const Dim3& dim) {
  return std::to_string(dim.x) + "x" + std::to_string(dim.y) + "x" + std::to_string(dim.z);
}

std::vector<LaunchRecord> last_launches(const Context& context) {
  const ContextState* state = context.state();
  return state == nullptr ? std::vector<LaunchRecord>{} : state->launches().records();
}

std::vector<LaunchRecord> LaunchRing::records() const {
  std::vector<LaunchRecord> all;
  for (const Record& record : treadle::LaunchRing<LaunchConfig>::records()) {
    all.push_back({*record.kernel, record.shape, record.site});
    all.back().config.attributes = nullptr;  // they ended with the launch
  }
  return all;
}

std::string shape_text(const LaunchConfig& config) {
  std::string text = "grid " + dim_text(config.grid) + ", block " + dim_text(config.block);
  if (config.shared_bytes != 0)
    text += ", " + std::to_string(config.shared_bytes) + " bytes of shared memory";
  if (config.cooperative) text += ", cooperative";
  if (config.attributes != nullptr && config.attributes->cluster)
    text += ", clusters of " + dim_text(*config.attributes->cluster);
  return text;
}

std::string launches_text(const LaunchRing& ring) {
  std::string text;
  for (const LaunchRecord& record : ring.records()) {
    text += text.empty() ? "last launches, the latest first: \"" : "; \"";
    text += record.kernel + "\", " + shape_text(record.config) + site_text(record.site);
  }
  return text;
}

}  // namespace treadle::cuda
