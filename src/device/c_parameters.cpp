// SPDX-License-Identifier: MIT
#include "treadle/device/c_parameters.hpp"

#include <algorithm>
#include <optional>

#include "base/characters.hpp"
#include "treadle/base/c_declaration.hpp"

namespace treadle::device {
namespace {

/// The bytes of "float4": 4 floats. None for a vector of 3: it takes the room of 4 in OpenCL, and
/// CUDA packs it.
std::optional<std::size_t> vector_bytes(std::string_view name) {
  std::size_t digits = name.size();
  while (digits > 0 && is_digit(name[digits - 1])) --digits;
  const auto scalar = c_scalar(name.substr(0, digits));
  if (!scalar) return std::nullopt;
  for (const std::size_t known : {2u, 4u, 8u, 16u})
    if (name.substr(digits) == std::to_string(known)) return known * DType(*scalar).size_bytes();
  return std::nullopt;
}

void set_value_type(std::string_view type, Parameter& parameter) {
  if (const auto scalar = c_scalar(type)) {
    const DType number(*scalar);
    parameter.kind =
        number.kind() == ScalarKind::floating ? ParameterKind::floating : ParameterKind::integer;
    parameter.size_bytes = number.size_bytes();
  } else if (const auto bytes = vector_bytes(type)) {
    parameter.kind = ParameterKind::structure;
    parameter.size_bytes = *bytes;
  }
}

Parameter parameter_of(const Declaration& declaration, std::string_view type, std::string_view name,
                       bool is_local) {
  Parameter parameter{.name = std::string(name), .type = std::string(type)};
  if (declaration.is_pointer) {
    parameter.kind = is_local ? ParameterKind::local : ParameterKind::memory;
    parameter.size_bytes = is_local ? 0 : sizeof(std::uint64_t);
  } else {
    set_value_type(declaration.type, parameter);
  }
  return parameter;
}

Parameter parse_parameter(std::string_view text) {
  const Declaration declaration = read_declaration(text);
  // The type as written: everything but the name.
  std::string type;
  auto words = c_words(text);
  if (const auto name = std::ranges::find(words, declaration.name); name != words.end())
    words.erase(name);
  for (const std::string& word : words) type += (type.empty() || word == "*" ? "" : " ") + word;
  return parameter_of(declaration, type, declaration.name,
                      declaration.address_space == AddressSpace::local);
}

/// Blanks out #define and its kind, with the lines that a backslash adds: what a macro would be is
/// no declaration.
void blank_directives(std::string& text) {
  bool in_directive = false;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::size_t first = text.find_first_not_of(" \t", start);
    in_directive = in_directive || (first < end && text[first] == '#');
    const bool goes_on = end > start && text[end - 1] == '\\';
    if (in_directive)
      std::fill(text.begin() + static_cast<std::ptrdiff_t>(start),
                text.begin() + static_cast<std::ptrdiff_t>(end), ' ');
    in_directive = in_directive && goes_on;
    start = end + 1;
  }
}

/// Where the bracket opens that text[closing] closes.
std::size_t opening_of(std::string_view text, std::size_t closing) {
  int depth = 0;
  for (std::size_t i = closing + 1; i-- > 0;) {
    if (text[i] == ')') ++depth;
    if (text[i] == '(' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

/// `text` is what stands between the keyword of a kernel and its body.
std::optional<KernelText> kernel_declared_in(std::string_view text) {
  const std::size_t closing = text.rfind(')');
  if (closing == std::string_view::npos) return std::nullopt;
  const std::size_t opening = opening_of(text, closing);
  if (opening == std::string_view::npos) return std::nullopt;
  const auto before = c_words(text.substr(0, opening));
  if (before.empty() || before.back() == "void" || !is_c_name(before.back())) return std::nullopt;
  KernelText kernel{before.back(), {}};
  const std::string_view list = text.substr(opening + 1, closing - opening - 1);
  const auto inside = c_words(list);
  if (inside.empty() || (inside.size() == 1 && inside.front() == "void")) return kernel;
  for (const std::string_view declaration : split_list(list))
    kernel.parameters.push_back(parse_parameter(declaration));
  return kernel;
}

std::size_t find_keyword(std::string_view text, std::size_t from, std::size_t& length) {
  constexpr std::string_view keywords[] = {"__global__", "__kernel", "kernel", "TREADLE_KERNEL"};
  for (std::size_t begin = from; begin < text.size(); begin += std::max<std::size_t>(length, 1)) {
    const std::string_view rest = text.substr(begin);
    length = static_cast<std::size_t>(std::ranges::find_if_not(rest, is_word) - rest.begin());
    if (length > 0 && std::ranges::find(keywords, rest.substr(0, length)) != std::end(keywords))
      return begin;
  }
  return std::string_view::npos;
}

/// Calls visit(what stands before the keyword of a kernel, what stands between it and the body).
template <class Visit>
void for_kernels(std::string_view text, Visit&& visit) {
  std::size_t length = 0;
  for (std::size_t at = find_keyword(text, 0, length); at != std::string_view::npos;
       at = find_keyword(text, at + length, length)) {
    const std::size_t start = at + length;
    const std::size_t end = std::min(text.find_first_of("{;", start), text.size());
    if (end == text.size() || text[end] == ';') continue;  // a declaration, or no kernel
    visit(text.substr(0, at), text.substr(start, end - start));
  }
}

std::string plain(std::string_view source) {
  std::string text = without_comments(source);
  blank_directives(text);
  return text;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

/// The list between the outermost angle brackets of "scale<float, 4>".
std::string_view template_list(std::string_view text) {
  const std::size_t open = text.find('<'), close = text.rfind('>');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  return text.substr(open + 1, close - open - 1);
}

struct Replaced {
  std::string_view name, by;
};
/// `before` ends with "template <typename T, int N = 4>"; empty if it does not, or if there is no
/// argument for one of the parameters.
std::vector<Replaced> template_arguments(std::string_view before, std::string_view arguments) {
  const std::size_t begin = before.rfind("template");
  if (begin == std::string_view::npos) return {};
  before.remove_prefix(begin);
  if (before.find_first_of(";{}") != std::string_view::npos) return {};
  std::vector<std::string_view> given;
  if (!trimmed(arguments).empty()) given = split_list(arguments);
  std::vector<Replaced> made;
  for (const std::string_view parameter : split_list(template_list(before))) {
    const std::size_t equals = parameter.find('=');
    const std::string_view declared = trimmed(parameter.substr(0, equals));
    const std::size_t blank = declared.find_last_of(" \t\n");
    const bool is_given = made.size() < given.size();
    if (blank == std::string_view::npos || (!is_given && equals == std::string_view::npos))
      return {};
    made.push_back({declared.substr(blank + 1),
                    trimmed(is_given ? given[made.size()] : parameter.substr(equals + 1))});
  }
  return made.size() < given.size() ? std::vector<Replaced>() : made;
}

/// `text` with the arguments in the place of the names.
std::string with_arguments(std::string_view text, const std::vector<Replaced>& arguments) {
  std::string made;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const auto length =
        static_cast<std::size_t>(std::ranges::find_if_not(rest, is_word) - rest.begin());
    const std::string_view word = rest.substr(0, std::max<std::size_t>(length, 1));
    const auto found = std::ranges::find(arguments, word, &Replaced::name);
    made += found != arguments.end() ? found->by : word;
    at += word.size();
  }
  return made;
}

}  // namespace

Parameter c_parameter(std::string_view type, std::string_view name, bool is_local) {
  return parameter_of(read_type(type), type, name, is_local);
}

std::vector<KernelText> kernels_in(std::string_view source) {
  std::vector<KernelText> kernels;
  for_kernels(plain(source), [&](std::string_view, std::string_view declaration) {
    if (auto kernel = kernel_declared_in(declaration)) kernels.push_back(*std::move(kernel));
  });
  return kernels;
}

std::optional<KernelText> kernel_instance_in(std::string_view source, std::string_view name) {
  std::string_view base = trimmed(name.substr(0, name.find('<')));
  if (const std::size_t scope = base.rfind("::"); scope != std::string_view::npos)
    base.remove_prefix(scope + 2);
  std::optional<KernelText> found;
  const std::string text = plain(source);
  for_kernels(text, [&](std::string_view before, std::string_view declaration) {
    const auto generic = kernel_declared_in(declaration);
    if (!generic || generic->name != base || found) return;
    const auto arguments = template_arguments(before, template_list(name));
    if (arguments.empty()) return;
    found = kernel_declared_in(with_arguments(declaration, arguments));
    if (found) found->name = std::string(name);
  });
  return found;
}

}  // namespace treadle::device
