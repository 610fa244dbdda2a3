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
#include "compile/source_pieces.hpp"

namespace treadle::compile {
namespace {

template <std::size_t count>
bool is_one_of(std::string_view word, const std::array<std::string_view, count>& words) {
  return std::ranges::find(words, word) != words.end();
}

constexpr std::array<std::string_view, 6> device_words = {
    "__global__", "__device__", "__constant__", "__managed__", "__shared__", "__grid_constant__"};
bool is_lambda_space(std::string_view word) { return word == "__device__" || word == "__host__"; }
constexpr std::array<std::string_view, 4> class_keys = {"struct", "class", "union", "enum"};
/// Words whose parentheses are no parameters.
constexpr std::array<std::string_view, 10> attribute_words = {
    "__align__",         "__launch_bounds__", "alignas",     "__attribute__", "__declspec",
    "__builtin_align__", "decltype",          "__maxnreg__", "noexcept",      "__cluster_dims__"};

/// The words of a text, in strings and comments none.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (const Piece& piece : pieces_of(text))
    if (piece.kind == Piece::Kind::word)
      words.push_back(text.substr(piece.begin, piece.end - piece.begin));
  return words;
}

/// `static texture<float, 2> name;`, but not a function that returns one.
bool declares_reference(std::string_view declaration) {
  constexpr std::array<std::string_view, 4> storage = {"static", "extern", "const", "inline"};
  const std::vector<Piece> pieces = pieces_of(declaration);
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

/// Where __device__ and __host__ of lambdas stand, in the texts of macros, too: behind a capture,
/// which is no attribute, `[[nodiscard]] __device__`.
std::vector<std::pair<std::size_t, std::size_t>> lambda_spaces(std::string_view source) {
  std::vector<std::pair<std::size_t, std::size_t>> found;
  const std::vector<Piece> pieces = pieces_of(source);
  const auto text = [&](std::size_t i) {
    return i < pieces.size() ? source.substr(pieces[i].begin, pieces[i].end - pieces[i].begin)
                             : std::string_view();
  };
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].kind == Piece::Kind::directive) {
      const std::size_t inside = pieces[i].begin + 1;
      for (const auto& [begin, end] : lambda_spaces(text(i).substr(1)))
        found.emplace_back(inside + begin, inside + end);
    }
    if (text(i) == "[") open.push_back(i);
    if (text(i) != "]" || open.empty()) continue;
    const bool is_attribute = text(open.back() + 1) == "[";
    open.pop_back();
    for (std::size_t j = i + 1; !is_attribute && is_lambda_space(text(j)); ++j)
      found.emplace_back(pieces[j].begin, pieces[j].end);
  }
  return found;
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
      : text_(text), pieces_(pieces_of(text)), units_(units) {
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

bool HostCode::mend_lambdas(std::string_view log) {
  const std::vector<LoggedError> errors = errors_of(log);
  if (std::ranges::none_of(errors, [&](const LoggedError& error) {
        return error.file == source_name_ &&
               error.text.find("annotation on lambda") != std::string_view::npos;
      }))
    return false;
  bool found = false;
  for (const auto& [begin, end] : lambda_spaces(text_)) {
    std::fill(text_.begin() + static_cast<std::ptrdiff_t>(begin),
              text_.begin() + static_cast<std::ptrdiff_t>(end), ' ');
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
