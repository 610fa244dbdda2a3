// SPDX-License-Identifier: MIT
#include "cuda/kernel_names.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "base/characters.hpp"

namespace treadle::cuda {
namespace {

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

std::string quoted_list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "\"" : ", \"") + name + "\"";
  return text;
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

KernelNames::KernelNames(const std::map<std::string, std::string>& lowered) {
  for (const auto& [expression, symbol] : lowered) lowered_.emplace(squeeze(expression), symbol);
}

std::string KernelNames::symbol_for(std::string_view name) const {
  const std::string squeezed = squeeze(name);
  // The address of a variable or function is a name expression too: "&table".
  for (const std::string& key : {squeezed, "&" + squeezed})
    if (const auto found = lowered_.find(key); found != lowered_.end()) return found->second;
  return {};
}

std::vector<std::string> KernelNames::matches_of(std::string_view name,
                                                 const std::vector<std::string>& symbols) {
  const std::string wanted = squeeze(name);
  std::vector<std::string> matches;
  for (const std::string& symbol : symbols) {
    const std::string readable = demangle(symbol);
    if (squeeze(kernel_name(readable)) == wanted || squeeze(readable) == wanted)
      matches.push_back(symbol);
  }
  return matches;
}

std::string KernelNames::why_unknown(const std::string& where, std::string_view name,
                                     const std::vector<std::string>& symbols) const {
  std::vector<std::string> readable;
  if (const auto matches = matches_of(name, symbols); !matches.empty()) {
    for (const std::string& symbol : matches) readable.push_back(demangle(symbol));
    return "kernel \"" + std::string(name) + "\" is overloaded: " + quoted_list(readable);
  }
  for (const std::string& symbol : symbols) readable.push_back(kernel_name(demangle(symbol)));
  for (const auto& [expression, symbol] : lowered_) readable.push_back(expression);
  std::ranges::sort(readable);
  const auto repeated = std::ranges::unique(readable);
  readable.erase(repeated.begin(), repeated.end());
  std::string text = where + " has no kernel \"" + std::string(name) + "\"";
  if (const auto nearest = near_matches(name, readable); !nearest.empty())
    text += "; near it: " + quoted_list(nearest);
  else if (!readable.empty() && readable.size() <= 8)
    text += "; it has " + quoted_list(readable);
  return text;
}

}  // namespace treadle::cuda
