// SPDX-License-Identifier: MIT
#include "left_uses.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>
#include <vector>

namespace treadle::bindings {
namespace {

struct LeftUse {
  std::function<bool()> is_over;
  std::shared_ptr<void> what;
};

// Guarded by the GIL. Never destroyed, because Python and the platform may be gone by then.
std::vector<LeftUse>& left_uses() {
  static auto* uses = new std::vector<LeftUse>;
  return *uses;
}

}  // namespace

void keep_left_use(std::function<bool()> is_over, std::shared_ptr<void> what) {
  left_uses().push_back({std::move(is_over), std::move(what)});
}

void release_left_uses() {
  if (left_uses().empty()) return;
  // Take the uses out first: asking a use, or ending its objects, may let other threads run Python
  // code that calls this function.
  std::vector<LeftUse> taken = std::exchange(left_uses(), {});
  const auto over = std::partition(taken.begin(), taken.end(), [](const LeftUse& use) {
    try {
      return !use.is_over();
    } catch (const std::exception&) {
      return true;  // no event can tell whether the use is over
    }
  });
  left_uses().insert(left_uses().end(), std::make_move_iterator(taken.begin()),
                     std::make_move_iterator(over));
}

}  // namespace treadle::bindings
