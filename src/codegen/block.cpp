// SPDX-License-Identifier: MIT
#include "block.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "treadle/codegen/element_text.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

/// Work-items that shuffle with each other.
constexpr unsigned sub_group = 32;

constexpr const char* what_tickets_do =
    "// What a group has written is seen by whoever takes a later ticket.";

}  // namespace

BlockField::Shuffle shuffle_of(const DType& dtype) {
  const ScalarKind kind = dtype.kind();
  const bool is_number = kind == ScalarKind::floating
                             ? dtype == Scalar::float32 || dtype == Scalar::float64
                             : kind != ScalarKind::structure && kind != ScalarKind::complex;
  return is_number ? BlockField::Shuffle::whole : BlockField::Shuffle::none;
}

BlockField value_field(std::string name, Scalar dtype, const Dialect& dialect) {
  const bool is_pair = DType(dtype).kind() == ScalarKind::complex;
  return {std::move(name), value_type(dtype, dialect),
          is_pair ? BlockField::Shuffle::parts : BlockField::Shuffle::whole};
}

bool BlockReduce::has_shuffles() const {
  return !dialect.shuffle_down.empty() && lanes_are_adjacent &&
         std::ranges::find(fields, BlockField::Shuffle::none, &BlockField::shuffle) == fields.end();
}

unsigned BlockReduce::shuffled() const { return has_shuffles() ? std::min(depth, sub_group) : 1; }

unsigned BlockReduce::shared_values() const {
  return depth == shuffled() ? 0 : group_size / shuffled();
}

void BlockReduce::declare(TextWriter& text) const {
  if (shared_values() == 0) return;
  for (const BlockField& field : fields)
    text.line({dialect.local, " ", field.type, " ", field.name, "_shared[", number(shared_values()),
               "];"});
}

void BlockReduce::write(TextWriter& text, const std::string& lane) const {
  if (depth == 1) return;
  if (!has_shuffles()) return write_tree(text, lane);
  write_shuffles(text);
  if (depth > shuffled()) write_sub_groups(text, lane);
}

void BlockReduce::write_shuffles(TextWriter& text) const {
  const std::string uint = value_type(Scalar::uint32, dialect);
  text.directive("#pragma unroll");
  text.open({"for (", uint, " step = ", number(shuffled() / 2), "; step > 0; step /= 2)"});
  for (const auto& [name, type, how] : fields) {
    const auto shuffle = [&](const char* part) {
      return fill_holes(dialect.shuffle_down, std::array{name + part, std::string("step")});
    };
    if (how == BlockField::Shuffle::whole) {
      text.line({"const ", type, " ", name, "_other = ", shuffle(""), ";"});
      continue;
    }
    text.line({type, " ", name, "_other;"});
    text.line({name, "_other.x = ", shuffle(".x"), ";"});
    text.line({name, "_other.y = ", shuffle(".y"), ";"});
  }
  combine(text, [](const std::string& name) { return name + "_other"; });
  text.close();
}

void BlockReduce::write_shared(TextWriter& text, const std::string& index) const {
  for (const BlockField& field : fields)
    text.line({field.name, "_shared[", index, "] = ", field.name, ";"});
}

/// The first of each sub-group hands its part over, and the first of all folds them in order.
void BlockReduce::write_sub_groups(TextWriter& text, const std::string& lane) const {
  const std::string uint = value_type(Scalar::uint32, dialect), width = number(sub_group);
  text.open({"if (", lane, " % ", width, " == 0)"});
  write_shared(text, joined({dialect.local_id, " / ", width}));
  text.close();
  text.line({dialect.barrier, ";"});
  text.open({"if (", lane, " == 0)"});
  text.directive("#pragma unroll");
  text.open({"for (", uint, " other = 1; other < ", number(depth / sub_group), "; ++other)"});
  combine(text, [&](const std::string& name) {
    return joined({name, "_shared[", dialect.local_id, " / ", width, " + other]"});
  });
  text.close();
  text.close();
}

void BlockReduce::write_tree(TextWriter& text, const std::string& lane) const {
  const std::string uint = value_type(Scalar::uint32, dialect), me = dialect.local_id;
  write_shared(text, me);
  text.line({dialect.barrier, ";"});
  text.open({"for (", uint, " step = ", number(depth / 2), "; step > 0; step /= 2)"});
  text.open({"if (", lane, " < step)"});
  const std::string distance =
      lanes_are_adjacent ? "step" : joined({"step * ", number(group_size / depth)});
  combine(text, [&](const std::string& name) {
    return joined({name, "_shared[", me, " + ", distance, "]"});
  });
  write_shared(text, me);
  text.close();
  text.line({dialect.barrier, ";"});
  text.close();
}

bool BlockScan::has_shuffles() const {
  return !dialect.shuffle_up.empty() && group_size > sub_group &&
         std::ranges::none_of(fields, [](const Field& field) {
           return field.value.shuffle != BlockField::Shuffle::whole;
         });
}

void BlockScan::declare(TextWriter& text) const {
  if (!has_shuffles() && keeps_arrays) return;
  const std::string suffix = has_shuffles() ? "_sums" : "",
                    size = number(has_shuffles() ? group_size / sub_group : group_size);
  for (const Field& field : fields)
    text.line({dialect.local, " ", field.value.type, " ", field.array, suffix, "[", size, "];"});
}

void BlockScan::open_if(TextWriter& text, const std::string& condition) const {
  text.open(is_there.empty() ? joined({"if (", condition, ")"})
                             : joined({"if (", condition, " && ", is_there, ")"}));
}

void BlockScan::write_arrays(TextWriter& text, const std::string& index,
                             const std::string& suffix) const {
  for (const Field& field : fields)
    text.line({field.array, suffix, "[", index, "] = ", field.value.name, ";"});
}

void BlockScan::write(TextWriter& text) const {
  has_shuffles() ? write_shuffles(text) : write_steps(text);
}

/// Sub-groups by shuffles; then each work-item takes the sums of the sub-groups before its own.
void BlockScan::write_shuffles(TextWriter& text) const {
  const std::string uint = value_type(Scalar::uint32, dialect), me = dialect.local_id,
                    width = number(sub_group), step = prefix + "step", group = prefix + "sub_group";
  const auto other = [](const std::string& name) { return name + "_earlier"; };
  text.directive("#pragma unroll");
  text.open({"for (", uint, " ", step, " = 1; ", step, " < ", width, "; ", step, " *= 2)"});
  for (const Field& field : fields)
    text.line({"const ", field.value.type, " ", other(field.value.name), " = ",
               fill_holes(dialect.shuffle_up, std::array{field.value.name, step}), ";"});
  open_if(text, joined({me, " % ", width, " >= ", step}));
  combine(text, other);
  text.close();
  text.close();
  text.open({"if (", me, " % ", width, " == ", number(sub_group - 1), ")"});
  write_arrays(text, joined({me, " / ", width}), "_sums");
  text.close();
  text.line({dialect.barrier, ";"});
  open_if(text, joined({me, " >= ", width}));
  text.open(
      {"for (", uint, " ", group, " = ", me, " / ", width, "; ", group, " > 0; --", group, ")"});
  combine(text, [&](const std::string& name) {
    const auto of_name = [&](const Field& field) { return field.value.name == name; };
    return joined({std::ranges::find_if(fields, of_name)->array, "_sums[", group, " - 1]"});
  });
  text.close();
  text.close();
  if (!keeps_arrays) return;
  write_arrays(text, me, "");
  text.line({dialect.barrier, ";"});
}

void BlockScan::write_steps(TextWriter& text) const {
  const std::string uint = value_type(Scalar::uint32, dialect), me = dialect.local_id,
                    step = prefix + "step";
  write_arrays(text, me, "");
  text.line({dialect.barrier, ";"});
  if (group_size == 1) return;
  text.open(
      {"for (", uint, " ", step, " = 1; ", step, " < ", number(group_size), "; ", step, " *= 2)"});
  open_if(text, joined({me, " >= ", step}));
  combine(text, [&](const std::string& name) {
    const auto of_name = [&](const Field& field) { return field.value.name == name; };
    return joined({std::ranges::find_if(fields, of_name)->array, "[", me, " - ", step, "]"});
  });
  text.close();
  text.line({dialect.barrier, ";"});
  write_arrays(text, me, "");
  text.line({dialect.barrier, ";"});
  text.close();
}

void BlockRank::declare(TextWriter& text) const {
  text.line({dialect.local, " ", value_type(Scalar::uint16, dialect), " ", prefix, "counters[",
             number(digits * group_size), "];"});
  sums().declare(text);
  text.line({dialect.local, " ", value_type(Scalar::uint32, dialect), " ", prefix, "starts[",
             number(digits + 1), "];"});
}

void BlockRank::open_each_digit(TextWriter& text) const {
  text.open({"for (", value_type(Scalar::uint32, dialect), " ", prefix, "d = 0; ", prefix, "d < ",
             number(digits), "; ", prefix, "d += 1)"});
}

void BlockRank::clear(TextWriter& text) const {
  open_each_digit(text);
  text.line({counter(prefix + "d"), " = 0;"});
  text.close();
}

std::string BlockRank::counter(std::string_view digit) const {
  return joined(
      {prefix, "counters[", digit, " * ", number(group_size), " + ", dialect.local_id, "]"});
}

std::string BlockRank::place(std::string_view digit, std::string_view rank) const {
  return joined({counter(digit), " + ", rank, " - ", prefix, "starts[", digit, "]"});
}

BlockScan BlockRank::sums() const {
  const std::string before = prefix + "before";
  return {.fields = {{{before, value_type(Scalar::uint32, dialect)}, prefix + "sums"}},
          .combine =
              [before](TextWriter& text, const BlockScan::Earlier& earlier) {
                text.line({before, " += ", earlier(before), ";"});
              },
          .group_size = group_size,
          .is_there = {},
          .prefix = prefix,
          .dialect = dialect,
          .keeps_arrays = false};
}

void BlockRank::write(TextWriter& text) const {
  const std::string uint = value_type(Scalar::uint32, dialect), id = dialect.local_id,
                    size = number(group_size), own = number(digits), &p = prefix;
  text.line({uint, " ", p, "sum = 0;"});
  open_each_digit(text);
  text.line({p, "sum += ", p, "counters[", id, " * ", own, " + ", p, "d];"});
  text.close();
  text.line({uint, " ", p, "before = ", p, "sum;"});
  sums().write(text);
  text.line(
      {"if (", id, " == ", number(group_size - 1), ") ", p, "starts[", own, "] = ", p, "before;"});
  text.line({p, "before -= ", p, "sum;"});
  open_each_digit(text);
  text.line({"const ", uint, " ", p, "c = ", id, " * ", own, " + ", p, "d;"});
  text.line({"const ", uint, " ", p, "count = ", p, "counters[", p, "c];"});
  text.line({p, "counters[", p, "c] = (", value_type(Scalar::uint16, dialect), ")", p, "before;"});
  text.line(
      {"if (", p, "c % ", size, " == 0) ", p, "starts[", p, "c / ", size, "] = ", p, "before;"});
  text.line({p, "before += ", p, "count;"});
  text.close();
  text.line({dialect.barrier, ";"});
}

void HandOver::declare(TextWriter& text) const {
  text.line({dialect.local, " ", uint, " ticket;"});
}

void HandOver::write(TextWriter& text) const {
  text.line(what_tickets_do);
  text.line({dialect.fence, ";"});
  text.line({dialect.barrier, ";"});
  text.line(
      {"if (", dialect.local_id, " == 0) ticket = ", dialect.atomic_add, "(tickets + tile, 1u);"});
  text.line({dialect.barrier, ";"});
  text.line({dialect.fence, ";"});
  text.line({"const ", uint, " count = ticket == splits - 1 ? splits : 0;"});
}

void HandOver::put_back(TextWriter& text) const {
  text.line({"if (count > 0 && ", dialect.local_id, " == 0) tickets[tile] = 0;"});
}

void HandOver::open_last(TextWriter& text) const {
  text.line(what_tickets_do);
  text.line({dialect.fence, ";"});
  text.open({"if (", dialect.atomic_add, "(tickets + tile, 1u) == splits - 1)"});
  text.line({dialect.fence, ";"});
  text.line("tickets[tile] = 0;");
}

}  // namespace treadle::codegen
