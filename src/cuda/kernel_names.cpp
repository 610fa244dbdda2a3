// SPDX-License-Identifier: MIT
#include "cuda/kernel_names.hpp"

#include <cxxabi.h>

#include <cctype>
#include <cstdlib>
#include <memory>

namespace treadle::cuda {
namespace {

bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

/// Where the bracket opens that text[end - 1] closes; npos if it closes none.
std::size_t opening_of(std::string_view text, std::size_t end) {
  int depth = 0;
  for (std::size_t i = end; i-- > 0;) {
    if (text[i] == ')' || text[i] == '>') ++depth;
    if (text[i] == '(' || text[i] == '<') --depth;
    if (depth == 0) return i;
  }
  return std::string_view::npos;
}

}  // namespace

std::string demangle(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) return symbol;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? text.get() : symbol;
}

std::string kernel_name(std::string_view demangled) {
  if (!demangled.ends_with(')')) return std::string(demangled);
  const std::size_t parameters = opening_of(demangled, demangled.size());
  if (parameters == std::string_view::npos || parameters == 0) return std::string(demangled);
  // Backwards over the name, stepping over template arguments, to the blank after a return type.
  std::size_t start = parameters;
  while (start > 0 && !is_blank(demangled[start - 1])) {
    const char last = demangled[start - 1];
    const std::size_t opening =
        last == '>' || last == ')' ? opening_of(demangled, start) : std::string_view::npos;
    start = opening == std::string_view::npos ? start - 1 : opening;
  }
  return std::string(demangled.substr(start, parameters - start));
}

}  // namespace treadle::cuda
