// SPDX-License-Identifier: MIT
#include "dealing.hpp"

#include <algorithm>
#include <bit>

#include "words.hpp"

namespace treadle::codegen {

const char* const store_past_caches = R"(#ifdef __has_builtin
#if __has_builtin(__builtin_nontemporal_store) && defined(__x86_64__)
#define TREADLE_STORE_PAST(pointer, value) __builtin_nontemporal_store(value, pointer)
#define TREADLE_STORED_PAST() __sync_synchronize()
#endif
#endif
#ifndef TREADLE_STORE_PAST
#define TREADLE_STORE_PAST(pointer, value) *(pointer) = (value)
#define TREADLE_STORED_PAST() (void)0
#endif
)";

unsigned Dealing::line_length(const std::vector<DealtArray>& arrays) const {
  std::size_t largest = 1, all = 0;
  for (const DealtArray& array : arrays) {
    largest = std::max(largest, array.size_bytes);
    all += array.size_bytes;
  }
  std::size_t length = std::bit_floor(std::max<std::size_t>(tiling.line_bytes / largest, 1));
  while (length > 1 && length * all * digits() > tiling.gathered_bytes) length /= 2;
  return static_cast<unsigned>(length);
}

void write_vector_loop(tree::BlockBuilder& code) {
  code.directive("ifdef", "__clang__");
  code.directive("pragma", "clang loop vectorize(assume_safety)");
  code.directive("endif", "");
}

void Dealing::open_keys() const {
  const std::string most = number(tiling.keys_at_once);
  code.open_for(integer, "treadle_from", "treadle_begin", "treadle_end", most);
  code.declare({"const ", uint}, "treadle_some",
               {"treadle_end - treadle_from < ", most, " ? (", uint,
                ")(treadle_end - treadle_from) : ", most});
  code.declare_array(uint, "treadle_digits", most);
  write_vector_loop(code);
  code.open_for(uint, "treadle_k", "0", "treadle_some");
  code.declare({"const ", integer}, "treadle_at", "treadle_from + treadle_k");
  write_digit();
  code.assign("treadle_digits[treadle_k]", "treadle_digit");
  code.close();
}

void Dealing::write_counts() const {
  const unsigned copies = tiling.counter_copies;
  code.declare_array(index, "treadle_own", number(digits() * copies));
  code.open_for(uint, "treadle_d", "0", number(digits() * copies));
  code.assign("treadle_own[treadle_d]", "0");
  code.close();
  open_keys();
  code.open_for(uint, "treadle_k", "0", "treadle_some");
  code.evaluate({"++treadle_own[treadle_k % ", number(copies), " * ", number(digits()),
                 " + treadle_digits[treadle_k]]"});
  code.close();
  code.close();
  if (copies == 1) return;
  code.open_for(uint, "treadle_d", "0", number(digits()));
  code.open_for(uint, "treadle_k", "1", number(copies));
  code.assign("treadle_own[treadle_d]",
              {"treadle_own[treadle_k * ", number(digits()), " + treadle_d]"}, "+=");
  code.close();
  code.close();
}

void Dealing::write_line(const DealtArray& array, unsigned length) const {
  const std::string slots = number(length);
  const bool is_past = array.is_number && (array.size_bytes == 4 || array.size_bytes == 8);
  code.open_for(uint, "treadle_q", "0", slots);
  const std::string to =
      joined({array.to, "[treadle_place - ", number(length - 1), " + treadle_q]"});
  const std::string value = joined({array.line(), "[treadle_digit * ", slots, " + treadle_q]"});
  if (is_past)
    code.evaluate({"TREADLE_STORE_PAST(&", to, ", ", value, ")"});
  else
    code.assign(to, value);
  code.close();
}

void Dealing::write_moves(const std::vector<DealtArray>& arrays, bool gathers) const {
  const unsigned length = gathers ? line_length(arrays) : 1;
  const std::string slots = number(length), all = number(digits());
  // Stores the elements for the places from `from` up to `end` out of their line.
  const auto store_some = [&](std::string_view from, std::string_view end) {
    code.open_for(index, "treadle_q", from, end);
    for (const DealtArray& array : arrays)
      code.assign({array.to, "[treadle_q]"}, {array.line(), "[treadle_digit * ", slots, " + ((",
                                              uint, ")treadle_q & ", number(length - 1), ")]"});
    code.close();
  };
  if (length > 1) {
    code.declare_array(index, "treadle_first", all);
    for (const DealtArray& array : arrays)
      code.declare_array(array.type, array.line(), number(std::uint64_t{digits()} * length));
    code.open_for(uint, "treadle_d", "0", all);
    code.assign("treadle_first[treadle_d]", "treadle_next[treadle_d]");
    code.close();
  }
  open_keys();
  code.open_for(uint, "treadle_k", "0", "treadle_some");
  code.declare({"const ", integer}, "treadle_at", "treadle_from + treadle_k");
  code.declare({"const ", uint}, "treadle_digit", "treadle_digits[treadle_k]");
  code.declare({"const ", index}, "treadle_place", "treadle_next[treadle_digit]++");
  if (length == 1) {
    for (const DealtArray& array : arrays)
      code.assign({array.to, "[treadle_place]"}, {array.from, "[treadle_at]"});
  } else {
    code.declare({"const ", uint}, "treadle_slot",
                 {"(", uint, ")treadle_place & ", number(length - 1)});
    for (const DealtArray& array : arrays)
      code.assign({array.line(), "[treadle_digit * ", slots, " + treadle_slot]"},
                  {array.from, "[treadle_at]"});
    code.open_if({"treadle_slot == ", number(length - 1)});
    // A digit's first line may begin with places that belong to the group before.
    code.open_if({"treadle_place - treadle_first[treadle_digit] >= ", number(length - 1)});
    for (const DealtArray& array : arrays) write_line(array, length);
    code.close();
    code.open_else();
    store_some("treadle_first[treadle_digit]", "treadle_place + 1");
    code.close();
    code.close();
  }
  code.close();
  code.close();
  if (length == 1) return;
  code.open_for(uint, "treadle_digit", "0", all);
  code.declare({"const ", index}, "treadle_place", "treadle_next[treadle_digit]");
  code.declare(
      index, "treadle_from",
      {"treadle_place - (", index, ")((", uint, ")treadle_place & ", number(length - 1), ")"});
  code.when("treadle_from < treadle_first[treadle_digit]",
            tree::assign("treadle_from", "treadle_first[treadle_digit]"));
  store_some("treadle_from", "treadle_place");
  code.close();
  code.evaluate("TREADLE_STORED_PAST()");
}

}  // namespace treadle::codegen
