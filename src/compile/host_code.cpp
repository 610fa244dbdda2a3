// SPDX-License-Identifier: MIT
// A text is cut into the declarations of its namespaces, and those of classes into their member
// functions. No type is known and no macro expanded, so nothing is left out on suspicion: a
// declaration goes if it has no word of the device and a compiler has refused it. Where the cutting
// is mistaken (braces in different branches of an #if), a piece is too long, has such a word, and
// stays.
#include "compile/host_code.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <functional>
#include <set>
#include <utility>

#include "compile/compiler_log.hpp"
#include "compile/pointer_extensions.hpp"

namespace treadle::compile {
namespace {

bool is_word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

template <std::size_t count>
bool is_one_of(std::string_view word, const std::array<std::string_view, count>& words) {
  return std::ranges::find(words, word) != words.end();
}

constexpr std::array<std::string_view, 6> device_words = {
    "__global__", "__device__", "__constant__", "__managed__", "__shared__", "__grid_constant__"};
constexpr std::array<std::string_view, 4> class_keys = {"struct", "class", "union", "enum"};
/// Words whose parentheses are no parameters.
constexpr std::array<std::string_view, 10> attribute_words = {
    "__align__",         "__launch_bounds__", "alignas",     "__attribute__", "__declspec",
    "__builtin_align__", "decltype",          "__maxnreg__", "noexcept",      "__cluster_dims__"};

struct Piece {
  enum class Kind { word, string, mark, directive };
  Kind kind = Kind::mark;
  std::size_t begin = 0, end = 0;
  int line = 0;
};

/// Cuts a text into words, strings, single marks (and "::") and directives, without comments.
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
    directive.remove_prefix(1);
    const std::size_t number = directive.find_first_of("0123456789");
    const std::size_t word = directive.find_first_not_of(" \t");
    if (number == directive.npos) return;
    if (!directive.substr(word).starts_with("line") && word != number) return;
    int line = 0;
    std::from_chars(directive.data() + number, directive.data() + directive.size(), line);
    line_ = line - 1;  // of the line that follows
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

/// The words of a text, in strings and comments none.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (const Piece& piece : PieceReader(text).pieces())
    if (piece.kind == Piece::Kind::word)
      words.push_back(text.substr(piece.begin, piece.end - piece.begin));
  return words;
}

/// `static texture<float, 2> name;`, but not a function that returns one.
bool declares_reference(std::string_view declaration) {
  constexpr std::array<std::string_view, 4> storage = {"static", "extern", "const", "inline"};
  const std::vector<Piece> pieces = PieceReader(declaration).pieces();
  const auto text = [&](std::size_t i) {
    return i < pieces.size() ? declaration.substr(pieces[i].begin, pieces[i].end - pieces[i].begin)
                             : std::string_view();
  };
  std::size_t at = 0;
  while (is_one_of(text(at), storage)) ++at;
  if ((text(at) != "texture" && text(at) != "surface") || text(at + 1) != "<") return false;
  int depth = 0;
  do {
    ++at;
    if (text(at) == "<") ++depth;
    if (text(at) == ">") --depth;
  } while (depth > 0 && at < pieces.size());
  return text(at + 1) != "&" && text(at + 1) != "*";
}

bool is_pragma(std::string_view text, std::size_t at) {
  at = std::min(text.find_first_not_of(" \t", at), text.size());
  return text.substr(at).starts_with("pragma");
}

/// NVIDIA's libraries for the host, whose headers include those of each other.
constexpr std::array<std::string_view, 9> host_libraries = {
    "cublas", "cudnn", "cufft", "cusolver", "cusparse", "cutensor", "nccl", "npp", "nvjpeg"};

bool is_of_host_library(std::string_view header) {
  return std::ranges::any_of(host_libraries,
                             [&](std::string_view name) { return header.starts_with(name); });
}

/// Whether the header `name`, in angle brackets, may have brought `path`, of which NVRTC does not
/// say how it was reached: <thrust/sort.h> a file below thrust/, <cublas_v2.h> and <cusolverDn.h> a
/// cublas_api.h.
bool may_have_brought(std::string_view name, std::string_view path) {
  name = name.substr(1, name.size() - 2);
  if (const std::size_t slash = name.find('/'); slash != name.npos)
    return path.find(std::string("/").append(name, 0, slash + 1)) != path.npos;
  const std::size_t folder = path.rfind('/') + 1;  // npos + 1 is 0
  const std::string_view stem = name.substr(0, name.find_first_of("._"));
  path.remove_prefix(folder);
  return (stem.size() >= 4 && path.starts_with(stem)) ||
         (is_of_host_library(name) && is_of_host_library(path));
}

}  // namespace

/// Walks over the pieces of a text and notes its units.
class HostCodeReader {
 public:
  HostCodeReader(std::string_view text, std::vector<HostCode::Unit>& units)
      : text_(text), pieces_(PieceReader(text).pieces()), units_(units) {
    for (const Piece& piece : pieces_)
      if (piece.kind == Piece::Kind::directive) read_directive(piece);
    while (at_ < pieces_.size()) {
      read_scope();
      ++at_;  // a brace that nothing opened
    }
  }

 private:
  using Unit = HostCode::Unit;

  std::string_view text(std::size_t i) const {
    if (i >= pieces_.size()) return {};
    return text_.substr(pieces_[i].begin, pieces_[i].end - pieces_[i].begin);
  }
  bool is_word(std::size_t i) const {
    return i < pieces_.size() && pieces_[i].kind == Piece::Kind::word;
  }

  void read_directive(const Piece& piece) {
    const std::string_view line = text_.substr(piece.begin, piece.end - piece.begin);
    const std::vector<std::string_view> words = words_of(line.substr(1));
    if (words.empty()) return;
    if (words[0] == "define" && words.size() > 1) {
      const auto says_device = [this](std::string_view word) { return is_of_device(word); };
      if (std::any_of(words.begin() + 2, words.end(), says_device)) device_macros_.insert(words[1]);
    }
    const std::size_t open = line.find('<'), close = line.find('>');
    if (words[0] != "include" || open == line.npos || close == line.npos) return;
    if (line.find('"') < open) return;
    Unit unit;
    unit.begin = piece.begin;
    unit.end = piece.end;
    unit.name = line.substr(open, close - open + 1);
    unit.first_line = unit.last_line = piece.line;
    unit.is_include = true;
    units_.push_back(std::move(unit));
  }

  bool is_of_device(std::string_view word) const {
    return is_one_of(word, device_words) || device_macros_.contains(word);
  }

  /// Declarations up to the brace that closes the scope, or the end.
  void read_scope() {
    while (at_ < pieces_.size() && text(at_) != "}") {
      if (pieces_[at_].kind == Piece::Kind::directive || text(at_) == ";") {
        ++at_;
      } else if (const std::size_t inside = opened_scope(); inside != 0) {
        at_ = inside;
        read_scope();
        ++at_;
      } else {
        read_declaration(/*is_member=*/false);
      }
    }
  }

  /// Where the inside of `namespace a::b {` or `extern "C" {` begins; 0: there is none here.
  std::size_t opened_scope() const {
    std::size_t i = at_;
    if (text(i) == "inline") ++i;
    if (text(i) == "extern" && i + 1 < pieces_.size() && pieces_[i + 1].kind == Piece::Kind::string)
      return text(i + 2) == "{" ? i + 3 : 0;
    if (text(i) != "namespace") return 0;
    for (++i; is_word(i) || text(i) == "::"; ++i) {
    }
    return text(i) == "{" ? i + 1 : 0;
  }

  void read_declaration(bool is_member) {
    Declaration declaration;
    declaration.unit.begin = pieces_[at_].begin;
    declaration.unit.first_line = pieces_[at_].line;
    declaration.unit.is_member = is_member;
    declaration.first_unit_inside = units_.size();
    const std::size_t first = at_;
    while (at_ < pieces_.size() && text(at_) != "}" && read_piece(declaration)) {
    }
    if (at_ == first) ++at_;
    Unit& unit = declaration.unit;
    const Piece& last = pieces_[std::min(at_, pieces_.size()) - 1];
    unit.end = last.end;
    unit.last_line = last.line;
    unit.is_call = !unit.is_function && declaration.has_parentheses && is_word(first) &&
                   text(first + 1) == "(";
    for (std::size_t i = first; i < at_; ++i)
      if (is_word(i) && is_of_device(text(i))) unit.of_device = true;
    // Data of a class decide how its objects lie in memory: they stay, or the whole class goes.
    if (!is_member || unit.is_function) units_.push_back(std::move(unit));
  }

  struct Declaration {
    Unit unit;
    std::size_t first_unit_inside = 0;
    bool is_class = false, has_parentheses = false, has_value = false, has_initializers = false;
  };

  /// Goes on by a piece, or by a group in brackets; false behind the declaration's last.
  bool read_piece(Declaration& declaration) {
    const std::string_view piece = text(at_);
    if (piece == ";") return ++at_, false;
    if (piece == "{") return read_braces(declaration);
    if (piece == "(" || piece == "[") {
      if (piece == "(" && !declaration.has_parentheses) {
        declaration.has_parentheses = true;
        if (at_ > 0 && is_word(at_ - 1)) declaration.unit.name = text(at_ - 1);
      }
      return skip_group(), true;
    }
    if (is_word(at_)) return read_word(declaration, piece), true;
    if (piece == "=" && text(at_ - 1) != "operator") declaration.has_value = true;
    if (piece == ":" && declaration.has_parentheses) declaration.has_initializers = true;
    return ++at_, true;
  }

  void read_word(Declaration& declaration, std::string_view word) {
    if (word == "template" && text(at_ + 1) == "<") {
      ++at_;
      return skip_angles();
    }
    if (is_one_of(word, attribute_words) && text(at_ + 1) == "(") {
      ++at_;
      return skip_group();
    }
    if (word == "constexpr") declaration.unit.is_constexpr = true;
    if (is_one_of(word, class_keys) && !declaration.has_parentheses) declaration.is_class = true;
    if (!declaration.has_parentheses && !declaration.has_value) declaration.unit.name = word;
    ++at_;
  }

  bool read_braces(Declaration& declaration) {
    const bool is_class =
        declaration.is_class && !declaration.has_parentheses && !declaration.has_value;
    if (is_class) {
      ++at_;
      read_members();
      return true;
    }
    const bool initializes_member =
        declaration.has_initializers && (is_word(at_ - 1) || text(at_ - 1) == ">");
    const bool is_body =
        declaration.has_parentheses && !declaration.has_value && !initializes_member;
    skip_group();
    declaration.unit.is_function = is_body;
    return !is_body;
  }

  /// Up to and over the brace that closes a class.
  void read_members() {
    while (at_ < pieces_.size() && text(at_) != "}") {
      if (pieces_[at_].kind == Piece::Kind::directive || text(at_) == ";")
        ++at_;
      else if (is_word(at_) && text(at_ + 1) == ":")
        at_ += 2;  // public:
      else
        read_declaration(/*is_member=*/true);
    }
    ++at_;
  }

  /// Over a group in round, square or curly brackets.
  void skip_group() {
    int depth = 0;
    do {
      const std::string_view piece = text(at_);
      if (piece == "(" || piece == "[" || piece == "{") ++depth;
      if (piece == ")" || piece == "]" || piece == "}") --depth;
      ++at_;
    } while (depth > 0 && at_ < pieces_.size());
  }

  /// Over the parameters of a template.
  void skip_angles() {
    int depth = 0;
    do {
      const std::string_view piece = text(at_);
      if (piece == "(") {
        skip_group();
        continue;
      }
      if (piece == "<") ++depth;
      if (piece == ">") --depth;
      if (piece == "{" || piece == ";") return;
      ++at_;
    } while (depth > 0 && at_ < pieces_.size());
  }

  const std::string_view text_;
  const std::vector<Piece> pieces_;
  std::vector<Unit>& units_;
  std::set<std::string_view> device_macros_;
  std::size_t at_ = 0;
};

HostCode::HostCode(std::string text, std::string source_name)
    : text_(std::move(text)), source_name_(std::move(source_name)) {
  HostCodeReader(text_, units_);
}

bool HostCode::leave_out(std::string_view log) {
  // A text without device code is not half a program: all that is wrong with it is said.
  if (std::ranges::none_of(units_, &Unit::of_device)) return false;
  bool found = false;
  const std::string compiled = text_;  // what the log shows, whatever is blanked below
  const LoggedPlaces places(compiled);
  for (const LoggedError& error : errors_of(log)) {
    const bool in_source = error.file == source_name_;
    if (!in_source && error.column != 0) continue;  // clang's: in a folder that the user named
    const std::size_t at = in_source ? places.of(error) : LoggedPlaces::unknown;
    const auto is_at = [at](const Unit& unit) { return unit.begin <= at && at < unit.end; };
    const bool by_place = std::ranges::any_of(units_, is_at);  // else by lines
    bool in_member = false;
    // Members stand before their class, so a function goes rather than the whole class.
    for (Unit& unit : units_) {
      const bool in_lines = unit.first_line <= error.line && error.line <= unit.last_line;
      const bool holds = in_source ? (by_place ? is_at(unit) : in_lines)
                                   : unit.is_include && may_have_brought(unit.name, error.file);
      if (!holds || unit.of_device || unit.is_call || (in_member && !unit.is_member)) continue;
      in_member |= unit.is_member;
      if (unit.left_out) continue;
      unit.left_out = found = true;
      unit.error = error.text;
      blank(unit);
    }
  }
  return found;
}

bool HostCode::mend_pointers(std::string_view log) {
  const std::vector<Insertion> insertions = pointer_insertions(text_, log, source_name_);
  for (const Insertion& insertion : insertions) insert(insertion.at, insertion.text);
  return !insertions.empty();
}

bool HostCode::mend_linkage(std::string_view log) {
  const LoggedPlaces places(text_);
  std::set<std::size_t, std::greater<>> names;  // from the last, as insertions move what is behind
  for (const LoggedError& error : errors_of(log)) {
    if (error.file != source_name_ || !error.text.ends_with("has a different language linkage"))
      continue;
    const std::size_t at = places.of(error);
    if (std::ranges::any_of(units_, [at](const Unit& unit) {
          return unit.is_function && unit.begin <= at && at < unit.end;
        }))
      names.insert(at);
  }
  bool found = false;
  for (const std::size_t at : names) {
    std::size_t end = at;
    while (end < text_.size() && is_word_character(text_[end])) ++end;
    const std::string name = text_.substr(at, end - at);
    const std::size_t behind = text_.find(';', end);
    if (name.empty() || behind == text_.npos) continue;
    // All dynamic shared memory begins at one address, whatever it is called; the names of ours
    // that kernel checks pass over say "treadle".
    insert(behind + 1, " auto& " + name + " = __extern_" + name + ";");
    insert(at, "__extern_");
    found = true;
  }
  return found;
}

bool HostCode::mend_literals(std::string_view log) {
  const LoggedPlaces places(text_);
  bool found = false;
  for (const LoggedError& error : errors_of(log)) {
    if (error.file != source_name_ || !error.text.starts_with("expected an expression")) continue;
    const std::size_t brace = places.of(error);
    if (brace == LoggedPlaces::unknown || brace == 0 || text_[brace] != '{') continue;
    const std::size_t close = text_.find_last_not_of(" \t", brace - 1);
    if (close == text_.npos || text_[close] != ')') continue;
    const std::size_t open = text_.rfind('(', close);
    if (open == text_.npos) continue;
    std::size_t name = text_.find_first_not_of(" \t", open + 1);
    constexpr std::string_view keyword = "struct ";
    if (text_.compare(name, keyword.size(), keyword) == 0) name += keyword.size();
    std::string_view type = std::string_view(text_).substr(name, close - name);
    type = type.substr(0, type.find_last_not_of(" \t") + 1);
    if (type.empty() || !std::ranges::all_of(type, [](char c) {
          return is_word_character(c) || c == ':' || c == '<' || c == '>' || c == ',';
        }))
      continue;  // not of one word, as T{...} must be: (float[]){1}, (unsigned int){1}
    text_.replace(open, name - open, name - open, ' ');
    text_[close] = ' ';
    found = true;
  }
  return found;
}

bool HostCode::mark_references() {
  bool found = false;
  for (Unit& unit : units_) {
    if (unit.of_device || unit.is_member || unit.is_function) continue;
    const std::string_view declaration =
        std::string_view(text_).substr(unit.begin, unit.end - unit.begin);
    if (!declares_reference(declaration)) continue;
    unit.of_device = found = true;
    insert(unit.begin, "__constant__ ");
  }
  return found;
}

void HostCode::insert(std::size_t at, std::string_view words) {
  text_.insert(at, words);
  for (Unit& unit : units_) {
    if (unit.begin > at) unit.begin += words.size();
    if (unit.end > at) unit.end += words.size();
  }
}

void HostCode::blank(const Unit& unit) {
  bool in_directive = false;
  bool at_line_start = !unit.is_include;
  for (std::size_t i = unit.begin; i < unit.end; ++i) {
    char& c = text_[i];
    if (c == '\n') {
      in_directive = in_directive && i > 0 && text_[i - 1] == '\\';
      at_line_start = true;
      continue;
    }
    // An #endif may belong to what is around; a #pragma speaks of the loop behind it.
    if (at_line_start && c == '#') in_directive = !is_pragma(text_, i + 1);
    if (c != ' ' && c != '\t') at_line_start = false;
    if (!in_directive) c = ' ';
  }
}

bool HostCode::named_by_device_code(const std::string& name) const {
  return std::ranges::any_of(units_, [&](const Unit& unit) {
    if (!unit.of_device) return false;
    const auto words = words_of(std::string_view(text_).substr(unit.begin, unit.end - unit.begin));
    return std::ranges::find(words, name) != words.end();
  });
}

std::string HostCode::missed() const {
  std::string text;
  for (const Unit& unit : units_) {
    if (!unit.left_out || (!unit.is_include && !named_by_device_code(unit.name))) continue;
    text += source_name_ + ":" + std::to_string(unit.first_line) + ": note: " + unit.name +
            (unit.is_function ? "()" : "") + " was left out as host code: " + unit.error + "\n";
  }
  return text;
}

std::string HostCode::warnings() const {
  std::string text;
  for (const Unit& unit : units_) {
    const std::string place = source_name_ + ":" + std::to_string(unit.first_line) + ": warning: ";
    if (unit.left_out && unit.is_include)
      text += place + unit.name + " was left out: " + unit.error + "\n";
    if (unit.left_out || unit.of_device || !unit.is_function || unit.is_constexpr ||
        unit.is_member || !named_by_device_code(unit.name))
      continue;
    text += place + unit.name + "() is a host function to nvcc: it has no __device__\n";
  }
  return text;
}

}  // namespace treadle::compile
