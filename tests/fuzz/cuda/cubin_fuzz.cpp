// SPDX-License-Identifier: MIT
// A cubin, for the parameters of a kernel.
#include "cuda/cubin_parameters.hpp"
#include "fuzz/target.hpp"

using namespace treadle;

TREADLE_FUZZ_TARGET(cubin) {
  const auto bytes = std::as_bytes(std::span(input.data(), input.size()));
  const cuda::ParameterLayout layout = cuda::cubin_parameters(bytes, "k");
  fuzz::require(layout.known || layout.parameters.empty(), "unknown is empty");
  // One record is 16 bytes of the file.
  fuzz::require(layout.parameters.size() <= input.size() / 16, "nothing is made up");
}
