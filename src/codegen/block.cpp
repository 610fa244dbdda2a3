// SPDX-License-Identifier: MIT
#include "block.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "treadle/codegen/element_text.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

constexpr const char* what_tickets_do =
    "What a group has written is seen by whoever takes a later ticket.";

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

void BlockReduce::declare(tree::BlockBuilder& code) const {
  if (shared_values() == 0) return;
  for (const BlockField& field : fields)
    code.declare_local(field.type, {field.name, "_shared"}, number(shared_values()));
}

void BlockReduce::write(tree::BlockBuilder& code, const std::string& lane) const {
  if (depth == 1) return;
  if (!has_shuffles()) return write_tree(code, lane);
  write_shuffles(code, shuffled());
  if (depth <= shuffled()) return;
  if (depth_of_group.empty()) return write_sub_groups(code, lane);
  code.open_if({depth_of_group, " > ", number(sub_group)});
  write_sub_groups(code, lane);
  code.close();
}

std::string BlockReduce::first_step(unsigned count) const {
  const std::string half = number(count / 2);
  if (depth_of_group.empty()) return half;
  if (count == depth) return depth_of_group + " / 2";
  return joined({depth_of_group, " < ", number(count), " ? ", depth_of_group, " / 2 : ", half});
}

void BlockReduce::write_shuffles(tree::BlockBuilder& code, unsigned count) const {
  const std::string uint = value_type(Scalar::uint32, dialect);
  code.directive("pragma", "unroll");
  code.open_loop(tree::initialize(tree::value(uint, "step"), first_step(count)), "step > 0",
                 "step /= 2");
  for (const auto& [name, type, how] : fields) {
    const auto shuffle = [&](const char* part) {
      return fill_holes(dialect.shuffle_down, std::array{name + part, std::string("step")});
    };
    if (how == BlockField::Shuffle::whole) {
      code.declare({"const ", type}, {name, "_other"}, shuffle(""));
      continue;
    }
    code.declare(type, {name, "_other"});
    code.assign({name, "_other.x"}, shuffle(".x"));
    code.assign({name, "_other.y"}, shuffle(".y"));
  }
  combine(code, [](const std::string& name) { return name + "_other"; });
  code.close();
}

void BlockReduce::write_shared(tree::BlockBuilder& code, const std::string& index) const {
  for (const BlockField& field : fields)
    code.assign({field.name, "_shared[", index, "]"}, field.name);
}

/// The first work-item of each sub-group stores its part in local memory. The first work-item of
/// the result folds these parts in order, or the first sub-group, by shuffles, where they are many.
void BlockReduce::write_sub_groups(tree::BlockBuilder& code, const std::string& lane) const {
  const std::string uint = value_type(Scalar::uint32, dialect), width = number(sub_group);
  code.open_if({lane, " % ", width, " == 0"});
  write_shared(code, joined({dialect.local_id, " / ", width}));
  code.close();
  code.evaluate(dialect.barrier);
  const unsigned parts = depth / sub_group;
  if (depth_of_group.empty() && parts > parts_in_order && depth == group_size) {
    code.open_if({lane, " < ", width});
    for (const BlockField& field : fields)
      code.assign(field.name, {field.name, "_shared[", lane, " % ", number(parts), "]"});
    write_shuffles(code, parts);
    return code.close();
  }
  code.open_if({lane, " == 0"});
  code.directive("pragma", "unroll");
  code.open_for(uint, "other", "1", number(parts));
  combine(code, [&](const std::string& name) {
    return joined({name, "_shared[", dialect.local_id, " / ", width, " + other]"});
  });
  code.close();
  code.close();
}

void BlockReduce::write_tree(tree::BlockBuilder& code, const std::string& lane) const {
  const std::string uint = value_type(Scalar::uint32, dialect), me = dialect.local_id;
  write_shared(code, me);
  code.evaluate(dialect.barrier);
  code.open_loop(tree::initialize(tree::value(uint, "step"), first_step(depth)), "step > 0",
                 "step /= 2");
  code.open_if({lane, " < step"});
  const std::string distance =
      lanes_are_adjacent ? "step" : joined({"step * ", number(group_size / depth)});
  combine(code, [&](const std::string& name) {
    return joined({name, "_shared[", me, " + ", distance, "]"});
  });
  write_shared(code, me);
  code.close();
  code.evaluate(dialect.barrier);
  code.close();
}

bool BlockScan::has_shuffles() const {
  return !dialect.shuffle_up.empty() && group_size > sub_group &&
         std::ranges::none_of(fields, [](const Field& field) {
           return field.value.shuffle != BlockField::Shuffle::whole;
         });
}

void BlockScan::declare(tree::BlockBuilder& code) const {
  if (!has_shuffles() && keeps_arrays) return;
  const std::string suffix = has_shuffles() ? "_sums" : "",
                    size = number(has_shuffles() ? group_size / sub_group : group_size);
  for (const Field& field : fields)
    code.declare_local(field.value.type, {field.array, suffix}, size);
}

void BlockScan::open_if(tree::BlockBuilder& code, const std::string& condition) const {
  code.open_if(is_there.empty() ? tree::Part(condition)
                                : tree::Part({condition, " && ", is_there}));
}

void BlockScan::write_arrays(tree::BlockBuilder& code, const std::string& index,
                             const std::string& suffix) const {
  for (const Field& field : fields)
    code.assign({field.array, suffix, "[", index, "]"}, field.value.name);
}

void BlockScan::write(tree::BlockBuilder& code) const {
  has_shuffles() ? write_shuffles(code) : write_steps(code);
}

/// Scans sub-groups by shuffles; then each work-item adds the sums of the sub-groups before its
/// own.
void BlockScan::write_shuffles(tree::BlockBuilder& code) const {
  const std::string uint = value_type(Scalar::uint32, dialect), me = dialect.local_id,
                    width = number(sub_group), step = prefix + "step", group = prefix + "sub_group";
  const auto other = [](const std::string& name) { return name + "_earlier"; };
  code.directive("pragma", "unroll");
  code.open_loop(tree::initialize(tree::value(uint, step), "1"), {step, " < ", width},
                 {step, " *= 2"});
  for (const Field& field : fields)
    code.declare({"const ", field.value.type}, other(field.value.name),
                 shuffled_up(field.value.name, step, dialect));
  open_if(code, joined({me, " % ", width, " >= ", step}));
  combine(code, other);
  code.close();
  code.close();
  code.open_if({me, " % ", width, " == ", number(sub_group - 1)});
  write_arrays(code, joined({me, " / ", width}), "_sums");
  code.close();
  code.evaluate(dialect.barrier);
  open_if(code, joined({me, " >= ", width}));
  code.open_loop(tree::initialize(tree::value(uint, group), {me, " / ", width}), {group, " > 0"},
                 {"--", group});
  combine(code, [&](const std::string& name) {
    const auto of_name = [&](const Field& field) { return field.value.name == name; };
    return joined({std::ranges::find_if(fields, of_name)->array, "_sums[", group, " - 1]"});
  });
  code.close();
  code.close();
  if (!keeps_arrays) return;
  write_arrays(code, me, "");
  code.evaluate(dialect.barrier);
}

void BlockScan::write_steps(tree::BlockBuilder& code) const {
  const std::string uint = value_type(Scalar::uint32, dialect), me = dialect.local_id,
                    step = prefix + "step";
  write_arrays(code, me, "");
  code.evaluate(dialect.barrier);
  if (group_size == 1) return;
  code.open_loop(tree::initialize(tree::value(uint, step), "1"), {step, " < ", number(group_size)},
                 {step, " *= 2"});
  open_if(code, joined({me, " >= ", step}));
  combine(code, [&](const std::string& name) {
    const auto of_name = [&](const Field& field) { return field.value.name == name; };
    return joined({std::ranges::find_if(fields, of_name)->array, "[", me, " - ", step, "]"});
  });
  code.close();
  code.evaluate(dialect.barrier);
  write_arrays(code, me, "");
  code.evaluate(dialect.barrier);
  code.close();
}

std::string shuffled_up(const std::string& value, const std::string& by, const Dialect& dialect) {
  return fill_holes(dialect.shuffle_up, std::array{value, by});
}

std::string added_atomically(const std::string& place, const std::string& value,
                             const Dialect& dialect, bool is_wide) {
  return joined({is_wide ? dialect.add_word : dialect.atomic_add, "(", place, ", ", value, ")"});
}

bool SubGroupFold::fits(unsigned group_size, const Dialect& dialect) {
  return !dialect.shuffle_down.empty() && group_size % sub_group == 0;
}
std::string SubGroupFold::width() { return number(sub_group); }

void SubGroupFold::write(tree::BlockBuilder& code) const {
  const std::string uint = value_type(Scalar::uint32, dialect), me = dialect.local_id;
  const auto other = [](const std::string& name) { return name + "_later"; };
  code.directive("pragma", "unroll");
  code.open_loop(tree::initialize(tree::value(uint, "treadle_step"), "1"),
                 {"treadle_step < ", width()}, "treadle_step *= 2");
  for (const BlockField& field : fields)
    code.declare(
        {"const ", field.type}, other(field.name),
        fill_holes(dialect.shuffle_down, std::array{field.name, std::string("treadle_step")}));
  code.open_if({me, " % (2 * treadle_step) == 0 && ", me, " + treadle_step < ", count});
  combine(code, other);
  code.close();
  code.close();
}

void BlockRank::declare(tree::BlockBuilder& code) const {
  code.declare_local(value_type(Scalar::uint16, dialect), {prefix, "counters"},
                     number(digits * group_size));
  sums().declare(code);
  code.declare_local(value_type(Scalar::uint32, dialect), {prefix, "starts"}, number(digits + 1));
}

void BlockRank::open_each_digit(tree::BlockBuilder& code) const {
  code.open_for(value_type(Scalar::uint32, dialect), joined({prefix, "d"}), "0", number(digits),
                "1");
}

void BlockRank::clear(tree::BlockBuilder& code) const {
  open_each_digit(code);
  code.assign(counter(prefix + "d"), "0");
  code.close();
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
              [before](tree::BlockBuilder& code, const BlockScan::Earlier& earlier) {
                code.assign(before, earlier(before), "+=");
              },
          .group_size = group_size,
          .is_there = {},
          .prefix = prefix,
          .dialect = dialect,
          .keeps_arrays = false};
}

void BlockRank::write(tree::BlockBuilder& code) const {
  const std::string uint = value_type(Scalar::uint32, dialect), id = dialect.local_id,
                    size = number(group_size), own = number(digits), &p = prefix;
  code.declare(uint, {p, "sum"}, "0");
  open_each_digit(code);
  code.assign({p, "sum"}, {p, "counters[", id, " * ", own, " + ", p, "d]"}, "+=");
  code.close();
  code.declare(uint, {p, "before"}, {p, "sum"});
  sums().write(code);
  code.when({id, " == ", number(group_size - 1)},
            tree::assign({p, "starts[", own, "]"}, {p, "before"}));
  code.assign({p, "before"}, {p, "sum"}, "-=");
  open_each_digit(code);
  code.declare({"const ", uint}, {p, "c"}, {id, " * ", own, " + ", p, "d"});
  code.declare({"const ", uint}, {p, "count"}, {p, "counters[", p, "c]"});
  code.assign({p, "counters[", p, "c]"},
              {"(", value_type(Scalar::uint16, dialect), ")", p, "before"});
  code.when({p, "c % ", size, " == 0"},
            tree::assign({p, "starts[", p, "c / ", size, "]"}, {p, "before"}));
  code.assign({p, "before"}, {p, "count"}, "+=");
  code.close();
  code.evaluate(dialect.barrier);
}

void HandOver::declare(tree::BlockBuilder& code) const { code.declare_local(uint, "ticket"); }

void HandOver::write(tree::BlockBuilder& code) const {
  code.comment(what_tickets_do);
  code.evaluate(dialect.fence);
  code.evaluate(dialect.barrier);
  code.when({dialect.local_id, " == 0"},
            tree::assign("ticket", added_atomically("tickets + tile", "1u", dialect)));
  code.evaluate(dialect.barrier);
  code.evaluate(dialect.fence);
  code.declare({"const ", uint}, "count", "ticket == splits - 1 ? splits : 0");
}

void HandOver::put_back(tree::BlockBuilder& code) const {
  code.when({"count > 0 && ", dialect.local_id, " == 0"}, tree::assign("tickets[tile]", "0"));
}

void HandOver::open_last(tree::BlockBuilder& code) const {
  code.comment(what_tickets_do);
  code.evaluate(dialect.fence);
  code.open_if({added_atomically("tickets + tile", "1u", dialect), " == splits - 1"});
  code.evaluate(dialect.fence);
  code.assign("tickets[tile]", "0");
}

}  // namespace treadle::codegen
