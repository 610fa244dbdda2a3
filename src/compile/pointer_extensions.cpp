// SPDX-License-Identifier: MIT
// clang points at the operator, NVRTC at the operand before it. In a macro's text neither does:
// there every sum, or every comparison with 0, gets the words, as they change nothing elsewhere.
#include "compile/pointer_extensions.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <utility>

#include "base/characters.hpp"
#include "compile/compiler_log.hpp"
#include "compile/source_pieces.hpp"

namespace treadle::compile {
namespace {

enum class Kind { sum, order };

constexpr std::string_view bytes_word = "* __treadle_bytes ";
constexpr std::string_view null_before = "* __treadle_null ";
constexpr std::string_view null_behind = " __treadle_null *";

/// A part of a text that is read from its beginning.
class TextReader {
 public:
  TextReader(std::string_view text, std::size_t at, std::size_t end)
      : text_(text.substr(0, end)), at_(at) {}

  std::size_t at() const { return at_; }
  bool ended() const { return at_ >= text_.size(); }
  char next() const { return ended() ? '\0' : text_[at_]; }
  bool reads(std::string_view words) const { return text_.substr(at_).starts_with(words); }
  void skip(std::size_t count) { at_ = std::min(at_ + count, text_.size()); }

  void skip_blanks() {
    while (next() == ' ' || next() == '\t') skip(1);
  }

  std::string_view name() {
    const std::size_t begin = at_;
    while (is_word_character(next()) || reads("::")) skip(reads("::") ? 2 : 1);
    return text_.substr(begin, at_ - begin);
  }

  /// "1e-5" is one.
  void skip_number() {
    for (char last = '0'; is_word_character(next()) || next() == '.' ||
                          ((next() == '+' || next() == '-') && (last == 'e' || last == 'p'));
         skip(1))
      last = static_cast<char>(std::tolower(next()));
  }

  void skip_string() {
    const char quote = next();
    for (skip(1); !ended() && next() != quote;) skip(next() == '\\' ? 2 : 1);
    skip(1);
  }

  /// Over a group in brackets; what stands in it.
  std::string_view group() {
    const std::size_t begin = at_;
    const std::string_view opening = next() == '<' ? "<" : "([",
                           closing = next() == '<' ? ">" : ")]";
    int depth = 0;
    do {
      const char c = next();
      if (opening.find(c) != opening.npos) ++depth;
      if (closing.find(c) != closing.npos) --depth;
      if (c == '"' || c == '\'')
        skip_string();
      else
        skip(1);
    } while (depth > 0 && !ended());
    return text_.substr(begin, at_ - begin);
  }

 private:
  std::string_view text_;
  std::size_t at_;
};

/// Whether "(...)" is a type, so that no sum begins behind it: `(char*) + 1`, `(int) - 1`.
bool is_cast(std::string_view group) {
  constexpr std::array<std::string_view, 11> types = {"int",      "char",   "short",    "long",
                                                      "unsigned", "signed", "float",    "double",
                                                      "bool",     "size_t", "ptrdiff_t"};
  while (!group.empty() && (group.back() == ')' || group.back() == ' ')) group.remove_suffix(1);
  if (group.ends_with('*') || group.ends_with('&')) return true;
  std::size_t begin = group.size();
  while (begin > 0 && is_word_character(group[begin - 1])) --begin;
  return std::ranges::find(types, group.substr(begin)) != types.end();
}

/// Over an operand such as `(char*)p`, `*a[1].p`, `static_cast<void*>(f(x))`.
void skip_operand(TextReader& reader) {
  while (reader.next() == '*' || reader.next() == '&') reader.skip(1);
  if (reader.next() == '(') {
    if (const bool cast = is_cast(reader.group()); cast || is_word_character(reader.next())) {
      reader.skip_blanks();
      return skip_operand(reader);
    }
  } else {
    const std::string_view name = reader.name();
    if (name.ends_with("_cast") && reader.next() == '<') reader.group();
  }
  for (;;) {
    if (reader.next() == '[' || reader.next() == '(') {
      reader.group();
    } else if (reader.next() == '.' || reader.reads("->")) {
      reader.skip(reader.next() == '.' ? 1 : 2);
      reader.name();
    } else {
      return;
    }
  }
}

/// `+`, `-=`, but not `++`, which nvcc refuses for pointers to void, too.
bool at_sum(const TextReader& reader) {
  return (reader.next() == '+' || reader.next() == '-') && !reader.reads("++") &&
         !reader.reads("--") && !reader.reads("->");
}

bool at_order(const TextReader& reader) {
  return (reader.next() == '<' || reader.next() == '>') && !reader.reads("<<") &&
         !reader.reads(">>");
}

/// Over `0` or `NULL`, not `0.5`.
bool skip_zero(TextReader& reader) {
  reader.skip_blanks();
  const std::size_t length = reader.reads("NULL") ? 4 : 1;
  if (length == 1 && reader.next() != '0') return false;
  reader.skip(length);
  return !is_word_character(reader.next()) && reader.next() != '.';
}

bool reads_zero(TextReader reader) { return skip_zero(reader); }

/// Of `f<0>`.
bool reads_zero_and_angle(TextReader reader) {
  if (!skip_zero(reader)) return false;
  reader.skip_blanks();
  return reader.next() == '>';
}

/// Notes where words go, in a text that a compiler refuses.
class PointerWords {
 public:
  explicit PointerWords(std::string_view text) : text_(text) {}

  void mend(const LoggedError& error, std::size_t at) {
    const std::string_view words = error.text;
    if (words.starts_with("arithmetic on a pointer to void") ||
        words.starts_with("expression must be a pointer to a complete object type"))
      mend_sum(error, at);
    else if (words.starts_with("ordered comparison between pointer and zero"))
      mend_order(error, at);
  }

  std::vector<Insertion> in_falling_order() {
    std::ranges::sort(insertions_, std::ranges::greater{}, &Insertion::at);
    return std::move(insertions_);
  }

 private:
  void mend_sum(const LoggedError& error, std::size_t at) {
    TextReader reader(text_, at, text_.size());
    if (!at_sum(reader)) {
      skip_operand(reader);
      reader.skip_blanks();
    }
    if (at_sum(reader) && !is_behind_number(reader.at()))
      insert(reader.at(), bytes_word);
    else
      mend_macro(error, at, Kind::sum);
  }

  /// `4 + p`, which nvcc refuses.
  bool is_behind_number(std::size_t at) const {
    while (at > 0 && text_[at - 1] == ' ') --at;
    const std::size_t end = at;
    while (at > 0 && is_word_character(text_[at - 1])) --at;
    return at < end && is_digit(text_[at]);
  }

  void mend_order(const LoggedError& error, std::size_t at) {
    const TextReader reader(text_, at, text_.size());
    if (!at_order(reader)) return mend_macro(error, at, Kind::order);
    const std::size_t types = error.text.find("('");
    const std::size_t end = types == error.text.npos ? types : error.text.find('\'', types + 2);
    if (end == error.text.npos) return;
    if (error.text[end - 1] != '*') return insert(at, null_before);
    insert(at + (text_.substr(at + 1).starts_with('=') ? 2 : 1), null_behind);
  }

  /// clang names the macros, of which one holds the operator; NVRTC shows the call.
  void mend_macro(const LoggedError& error, std::size_t at, Kind kind) {
    constexpr std::string_view note = "expanded from macro '";
    std::size_t found = error.below.find(note);
    const bool is_told = found != error.below.npos;
    for (; found != error.below.npos; found = error.below.find(note, found + 1)) {
      const std::string_view name = error.below.substr(found + note.size());
      mend_body(name.substr(0, name.find('\'')), kind);
    }
    if (is_told) return;
    TextReader call(text_, at, text_.size());
    if (mend_body(call.name(), kind) || call.next() != '(') return;
    const std::size_t begin = call.at();
    call.group();
    mend_all(begin, call.at(), kind);  // the operator stands in an argument
  }

  /// In the text of a macro, or of those that it uses; false if there is no such place.
  bool mend_body(std::string_view macro, Kind kind) {
    if (macro.empty() || !seen_.insert(macro).second) return false;
    constexpr std::string_view word = "define";
    for (std::size_t at = 0; (at = text_.find(word, at)) != text_.npos;) {
      at += word.size();
      TextReader reader(text_, at, text_.size());
      reader.skip_blanks();
      if (reader.name() != macro) continue;
      if (reader.next() == '(') reader.group();
      std::size_t end = reader.at();
      while (end < text_.size() && (text_[end] != '\n' || text_[end - 1] == '\\')) ++end;
      if (mend_all(reader.at(), end, kind)) return true;
    }
    return false;
  }

  /// Every such operator between two places.
  bool mend_all(std::size_t begin, std::size_t end, Kind kind) {
    const std::size_t before = insertions_.size();
    std::vector<std::string_view> names;
    std::vector<std::size_t> open;
    bool behind_operand = false, behind_zero = false, in_angles = false;
    TextReader reader(text_, begin, end);
    while (!reader.ended()) {
      const char c = reader.next();
      if (c == ' ' || c == '\t' || c == '\\' || c == '\n') {
        reader.skip(1);
        continue;
      }
      if (kind == Kind::sum && behind_operand && at_sum(reader)) insert(reader.at(), bytes_word);
      if (kind == Kind::order && behind_operand && at_order(reader)) {
        TextReader other = reader;
        other.skip(other.reads(">=") || other.reads("<=") ? 2 : 1);
        in_angles = c == '<' && reads_zero_and_angle(other);
        if (reads_zero(other) && !in_angles)
          insert(other.at(), null_behind);
        else if (behind_zero)
          insert(reader.at(), null_before);
      }
      behind_zero = reads_zero(reader) && !in_angles;
      const bool is_step = reader.reads("++") || reader.reads("--");
      if (c == '(' || c == '[') open.push_back(reader.at());
      if (is_digit(c)) {
        reader.skip_number();
      } else if (is_word_character(c)) {
        names.push_back(reader.name());
      } else if (c == '"' || c == '\'') {
        reader.skip_string();
      } else {
        reader.skip(is_step || reader.reads("->") || reader.reads("<<") || reader.reads(">>") ? 2
                                                                                              : 1);
      }
      if (is_step) continue;
      behind_operand = is_word_character(c) || c == ']' || c == ')';
      if ((c == ')' || c == ']') && !open.empty()) {
        if (c == ')' && is_cast(text_.substr(open.back(), reader.at() - open.back())))
          behind_operand = false;
        open.pop_back();
      }
    }
    if (insertions_.size() != before) return true;
    bool found = false;
    for (const std::string_view name : names) found |= mend_body(name, kind);
    return found;
  }

  void insert(std::size_t at, std::string_view words) {
    const auto is_there = [&](const Insertion& other) { return other.at == at; };
    if (text_.substr(0, at).ends_with(words) || text_.substr(at).starts_with(words) ||
        std::ranges::any_of(insertions_, is_there))
      return;
    insertions_.push_back({at, std::string(words)});
  }

  std::string_view text_;
  std::set<std::string_view> seen_;  ///< macros
  std::vector<Insertion> insertions_;
};

}  // namespace

std::vector<Insertion> pointer_insertions(std::string_view text, std::string_view log,
                                          const std::string& source_name) {
  PointerWords words(text);
  const LoggedPlaces places(text);
  for (const LoggedError& error : errors_of(log)) {
    if (error.file != source_name) continue;
    const std::size_t at = places.of(error);
    if (at != LoggedPlaces::unknown) words.mend(error, at);
  }
  return words.in_falling_order();
}

}  // namespace treadle::compile
