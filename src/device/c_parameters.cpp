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

}  // namespace

Parameter c_parameter(std::string_view type, std::string_view name, bool is_local) {
  return parameter_of(read_type(type), type, name, is_local);
}

std::vector<KernelText> kernels_in(std::string_view source) {
  std::string text = without_comments(source);
  blank_directives(text);
  std::vector<KernelText> kernels;
  std::size_t length = 0;
  for (std::size_t at = find_keyword(text, 0, length); at != std::string::npos;
       at = find_keyword(text, at + length, length)) {
    const std::size_t start = at + length;
    const std::size_t end = std::min(text.find_first_of("{;", start), text.size());
    if (end == text.size() || text[end] == ';') continue;  // a declaration, or no kernel
    if (auto kernel = kernel_declared_in(std::string_view(text).substr(start, end - start)))
      kernels.push_back(*std::move(kernel));
  }
  return kernels;
}

}  // namespace treadle::device
