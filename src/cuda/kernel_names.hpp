// SPDX-License-Identifier: MIT
// How a user names a kernel, and how a module does.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "treadle/base/near_match.hpp"

namespace treadle::cuda {

/// `symbol` as C++ spells it, "void scale<float, 4>(float*)"; itself if it is no mangled name.
std::string demangle(const std::string& symbol);
/// Without return type and parameters: "scale<float, 4>" for "void scale<float, 4>(float*)".
std::string kernel_name(std::string_view demangled);

/// How kernels are found by the names that users give them: symbols, the name expressions of a
/// compile, or plain C++ names that are not overloaded.
class KernelNames {
 public:
  /// `lowered`: name expression -> symbol.
  explicit KernelNames(const std::map<std::string, std::string>& lowered = {});

  /// What a name expression stands for, of a variable too; empty if it is none.
  std::string symbol_for(std::string_view name) const;
  /// What `ask(symbol)` gives, and the symbol; null if it gives null for all that `name` may mean.
  /// `symbols()` lists all there are.
  template <class Ask, class Symbols>
  auto find(std::string_view name, Ask ask, Symbols symbols) const
      -> std::pair<decltype(ask(std::string())), std::string> {
    for (const std::string& symbol : {symbol_for(name), std::string(name)})
      if (!symbol.empty())
        if (const auto raw = ask(symbol)) return {raw, symbol};
    if (const auto matches = matches_of(name, symbols()); matches.size() == 1)
      if (const auto raw = ask(matches.front())) return {raw, matches.front()};
    return {nullptr, {}};
  }
  /// Why `where` ("the module") has no kernel of that name, and which are near it.
  std::string why_unknown(const std::string& where, std::string_view name,
                          const std::vector<std::string>& symbols) const;

 private:
  static std::vector<std::string> matches_of(std::string_view name,
                                             const std::vector<std::string>& symbols);
  std::map<std::string, std::string> lowered_;  // squeezed name expression -> symbol
};

}  // namespace treadle::cuda
