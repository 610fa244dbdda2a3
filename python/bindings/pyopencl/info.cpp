// SPDX-License-Identifier: MIT
#include "pyopencl/info.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cctype>
#include <type_traits>

#include "pyopencl/classes.hpp"
#include "treadle/opencl/enums.hpp"

namespace treadle::bindings::cl {
namespace {

nb::object bytes_of(const opencl::Bytes& bytes) { return nb::bytes(bytes.data(), bytes.size()); }

// One conversion for each alternative of InfoValue.
struct Converter {
  const std::shared_ptr<const opencl::Table>& table;

  nb::object operator()(std::uint64_t value) const { return nb::int_(value); }
  nb::object operator()(std::int64_t value) const { return nb::int_(value); }
  nb::object operator()(bool value) const { return nb::int_(value ? 1 : 0); }
  nb::object operator()(const std::string& value) const { return nb::cast(value); }
  nb::object operator()(const std::vector<std::uint64_t>& values) const { return nb::cast(values); }
  nb::object operator()(const std::vector<opencl::NameVersion>& values) const {
    nb::list list;
    for (const opencl::NameVersion& value : values) list.append(nb::cast(value));
    return list;
  }
  nb::object operator()(const opencl::Bytes& value) const { return bytes_of(value); }
  nb::object operator()(const std::vector<opencl::Bytes>& values) const {
    nb::list list;
    for (const opencl::Bytes& value : values) list.append(bytes_of(value));
    return list;
  }
  nb::object operator()(opencl::RawPlatform raw) const {
    return make_platform(opencl::Loader::system().platform(raw));
  }
  nb::object operator()(opencl::RawDevice raw) const {
    if (raw == nullptr) return nb::none();
    return make_device(opencl::Device(table, raw, opencl::Ownership::retain));
  }
  nb::object operator()(const std::vector<opencl::RawDevice>& raws) const {
    nb::list list;
    for (opencl::RawDevice raw : raws) list.append((*this)(raw));
    return list;
  }
  nb::object operator()(opencl::RawContext raw) const {
    return make_context(opencl::Context(table, raw, opencl::Ownership::retain));
  }
  nb::object operator()(opencl::RawQueue raw) const {
    if (raw == nullptr) return nb::none();
    return make_queue(opencl::Queue(table, raw, opencl::Ownership::retain));
  }
  nb::object operator()(opencl::RawProgram raw) const {
    return make_program(opencl::Program(table, raw, opencl::Ownership::retain));
  }
  nb::object operator()(opencl::RawMemory raw) const {
    if (raw == nullptr) return nb::none();
    return make_memory(opencl::MemoryObject(table, raw, opencl::Ownership::retain));
  }
};

std::string_view error_constant(int code) { return opencl::enum_name("status_code", code); }

nb::dict group_as_dict(const opencl::EnumGroup& group) {
  nb::dict members;
  for (const opencl::EnumValue& value : group.values)
    members[nb::str(value.name.data(), value.name.size())] = nb::int_(value.value);
  return members;
}

}  // namespace

nb::object to_python(const std::shared_ptr<const opencl::Table>& table,
                     const opencl::InfoValue& value) {
  return std::visit(Converter{table}, value);
}

const opencl::EnumGroup& constants_of(std::string_view group) {
  for (const opencl::EnumGroup& known : opencl::enum_groups())
    if (known.name == group) return known;
  throw InvalidArgument("there is no group of constants " + std::string(group));
}

std::string attribute_name(std::string_view constant) {
  std::string name(constant);
  for (char& letter : name)
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return name;
}

void bind_constants(nb::module_& m) {
  m.def(
      "_constants",
      [] {
        nb::dict groups;
        for (const opencl::EnumGroup& group : opencl::enum_groups())
          groups[nb::str(group.name.data(), group.name.size())] =
              nb::make_tuple(group.is_bitfield, group_as_dict(group));
        return groups;
      },
      "{name of the class: (is a bit field, {constant: number})}");
  m.def(
      "_error_name",
      [](int code) {
        const std::string_view name = error_constant(code);
        return name.empty() ? "unknown error " + std::to_string(code) : std::string(name);
      },
      nb::arg("code"), "\"INVALID_VALUE\" for -30.");
}

}  // namespace treadle::bindings::cl
