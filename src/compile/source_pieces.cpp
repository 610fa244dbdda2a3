// SPDX-License-Identifier: MIT
#include "compile/source_pieces.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

#include "treadle/base/line_directive.hpp"

namespace treadle::compile {

bool is_word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

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
    const std::string_view rest = text_.substr(at_);
    if (c == '\n') {
      at_line_start_ = true;
      ++line_;
      ++at_;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++at_;
    } else if (rest.starts_with("//") || rest.starts_with("/*")) {
      skip_to_end(rest.starts_with("//") ? "\n" : "*/", 2);
    } else if (c == '#' && at_line_start_) {
      directive();
    } else {
      at_line_start_ = false;
      token(c);
    }
  }

  void token(char c) {
    if (c == '"' || c == '\'') return add(Piece::Kind::string, quoted_end(at_));
    if (!is_word_character(c))
      return add(Piece::Kind::mark, at_ + (text_.substr(at_).starts_with("::") ? 2 : 1));
    std::size_t end = at_;
    const bool is_number = std::isdigit(static_cast<unsigned char>(c)) != 0;
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
      if (rest.starts_with("//"))
        skip_to_end("\n", 2);
      else if (rest.starts_with("/*"))
        skip_to_end("*/", 2);
      else if (rest.starts_with("\\\n") || rest.starts_with("\\\r\n"))
        skip_to_end("\n", 1, /*including=*/true);
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

  void skip_to_end(std::string_view mark, std::size_t from, bool including = false) {
    const std::size_t found = text_.find(mark, at_ + from);
    std::size_t end = std::min(found, text_.size());
    if (found != text_.npos && (mark != "\n" || including)) end += mark.size();
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                         text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    at_ = end;
  }

  std::size_t quoted_end(std::size_t begin) const {
    std::size_t end = begin + 1;
    while (end < text_.size() && text_[end] != text_[begin] && text_[end] != '\n')
      end += text_[end] == '\\' ? 2 : 1;
    return std::min(end + 1, text_.size());
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
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                         text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    at_ = end;
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
