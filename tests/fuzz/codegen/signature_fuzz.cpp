// SPDX-License-Identifier: MIT
// Declarations of arguments, as users write them for generated kernels.
#include "fuzz/target.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/signature.hpp"

using namespace treadle;
using namespace treadle::codegen;

TREADLE_FUZZ_TARGET(signature) {
  try {
    parse_declaration(input);
  } catch (const InvalidArgument&) {
  }
  try {
    for (const Declaration& declaration : parse_declarations(input)) {
      fuzz::require(!declaration.name.empty() && !declaration.type.empty(), "both are said");
      const std::string again =
          declaration.type + (declaration.is_pointer ? " *" : " ") + declaration.name;
      const Declaration same = parse_declaration(again);
      fuzz::require(same.type == declaration.type && same.name == declaration.name &&
                        same.is_pointer == declaration.is_pointer,
                    "a declaration comes back");
    }
  } catch (const InvalidArgument&) {
  }
}
