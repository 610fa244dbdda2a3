// SPDX-License-Identifier: MIT
#include "native/tree_layout.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "native/promotion.hpp"
#include "native/tree_making.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/tree_builders.hpp"

namespace treadle::bindings {
namespace {

using namespace nb::literals;

using Struct = Class<struct StructTag, Declarator>;
using GenerableStruct = Class<struct GenerableStructTag, Struct>;

bool is_pointer(const tree::Node& node) {
  const std::string_view before = node.kind() == Kind::around ? node.part(2).text() : "";
  return before.starts_with('*') || before.starts_with('&');
}

bool is_padded(const tree::Node& node) {
  const auto* const ours = dynamic_cast<const PythonNode*>(&node);
  return ours != nullptr && ours->extra.is_valid() &&
         nb::cast<std::size_t>(ours->extra["pad_bytes"]) > 0;
}

// The members of a structure, without padding.
std::span<const Part> fields_of(const tree::Node& node) {
  const std::span<const Part> all = node.list();
  return is_padded(node) ? all.first(all.size() - 1) : all;
}

const tree::Node& declarator_in(const Part& part) {
  if (part.node() == nullptr)
    throw InvalidArgument(
        "a member of a structure is the text \"" + std::string(part.text()) + "\"",
        "use a declarator: POD, ArrayOf, GenerableStruct ...");
  return *part.node();
}

[[noreturn]] void refuse_member(const tree::Node& node) {
  throw DTypeError("\"" + inline_lines(node) + "\" has no size that Treadle knows",
                   "use POD, CLVectorPOD, Pointer, ArrayOf or GenerableStruct in structures");
}

std::size_t count_of(const tree::Node& array) {
  const std::string text(array.part(1).text());
  if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos)
    refuse_member(array);
  return std::stoul(text);
}

std::size_t vector_count(const tree::Node& node) {
  return node.part(1).is_empty() ? 1 : std::stoul(std::string(node.part(1).text()));
}

std::size_t aligned(std::size_t bytes, std::size_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

nb::object python_struct() { return nb::module_::import_("struct"); }

void write_bytes(std::string& bytes, std::size_t at, const nb::object& packed) {
  const auto text = nb::cast<nb::bytes>(packed);
  bytes.replace(at, text.size(), text.c_str(), text.size());
}

std::string member_name(const tree::Node& node) {
  if (node.kind() == Kind::structure) return std::string(node.part(4).text());
  if (node.kind() == Kind::value) return std::string(node.part(1).text());
  if (node.kind() == Kind::scalar) return std::string(node.part(0).text());
  const Part* const inner = inner_of(node);
  if (inner == nullptr) refuse_member(node);
  return member_name(declarator_in(*inner));
}

void pack_members(const tree::Node& node, nb::handle values, bool with_defaults, std::string& bytes,
                  std::size_t start) {
  const nb::dict left = nb::steal<nb::dict>(PyDict_Copy(nb::cast<nb::dict>(values).ptr()));
  std::size_t at = start;
  std::string names;
  for (const Part& part : fields_of(node)) {
    const tree::Node& member = declarator_in(part);
    const std::string name = member_name(member);
    names += (names.empty() ? "" : ", ") + name;
    at = aligned(at, alignment_of(member));
    const nb::str key(name.c_str());
    if (left.contains(key)) {
      pack_value(member, left[key], bytes, at);
      PyDict_DelItem(left.ptr(), key.ptr());
    } else if (!with_defaults) {
      throw nb::type_error(("make() misses a value of the member " + name).c_str());
    }
    at += size_of(member);
  }
  if (nb::len(left) > 0)
    throw nb::type_error(("the structure has no member " +
                          nb::cast<std::string>(nb::str((*left.begin()).first)) + ": it has " +
                          names)
                             .c_str());
}

nb::bytes packed(const PythonNode& node, const nb::kwargs& values, bool with_defaults) {
  std::string bytes(nb::cast<std::size_t>(node.extra["bytes"]), '\0');
  pack_members(node, values, with_defaults, bytes, 0);
  return nb::bytes(bytes.data(), bytes.size());
}

std::size_t end_of_members(std::span<const Part> fields) {
  std::size_t at = 0;
  for (const Part& part : fields) {
    const tree::Node& member = declarator_in(part);
    at = aligned(at, alignment_of(member)) + size_of(member);
  }
  return at;
}

void make_structure(PythonNode* self, const std::optional<std::string>& type, Parts fields,
                    const std::optional<std::string>& name, std::size_t pad_bytes) {
  if (pad_bytes > 0)
    fields.push_back(Part(tree::make_node<tree::Node>(
        Kind::value, Parts{"unsigned char", "_cgen_pad[" + std::to_string(pad_bytes) + "]"})));
  self->parts()[0] = "struct";
  self->parts()[1] = Part(type.value_or(""));
  self->parts()[4] = Part(name.value_or(""));
  self->list() = std::move(fields);
  self->extra = nb::dict();
  self->extra["pad_bytes"] = pad_bytes;
}

void fill_up(PythonNode& self, Parts fields, const std::optional<std::string>& type,
             const std::optional<std::string>& name, std::optional<std::size_t> align_bytes,
             nb::handle aligned_prime_to) {
  std::size_t natural = 1;
  for (const Part& part : fields) natural = std::max(natural, alignment_of(declarator_in(part)));
  const std::size_t alignment = align_bytes.value_or(natural);
  if (alignment == 0 || alignment % natural != 0)
    throw InvalidArgument("align_bytes=" + std::to_string(alignment) +
                              " of a structure whose members need " + std::to_string(natural),
                          "pass a multiple of what they need, or nothing");
  const std::size_t end = end_of_members(fields);
  std::size_t bytes = std::max(alignment, aligned(end, alignment));
  std::vector<std::size_t> primes;
  for (nb::handle one : aligned_prime_to) primes.push_back(nb::cast<std::size_t>(one));
  const auto is_prime_to_all = [&] {
    return std::ranges::all_of(
        primes, [&](std::size_t prime) { return std::gcd(bytes / alignment, prime) == 1; });
  };
  if (std::ranges::any_of(primes, [](std::size_t prime) { return prime == 0; }))
    throw InvalidArgument("aligned_prime_to with a zero", "pass numbers above zero");
  while (!is_prime_to_all()) bytes += alignment;
  std::string format;
  for (const Part& part : fields) format += format_of(declarator_in(part));
  if (bytes > end) format += std::to_string(bytes - end) + "x";
  make_structure(&self, type, std::move(fields), name, bytes - end);
  self.extra["align_bytes"] = alignment;
  self.extra["aligned_prime_to"] = nb::tuple(aligned_prime_to);
  self.extra["format"] = nb::str(format.c_str());
  self.extra["bytes"] = bytes;
}

}  // namespace

const Part* inner_of(const tree::Node& node) {
  switch (node.kind()) {
    case Kind::around:
      return &node.part(4);
    case Kind::array:
    case Kind::function:
      return &node.part(0);
    case Kind::template_of:
      return &node.part(1);
    default:
      return nullptr;
  }
}

std::string format_of(const tree::Node& node) {
  if (is_pointer(node)) return "P";
  switch (node.kind()) {
    case Kind::scalar: {
      const std::string code = nb::cast<std::string>(numpy_dtype(node.scalar).attr("char"));
      return node.part(1).is_empty() ? code : std::string(node.part(1).text()) + code;
    }
    case Kind::array: {
      const Part* const inner = inner_of(node);
      if (node.part(1).is_empty()) return "P";
      return std::string(node.part(1).text()) + format_of(declarator_in(*inner));
    }
    case Kind::structure: {
      std::string format;
      for (const Part& part : fields_of(node)) format += format_of(declarator_in(part));
      return format;
    }
    default:
      break;
  }
  const Part* const inner = inner_of(node);
  if (inner == nullptr || node.kind() == Kind::function) refuse_member(node);
  return format_of(declarator_in(*inner));
}

std::size_t size_of(const tree::Node& node) {
  if (is_pointer(node) || (node.kind() == Kind::array && node.part(1).is_empty()))
    return sizeof(void*);
  switch (node.kind()) {
    case Kind::scalar: {
      const std::size_t count = vector_count(node);
      return DType(node.scalar).size_bytes() * (count == 3 ? 4 : count);
    }
    case Kind::array:
      return count_of(node) * size_of(declarator_in(node.part(0)));
    case Kind::structure: {
      const std::size_t end = end_of_members(node.list());
      return aligned(end, alignment_of(node));
    }
    default:
      break;
  }
  const Part* const inner = inner_of(node);
  if (inner == nullptr || node.kind() == Kind::function) refuse_member(node);
  return size_of(declarator_in(*inner));
}

std::size_t alignment_of(const tree::Node& node) {
  if (is_pointer(node)) return sizeof(void*);
  switch (node.kind()) {
    case Kind::scalar: {
      const bool is_complex = DType(node.scalar).kind() == ScalarKind::complex;
      return is_complex ? DType(node.scalar).size_bytes() / 2 : size_of(node);
    }
    case Kind::structure: {
      const auto* const ours = dynamic_cast<const GenerableStruct*>(&node);
      if (ours != nullptr && ours->extra.is_valid() &&
          nb::cast<nb::dict>(ours->extra).contains("align_bytes"))
        return nb::cast<std::size_t>(ours->extra["align_bytes"]);
      std::size_t alignment = 1;
      for (const Part& part : fields_of(node))
        alignment = std::max(alignment, alignment_of(declarator_in(part)));
      return alignment;
    }
    default:
      break;
  }
  const Part* const inner = inner_of(node);
  if (inner == nullptr) refuse_member(node);
  return alignment_of(declarator_in(*inner));
}

nb::object default_of(const tree::Node& node) {
  const auto several = [](std::size_t count, const nb::object& one) {
    nb::list all;
    for (std::size_t i = 0; i < count; ++i)
      all.append(nb::module_::import_("copy").attr("copy")(one));
    return all;
  };
  if (is_pointer(node)) return nb::int_(0);
  if (node.kind() == Kind::scalar)
    return node.part(1).is_empty() ? nb::object(nb::int_(0))
                                   : nb::object(several(vector_count(node), nb::int_(0)));
  if (node.kind() == Kind::value) return nb::int_(0);
  if (node.kind() == Kind::array)
    return several(node.part(1).is_empty() ? 0 : count_of(node),
                   default_of(declarator_in(node.part(0))));
  const Part* const inner = inner_of(node);
  if (inner == nullptr) refuse_member(node);
  return default_of(declarator_in(*inner));
}

std::string maker_of(const tree::Node& node, const std::string& data) {
  format_of(node);  // throws for a type without a format
  if (node.kind() != Kind::array || node.part(1).is_empty()) return data;
  std::string text;
  for (std::size_t i = 0; i < count_of(node); ++i)
    text += (i == 0 ? "" : ", ") + data + "[" + std::to_string(i) + "]";
  return text;
}

void pack_value(const tree::Node& node, nb::handle value, std::string& bytes, std::size_t at) {
  if (is_pointer(node)) return write_bytes(bytes, at, python_struct().attr("pack")("P", value));
  if (node.kind() == Kind::structure) {
    if (PyBytes_Check(value.ptr())) return write_bytes(bytes, at, nb::borrow(value));
    return pack_members(node, value, true, bytes, at);
  }
  if (node.kind() == Kind::scalar && node.part(1).is_empty()) {
    const nb::object number = numpy_dtype(node.scalar).attr("type")(value);
    return write_bytes(bytes, at, number.attr("tobytes")());
  }
  const bool is_vector = node.kind() == Kind::scalar;
  if (!is_vector && node.kind() != Kind::array) {
    const Part* const inner = inner_of(node);
    if (inner == nullptr) refuse_member(node);
    return pack_value(declarator_in(*inner), value, bytes, at);
  }
  const std::size_t count = is_vector ? vector_count(node) : count_of(node);
  if (nb::len(value) != count)
    throw InvalidArgument("\"" + inline_lines(node) + "\" with " + std::to_string(nb::len(value)) +
                              " values instead of " + std::to_string(count),
                          "pass as many as it has elements");
  std::size_t place = at;
  for (nb::handle one : value) {
    if (is_vector) {
      write_bytes(bytes, place, numpy_dtype(node.scalar).attr("type")(one).attr("tobytes")());
      place += DType(node.scalar).size_bytes();
    } else {
      pack_value(declarator_in(node.part(0)), one, bytes, place);
      place += size_of(declarator_in(node.part(0)));
    }
  }
}

std::string vector_name(Scalar scalar) {
  for (const codegen::TypeName& one : codegen::dialect_of(Language::opencl_c).vector_names)
    if (one.scalar == scalar) return std::string(one.name);
  throw DTypeError("there are no vectors of this dtype", "use integers of 8 to 64 bits, or floats");
}

std::string inline_lines(const tree::Node& node) {
  tree::PrintOptions options;
  options.layout = tree::PrintOptions::Layout::cgen;
  std::string text = tree::print_as_kind(node, options);
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

// over 80 lines because it is a list: an entry for each class
void bind_tree_structures(nb::module_& m) {
  m.def(
      "dtype_to_ctype",
      [](nb::handle dtype) {
        tree::PrintOptions options;
        options.layout = tree::PrintOptions::Layout::cgen;
        return tree::print_inline(tree::scalar(scalar_from(dtype), ""), options);
      },
      "dtype"_a, nb::sig("def dtype_to_ctype(dtype: typing.Any) -> str"), "C's name of a dtype.");
  m.def(
      "dtype_to_cltype", [](nb::handle dtype) { return vector_name(scalar_from(dtype)); },
      "dtype"_a, nb::sig("def dtype_to_cltype(dtype: typing.Any) -> str"),
      "OpenCL C's name of a dtype.");
  using ClassNode = Class<struct ClassNodeTag, Declarator>;
  auto cls = define<ClassNode, Declarator>(m, "Class", "class name : bases { members }, of C++.");
  cls.def(
      "__init__",
      [](ClassNode* self, const std::string& name, nb::handle members, const std::string& bases) {
        place(self, Kind::structure, {"class", name, bases}, parts_of(members));
        self->only_in = Language::cuda_c;
      },
      "name"_a, "members"_a, "bases"_a = "",
      nb::sig("def __init__(self, name: str, members: collections.abc.Iterable[typing.Any], bases: "
              "str = '') -> None"));
  add_list(cls, "members");
  auto structure = define<Struct, Declarator>(m, "Struct", "struct tpname { fields } declname");
  structure.def(
      "__init__",
      [](Struct* self, const std::optional<std::string>& type, nb::handle fields,
         const std::optional<std::string>& name, std::size_t pad_bytes) {
        Parts members = parts_of(fields);
        new (self) Struct(Kind::structure, Parts());
        make_structure(self, type, std::move(members), name, pad_bytes);
      },
      "tpname"_a.none(), "fields"_a, "declname"_a = nb::none(), "pad_bytes"_a = 0,
      nb::sig("def __init__(self, tpname: str | None, fields: collections.abc.Iterable[typing.Any],"
              " declname: str | None = None, pad_bytes: int = 0) -> None"));
  add_part<1, true>(structure, "tpname");
  add_part<4, true>(structure, "declname");
  add_extra(structure, "pad_bytes");
  structure.def_prop_ro(
      "fields",
      [](const Generable& self) {
        nb::list fields;
        for (const Part& part : fields_of(self)) fields.append(object_of(part));
        return nb::tuple(fields);
      },
      nb::sig("def fields(self, /) -> tuple[typing.Any, ...]"), "The members.");
  auto filled = define<GenerableStruct, Struct>(
      m, "GenerableStruct", "A structure whose bytes Python makes as C lays them out.");
  filled.def(
      "__init__",
      [](GenerableStruct* self, const std::optional<std::string>& type, nb::handle fields,
         const std::optional<std::string>& name, std::optional<std::size_t> align_bytes,
         nb::handle aligned_prime_to) {
        Parts members = parts_of(fields);
        new (self) GenerableStruct(Kind::structure, Parts());
        try {
          fill_up(*self, std::move(members), type, name, align_bytes,
                  aligned_prime_to.is_none() ? nb::handle(nb::tuple()) : aligned_prime_to);
        } catch (...) {
          self->~GenerableStruct();
          throw;
        }
      },
      "tpname"_a.none(), "fields"_a, "declname"_a = nb::none(), "align_bytes"_a = nb::none(),
      "aligned_prime_to"_a = nb::none(),
      nb::sig("def __init__(self, tpname: str | None, fields: collections.abc.Iterable[typing.Any],"
              " declname: str | None = None, align_bytes: int | None = None, aligned_prime_to: "
              "collections.abc.Sequence[int] | None = None) -> None"));
  for (const char* name : {"align_bytes", "aligned_prime_to", "format", "bytes"})
    add_extra(filled, name);
  filled.def(
      "make",
      [](const Generable& self, const nb::kwargs& values) { return packed(self, values, false); },
      nb::sig("def make(self, **kwargs: typing.Any) -> builtins.bytes"),
      "Its bytes with a value for every member.");
  filled.def(
      "make_with_defaults",
      [](const Generable& self, const nb::kwargs& values) { return packed(self, values, true); },
      nb::sig("def make_with_defaults(self, **kwargs: typing.Any) -> builtins.bytes"),
      "Its bytes; members without a value are 0.");
}

}  // namespace treadle::bindings
