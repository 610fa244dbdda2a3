// SPDX-License-Identifier: MIT
#include "treadle/codegen/snippet.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/characters.hpp"
#include "text_writer.hpp"
#include "treadle/base/c_declaration.hpp"
#include "treadle/base/error.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

std::string_view without_blanks_before(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return text;
}
std::string_view without_blanks_behind(std::string_view text) {
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Whether what stands around the identifier `i` may change it.
bool changes(std::string_view before, std::string_view behind) {
  before = without_blanks_behind(before);
  behind = without_blanks_before(behind);
  for (const std::string_view step : {"++", "--"})
    if (before.ends_with(step) || behind.starts_with(step)) return true;
  // The address of `i`: an & that has no operand on its left.
  if (before.ends_with('&') && !before.ends_with("&&")) {
    const std::string_view left = without_blanks_behind(before.substr(0, before.size() - 1));
    if (left.empty() || !(is_word(left.back()) || left.back() == ')' || left.back() == ']'))
      return true;
  }
  if (behind.starts_with('=')) return !behind.starts_with("==");
  for (const std::string_view assignment :
       {"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="})
    if (behind.starts_with(assignment)) return true;
  return false;
}

bool speaks_of_loop(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = identifier_length(text.substr(at));
    if (length == 0 || (at > 0 && is_word(text[at - 1]))) {
      ++at;
      continue;
    }
    const std::string_view word = text.substr(at, length);
    for (const std::string_view own :
         {"tid", "total_threads", "cta_start", "return", "break", "goto", "asm", "__asm__"})
      if (word == own) return true;
    if (word == "i" && changes(text.substr(0, at), text.substr(at + length))) return true;
    at += length;
  }
  return false;
}

/// Calls `visit(before, has_index)` wherever `name` stands in the text as a word: with what is
/// before it, and whether `[i]` follows.
template <class Visit>
void for_each_use(std::string_view text, std::string_view name, Visit visit) {
  const auto has_index = [](std::string_view rest) {
    for (const char c : {'[', 'i', ']'}) {
      rest = without_blanks_before(rest);
      if (!rest.starts_with(c)) return false;
      rest.remove_prefix(1);
    }
    return true;
  };
  for (std::size_t at = text.find(name); at != std::string_view::npos;
       at = text.find(name, at + 1)) {
    const std::string_view rest = text.substr(at + name.size());
    if ((at > 0 && is_word(text[at - 1])) || (!rest.empty() && is_word(rest.front()))) continue;
    visit(without_blanks_behind(text.substr(0, at)), has_index(rest));
  }
}

/// Whether every use of `pointer` is the value `pointer[i]`, or an assignment to it.
bool uses_only_its_element(std::string_view text, std::string_view pointer) {
  bool is_so = true;
  for_each_use(text, pointer, [&](std::string_view before, bool has_index) {
    is_so &= has_index && !before.ends_with('&');
  });
  return is_so;
}

/// The lines of `text` that define macros, which the operation may call.
std::string definitions(std::string_view text) {
  std::string lines;
  bool goes_on = false;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (goes_on || without_blanks_before(line).starts_with('#')) lines += std::string(line) + "\n";
    goes_on = (goes_on || without_blanks_before(line).starts_with('#')) && line.ends_with('\\');
  }
  return lines;
}

/// Writes the kernel of one snippet.
class SnippetWriter {
 public:
  SnippetWriter(const Snippet& snippet, const Tiling& tiling, const Dialect& dialect,
                const TypeNames& types)
      : snippet_(snippet),
        tiling_(tiling),
        dialect_(dialect),
        types_(types),
        is_literal_(snippet.any_launch || speaks_of_its_loop(snippet)),
        is_apart_(!is_literal_ && uses_elements_apart()),
        index_(types.name_of(snippet.has_range ? Scalar::int64 : snippet.index_dtype)),
        uint_(types.name_of(Scalar::uint32)) {}

  SnippetText write() {
    refuse_own_names();
    write_frame();
    if (is_literal_)
      write_literal();
    else if (tiling_.schedule == Schedule::wide)
      write_wide();
    else
      write_narrow();
    text_.statements(snippet_.after_loop);
    text_.close();
    return {text_.text(), group_size(), group_length(), is_literal_};
  }

 private:
  /// The literal loop is that of GPUs: neighbouring work-items on neighbouring elements.
  unsigned group_size() const {
    return is_literal_ ? tiling_of(Schedule::wide).group_size : tiling_.group_size;
  }
  std::uint64_t group_length() const {
    if (is_literal_) return group_size();
    if (tiling_.schedule == Schedule::wide)
      return std::uint64_t{tiling_.group_size} * tiling_.strided_items;
    std::size_t largest = 1;
    for (const ParameterSpec& parameter : snippet_.parameters)
      if (parameter.kind != ParameterSpec::Kind::scalar)
        largest = std::max(largest, parameter.dtype.size_bytes());
    const std::uint64_t lengths = tiling_.chunk_bytes / largest / tiling_.chunk_length;
    return std::max<std::uint64_t>(1, lengths) * tiling_.chunk_length;
  }

  /// Whether pointers may be declared to share no memory.
  bool uses_elements_apart() const {
    if (!snippet_.is_apart || snippet_.has_range || tiling_.schedule == Schedule::narrow)
      return false;
    const std::string macros = definitions(snippet_.preamble);
    for (const ParameterSpec& parameter : snippet_.parameters) {
      if (parameter.kind == ParameterSpec::Kind::scalar) continue;
      if (mentions(macros, parameter.name)) return false;
      for (const std::string* text :
           {&snippet_.operation, &snippet_.loop_prep, &snippet_.after_loop})
        if (!uses_only_its_element(without_comments(*text), parameter.name)) return false;
    }
    return true;
  }

  void refuse_own_names() const {
    for (const ParameterSpec& parameter : snippet_.parameters)
      for (const std::string_view own :
           {"i", "n", "start", "stop", "step", "tid", "total_threads", "cta_start"}) {
        const bool is_ranges = own == "start" || own == "stop" || own == "step";
        if (parameter.name != own || (is_ranges && !snippet_.has_range) ||
            (own == "n" && snippet_.has_range))
          continue;
        throw InvalidArgument("argument '" + parameter.name + "' of elementwise kernel " +
                                  snippet_.name + " is called as the loop's own variable",
                              "give it another name");
      }
  }

  void write_frame() {
    text_.line({"// ", snippet_.name,
                ", made by treadle's elementwise generator around a user's text: ",
                is_literal_ ? "literal loop" : "linear loop", ", ", schedule_name(tiling_.schedule),
                " schedule"});
    if (!snippet_.preamble.empty()) text_.directive(snippet_.preamble);
    std::vector<std::string> list;
    for (const ParameterSpec& parameter : snippet_.parameters)
      list.push_back(declare(parameter, dialect_, types_, is_apart_ ? dialect_.restrict : ""));
    for (const char* own : {"n", "start", "stop", "step"})
      if (snippet_.has_range != (std::string_view(own) == "n"))
        list.push_back(joined({index_, " ", own}));
    const std::array size{std::to_string(group_size())};
    const std::string limit =
        snippet_.any_launch ? "" : joined({fill_holes(dialect_.group_size, size), " "});
    text_.line({dialect_.kernel, " ", limit, snippet_.name, "("});
    text_.open_parameters(list);
    text_.lines(define_pointers(snippet_.parameters, dialect_, types_));
  }

  void write_operation(std::initializer_list<std::string_view> loop) {
    text_.open(loop);
    text_.statements(snippet_.operation);
    text_.close();
  }

  void write_literal() {
    const std::string size =
        snippet_.any_launch ? dialect_.local_size : std::to_string(group_size());
    text_.line({"const ", uint_, " tid = ", dialect_.local_id, ";"});
    text_.line({"const ", index_, " total_threads = (", index_, ")", dialect_.group_count, " * ",
                size, ";"});
    text_.line(
        {"const ", index_, " cta_start = (", index_, ")", dialect_.group_id, " * ", size, ";"});
    text_.line({index_, " i;"});
    text_.statements(snippet_.loop_prep);
    if (!snippet_.has_range)
      return write_operation({"for (i = cta_start + tid; i < n; i += total_threads)"});
    write_operation(
        {"for (i = start + (cta_start + tid) * step; step < 0 ? i > stop : i < stop;\n"
         "       i += total_threads * step)"});
  }
  /// A name for a variable that the user does not know of, so that theirs may be called so.
  std::string own_name(std::string name) const {
    const auto is_theirs = [&] {
      for (const std::string* text :
           {&snippet_.operation, &snippet_.preamble, &snippet_.loop_prep, &snippet_.after_loop})
        if (mentions(*text, name)) return true;
      return std::ranges::find(snippet_.parameters, name, &ParameterSpec::name) !=
             snippet_.parameters.end();
    };
    while (is_theirs()) name += '_';
    return name;
  }
  /// The operation for the element of a range at a position.
  void write_element_of_range(const std::string& position) {
    text_.line({"const ", index_, " i = start + (", position, ") * step;"});
    write_operation({"if (step < 0 ? i > stop : i < stop)"});
  }
  void write_wide() {
    const std::string tile = own_name("tile"), item = own_name("item");
    const std::string size = std::to_string(tiling_.group_size);
    const std::string most = std::to_string(tiling_.strided_items);
    text_.line({"const ", index_, " ", tile, " = (", index_, ")", dialect_.group_id, " * ",
                std::to_string(group_length()), " + ", dialect_.local_id, ";"});
    text_.statements(snippet_.loop_prep);
    const std::string position = joined({tile, " + ", item, " * ", size});
    if (snippet_.has_range) {
      text_.directive("#pragma unroll");
      text_.open({"for (", uint_, " ", item, " = 0; ", item, " < ", most, "; ++", item, ")"});
      write_element_of_range(position);
      return text_.close();
    }
    // Elements are counted before the loop: a load behind a branch is not moved before it.
    const std::string items = own_name("items");
    const std::string last = std::to_string((tiling_.strided_items - 1) * tiling_.group_size);
    text_.line({"const ",   uint_, " ",       items, " = ", tile,
                " + ",      last,  " < n ? ", most,  " : ", tile,
                " < n ? (", uint_, ")((n - ", tile,  " + ", std::to_string(tiling_.group_size - 1),
                ") / ",     size,  ") : 0;"});
    text_.directive("#pragma unroll " + most);
    text_.open({"for (", uint_, " ", item, " = 0; ", item, " < ", items, "; ++", item, ")"});
    text_.line({"const ", index_, " i = ", position, ";"});
    text_.statements(snippet_.operation);
    text_.close();
  }
  void write_narrow() {
    const std::string length = std::to_string(group_length());
    const std::string chunk = own_name("chunk");
    text_.line(
        {"const ", index_, " ", chunk, " = (", index_, ")", dialect_.group_id, " * ", length, ";"});
    text_.statements(snippet_.loop_prep);
    if (!snippet_.has_range) {
      const std::string end = own_name("chunk_end");
      text_.line({"const ", index_, " ", end, " = n - ", chunk, " < ", length, " ? n : ", chunk,
                  " + ", length, ";"});
      return write_operation({"for (", index_, " i = ", chunk, "; i < ", end, "; ++i)"});
    }
    const std::string item = own_name("item");
    text_.open({"for (", uint_, " ", item, " = 0; ", item, " < ", length, "; ++", item, ")"});
    write_element_of_range(joined({chunk, " + ", item}));
    text_.close();
  }

  const Snippet& snippet_;
  const Tiling& tiling_;
  const Dialect& dialect_;
  const TypeNames& types_;
  bool is_literal_, is_apart_;
  std::string index_, uint_;
  TextWriter text_;
};

/// Whether every part of `operation` runs for every element, as far as the text shows.
bool is_straight(std::string_view operation) {
  for (const std::string_view branch : {"?", "&&", "||", "#"})
    if (operation.find(branch) != std::string_view::npos) return false;
  bool is_straight = true;
  replace_identifiers(operation, [&](std::string_view word) {
    for (const std::string_view branch : {"if", "for", "while", "do", "switch", "continue",
                                          "sizeof", "decltype", "PYOPENCL_ELWISE_CONTINUE"})
      is_straight &= word != branch;
    return word;
  });
  return is_straight;
}

/// Whether `name[i]` stands in the text, as a value or (`even_its_address`) as &name[i].
bool has_element(std::string_view text, std::string_view name, bool even_its_address = false) {
  bool is_there = false;
  for_each_use(text, name, [&](std::string_view before, bool has_index) {
    const bool is_member = before.ends_with('.') || before.ends_with("->");
    const bool is_address = before.ends_with('&') && !even_its_address;
    is_there |= has_index && !is_member && !is_address;
  });
  return is_there;
}

// Of both languages, where arguments may be pointers, or all functions of a name share a linkage.
constexpr std::string_view functions_of_languages[] = {
    "abs",        "acos",      "acosh",    "all",       "any",    "asin",     "asinh",    "atan",
    "atan2",      "atanh",     "barrier",  "bitselect", "cbrt",   "ceil",     "clamp",    "clz",
    "copysign",   "cos",       "cosh",     "cospi",     "cross",  "degrees",  "distance", "dot",
    "erf",        "erfc",      "exp",      "exp10",     "exp2",   "expm1",    "fabs",     "fdim",
    "floor",      "fma",       "fmax",     "fmin",      "fmod",   "fract",    "free",     "frexp",
    "hypot",      "ilogb",     "isequal",  "isfinite",  "isinf",  "isnan",    "isnormal", "labs",
    "ldexp",      "length",    "lgamma",   "llabs",     "llrint", "llround",  "log",      "log10",
    "log1p",      "log2",      "logb",     "lrint",     "lround", "mad",      "malloc",   "max",
    "memcpy",     "memset",    "min",      "mix",       "modf",   "mul24",    "mul_hi",   "nan",
    "nextafter",  "normalize", "popcount", "pow",       "pown",   "powr",     "printf",   "radians",
    "remainder",  "remquo",    "rint",     "rootn",     "rotate", "round",    "rsqrt",    "select",
    "shuffle",    "sign",      "signbit",  "sin",       "sincos", "sincospi", "sinh",     "sinpi",
    "smoothstep", "sqrt",      "step",     "tan",       "tanh",   "tanpi",    "tgamma",   "trunc",
    "upsample"};
static_assert(std::ranges::is_sorted(functions_of_languages));

/// Texture and surface references.
bool is_reference_type(std::string_view word) {
  for (const std::string_view type : {"texture", "surface"})
    if (word.starts_with(type) && (word.size() == type.size() || word[type.size()] == '<'))
      return true;
  return false;
}

/// Whether a declaration from its `__device__` on is that of a function.
bool is_function(std::span<const std::string> words) {
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string& word = words[at];
    if (word == ";" || word == "=" || word == "[" || word == "{") return false;
    if (word != "(") continue;
    const auto before = at == 0 ? std::string_view() : std::string_view(words[at - 1]);
    if (before != "__align__" && before != "alignas" && before != "__attribute__" &&
        before != "__launch_bounds__")
      return true;
    int depth = 0;
    do {
      if (words[at] == "(") ++depth;
      if (words[at] == ")") --depth;
    } while (depth > 0 && ++at < words.size());
  }
  return true;
}

}  // namespace

std::string entry_name(std::string_view name) {
  return std::ranges::binary_search(functions_of_languages, name) ? joined({name, "_kernel"})
                                                                  : std::string(name);
}

std::vector<bool> uses_every_element(const Snippet& snippet) {
  const std::string operation = without_comments(snippet.operation);
  const bool is_certain = is_straight(operation) && !speaks_of_its_loop(snippet) &&
                          snippet.preamble.find('#') == std::string::npos;
  std::vector<bool> uses;
  for (const ParameterSpec& parameter : snippet.parameters)
    uses.push_back(is_certain && parameter.kind != ParameterSpec::Kind::scalar &&
                   has_element(operation, parameter.name));
  return uses;
}

bool declares_variables(std::string_view text) {
  const std::vector<std::string> words = c_words(without_comments(text));
  for (auto at = words.begin(); at != words.end(); ++at) {
    if (*at == "__constant__" || *at == "__managed__" || is_reference_type(*at)) return true;
    if (*at == "__device__" && !is_function({at + 1, words.end()})) return true;
  }
  return false;
}

bool mentions_element(std::string_view text, std::string_view name) {
  return has_element(without_comments(text), name, true);
}

bool speaks_of_its_loop(const Snippet& snippet) {
  return speaks_of_loop(snippet.operation) || speaks_of_loop(snippet.loop_prep) ||
         speaks_of_loop(snippet.after_loop) || speaks_of_loop(definitions(snippet.preamble));
}

SnippetText generate_snippet(const Snippet& snippet, const Tiling& tiling, const Dialect& dialect,
                             const TypeNames& types) {
  return SnippetWriter(snippet, tiling, dialect, types).write();
}

}  // namespace treadle::codegen
