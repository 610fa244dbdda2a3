// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string_view>

#include "cuda_cpu/compiler/kernel_launches.hpp"

namespace treadle::cuda_cpu {
namespace {

constexpr std::string_view opening = "<<<", closing = ">>>";

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Walks over a text, a comment or a literal at a time, else a character.
class Walk {
 public:
  explicit Walk(std::string_view text, std::size_t at = 0) : text_(text), at_(at) {}

  bool ended() const { return at_ >= text_.size(); }
  std::size_t at() const { return at_; }
  bool is_at(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  char here() const { return text_[at_]; }

  /// Behind what stands here.
  void step() {
    if (is_at("//"))
      at_ = std::min(text_.find('\n', at_), text_.size());
    else if (is_at("/*"))
      at_ = behind(text_.find("*/", at_ + 2), 2);
    else if (here() == '"' && at_ > 0 && text_[at_ - 1] == 'R')
      step_over_raw_string();
    else if (here() == '"' || (here() == '\'' && (at_ == 0 || !is_word(text_[at_ - 1]))))
      step_over_literal(here());
    else
      ++at_;
  }
  bool is_comment() const { return is_at("//") || is_at("/*"); }
  void step_over_blanks() {
    while (!ended() && (is_comment() || here() == ' ' || here() == '\t' || here() == '\n' ||
                        here() == '\r' || is_at("\\\n")))
      step();
  }
  /// To `what` outside of brackets; to the end if there is none.
  void step_to(std::string_view what) {
    for (int depth = 0; !ended(); step()) {
      if (depth == 0 && is_at(what)) return;
      if (here() == '(' || here() == '[' || here() == '{') ++depth;
      if (here() == ')' || here() == ']' || here() == '}') --depth;
      if (depth < 0 || (depth == 0 && here() == ';')) break;
    }
    at_ = text_.size();
  }

 private:
  std::size_t behind(std::size_t found, std::size_t length) const {
    return found == std::string_view::npos ? text_.size() : found + length;
  }
  void step_over_literal(char quote) {
    for (++at_; !ended() && here() != quote && here() != '\n'; ++at_)
      if (here() == '\\') ++at_;
    at_ = std::min(at_ + 1, text_.size());
  }
  void step_over_raw_string() {
    const std::size_t open = std::min(text_.find('(', at_), text_.size());
    std::string end(1, ')');
    end.append(text_.substr(at_ + 1, open - at_ - 1)).append(1, '"');
    at_ = behind(text_.find(end, open), end.size());
  }

  std::string_view text_;
  std::size_t at_;
};

/// On one line, without comments.
std::string flattened(std::string_view text) {
  std::string flat;
  for (Walk walk(text); !walk.ended();) {
    const std::size_t from = walk.at();
    const bool is_blank = walk.is_comment() || walk.is_at("\\\n") || walk.is_at("\n");
    walk.is_at("\\\n") ? walk.step(), walk.step() : walk.step();
    flat += is_blank ? std::string_view(" ") : text.substr(from, walk.at() - from);
  }
  return flat;
}

/// The ends of its lines, as in the text of a macro.
std::string line_ends(std::string_view text) {
  std::string ends;
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
    ends += at > 0 && text[at - 1] == '\\' ? "\\\n" : "\n";
  return ends;
}

}  // namespace

bool has_launches(const std::string& text) {
  for (Walk walk(text); !walk.ended(); walk.step())
    if (walk.is_at(opening)) return true;
  return false;
}

std::string rewrite_launches(const std::string& text) {
  const std::string_view view(text);
  std::string made;
  std::size_t copied = 0;
  for (Walk walk(view); !walk.ended(); walk.step()) {
    if (!walk.is_at(opening)) continue;
    Walk inside(view, walk.at() + opening.size());
    const std::size_t shape_from = inside.at();
    inside.step_to(closing);
    if (inside.ended()) continue;  // clang says what is wrong with it
    const std::string_view shape = view.substr(shape_from, inside.at() - shape_from);
    Walk behind(view, inside.at() + closing.size());
    behind.step_over_blanks();
    if (behind.ended() || behind.here() != '(') continue;
    const std::size_t arguments_from = behind.at() + 1;
    Walk end(view, arguments_from);
    end.step_to(")");
    if (end.ended()) continue;
    const std::size_t gap_from = inside.at() + closing.size();
    made += view.substr(copied, walk.at() - copied);
    made.append(line_ends(shape)).append(line_ends(view.substr(gap_from, behind.at() - gap_from)));
    const std::string_view arguments = view.substr(arguments_from, end.at() - arguments_from);
    made.append("(").append(rewrite_launches(std::string(arguments)));
    made.append("), __treadle_launch(").append(flattened(shape)).append(")");
    copied = end.at() + 1;
    walk = Walk(view, end.at());
  }
  return made.append(view.substr(copied));
}

}  // namespace treadle::cuda_cpu
