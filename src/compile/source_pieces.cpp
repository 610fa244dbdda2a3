// SPDX-License-Identifier: MIT
#include "compile/source_pieces.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/characters.hpp"
#include "treadle/base/c_text.hpp"
#include "treadle/base/line_directive.hpp"

namespace treadle::compile {

bool is_word_character(char c) { return is_word(c) || c == '$'; }

namespace {

class PieceReader {
 public:
  explicit PieceReader(std::string_view text) : text_(text) {}

  std::vector<Piece> pieces() {
    while (at_ < text_.size()) step();
    return std::move(pieces_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '\n') {
      at_line_start_ = true;
      ++line_;
      ++at_;
    } else if (is_blank(c)) {
      ++at_;
    } else if (const std::size_t end = behind_comment(text_, at_); end != at_) {
      move_to(end);
    } else if (c == '#' && at_line_start_) {
      directive();
    } else {
      at_line_start_ = false;
      token(c);
    }
  }

  void token(char c) {
    if (const std::size_t end = behind_literal(text_, at_); end != at_)
      return add(Piece::Kind::string, end);
    if (!is_word_character(c))
      return add(Piece::Kind::mark, at_ + (text_.substr(at_).starts_with("::") ? 2 : 1));
    std::size_t end = at_;
    const bool is_number = is_digit(c);
    while (end < text_.size() && (is_word_character(text_[end]) ||
                                  (is_number && (text_[end] == '.' || text_[end] == '\''))))
      ++end;
    const bool is_raw = end < text_.size() && text_[end] == '"' && text_[end - 1] == 'R';
    add(is_raw ? Piece::Kind::string : Piece::Kind::word, is_raw ? raw_end(end) : end);
  }

  /// To the next line, or further where a backslash or a comment joins lines.
  void directive() {
    const std::size_t begin = at_;
    const int line = line_;
    while (at_ < text_.size() && text_[at_] != '\n') {
      const std::string_view rest = text_.substr(at_);
      if (const std::size_t end = behind_comment(text_, at_); end != at_)
        move_to(end);
      else if (rest.starts_with("\\\n") || rest.starts_with("\\\r\n"))
        move_to(text_.find('\n', at_) + 1);
      else
        ++at_;
    }
    pieces_.push_back({Piece::Kind::directive, begin, at_, line});
    follow_line_directive(text_.substr(begin, at_ - begin));
  }

  void follow_line_directive(std::string_view directive) {
    const auto read = line_directive(directive);
    if (read && read->line != 0) line_ = read->line - 1;  // of the line that follows
  }

  void move_to(std::size_t end) {
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                         text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    at_ = end;
  }

  std::size_t raw_end(std::size_t quote) const {
    const std::size_t open = text_.find('(', quote);
    if (open == text_.npos) return text_.size();
    std::string close = ")";
    close.append(text_.substr(quote + 1, open - quote - 1)).append("\"");
    const std::size_t found = text_.find(close, open);
    return found == text_.npos ? text_.size() : found + close.size();
  }

  void add(Piece::Kind kind, std::size_t end) {
    pieces_.push_back({kind, at_, end, line_});
    move_to(end);
  }

  const std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool at_line_start_ = true;
  std::vector<Piece> pieces_;
};

}  // namespace

std::vector<Piece> pieces_of(std::string_view text) { return PieceReader(text).pieces(); }

}  // namespace treadle::compile
