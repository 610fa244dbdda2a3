// SPDX-License-Identifier: MIT
#include "treadle/base/op.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace treadle {
namespace {

constexpr std::array infos{
#define TREADLE_OP(name, arity, rule, cost) OpInfo{#name, arity, OpRule::rule, cost},
#include "treadle/base/op.def"
#undef TREADLE_OP
    OpInfo{"cast", 1, OpRule::none, 1},   OpInfo{"leaf", 0, OpRule::none, 0},
    OpInfo{"scalar", 0, OpRule::none, 0}, OpInfo{"iota", 0, OpRule::none, 0},
    OpInfo{"gather", 1, OpRule::none, 2},
};
static_assert(infos.size() == static_cast<std::size_t>(Op::gather) + 1);

}  // namespace

const OpInfo& op_info(Op op) noexcept { return infos[static_cast<std::size_t>(op)]; }

std::optional<Op> find_op(std::string_view name) noexcept {
  const auto* found = std::ranges::find(infos, name, &OpInfo::name);
  if (found == infos.end()) return std::nullopt;
  return static_cast<Op>(found - infos.begin());
}

}  // namespace treadle
