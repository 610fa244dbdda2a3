// SPDX-License-Identifier: MIT
#include "space_text.hpp"

#include "program.hpp"
#include "words.hpp"

namespace treadle::codegen {

std::string space_name(const SpaceParameter& parameter, const std::string& operand,
                       const std::string& prefix) {
  using What = SpaceParameter::What;
  const std::string axis = number(parameter.axis);
  switch (parameter.what) {
    case What::count:
      return prefix + "n";
    case What::inner:
      return prefix + "inner";
    case What::second:
      return prefix + "second";
    case What::extent:
      return prefix + "extent" + axis;
    case What::extent_divider:
      return prefix + "divider" + axis;
    case What::pieces:
      return prefix + "pieces";
    case What::row_pieces:
      return prefix + "row_pieces";
    case What::row_divider:
      return prefix + "row_divider";
    case What::column_pieces:
      return prefix + "column_pieces";
    case What::column_divider:
      return prefix + "column_divider";
    case What::piece:
      return prefix + "piece_length";
    case What::group_pieces:
      return prefix + "group_pieces";
    case What::lanes_log2:
      return prefix + "lanes_log2";
    case What::stride:
      return joined({operand, "_", prefix, "stride", axis});
    case What::second_stride:
      return joined({operand, "_", prefix, "second"});
    case What::inner_stride:
      return joined({operand, "_", prefix, "step"});
  }
  return {};
}

void write_divided(tree::BlockBuilder& code, const Dialect& dialect, const TypeNames& types) {
  const std::string uint = types.name_of(Scalar::uint32);
  code.comment("Exact for dividends below 2^31 (Granlund and Montgomery 1994).");
  code.open_function(called_function(
      uint, "divided",
      {tree::value(uint, "dividend"), tree::value(types.name_of(Scalar::uint64), "divider")}));
  code.return_value({"(", dialect.high_product, "(dividend, (", uint, ")divider) + dividend) >> (",
                     uint, ")(divider >> 32)"});
  code.close();
  code.blank();
}

void IndexText::write(tree::BlockBuilder& code, const std::string& position, unsigned axes) const {
  const auto name = [&](const char* what, unsigned axis) {
    return joined({prefix, what, number(axis)});
  };
  std::string rest = position;
  for (unsigned axis = axes; axis-- > 1;) {
    const std::string next = axis == 1 ? name("index", 0) : name("rest", axis);
    const std::string quotient = divides_by_operator
                                     ? joined({rest, " / ", name("extent", axis)})
                                     : joined({"divided(", rest, ", ", name("divider", axis), ")"});
    code.declare({"const ", integer}, next, quotient);
    code.declare({"const ", integer}, name("index", axis),
                 {rest, " - ", next, " * ", name("extent", axis)});
    rest = next;
  }
  if (axes == 1) code.declare({"const ", integer}, name("index", 0), position);
}

std::string IndexText::offset(const std::string& operand, unsigned axes) const {
  std::string sum;
  for (unsigned axis = 0; axis < axes; ++axis) {
    const std::string i = number(axis);
    sum += joined(
        {axis == 0 ? "" : " + ", prefix, "index", i, " * ", operand, "_", prefix, "stride", i});
  }
  return sum;
}

}  // namespace treadle::codegen
