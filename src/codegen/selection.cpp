// SPDX-License-Identifier: MIT
#include "treadle/codegen/selection.hpp"

#include "family_code.hpp"
#include "interval_text.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

/// An element is moved as this number of unsigned integers.
struct MovedWords {
  Scalar word;
  std::size_t count;
};
MovedWords moved_words(std::size_t item_bytes) {
  if (item_bytes == 0) return {Scalar::int64, 1};
  if (item_bytes % 8 == 0) return {Scalar::uint64, item_bytes / 8};
  if (item_bytes % 4 == 0) return {Scalar::uint32, item_bytes / 4};
  if (item_bytes % 2 == 0) return {Scalar::uint16, item_bytes / 2};
  return {Scalar::uint8, item_bytes};
}

std::string arguments_of(std::size_t item_bytes, const TypeNames& types) {
  const std::string word = types.name_of(moved_words(item_bytes).word);
  return joined({"const ", types.name_of(Scalar::uint8), " *mask, const ", word, " *elements, ",
                 word, " *selected, long *total, long capacity"});
}

/// Stores element i at a place.
void write_store(tree::BlockBuilder& code, std::size_t item_bytes, std::string_view place) {
  const auto [word, count] = moved_words(item_bytes);
  if (count == 1) {
    code.assign({"selected[", place, "]"}, item_bytes == 0 ? "i" : "elements[i]");
    return;
  }
  for (std::size_t k = 0; k < count; ++k) {
    const std::string behind = joined({" * ", number(count), " + ", number(k), "]"});
    code.assign({"selected[", place, behind}, {"elements[i", behind});
  }
}

class MaskedWriter {
 public:
  MaskedWriter(std::size_t item_bytes, const Dialect& dialect)
      : item_bytes_(item_bytes),
        out_(masked_name(item_bytes), "generator of selections", Schedule::narrow, 1, dialect) {}

  FamilyText write() {
    const std::string own = "long N, long treadle_length, long *counts";
    const std::string& integer = out_.integer;
    open("_counts", joined({"const ", out_.types.name_of(Scalar::uint8), " *mask, ", own}));
    code_.declare(integer, "sum", "0");
    code_.open_for(integer, "i", "treadle_begin", "treadle_end");
    code_.assign("sum", "mask[i] != 0", "+=");
    code_.close();
    code_.assign("counts[group]", "sum");
    code_.close();
    open("_stores", joined({arguments_of(item_bytes_, out_.types), ", ", own}));
    code_.declare(integer, "place", "0");
    code_.declare(integer, "i", "treadle_begin");
    code_.open_for(integer, "k", "0", "group");
    code_.assign("place", "counts[k]", "+=");
    code_.close();
    code_.declare({"const ", integer}, "behind", "place + counts[group]");
    code_.when("treadle_end == N", tree::assign("*total", "behind"));
    code_.declare({"const ", integer}, "stop", "behind < capacity ? behind : capacity");
    code_.open_while("place < stop");
    write_store(code_, item_bytes_, "place");
    code_.assign("place", "mask[i] != 0", "+=");
    code_.evaluate("++i");
    code_.close();
    code_.close();
    return out_.take();
  }

 private:
  void open(std::string_view suffix, std::string_view declared) {
    out_.open_kernel(joined({masked_name(item_bytes_), suffix}), declared);
    code_.declare({"const ", out_.integer}, "group", out_.dialect.group_id);
    code_.declare({"const ", out_.integer}, "treadle_begin", "group * treadle_length");
    code_.declare({"const ", out_.integer}, "treadle_end",
                  "treadle_begin + treadle_length < N ? treadle_begin + treadle_length : N");
  }

  std::size_t item_bytes_;
  FamilyCode out_;
  tree::BlockBuilder& code_ = out_.code;
};

}  // namespace

ScanTexts scan_of(Selection selection, const SelectTexts& texts, Scalar count_dtype,
                  const Dialect& dialect) {
  const bool has_others = selection == Selection::both;
  const std::string array = texts.type + " *";
  ScanTexts made;
  made.arguments =
      joined({"const ", array, "ary, ", array, "out, ", has_others ? array + "others, " : "",
              TypeNames(dialect).name_of(count_dtype), " *count",
              texts.arguments.empty() ? "" : ", ", texts.arguments});
  // The input has no branches, so that the texts show with certainty which elements are used.
  const std::string holds = text_in_brackets(texts.predicate);
  if (selection == Selection::run_starts) {
    made.fetches = {{"a", "ary", -1}, {"b", "ary", 0}};
    made.input = joined({"!", holds, " | (i == 0)"});
  } else {
    made.input = (selection == Selection::others ? "!" : "!!") + holds;
  }
  made.one_for_one = {"ary", "out", "others"};
  made.scan = "a + b";
  made.neutral = "0";
  if (!has_others) {
    made.compactions = {{"out", "ary[i]"}};
    made.total = "count";
    return made;
  }
  tree::BlockBuilder output;
  output.open_if("item != prev_item");
  output.assign("out[prev_item]", "ary[i]");
  output.close();
  output.open_else();
  output.assign("others[i - prev_item]", "ary[i]");
  output.close();
  output.when("i == N - 1", tree::assign("*count", "item"));
  made.output = as_users_statements(output.take(), dialect);
  return made;
}

std::string masked_name(std::size_t item_bytes) {
  if (item_bytes == 0) return "places_under_mask";
  const auto [word, count] = moved_words(item_bytes);
  return joined({"select_", number(count), "_", DType(word).name()});
}

ScanTexts scan_of_mask(std::size_t item_bytes, const Dialect& dialect) {
  ScanTexts made;
  made.arguments = arguments_of(item_bytes, TypeNames(dialect));
  made.input = "mask[i] != 0";
  made.scan = "a + b";
  made.neutral = "0";
  made.one_for_one = {"mask"};
  if (moved_words(item_bytes).count == 1) {
    made.compactions = {{"selected", item_bytes == 0 ? "i" : "elements[i]", "capacity"}};
    made.total = "total";
    if (item_bytes != 0) made.one_for_one.emplace_back("elements");
    return made;
  }
  tree::BlockBuilder output;
  output.open_if("item != prev_item && prev_item < capacity");
  write_store(output, item_bytes, "prev_item");
  output.close();
  output.when("i == N - 1", tree::assign("*total", "item"));
  made.output = as_users_statements(output.take(), dialect);
  return made;
}

FamilyText generate_masked(std::size_t item_bytes, const Dialect& dialect) {
  return MaskedWriter(item_bytes, dialect).write();
}

}  // namespace treadle::codegen
