// SPDX-License-Identifier: MIT
#include "left_uses.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace treadle::bindings {
namespace {

struct LeftUse {
  std::function<bool()> is_over;
  std::shared_ptr<void> what;
};

// Guarded by the GIL; never destroyed, for Python and the platform may be gone by then.
std::vector<LeftUse>& left_uses() {
  static auto* uses = new std::vector<LeftUse>;
  return *uses;
}

}  // namespace

void keep_left_use(std::function<bool()> is_over, std::shared_ptr<void> what) {
  left_uses().push_back({std::move(is_over), std::move(what)});
}

void release_left_uses() {
  std::vector<LeftUse>& left = left_uses();
  if (left.empty()) return;
  const auto over =
      std::partition(left.begin(), left.end(), [](const LeftUse& use) { return !use.is_over(); });
  // Ended behind that: what goes with them may run any code, this too.
  const std::vector<LeftUse> ended(std::make_move_iterator(over),
                                   std::make_move_iterator(left.end()));
  left.erase(over, left.end());
}

}  // namespace treadle::bindings
