// SPDX-License-Identifier: MIT
// Which arguments a parameter takes, by what the platform says of its type. What is refused here
// ends the process on some platforms: they take any eight bytes for a handle.
#include <algorithm>
#include <array>
#include <string_view>

#include "opencl/kernel_state.hpp"

namespace treadle::opencl {
namespace {

using Kind = ArgumentView::Kind;

constexpr KindSet every_kind = static_cast<KindSet>(~0u);

constexpr KindSet any_of(std::initializer_list<Kind> kinds) {
  KindSet set = set_of(Kind::bytes);
  for (const Kind kind : kinds) set = static_cast<KindSet>(set | set_of(kind));
  return set;
}

/// Whether `type` is a number's, or a vector's of numbers: "float", "unsigned int", "uint4".
bool is_number(std::string_view type) {
  constexpr std::array names{
      std::string_view("bool"),      std::string_view("char"),      std::string_view("uchar"),
      std::string_view("short"),     std::string_view("ushort"),    std::string_view("int"),
      std::string_view("uint"),      std::string_view("long"),      std::string_view("ulong"),
      std::string_view("half"),      std::string_view("float"),     std::string_view("double"),
      std::string_view("size_t"),    std::string_view("ptrdiff_t"), std::string_view("intptr_t"),
      std::string_view("uintptr_t"),
  };
  if (type.starts_with("unsigned ")) type.remove_prefix(9);
  if (const std::size_t end = type.find_last_not_of("0123456789"); end != type.npos)
    type = type.substr(0, end + 1);
  return std::ranges::find(names, type) != names.end();
}

bool is_image(std::string_view type) {
  return type.starts_with("image") && type.ends_with("_t") && type.size() > 7 &&
         (type.substr(5, 2) == "1d" || type.substr(5, 2) == "2d" || type.substr(5, 2) == "3d");
}

/// Of a parameter that points nowhere. Another name of a type may be a sampler's, or an image's.
KindSet kinds_of_private(std::string_view type) {
  if (type == "sampler_t") return any_of({Kind::sampler});
  if (is_number(type)) return any_of({Kind::value});
  return static_cast<KindSet>(every_kind &
                              ~(set_of(Kind::buffer) | set_of(Kind::local) | set_of(Kind::svm)));
}

}  // namespace

KindSet accepted_kinds(const KernelParameter& parameter) {
  if (parameter.type.empty()) return every_kind;
  if (has(parameter.qualifiers, KernelArgTypeQualifier::pipe)) return any_of({Kind::pipe});
  // Their address space is the global one.
  if (parameter.access != KernelArgAccessQualifier::none || is_image(parameter.type))
    return any_of({Kind::image});
  switch (parameter.address) {
    case KernelArgAddressQualifier::global:
    case KernelArgAddressQualifier::constant:
      return any_of({Kind::buffer, Kind::svm, Kind::null});
    case KernelArgAddressQualifier::local:
      return any_of({Kind::local});
    case KernelArgAddressQualifier::private_:
      break;
  }
  return kinds_of_private(parameter.type);
}

}  // namespace treadle::opencl
