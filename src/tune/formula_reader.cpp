// SPDX-License-Identifier: MIT
// Reads Python's expressions by recursive descent, one function for each level of precedence.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>

#include "treadle/base/error.hpp"
#include "treadle/base/near_match.hpp"
#include "tune/formula_code.hpp"

namespace treadle::tune {
namespace {

struct FunctionRow {
  std::string_view name;
  Function function;
  int least, most;  // arguments
};
constexpr FunctionRow functions[] = {
    {"abs", Function::absolute, 1, 1},  {"bool", Function::to_bool, 1, 1},
    {"ceil", Function::ceil, 1, 1},     {"ceil_div", Function::ceil_div, 2, 2},
    {"float", Function::to_real, 1, 1}, {"floor", Function::floor, 1, 1},
    {"gcd", Function::gcd, 2, 2},       {"int", Function::to_integer, 1, 1},
    {"log2", Function::log2, 1, 1},     {"max", Function::greatest, 2, 64},
    {"min", Function::least, 2, 64},    {"pow", Function::power, 2, 2},
    {"round", Function::round, 1, 1},   {"sqrt", Function::sqrt, 1, 1},
};
// Longer operators first.
constexpr std::string_view signs[] = {"**", "//", "<<", ">>", "<=", ">=", "==", "!=", "+",
                                      "-",  "*",  "/",  "%",  "&",  "|",  "^",  "~",  "<",
                                      ">",  "(",  ")",  "[",  "]",  "{",  "}",  ","};
constexpr std::string_view words[] = {"and", "or", "not", "in", "if", "else"};
constexpr std::string_view foreign_words[] = {"is", "lambda", "None", "for"};

constexpr int deepest = 100;

template <class List>
bool is_among(const List& list, std::string_view word) {
  return std::ranges::find(list, word) != std::end(list);
}

class Reader {
 public:
  explicit Reader(Formula::Code& code) : code_(code) { next(); }

  void read() {
    conditional();
    if (kind_ != Token::end) refuse("nothing more is expected");
  }

 private:
  enum class Token { end, name, number, text, word, sign };

  [[noreturn]] void refuse(const std::string& why) const {
    const std::string found = kind_ == Token::end ? "its end" : "'" + std::string(token_) + "'";
    throw InvalidArgument("the formula '" + code_.text + "' cannot be read at " + found +
                              " (character " + std::to_string(start_ + 1) + "): " + why,
                          "write a Python expression over parameters: 'block_x * block_y <= 1024'");
  }

  void next() {
    const std::string_view text = code_.text;
    while (end_ < text.size() && std::isspace(static_cast<unsigned char>(text[end_]))) ++end_;
    start_ = end_;
    token_ = {};
    kind_ = Token::end;
    if (start_ == text.size()) return;
    const char c = text[start_];
    const auto letter = [](char x) {
      return std::isalpha(static_cast<unsigned char>(x)) || x == '_';
    };
    const auto digit = [](char x) { return std::isdigit(static_cast<unsigned char>(x)) != 0; };
    if (letter(c)) {
      while (end_ < text.size() && (letter(text[end_]) || digit(text[end_]) || text[end_] == '.'))
        ++end_;
      kind_ = Token::name;
    } else if (digit(c) || (c == '.' && start_ + 1 < text.size() && digit(text[start_ + 1]))) {
      while (end_ < text.size() && (letter(text[end_]) || digit(text[end_]) || text[end_] == '.' ||
                                    (is_exponent(text, end_) && end_ > start_)))
        ++end_;
      kind_ = Token::number;
    } else if (c == '\'' || c == '"') {
      for (++end_; end_ < text.size() && text[end_] != c; ++end_)
        if (text[end_] == '\\') ++end_;
      if (end_ >= text.size()) end_ = text.size(), refuse("the text does not end");
      ++end_;
      kind_ = Token::text;
    } else {
      const auto* const sign = std::ranges::find_if(
          signs, [&](std::string_view s) { return text.substr(start_).starts_with(s); });
      if (sign == std::end(signs)) {
        token_ = text.substr(start_, 1), kind_ = Token::sign;
        refuse("this is no operator of Python's");
      }
      end_ += sign->size();
      kind_ = Token::sign;
    }
    token_ = text.substr(start_, end_ - start_);
    if (kind_ == Token::name && is_among(words, token_)) kind_ = Token::word;
    if (kind_ == Token::name && is_among(foreign_words, token_))
      refuse("formulas have no such word");
  }
  // The sign of an exponent, as in 1e-3.
  bool is_exponent(std::string_view text, std::size_t k) const {
    return (text[k] == '-' || text[k] == '+') && (text[k - 1] == 'e' || text[k - 1] == 'E') &&
           !text.substr(start_, 2).starts_with("0x") && k + 1 < text.size() &&
           std::isdigit(static_cast<unsigned char>(text[k + 1]));
  }

  bool take(std::string_view token) {
    if ((kind_ != Token::sign && kind_ != Token::word) || token_ != token) return false;
    next();
    return true;
  }
  void expect(std::string_view token) {
    if (!take(token)) refuse("expected '" + std::string(token) + "'");
  }

  // Emits, and counts what lies on the stack afterwards.
  std::size_t emit(Step step, int change, std::uint8_t detail = 0, std::size_t operand = 0) {
    code_.instructions.push_back({step, detail, static_cast<std::int32_t>(operand)});
    height_ += change;
    code_.depth = std::max(code_.depth, static_cast<std::size_t>(height_));
    return code_.instructions.size() - 1;
  }
  template <class Detail>
  void emit_of(Step step, int change, Detail detail, std::size_t operand = 0) {
    emit(step, change, static_cast<std::uint8_t>(detail), operand);
  }
  void land(std::size_t jump) {
    code_.instructions[jump].operand = static_cast<std::int32_t>(code_.instructions.size());
  }
  void constant(Value value) {
    code_.constants.push_back(std::move(value));
    emit(Step::constant, 1, 0, code_.constants.size() - 1);
  }

  // `a if condition else b`: the condition is read behind a, and has to be computed before it.
  void conditional() {
    if (++nesting_ > deepest) refuse("it is nested deeper than " + std::to_string(deepest));
    const std::size_t begin = code_.instructions.size();
    disjunction();
    if (take("if")) {
      const auto chosen = cut(begin);
      height_ -= 1;
      disjunction();
      const std::size_t other = emit(Step::pop_false, -1);
      paste(chosen, begin);
      height_ += 1;
      const std::size_t over = emit(Step::jump, 0);
      land(other);
      height_ -= 1;
      expect("else");
      conditional();
      land(over);
    }
    --nesting_;
  }
  std::vector<Instruction> cut(std::size_t begin) {
    const auto from = code_.instructions.begin() + static_cast<std::ptrdiff_t>(begin);
    std::vector<Instruction> part(from, code_.instructions.end());
    code_.instructions.erase(from, code_.instructions.end());
    return part;
  }
  void paste(const std::vector<Instruction>& part, std::size_t begin) {
    const auto shift = static_cast<std::int32_t>(code_.instructions.size() - begin);
    for (Instruction instruction : part) {
      switch (instruction.step) {
        case Step::chain:
        case Step::false_or_pop:
        case Step::true_or_pop:
        case Step::pop_false:
        case Step::jump:
          instruction.operand += shift;
          break;
        default:
          break;
      }
      code_.instructions.push_back(instruction);
    }
  }

  void disjunction() {
    conjunction();
    while (take("or")) {
      const std::size_t jump = emit(Step::true_or_pop, -1);
      conjunction();
      land(jump);
    }
  }
  void conjunction() {
    negation();
    while (take("and")) {
      const std::size_t jump = emit(Step::false_or_pop, -1);
      negation();
      land(jump);
    }
  }
  void negation() {
    if (!take("not")) return comparison();
    if (++nesting_ > deepest) refuse("it is nested deeper than " + std::to_string(deepest));
    negation();
    --nesting_;
    emit_of(Step::sign, 0, Sign::not_true);
  }

  std::optional<Comparison> comparator() const {
    static const std::map<std::string_view, Comparison> rows = {
        {"==", Comparison::equal},   {"!=", Comparison::unequal}, {"<", Comparison::less},
        {"<=", Comparison::at_most}, {">", Comparison::greater},  {">=", Comparison::at_least}};
    if (kind_ != Token::sign) return {};
    const auto row = rows.find(token_);
    return row == rows.end() ? std::nullopt : std::optional(row->second);
  }
  void comparison() {
    bits(0);
    std::vector<std::size_t> jumps;
    for (bool is_compared = false;; is_compared = true) {
      const bool is_in = kind_ == Token::word && (token_ == "in" || token_ == "not");
      if (is_in) {
        if (is_compared) refuse("put parentheses around what 'in' is asked of");
        membership();
        break;
      }
      const auto how = comparator();
      if (!how) break;
      next();
      bits(0);
      if (comparator()) {
        emit_of(Step::chain, -1, *how);
        jumps.push_back(code_.instructions.size() - 1);
      } else {
        emit_of(Step::compare, -1, *how);
      }
    }
    for (const std::size_t jump : jumps) land(jump);
  }
  void membership() {
    const bool is_negated = take("not");
    expect("in");
    static const std::map<std::string_view, std::string_view> closing = {
        {"(", ")"}, {"[", "]"}, {"{", "}"}};
    const auto bracket = kind_ == Token::sign ? closing.find(token_) : closing.end();
    if (bracket != closing.end()) {
      next();
      int count = 0;
      while (!take(bracket->second)) {
        if (count > 0) {
          expect(",");
          if (take(bracket->second)) break;
        }
        conditional();
        ++count;
      }
      emit(Step::contains, -count, 0, static_cast<std::size_t>(count));
    } else {
      bits(0);
      emit(Step::contains_text, -1);
    }
    if (is_negated) emit_of(Step::sign, 0, Sign::not_true);
  }

  // Binary operators from | to *, lowest first.
  void bits(std::size_t level) {
    static const std::vector<std::vector<std::pair<std::string_view, Arithmetic>>> levels = {
        {{"|", Arithmetic::bit_or}},
        {{"^", Arithmetic::bit_xor}},
        {{"&", Arithmetic::bit_and}},
        {{"<<", Arithmetic::shift_left}, {">>", Arithmetic::shift_right}},
        {{"+", Arithmetic::add}, {"-", Arithmetic::subtract}},
        {{"*", Arithmetic::multiply},
         {"/", Arithmetic::divide},
         {"//", Arithmetic::floor_divide},
         {"%", Arithmetic::modulo}}};
    if (level == levels.size()) return factor();
    bits(level + 1);
    for (;;) {
      const auto& row = levels[level];
      const auto found = std::ranges::find_if(
          row, [&](const auto& each) { return kind_ == Token::sign && each.first == token_; });
      if (found == row.end()) return;
      next();
      bits(level + 1);
      emit_of(Step::arithmetic, -1, found->second);
    }
  }
  void factor() {
    if (++nesting_ > deepest) refuse("it is nested deeper than " + std::to_string(deepest));
    if (take("-")) {
      factor();
      emit_of(Step::sign, 0, Sign::negate);
    } else if (take("+")) {
      factor();
      emit_of(Step::sign, 0, Sign::plus);
    } else if (take("~")) {
      factor();
      emit_of(Step::sign, 0, Sign::invert);
    } else {
      atom();
      if (take("**")) {
        factor();
        emit_of(Step::arithmetic, -1, Arithmetic::power);
      }
    }
    --nesting_;
  }
  void atom() {
    switch (kind_) {
      case Token::number:
        return number();
      case Token::text: {
        std::string value;
        for (std::size_t k = 1; k + 1 < token_.size(); ++k)
          value += token_[k] == '\\' ? token_[++k] : token_[k];
        next();
        return constant(std::move(value));
      }
      case Token::name:
        return name();
      case Token::sign:
        if (take("(")) {
          conditional();
          return expect(")");
        }
        break;
      case Token::word:
      case Token::end:
        break;
    }
    refuse("a value is expected");
  }
  void number() {
    std::string digits;
    std::ranges::copy_if(token_, std::back_inserter(digits), [](char c) { return c != '_'; });
    const int base = digits.starts_with("0x") || digits.starts_with("0X")   ? 16
                     : digits.starts_with("0b") || digits.starts_with("0B") ? 2
                                                                            : 10;
    const char* const first = digits.data() + (base == 10 ? 0 : 2);
    const char* const last = digits.data() + digits.size();
    std::int64_t whole = 0;
    const auto read = std::from_chars(first, last, whole, base);
    if (read.ptr == last && read.ec == std::errc::result_out_of_range)
      refuse("the integer is beyond 64 bits");
    if (read.ptr == last && read.ec == std::errc{} && first != last) {
      next();
      return constant(whole);
    }
    double real = 0;
    const auto floating = std::from_chars(digits.data(), last, real);
    if (base != 10 || floating.ptr != last || floating.ec != std::errc{})
      refuse("this is no number");
    next();
    constant(real);
  }
  void name() {
    const std::string word(token_);
    next();
    if (kind_ == Token::sign && token_ == "(") return call(word);
    if (word == "True" || word == "False") return constant(word == "True");
    if (kind_ == Token::sign && token_ == "[")
      refuse("values have no elements; write the parameter's name alone");
    const auto known = std::ranges::find(code_.names, word);
    const auto number = static_cast<std::size_t>(known - code_.names.begin());
    if (known == code_.names.end()) code_.names.push_back(word);
    emit(Step::load, 1, 0, number);
  }
  void call(const std::string& word) {
    const std::string_view name = std::string_view(word).starts_with("math.")
                                      ? std::string_view(word).substr(5)
                                      : std::string_view(word);
    const auto* const row =
        std::ranges::find_if(functions, [&](const auto& each) { return each.name == name; });
    if (row == std::end(functions)) {
      std::vector<std::string> names;
      for (const auto& each : functions) names.emplace_back(each.name);
      const auto near = near_matches(name, names);
      refuse("there is no function '" + word + "'" +
             (near.empty() ? "" : "; the nearest is '" + near.front() + "'"));
    }
    expect("(");
    int count = 0;
    while (!take(")")) {
      if (count > 0) expect(",");
      conditional();
      ++count;
    }
    if (count < row->least || count > row->most)
      refuse(word + "() takes " + std::to_string(row->least) +
             (row->most > row->least ? " or more values" : " of them") + ", not " +
             std::to_string(count));
    emit_of(Step::call, 1 - count, row->function, static_cast<std::size_t>(count));
  }

  Formula::Code& code_;
  Token kind_ = Token::end;
  std::string_view token_;
  std::size_t start_ = 0, end_ = 0;
  int height_ = 0, nesting_ = 0;
};

}  // namespace

void read_formula(Formula::Code& code) { Reader(code).read(); }

}  // namespace treadle::tune
