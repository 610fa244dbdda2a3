// SPDX-License-Identifier: MIT
#include "treadle/memory/options.hpp"

#include <string>

#include "treadle/base/error.hpp"

namespace treadle::memory {

void check_options(const PoolOptions& options) {
  if (options.bins.leading_bits <= BinRule::max_leading_bits) return;
  throw InvalidArgument("leading_bits is " + std::to_string(options.bins.leading_bits) +
                            "; a pool takes at most " + std::to_string(BinRule::max_leading_bits),
                        "4 leading bits make blocks at most 6.25 % larger than requests");
}

}  // namespace treadle::memory
