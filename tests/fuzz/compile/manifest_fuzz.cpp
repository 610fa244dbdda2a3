// SPDX-License-Identifier: MIT
// What a manifest says of a source's headers.
#include "compile/include_closure.hpp"
#include "fuzz/target.hpp"

using namespace treadle;
using namespace treadle::compile;

TREADLE_FUZZ_TARGET(manifest) {
  const auto closure = unpack_closure(input);
  if (!closure) return;
  const std::string packed = pack_closure(*closure);
  const auto again = unpack_closure(packed);
  fuzz::require(again && pack_closure(*again) == packed, "a manifest comes back");
  fuzz::require(packed.size() <= input.size(), "nothing is made up");
}
