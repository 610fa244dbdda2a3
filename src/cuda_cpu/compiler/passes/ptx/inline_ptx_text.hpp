// SPDX-License-Identifier: MIT
// The text of an inline assembly, read: statements, their words and operands. Nothing here knows
// what an instruction means.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace treadle::cuda_cpu::ptx {

struct Operand {
  enum class Kind {
    argument,  ///< of the assembly: %0, %1, ...
    name,      ///< a register of the text, or a special one: "t", "%tid.x"
    integer,
    float32,  ///< 0f3F800000
    float64,  ///< 0d3FF0000000000000
    address,  ///< [parts[0] + offset]
    vector,   ///< {parts...}
  };
  Kind kind = Kind::name;
  std::uint64_t bits = 0;  ///< number of the argument, value of the integer, bits of the real
  std::int64_t offset = 0;
  std::string name;
  std::string selector;  ///< "b0", "h1" behind an argument: one part of it
  std::vector<Operand> parts;
};

struct Statement {
  std::string text;   ///< as written, for messages
  std::string guard;  ///< name of the predicate before it; empty: none
  bool guard_negated = false;
  std::vector<std::string> words;  ///< "ld", "global", "u32"; a declaration's first word is ".reg"
  std::vector<Operand> operands;
};

struct Text {
  std::vector<Statement> statements;
  std::string error;  ///< why it cannot be read; empty if it was
  std::string where;  ///< the statement that cannot be read
};

/// Reads `text` as LLVM holds it: `$0`, `${0:x}` for arguments and `$$` for a dollar sign. Braces
/// around statements and comments are skipped. Never throws but std::bad_alloc.
Text read(std::string_view text);

}  // namespace treadle::cuda_cpu::ptx
