// SPDX-License-Identifier: MIT
#include "treadle/codegen/sobol.hpp"

#include "program.hpp"
#include "words.hpp"

namespace treadle::codegen {

std::string sobol_statements(Scalar dtype, const Dialect& dialect) {
  const bool is_single = dtype == Scalar::float32;
  tree::BlockBuilder code;
  code.declare("const first_t", "point", "first + i / dimensions");
  code.declare("const long", "dimension", "i % dimensions");
  code.declare("first_t", "gray", "point ^ (point >> 1)");
  code.declare("shifts_t", "word", "shifts[dimension]");
  code.open_loop(tree::initialize(tree::value("int", "bit"), "0"), "gray != 0",
                 "gray >>= 1, ++bit");
  code.when("gray & 1",
            tree::assign("word",
                         {"vectors[dimension * ", number(8 * DType(dtype).size_bytes()), " + bit]"},
                         "^="));
  code.close();
  code.assign("x[i]", is_single ? "(float)(int)(word >> 8) * 5.9604644775390625e-08f"
                                : "(double)(long)(word >> 11) * 1.1102230246251565e-16");
  return as_users_statements(code.take(), dialect);
}

}  // namespace treadle::codegen
