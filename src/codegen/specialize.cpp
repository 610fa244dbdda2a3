// SPDX-License-Identifier: MIT
#include "treadle/codegen/specialize.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "treadle/base/c_declaration.hpp"
#include "treadle/base/error.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

bool is_space(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// The text with blanks in place of comments, strings and directives, so that positions do not
// change.
std::string without_comments(std::string_view text) {
  std::string plain(text);
  const auto blank = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < std::min(to, plain.size()); ++i)
      if (plain[i] != '\n') plain[i] = ' ';
  };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (text.substr(at, 2) == "//") {
      blank(at, end = std::min(text.find('\n', at), text.size()));
    } else if (text.substr(at, 2) == "/*") {
      end = text.find("*/", at + 2);
      blank(at, end = end == std::string_view::npos ? text.size() : end + 2);
    } else if (text[at] == '"' || text[at] == '\'') {
      while (end < text.size() && text[end] != text[at]) end += text[end] == '\\' ? 2 : 1;
      blank(at, ++end);
    } else if (text[at] == '#') {
      while (end < text.size() && (text[end] != '\n' || text[end - 1] == '\\')) ++end;
      blank(at, end);
    }
    at = std::max(end, at + 1);
  }
  return plain;
}

struct Definition {
  std::string_view name;
  std::size_t open, close;  // the brackets around the parameters
  std::size_t body;         // after the brace that opens the body
};

std::size_t closing(std::string_view plain, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < plain.size(); ++at) {
    if (plain[at] == '(') ++depth;
    if (plain[at] == ')' && --depth == 0) return at;
  }
  return std::string_view::npos;
}

// Finds the definitions of kernels by the words that mark kernels.
std::vector<Definition> definitions(std::string_view plain) {
  std::vector<Definition> found;
  static const std::set<std::string_view> words{"__global__", "__kernel", "kernel",
                                                "TREADLE_KERNEL"};
  bool is_kernel = false;
  std::string_view last;
  for (std::size_t at = 0; at < plain.size();) {
    if (const std::size_t length = identifier_length(plain.substr(at)); length > 0) {
      last = plain.substr(at, length);
      if (words.contains(last)) is_kernel = true;
      at += length;
      continue;
    }
    if (plain[at] == ';' || plain[at] == '{' || plain[at] == '}') is_kernel = false;
    if (plain[at] != '(' || !is_kernel) {
      ++at;
      continue;
    }
    const std::size_t close = closing(plain, at);
    if (close == std::string_view::npos) break;
    std::size_t next = close + 1;
    while (next < plain.size() && is_space(plain[next])) ++next;
    if (next < plain.size() && plain[next] == '{' && last != "__attribute__") {
      found.push_back({last, at, close, next + 1});
      is_kernel = false;
      at = next + 1;
    } else {
      at = close + 1;  // an attribute or a declaration
    }
  }
  return found;
}

std::string names(const std::vector<Definition>& all) {
  std::string text;
  for (const Definition& one : all) text += (text.empty() ? "" : ", ") + std::string(one.name);
  return text.empty() ? "none" : text;
}

const Definition& chosen(const std::vector<Definition>& all, std::string_view kernel) {
  if (kernel.empty()) {
    if (all.size() == 1) return all[0];
    throw InvalidArgument(joined({"specialize(): the text has ", std::to_string(all.size()),
                                  " kernels: ", names(all)}),
                          "name one of them: kernel=\"...\"");
  }
  const auto found = std::ranges::find(all, kernel, &Definition::name);
  if (found == all.end())
    throw InvalidArgument(joined({"specialize(): the text has no kernel ", kernel}),
                          joined({"it has: ", names(all)}));
  return *found;
}

// The start and end of each parameter in the list, without commas.
std::vector<std::pair<std::size_t, std::size_t>> pieces(std::string_view plain,
                                                        const Definition& kernel) {
  std::vector<std::pair<std::size_t, std::size_t>> all;
  std::size_t begin = kernel.open + 1;
  int depth = 0;
  for (std::size_t at = begin; at <= kernel.close; ++at) {
    const char c = plain[at];
    if (c == '<' || c == '(' || c == '[') ++depth;
    if (at < kernel.close && (c == '>' || c == ')' || c == ']')) --depth;
    if (at != kernel.close && (c != ',' || depth > 0)) continue;
    all.emplace_back(begin, at);
    begin = at + 1;
  }
  return all;
}

}  // namespace

TextWithLines specialize(const TextWithLines& text, std::string_view kernel,
                         const std::map<std::string, KeyValue, std::less<>>& values,
                         Language language) {
  const std::string plain = without_comments(text.text);
  const std::vector<Definition> all = definitions(plain);
  const Definition& target = chosen(all, kernel);
  std::string kept, constants, parameters;
  std::set<std::string_view> used;
  bool is_first = true;
  for (const auto& [begin, end] : pieces(plain, target)) {
    const std::string whole = text.text.substr(begin, end - begin);
    const std::string declaration = plain.substr(begin, end - begin);
    if (std::ranges::all_of(declaration, is_space)) continue;
    const Declaration parameter = parse_declaration(declaration);
    parameters += (parameters.empty() ? "" : ", ") + parameter.name;
    const auto found = values.find(parameter.name);
    if (found == values.end()) {
      kept += (is_first ? "" : ",") + whole;
      is_first = false;
      continue;
    }
    used.insert(found->first);
    if (parameter.is_pointer)
      throw InvalidArgument(joined({"specialize(): ", parameter.name, " of the kernel ",
                                    target.name, " is a pointer"}),
                            "bake in numbers, and pass arrays");
    if (!found->second.is_constant())
      throw InvalidArgument(joined({"specialize(): ", parameter.name, " is \"",
                                    found->second.text(language), "\", wanted: a number"}),
                            "pass an int, a float or a NumPy scalar");
    constants += joined(
        {" const ", parameter.type, " ", parameter.name, " = ", found->second.text(language), ";"});
    // The line ends of removed text stay, so that later lines keep their numbers.
    kept.append(static_cast<std::size_t>(std::ranges::count(whole, '\n')), '\n');
  }
  for (const auto& [name, value] : values)
    if (!used.contains(name))
      throw InvalidArgument(
          joined({"specialize(): the kernel ", target.name, " has no parameter ", name}),
          joined({"it has: ", parameters}));
  TextWithLines result{text.text, text.lines};
  result.text.insert(target.body, constants);
  result.text.replace(target.open + 1, target.close - target.open - 1, kept);
  return result;
}

}  // namespace treadle::codegen
