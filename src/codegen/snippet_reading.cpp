// SPDX-License-Identifier: MIT
// What the tokens of a user's text show without a compiler. In doubt nothing is assumed.
#include "snippet_reading.hpp"

#include <algorithm>
#include <span>

#include "base/characters.hpp"
#include "treadle/base/c_declaration.hpp"
#include "treadle/codegen/element_text.hpp"
#include "treadle/codegen/snippet.hpp"
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

/// Whether the text around the identifier `i` may change `i`.
bool changes(std::string_view before, std::string_view behind) {
  before = without_blanks_behind(before);
  behind = without_blanks_before(behind);
  for (const std::string_view step : {"++", "--"})
    if (before.ends_with(step) || behind.starts_with(step)) return true;
  // `&i` takes an address if the & has no operand on its left.
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

/// Whether the name after this text is a member of a structure.
bool is_member(std::string_view before) { return before.ends_with('.') || before.ends_with("->"); }

/// Calls `visit(before, has_index)` for each use of the word `name`: `before` is the text before
/// it, and `has_index` says whether `[i]` follows.
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

/// Whether every part of `operation` certainly runs for every element.
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

/// Whether the text contains `name[i]` as a value or, with `even_its_address`, as &name[i].
bool has_element(std::string_view text, std::string_view name, bool even_its_address = false) {
  bool is_there = false;
  for_each_use(text, name, [&](std::string_view before, bool has_index) {
    const bool is_address = before.ends_with('&') && !even_its_address;
    is_there |= has_index && !is_member(before) && !is_address;
  });
  return is_there;
}

// Functions of both languages that a program cannot define as kernels: their arguments may be
// pointers, or all functions of a name share a linkage.
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

/// Whether a word is the type of a texture or surface reference.
bool is_reference_type(std::string_view word) {
  for (const std::string_view type : {"texture", "surface"})
    if (word.starts_with(type) && (word.size() == type.size() || word[type.size()] == '<'))
      return true;
  return false;
}

/// Whether a declaration, from its `__device__` on, declares a function.
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

/// Whether a text includes headers that are not Treadle's and may define any macro. Macros of
/// Treadle's headers have long names, which users' variables do not have.
bool includes_unknown(std::string_view text) {
  constexpr std::string_view known[] = {"treadle/dialect.h", "pycuda-complex.hpp",
                                        "pycuda-helpers.hpp", "pyopencl-complex.h"};
  for (std::size_t at = text.find("include"); at != std::string_view::npos;
       at = text.find("include", at + 1)) {
    std::string_view header = without_blanks_before(text.substr(at + 7));
    if (header.empty() || (header.front() != '<' && header.front() != '"')) return true;
    header.remove_prefix(1);
    const auto is_this = [&](std::string_view name) { return header.starts_with(name); };
    if (std::ranges::none_of(known, is_this)) return true;
  }
  return false;
}

}  // namespace

bool has_plain_elements(const DType& dtype, const Dialect& dialect, const TypeNames& types) {
  const ScalarKind kind = dtype.kind();
  if (kind == ScalarKind::structure || kind == ScalarKind::complex || kind == ScalarKind::boolean ||
      dtype == Scalar::float16)
    return false;
  return types.name_of(dtype) == stored_type(dtype.scalar(), dialect);
}

bool uses_only_its_element(std::string_view text, std::string_view pointer) {
  bool is_so = true;
  for_each_use(text, pointer, [&](std::string_view before, bool has_index) {
    is_so &= has_index && !before.ends_with('&') && !is_member(before);
  });
  return is_so;
}

bool only_reads_elements(std::string_view text, std::string_view pointer) {
  for (std::size_t at = text.find(pointer); at != std::string_view::npos;
       at = text.find(pointer, at + 1)) {
    std::string_view rest = text.substr(at + pointer.size());
    if ((at > 0 && is_word(text[at - 1])) || (!rest.empty() && is_word(rest.front()))) continue;
    const std::string_view before = text.substr(0, at);
    rest = without_blanks_before(rest);
    if (!rest.starts_with('[')) return false;
    int depth = 0;
    std::size_t end = 0;
    do {
      if (rest[end] == '[') ++depth;
      if (rest[end] == ']') --depth;
    } while (++end < rest.size() && depth > 0);
    const std::string_view behind = without_blanks_before(rest.substr(end));
    // The text may assign to a member or an element of the element.
    if (changes(before, behind) || behind.starts_with('.') || behind.starts_with("->") ||
        behind.starts_with('['))
      return false;
  }
  return true;
}

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

bool may_write(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view before = text.substr(0, at), rest = text.substr(at);
    if (rest.starts_with("++") || rest.starts_with("--")) return true;
    if (rest.front() == '&' && changes(text.substr(0, at + 1), "")) return true;
    if (rest.front() != '=') continue;
    if (rest.starts_with("==")) {
      ++at;
      continue;
    }
    const char last = before.empty() ? ' ' : before.back();
    const bool is_shift = before.ends_with("<<") || before.ends_with(">>");
    if (is_shift || (last != '<' && last != '>' && last != '!')) return true;
  }
  return false;
}

std::vector<std::string> defined_macros(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    std::string_view line = without_blanks_before(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    if (!line.starts_with('#')) continue;
    line = without_blanks_before(line.substr(1));
    if (!line.starts_with("define")) continue;
    line = without_blanks_before(line.substr(6));
    names.emplace_back(line.substr(0, identifier_length(line)));
  }
  return names;
}

bool calls_functions(std::string_view text) {
  bool calls = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = identifier_length(text.substr(at));
    if (length == 0 || (at > 0 && is_word(text[at - 1]))) {
      ++at;
      continue;
    }
    const std::string_view word = text.substr(at, length);
    at += length;
    calls |= word != "sizeof" && without_blanks_before(text.substr(at)).starts_with('(');
  }
  return calls;
}

bool reads_every_element(std::string_view text, std::string_view preamble, std::string_view name) {
  return is_straight(text) && reads_its_element(text, preamble, name);
}

bool reads_its_element(std::string_view text, std::string_view preamble, std::string_view name) {
  if (text.find('#') != std::string_view::npos || speaks_of_loop(text)) return false;
  if (!has_element(text, name) || !uses_only_its_element(text, name)) return false;
  // A macro, or a macro of an included header, may contain anything.
  const std::string macros = definitions(preamble);
  if (includes_unknown(macros) || mentions(macros, name)) return false;
  return std::ranges::none_of(defined_macros(macros),
                              [&](const std::string& macro) { return mentions(text, macro); });
}

bool assigns_every_element(std::string_view text, std::string_view preamble, std::string_view name,
                           const std::vector<ParameterSpec>& parameters) {
  std::string_view value = without_blanks_before(text);
  if (identifier_length(value) != name.size() || !value.starts_with(name) ||
      !reads_every_element(text, preamble, name))
    return false;
  value = without_blanks_before(value.substr(value.find(']') + 1));
  if (!value.starts_with('=') || value.starts_with("==")) return false;
  value = without_blanks_behind(value.substr(1));
  if (value.ends_with(';')) value.remove_suffix(1);
  return value.find_first_of(";{},") == std::string_view::npos && !may_write(value) &&
         std::ranges::none_of(parameters, [&](const ParameterSpec& parameter) {
           return parameter.kind != ParameterSpec::Kind::scalar && mentions(value, parameter.name);
         });
}

std::string with_elements(std::string_view text, std::string_view name,
                          std::string_view replacement) {
  std::string result;
  std::size_t done = 0;
  for_each_use(text, name, [&](std::string_view before, bool) {
    // The name stands after the blanks that follow `before`; the replaced text ends with the
    // bracket.
    const std::size_t at = text.find(name, before.size());
    result.append(text.substr(done, at - done)).append(replacement);
    done = text.find(']', at) + 1;
  });
  return result.append(text.substr(done));
}

std::string entry_name(std::string_view name) {
  return std::ranges::binary_search(functions_of_languages, name) ? joined({name, "_kernel"})
                                                                  : std::string(name);
}

std::vector<bool> uses_every_element(const Snippet& snippet) {
  const bool is_certain = !speaks_of_its_loop(snippet);
  std::vector<bool> uses;
  for (const ParameterSpec& parameter : snippet.parameters)
    uses.push_back(is_certain && parameter.kind != ParameterSpec::Kind::scalar &&
                   uses_element(snippet.operation, snippet.preamble, parameter.name));
  return uses;
}

bool uses_element(std::string_view text, std::string_view preamble, std::string_view name) {
  // The names of loop variables are not arguments.
  for (const std::string_view own : {"i", "tid", "total_threads", "cta_start"})
    if (name == own) return false;
  const std::string plain = without_comments(text), macros = definitions(preamble);
  return is_straight(plain) && !speaks_of_loop(plain) && has_element(plain, name) &&
         !includes_unknown(macros) &&
         std::ranges::none_of(defined_macros(macros),
                              [&](const std::string& macro) { return mentions(plain, macro); });
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

}  // namespace treadle::codegen
