// SPDX-License-Identifier: MIT
#include "family_code.hpp"

#include <utility>

#include "treadle/codegen/element_text.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

/// The language's own names, and those of complex elements.
TypeNames element_types(const Dialect& dialect) {
  TypeNames types(dialect);
  for (const Scalar pair : {Scalar::complex64, Scalar::complex128})
    types.add(stored_type(pair, dialect), pair);
  return types;
}

}  // namespace

FamilyCode::FamilyCode(std::string name, std::string_view what, Schedule schedule,
                       unsigned group_size, const Dialect& dialect)
    : dialect(dialect),
      types(element_types(dialect)),
      integer(types.name_of(Scalar::int64)),
      uint(types.name_of(Scalar::uint32)),
      size(number(group_size)),
      made_{.name = std::move(name), .text = {}, .group_size = group_size, .kernels = {}} {
  code.comment(
      {made_.name, ", made by treadle's ", what, ": ", schedule_name(schedule), " schedule"});
}

FamilyCode::FamilyCode(std::string name, std::string_view what, const Tiling& tiling,
                       const Dialect& dialect)
    : FamilyCode(std::move(name), what, tiling.schedule, tiling.group_size, dialect) {}

void FamilyCode::open_kernel(std::string_view name, std::string_view declared) {
  made_.kernels.push_back(
      {std::string(name),
       parse_parameters(declared, types, dialect.has_addresses ? Offsets::none : Offsets::passed)});
  const std::vector<ParameterSpec>& parameters = made_.kernels.back().parameters;
  tree::Parts list;
  for (const ParameterSpec& parameter : parameters) append_parameter(list, parameter, types);
  code.blank();
  code.open_kernel(name, std::move(list), made_.group_size);
  define_pointers(code, parameters, types);
}

void FamilyCode::open_each(std::string_view end) {
  code.open_for(uint, "treadle_k", dialect.local_id, end, size);
}

void FamilyCode::open_loads(std::string_view count) {
  code.directive("pragma", "unroll");
  code.open_for(uint, "treadle_q", "0", count);
}

FamilyText FamilyCode::take() {
  made_.program = code.take();
  made_.text = printed(made_.program, dialect);
  return std::move(made_);
}

}  // namespace treadle::codegen
