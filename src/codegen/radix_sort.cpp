// SPDX-License-Identifier: MIT
#include "treadle/codegen/radix_sort.hpp"

#include <algorithm>
#include <array>

#include "interval_text.hpp"
#include "radix_sort_writer.hpp"
#include "treadle/base/error.hpp"
#include "words.hpp"

namespace treadle::codegen {

RadixSortText RadixSortWriter::described() const {
  return {.text = {},
          .counts = snippet_.name + "_counts",
          .places = snippet_.name + "_places",
          .group_size = group_size_,
          .counts_group_size = group_size_,
          .tile = is_wide_ ? group_size_ * tiling_.ranked_items : tiling_.interval_length,
          .digit_bits = tiling_.digit_bits,
          .passes = (key_bits() + tiling_.digit_bits - 1) / tiling_.digit_bits,
          .sweeps = false,
          .targets = targets(),
          .program = {}};
}

void RadixSortWriter::write_head(std::string_view how) {
  code_.comment(
      {snippet_.name, ", made by treadle's radix sort generator around a user's text: ", how});
  code_.lines(snippet_.preamble);
  code_.define_type(types_.name_of(snippet_.key_dtype), "treadle_key");
  code_.define_type(types_.name_of(snippet_.index_dtype), "treadle_index");
}

RadixSortText RadixSortWriter::write() {
  if (snippet_.sweeps) return write_sweeps();
  require_valid();
  RadixSortText made = described();
  write_head(joined({schedule_name(is_wide_ ? Schedule::wide : Schedule::narrow), " schedule"}));
  if (!is_wide_) code_.lines(store_past_caches);
  code_.blank();
  open_kernel(made.counts, {});
  is_wide_ ? write_wide_counts() : write_narrow_counts();
  code_.close();
  code_.blank();
  open_kernel(made.places, made.targets);
  is_wide_ ? write_wide_places() : write_narrow_places();
  code_.close();
  made.program = code_.take();
  made.text = printed(made.program, dialect_);
  return made;
}

void RadixSortWriter::require_valid() const {
  const std::string who = "radix sort " + snippet_.name;
  if (DType(snippet_.key_dtype).kind() != ScalarKind::unsigned_integer)
    throw DTypeError("the keys of " + who + " are of " + DType(snippet_.key_dtype).name(),
                     "choose an unsigned integer");
  require_index_dtype(snippet_.index_dtype, who);
  refuse_own_names(snippet_.parameters, std::initializer_list<std::string_view>{"i", "N"}, who);
  if (snippet_.sorted.empty())
    throw InvalidArgument(who + " moves no array", "name one of the arguments");
  for (const std::string& name : snippet_.sorted) {
    const auto found = std::ranges::find(snippet_.parameters, name, &ParameterSpec::name);
    if (found == snippet_.parameters.end() || found->kind == ParameterSpec::Kind::scalar)
      throw InvalidArgument(who + " is to move " + name + ", which is no array among its arguments",
                            "name one of the pointers");
  }
}

std::vector<ParameterSpec> RadixSortWriter::targets() const {
  std::vector<ParameterSpec> made;
  for (const std::string& name : snippet_.sorted) {
    made.push_back(*std::ranges::find(snippet_.parameters, name, &ParameterSpec::name));
    made.back().name = "treadle_sorted_" + name;
  }
  return made;
}

/// Opens a kernel with the user's parameters, the number of elements, and the parameters after
/// these.
void RadixSortWriter::open_parameters(const std::string& name,
                                      std::vector<ParameterSpec> parameters, tree::Parts behind,
                                      unsigned group_size, unsigned groups) {
  parameters.insert(parameters.end(), snippet_.parameters.begin(), snippet_.parameters.end());
  tree::Parts list;
  for (const ParameterSpec& parameter : parameters) append_parameter(list, parameter, types_);
  list.push_back(tree::value("treadle_index", "N"));
  for (tree::Part& part : behind) list.push_back(std::move(part));
  groups == 0 ? code_.open_kernel(name, std::move(list), group_size)
              : code_.open_function(bounded_kernel(name, std::move(list), group_size, groups));
  define_pointers(code_, parameters, types_);
}

void RadixSortWriter::open_kernel(const std::string& name, std::vector<ParameterSpec> parameters) {
  open_parameters(
      name, std::move(parameters),
      {tree::value(integer_, "treadle_length"), tree::value(integer_, "treadle_intervals"),
       tree::value(uint_, "treadle_bit"), pointer_parameter("treadle_index", "treadle_numbers")},
      group_size_);
  write_interval_bounds(code_, integer_, dialect_);
}
/// The index of the count of this group and the digit.
std::string RadixSortWriter::number_of(std::string_view digit) const {
  return joined({"treadle_numbers[", digit, " * treadle_intervals + ", dialect_.group_id, "]"});
}

void RadixSortWriter::open_each_digit(std::string_view first, std::string_view step) {
  code_.open_for(uint_, "treadle_d", first, number(digits_), step);
}

/// Defines treadle_digit, the digit of the element `treadle_at`.
void RadixSortWriter::write_digit() {
  code_.declare("const treadle_index", "i", "(treadle_index)treadle_at");
  code_.declare("const treadle_key", "treadle_whole",
                tree::cast("treadle_key", in_brackets(snippet_.key)));
  code_.declare({"const ", uint_}, "treadle_digit",
                {"(", uint_, ")(treadle_whole >> treadle_bit) & ", number(digits_ - 1)});
}

void RadixSortWriter::move_to(std::string_view place) {
  code_.declare("const treadle_index", "treadle_place", place);
  for (const std::string& name : snippet_.sorted)
    code_.assign({"treadle_sorted_", name, "[treadle_place]"}, {name, "[i]"});
}

Dealing RadixSortWriter::dealing() {
  return {.code = code_,
          .tiling = tiling_,
          .integer = integer_,
          .uint = uint_,
          .index = "treadle_index",
          .write_digit = [this] { write_digit(); }};
}

const DType& RadixSortWriter::dtype_of(const std::string& name) const {
  return std::ranges::find(snippet_.parameters, name, &ParameterSpec::name)->dtype;
}
std::vector<DealtArray> RadixSortWriter::moved() const {
  std::vector<DealtArray> made;
  for (const std::string& name : snippet_.sorted) {
    const DType& dtype = dtype_of(name);
    made.push_back(
        {.from = name,
         .to = "treadle_sorted_" + name,
         .type = types_.name_of(dtype),
         .size_bytes = dtype.size_bytes(),
         .is_number = DType(dtype).is_integer() || DType(dtype).kind() == ScalarKind::floating});
  }
  return made;
}
void RadixSortWriter::write_narrow_counts() {
  dealing().write_counts();
  open_each_digit();
  code_.assign(number_of("treadle_d"), "treadle_own[treadle_d]");
  code_.close();
}

void RadixSortWriter::write_narrow_places() {
  code_.declare_array("treadle_index", "treadle_next", number(digits_));
  open_each_digit();
  code_.assign("treadle_next[treadle_d]", number_of("treadle_d"));
  code_.close();
  dealing().write_moves(moved(), true);
}

BlockRank RadixSortWriter::rank() const {
  return {.group_size = group_size_, .digits = digits_, .prefix = "treadle_", .dialect = dialect_};
}

void RadixSortWriter::write_wide_counts() {
  const std::string id = dialect_.local_id, size = number(group_size_);
  code_.declare_local("treadle_index", "treadle_counters", number(digits_ * group_size_));
  open_each_digit();
  code_.assign(rank().counter("treadle_d"), "0");
  code_.close();
  code_.open_for(integer_, "treadle_at", {"treadle_begin + ", id}, "treadle_end", size);
  write_digit();
  code_.evaluate({"++", rank().counter("treadle_digit")});
  code_.close();
  code_.evaluate(dialect_.barrier);
  open_each_digit(id, size);
  code_.declare("treadle_index", "treadle_sum", "0");
  // Each work-item starts at another counter, so that neighbours read from different banks.
  code_.open_for(uint_, "treadle_k", "0", size);
  code_.assign("treadle_sum",
               {"treadle_counters[treadle_d * ", size, " + (treadle_k + treadle_d) % ", size, "]"},
               "+=");
  code_.close();
  code_.assign(number_of("treadle_d"), "treadle_sum");
  code_.close();
}

void RadixSortWriter::write_wide_places() {
  const std::string id = dialect_.local_id, size = number(group_size_);
  const std::string items = number(tiling_.ranked_items);
  const std::string tile = number(group_size_ * tiling_.ranked_items);
  rank().declare(code_);
  code_.declare_local("treadle_index", "treadle_next", number(digits_));
  open_each_digit(id, size);
  code_.assign("treadle_next[treadle_d]", number_of("treadle_d"));
  code_.close();
  code_.open_for(integer_, "treadle_from", "treadle_begin", "treadle_end", tile);
  rank().clear(code_);
  code_.declare_array(uint_, "treadle_digits", items);
  code_.declare_array(uint_, "treadle_ranks", items);
  open_each_item();
  write_digit();
  code_.assign("treadle_digits[treadle_k]", "treadle_digit");
  code_.assign("treadle_ranks[treadle_k]", {rank().counter("treadle_digit"), "++"});
  code_.close();
  code_.evaluate(dialect_.barrier);
  rank().write(code_);
  open_each_item();
  code_.declare("const treadle_index", "i", "(treadle_index)treadle_at");
  code_.declare({"const ", uint_}, "treadle_digit", "treadle_digits[treadle_k]");
  move_to(joined({"treadle_next[treadle_digit] + (treadle_index)(",
                  rank().place("treadle_digit", "treadle_ranks[treadle_k]"), ")"}));
  code_.close();
  code_.evaluate(dialect_.barrier);
  open_each_digit(id, size);
  code_.assign("treadle_next[treadle_d]",
               "(treadle_index)(treadle_starts[treadle_d + 1] - treadle_starts[treadle_d])", "+=");
  code_.close();
  code_.evaluate(dialect_.barrier);
  code_.close();
}

/// Opens a loop over the adjacent elements of a work-item.
void RadixSortWriter::open_each_item() {
  code_.directive("pragma", "unroll");
  code_.open_for(uint_, "treadle_k", "0", number(tiling_.ranked_items));
  code_.declare(
      {"const ", integer_}, "treadle_at",
      {"treadle_from + ", dialect_.local_id, " * ", number(tiling_.ranked_items), " + treadle_k"});
  code_.when("treadle_at >= treadle_end", tree::break_());
}

RadixSortText generate_radix_sort(const RadixSortSnippet& snippet, const Tiling& tiling,
                                  const Dialect& dialect, const TypeNames& types) {
  return RadixSortWriter(snippet, tiling, dialect, types).write();
}

}  // namespace treadle::codegen
