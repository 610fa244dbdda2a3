// SPDX-License-Identifier: MIT
// Statement by statement: `[@[!]guard] word.word.word operand, operand;`. An operand is an
// argument ($0), a name, a number, an address ([name + 4]) or a vector of those ({a, b}).
//
//   "{.reg .pred p; setp.lt.u32 p, $1, 7; @p mov.u32 $0, 1;}"  =>
//     .reg pred (p) | setp lt u32 (p, argument 1, integer 7) | guard p: mov u32 (argument 0, 1)
#include "cuda_cpu/compiler/passes/ptx/inline_ptx_text.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "treadle/base/c_declaration.hpp"

namespace treadle::cuda_cpu::ptx {
namespace {

constexpr std::size_t max_statements = 4096;  // more than a screenful is no inline assembly
constexpr std::string_view blanks = " \t\r\n\v\f";

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Reads one statement from left to right; every step that cannot go on answers with nothing.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  std::optional<Statement> statement() {
    Statement result;
    skip_blanks();
    if (take('@')) {
      result.guard_negated = take('!');
      result.guard = name();
      if (result.guard.empty()) return {};
      skip_blanks();
    }
    // `.reg .u32 t` has a blank before its type, and its first word keeps the dot.
    const bool directive = take('.');
    do {
      std::string word = suffix_word();
      if (word.empty()) return {};
      if (directive && result.words.empty()) word.insert(0, 1, '.');
      result.words.push_back(std::move(word));
      if (directive) skip_blanks();
    } while (take('.'));
    if (!operands(result.operands)) return {};
    return result;
  }

 private:
  void skip_blanks() {
    const std::size_t first = rest_.find_first_not_of(blanks);
    rest_.remove_prefix(first == std::string_view::npos ? rest_.size() : first);
  }
  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::string plain_word() {
    std::size_t length = 0;
    while (length < rest_.size() && is_word_character(rest_[length])) ++length;
    std::string word(rest_.substr(0, length));
    rest_.remove_prefix(length);
    return word;
  }
  /// Of an instruction: `L1::no_allocate` is one word.
  std::string suffix_word() {
    std::string word = plain_word();
    while (rest_.starts_with("::")) {
      rest_.remove_prefix(2);
      word += "::" + plain_word();
    }
    return word;
  }
  /// Of a register: letters, digits and dots, a percent sign before them, `$$` for a dollar sign.
  std::string name() {
    std::string result;
    if (take('%')) result = "%";
    while (!rest_.empty()) {
      const bool dollar = rest_.starts_with("$$");
      const bool dot = rest_.front() == '.' && result.starts_with('%');
      if (!dollar && !dot && !is_word_character(rest_.front())) break;
      result += rest_.front();
      rest_.remove_prefix(dollar ? 2 : 1);
    }
    return result;
  }

  bool operands(std::vector<Operand>& list) {
    skip_blanks();
    while (!rest_.empty()) {
      std::optional<Operand> next = operand();
      if (!next) return false;
      list.push_back(std::move(*next));
      skip_blanks();
      if (rest_.empty()) return true;
      if (!take(',')) return false;
      skip_blanks();
      if (rest_.empty()) return false;
    }
    return true;
  }

  std::optional<Operand> operand() {
    if (take('[')) return address();
    if (take('{')) return vector();
    return scalar();
  }

  std::optional<Operand> scalar() {
    if (rest_.empty()) return {};
    if (rest_.starts_with("$") && !rest_.starts_with("$$")) return argument();
    if (is_digit(rest_.front()) || rest_.front() == '-') return number();
    Operand result;
    result.name = name();
    // `t<4>` declares t0 to t3.
    if (take('<')) {
      if (!digits(10, result.bits) || !take('>')) return {};
    }
    if (result.name.empty() || result.name == "%") return {};
    return result;
  }

  std::optional<Operand> argument() {
    take('$');
    const bool braced = take('{');
    Operand result;
    result.kind = Operand::Kind::argument;
    if (!digits(10, result.bits)) return {};
    if (braced) {
      if (take(':')) plain_word();
      if (!take('}')) return {};
    }
    if (take('.')) {
      result.selector = plain_word();
      if (result.selector.size() < 2) return {};
    }
    return result;
  }

  std::optional<Operand> number() {
    const bool negative = take('-');
    Operand result;
    result.kind = Operand::Kind::integer;
    int base = 10;
    if (rest_.starts_with("0f") || rest_.starts_with("0F")) {
      result.kind = Operand::Kind::float32;
    } else if (rest_.starts_with("0d") || rest_.starts_with("0D")) {
      result.kind = Operand::Kind::float64;
    } else if (rest_.starts_with("0b") || rest_.starts_with("0B")) {
      base = 2;
    }
    const bool real = result.kind != Operand::Kind::integer;
    if (real || rest_.starts_with("0x") || rest_.starts_with("0X")) base = 16;
    if (base != 10) rest_.remove_prefix(2);
    if (!digits(base, result.bits) || (negative && real)) return {};
    if (!rest_.empty() && (rest_.front() == 'U' || rest_.front() == 'u')) rest_.remove_prefix(1);
    if (negative) result.bits = 0 - result.bits;
    return result;
  }

  std::optional<Operand> address() {
    Operand result;
    result.kind = Operand::Kind::address;
    skip_blanks();
    std::optional<Operand> base = scalar();
    if (!base) return {};
    result.parts.push_back(std::move(*base));
    skip_blanks();
    const bool minus = rest_.starts_with('-');
    if (minus || take('+')) {
      skip_blanks();
      const std::optional<Operand> offset = number();
      if (!offset || offset->kind != Operand::Kind::integer) return {};
      result.offset = static_cast<std::int64_t>(offset->bits);
      skip_blanks();
    }
    if (!take(']')) return {};
    return result;
  }

  std::optional<Operand> vector() {
    Operand result;
    result.kind = Operand::Kind::vector;
    do {
      skip_blanks();
      std::optional<Operand> part = scalar();
      if (!part) return {};
      result.parts.push_back(std::move(*part));
      skip_blanks();
    } while (take(','));
    if (!take('}')) return {};
    return result;
  }

  bool digits(int base, std::uint64_t& value) {
    const char* begin = rest_.data();
    const auto [end, error] = std::from_chars(begin, begin + rest_.size(), value, base);
    rest_.remove_prefix(static_cast<std::size_t>(end - begin));
    return error == std::errc{};
  }

  std::string_view rest_;
};

/// A brace opens or closes a block where a statement would begin, and a vector or an argument
/// everywhere else.
std::string_view without_block_braces(std::string_view text) {
  text = trimmed(text);
  while (!text.empty() && (text.front() == '{' || text.front() == '}'))
    text = trimmed(text.substr(1));
  return text;
}

}  // namespace

Text read(std::string_view text) {
  Text result;
  const std::string plain = without_comments(text);
  for (std::size_t begin = 0; begin < plain.size();) {
    const std::size_t end = std::min(plain.find(';', begin), plain.size());
    const std::string_view piece =
        without_block_braces(std::string_view(plain).substr(begin, end - begin));
    begin = end + 1;
    if (piece.empty()) continue;
    std::optional<Statement> statement = Reader(piece).statement();
    if (!statement || result.statements.size() == max_statements) {
      result.error = statement ? "too long for inline assembly" : "not a statement of PTX";
      result.where = piece;
      return result;
    }
    statement->text = piece;
    result.statements.push_back(std::move(*statement));
  }
  return result;
}

}  // namespace treadle::cuda_cpu::ptx
