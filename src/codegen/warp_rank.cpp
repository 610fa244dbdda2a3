// SPDX-License-Identifier: MIT
#include "warp_rank.hpp"

#include <algorithm>
#include <array>

#include "treadle/codegen/element_text.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

std::string uint_of(const Dialect& dialect) { return value_type(Scalar::uint32, dialect); }

}  // namespace

void WarpRank::declare(tree::BlockBuilder& code, std::size_t element_bytes) const {
  const std::string uint = uint_of(dialect), id = dialect.local_id;
  const std::size_t bytes =
      std::max(tile() * element_bytes, std::size_t{warps()} * digits() * sizeof(std::uint32_t));
  code.declare_local(value_type(Scalar::uint64, dialect), "treadle_room",
                     number((bytes + room_alignment - 1) / room_alignment));
  declare_sums(code, "treadle_start", uint);
  code.add(tree::initialize(tree::local_pointer(tree::value(uint, "treadle_counters")),
                            {"(", uint, " *)treadle_room"}));
  code.declare({"const ", uint}, "treadle_lane", {id, " % ", number(sub_group)});
  code.declare({"const ", uint}, "treadle_own",
               {id, " / ", number(sub_group), " * ", number(digits())});
  code.declare({"const ", uint}, "treadle_first",
               {id, " / ", number(sub_group), " * ", number(sub_group * items), " + treadle_lane"});
  code.declare_array(uint, "treadle_digits", number(items));
}

void WarpRank::open_each_item(tree::BlockBuilder& code) const {
  code.directive("pragma", "unroll");
  code.open_for(uint_of(dialect), "treadle_k", "0", number(items));
}
std::string WarpRank::element_at() {
  return joined({"treadle_first + treadle_k * ", number(sub_group)});
}

void WarpRank::open_each_digit(tree::BlockBuilder& code) const {
  code.open_for(uint_of(dialect), "treadle_d", dialect.local_id, number(digits()),
                number(group_size));
}
void WarpRank::open_each_warp(tree::BlockBuilder& code) const {
  code.directive("pragma", "unroll");
  code.open_for(uint_of(dialect), "treadle_w", "0", number(warps()));
}

void WarpRank::clear(tree::BlockBuilder& code) const {
  code.open_for(uint_of(dialect), "treadle_d", dialect.local_id, number(warps() * digits()),
                number(group_size));
  code.assign("treadle_counters[treadle_d]", "0");
  code.close();
}

std::string WarpRank::has_digit() const {
  return joined({dialect.local_id, " < ", number(digits())});
}

void WarpRank::count(tree::BlockBuilder& code, const std::function<void()>& publish) const {
  const std::string uint = uint_of(dialect);
  open_each_item(code);
  code.evaluate(added_atomically("treadle_counters + treadle_own + treadle_digits[treadle_k]", "1u",
                                 dialect));
  code.close();
  code.evaluate(dialect.barrier);
  const std::string counter =
      joined({"treadle_counters[treadle_w * ", number(digits()), " + ", dialect.local_id, "]"});
  code.declare(uint, "treadle_sum", "0");
  code.open_if(has_digit());
  open_each_warp(code);
  code.declare({"const ", uint}, "treadle_count", counter);
  code.assign(counter, "treadle_sum");
  code.assign("treadle_sum", "treadle_count", "+=");
  code.close();
  publish();
  code.close();
  code.declare(uint, "treadle_start", "treadle_sum");
  sum_before(code, "treadle_start", uint);
  code.open_if(has_digit());
  open_each_warp(code);
  code.assign(counter, "treadle_start", "+=");
  code.close();
  code.close();
  code.evaluate(dialect.barrier);
}

void WarpRank::rank(tree::BlockBuilder& code) const {
  const std::string uint = uint_of(dialect),
                    counter = "treadle_counters[treadle_own + treadle_digit]";
  const auto population = [&](const std::string& mask) {
    return joined({"(", uint, ")", fill_holes(dialect.population, std::array{mask})});
  };
  // Compilers for processors accept only a limited number of votes in a kernel, and do not need
  // this code.
  code.directive("if", expand_words("TREADLE_ON_PROCESSOR", dialect));
  code.directive("pragma", "unroll 1");
  code.directive("else", "");
  code.directive("pragma", "unroll");
  code.directive("endif", "");
  code.open_for(uint, "treadle_k", "0", number(items));
  code.declare({"const ", uint}, "treadle_digit", "treadle_digits[treadle_k]");
  code.declare(uint, "treadle_same", "~0u");
  code.directive("pragma", "unroll");
  code.open_for(uint, "treadle_b", "0", number(bits));
  code.comment("All bits of it, or none.");
  code.declare({"const ", uint}, "treadle_bit_mask", "0u - (treadle_digit >> treadle_b & 1)");
  code.assign("treadle_same",
              {"~(", fill_holes(dialect.ballot, std::array{std::string("treadle_bit_mask")}),
               " ^ treadle_bit_mask)"},
              "&=");
  code.close();
  code.declare({"const ", uint}, "treadle_so_far", counter);
  code.declare({"const ", uint}, "treadle_before",
               population("treadle_same & ((1u << treadle_lane) - 1)"));
  code.evaluate(dialect.sub_group_barrier);
  code.when("treadle_before == 0",
            tree::assign(counter, {"treadle_so_far + ", population("treadle_same")}));
  code.evaluate(dialect.sub_group_barrier);
  code.assign("treadle_digits[treadle_k]",
              "treadle_digit << 16 | (treadle_so_far + treadle_before)");
  code.close();
}
std::string WarpRank::rank_of(std::string_view item) { return joined({"(", item, " & 0xffff)"}); }
std::string WarpRank::digit_of(std::string_view item) { return joined({"(", item, " >> 16)"}); }

BlockScan WarpRank::sums(const std::string& name, const std::string& type) const {
  return {.fields = {{{name, type}, name}},
          .combine =
              [name](tree::BlockBuilder& code, const BlockScan::Earlier& earlier) {
                code.assign(name, earlier(name), "+=");
              },
          .group_size = group_size,
          .is_there = {},
          .prefix = "treadle_",
          .dialect = dialect,
          .keeps_arrays = false};
}
void WarpRank::declare_sums(tree::BlockBuilder& code, const std::string& name,
                            const std::string& type) const {
  sums(name, type).declare(code);
}
void WarpRank::sum_before(tree::BlockBuilder& code, const std::string& name,
                          const std::string& type) const {
  code.open();
  code.declare({"const ", type}, "treadle_alone", name);
  sums(name, type).write(code);
  code.assign(name, "treadle_alone", "-=");
  code.close();
}

}  // namespace treadle::codegen
