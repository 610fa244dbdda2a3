// SPDX-License-Identifier: MIT
// Declarators: declarations of a type and a name, and the declarators around them.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "native/promotion.hpp"
#include "native/tree.hpp"
#include "native/tree_layout.hpp"
#include "native/tree_making.hpp"
#include "treadle/base/error.hpp"

namespace treadle::bindings {
namespace {

using namespace nb::literals;

struct DeclSpecifierTag;
struct PointerTag;
struct ValueTag;
using DeclSpecifier = Class<DeclSpecifierTag, NestedDeclarator>;
using Pointer = Class<PointerTag, NestedDeclarator>;
using Value = Class<ValueTag, Declarator>;

tree::PrintOptions as_cgen() {
  tree::PrintOptions options;
  options.layout = tree::PrintOptions::Layout::cgen;
  return options;
}

nb::tuple pair_of(const tree::Node& node) {
  const auto [type, name] = tree::print_halves(node, as_cgen());
  nb::list lines;
  for (std::string_view rest = type;;) {
    const std::string_view first = rest.substr(0, rest.find('\n'));
    lines.append(nb::str(first.data(), first.size()));
    if (first.size() == rest.size()) break;
    rest.remove_prefix(first.size() + 1);
  }
  return nb::make_tuple(lines, name.empty() ? nb::none() : nb::object(nb::str(name.c_str())));
}

std::string inline_text(const tree::Node& node) {
  const NodePtr shared(const_cast<tree::Node*>(&node));
  std::string text = tree::print_inline(Part(shared), as_cgen());
  std::ranges::replace(text, '\n', ' ');
  return text;
}

// The declared name, from the innermost declarator.
nb::object name_of(const tree::Node& node) {
  switch (node.kind()) {
    case Kind::value:
      return object_of(node.part(1));
    case Kind::scalar:
      return object_of(node.part(0));
    default:
      break;
  }
  const Part* const inner = inner_of(node);
  if (inner == nullptr || inner->node() == nullptr) throw nb::attribute_error("name");
  if (inner->node()->owner() != nullptr)
    return nb::handle(static_cast<PyObject*>(inner->node()->owner())).attr("name");
  return name_of(*inner->node());
}

void bind_bases(nb::module_& m) {
  auto declarator = define<Declarator, Generable>(m, "Declarator", "What has a type and a name.");
  declarator.def("__init__", [](Declarator* self) { new (self) Declarator(Kind::value, Parts()); });
  let_users_derive<Declarator>(Kind::value);
  declarator.def("get_decl_pair", &pair_of,
                 nb::sig("def get_decl_pair(self) -> tuple[list[str], str | None]"),
                 "The lines of the type, and what stands behind them.");
  declarator.def(
      "inline", [](const tree::Node& self, bool) { return inline_text(self); },
      "with_semicolon"_a = true, "Both in one line, as a parameter is declared.");
  declarator.def(
      "generate",
      [](const tree::Node& self, bool with_semicolon) {
        std::string text = inline_lines(self);
        if (!with_semicolon && text.ends_with(';')) text.pop_back();
        return nb::iter(nb::str(text.c_str(), text.size()).attr("split")("\n"));
      },
      "with_semicolon"_a = true,
      nb::sig("def generate(self, with_semicolon: bool = True) -> collections.abc.Iterator[str]"),
      "The lines of its text.");
  declarator.def("struct_format", &format_of, "What Python's module struct calls the type.");
  declarator.def("alignment_requirement", &alignment_of,
                 "Bytes that its address is a multiple of.");
  declarator.def("default_value", &default_of, nb::sig("def default_value(self) -> typing.Any"),
                 "Zero, or a list of zeros.");
  declarator.def("struct_maker_code", &maker_of, "data"_a,
                 "Python text that makes struct's values of the text `data`.");
  auto nested = define<NestedDeclarator, Declarator>(m, "NestedDeclarator",
                                                     "What stands around another declarator.");
  nested.def(
      "__init__",
      [](NestedDeclarator* self, Part inner) {
        place(self, Kind::around, {"", "", "", "", std::move(inner)});
      },
      "subdecl"_a);
  let_users_derive<NestedDeclarator>(Kind::around);
  nested.def_prop_rw(
      "subdecl",
      [](const Generable& self) {
        const Part* inner = inner_of(self);
        return inner == nullptr ? nb::none() : object_of(*inner, true);
      },
      [](Generable& self, const Part& value) {
        if (Part* inner = const_cast<Part*>(inner_of(to_change(self)))) *inner = value;
      },
      nb::for_getter(nb::sig("def subdecl(self, /) -> typing.Any")), "The inner declarator.");
  nested.def_prop_ro("name", &name_of, nb::sig("def name(self, /) -> str"),
                     "The name it declares.");
  auto specifier =
      define<DeclSpecifier, NestedDeclarator>(m, "DeclSpecifier", "A word before the type.");
  specifier.def(
      "__init__",
      [](DeclSpecifier* self, Part inner, const std::string& spec, const std::string& sep) {
        place(self, Kind::around, {spec + sep, "", "", "", std::move(inner)});
        self->extra = nb::dict();
        self->extra["spec"] = spec;
        self->extra["sep"] = sep;
      },
      "subdecl"_a, "spec"_a, "sep"_a = " ");
  add_extra(specifier, "spec");
  add_extra(specifier, "sep");
}

// Adds words before the type, which depend on the language.
template <class Tag>
void bind_word(nb::module_& m, const char* name, const char* word,
               std::optional<Language> only_in = {}) {
  using Word = Class<Tag, DeclSpecifier>;
  define<Word, DeclSpecifier>(m, name, word)
      .def(
          "__init__",
          [word, only_in](Word* self, Part inner) {
            place(self, Kind::around, {std::string(word) + " ", "", "", "", std::move(inner)});
            self->only_in = only_in;
            self->extra = nb::dict();
            self->extra["spec"] = word;
            self->extra["sep"] = " ";
          },
          "subdecl"_a);
}
// Adds text before or behind the name.
template <class Tag, class Base>
void bind_around_name(nb::module_& m, const char* name, const char* before, const char* behind,
                      std::optional<Language> only_in = {}) {
  using Around = Class<Tag, Base>;
  define<Around, Base>(m, name, *before != '\0' ? before : behind)
      .def(
          "__init__",
          [before, behind, only_in](Around* self, Part inner) {
            place(self, Kind::around, {"", "", before, behind, std::move(inner)});
            self->only_in = only_in;
          },
          "subdecl"_a);
}

void bind_words(nb::module_& m) {
  const Language cuda = Language::cuda_c, opencl = Language::opencl_c;
  bind_word<struct StaticTag>(m, "Static", "static");
  bind_word<struct TypedefTag>(m, "Typedef", "typedef");
  bind_word<struct CudaGlobalTag>(m, "CudaGlobal", "__global__", cuda);
  bind_word<struct CudaDeviceTag>(m, "CudaDevice", "__device__", cuda);
  bind_word<struct CudaHostTag>(m, "CudaHost", "__host__", cuda);
  bind_word<struct CudaSharedTag>(m, "CudaShared", "__shared__", cuda);
  bind_word<struct CudaDynamicSharedTag>(m, "CudaDynamicShared", "extern __shared__", cuda);
  bind_word<struct CudaConstantTag>(m, "CudaConstant", "__constant__", cuda);
  bind_word<struct CudaManagedTag>(m, "CudaManaged", "__managed__", cuda);
  bind_word<struct CudaGridConstantTag>(m, "CudaGridConstant", "__grid_constant__", cuda);
  bind_word<struct CLKernelTag>(m, "CLKernel", "__kernel", opencl);
  bind_word<struct CLConstantTag>(m, "CLConstant", "__constant", opencl);
  bind_word<struct CLLocalTag>(m, "CLLocal", "__local", opencl);
  bind_word<struct CLGlobalTag>(m, "CLGlobal", "__global", opencl);
  bind_word<struct ISPCVaryingTag>(m, "ISPCVarying", "varying");
  bind_word<struct ISPCUniformTag>(m, "ISPCUniform", "uniform");
  bind_word<struct ISPCExportTag>(m, "ISPCExport", "export");
  bind_word<struct ISPCTaskTag>(m, "ISPCTask", "task");
  bind_around_name<struct ConstTag, NestedDeclarator>(m, "Const", "const ", "");
  bind_around_name<struct VolatileTag, NestedDeclarator>(m, "Volatile", "volatile ", "");
  bind_around_name<struct MaybeUnusedTag, NestedDeclarator>(m, "MaybeUnused", "",
                                                            " __attribute__ ((unused))");
  bind_around_name<PointerTag, NestedDeclarator>(m, "Pointer", "*", "");
  bind_around_name<struct RestrictPointerTag, Pointer>(m, "RestrictPointer", "*__restrict__ ", "");
  bind_around_name<struct CudaRestrictPointerTag, Pointer>(m, "CudaRestrictPointer",
                                                           "*__restrict__ ", "", cuda);
  bind_around_name<struct ReferenceTag, Pointer>(m, "Reference", "&", "", cuda);
  bind_around_name<struct ISPCVaryingPointerTag, Pointer>(m, "ISPCVaryingPointer", "*varying ", "");
  bind_around_name<struct ISPCUniformPointerTag, Pointer>(m, "ISPCUniformPointer", "*uniform ", "");
}

// over 80 lines because it is a list: an entry for each class
void bind_values(nb::module_& m) {
  using POD = Class<struct PODTag, Declarator>;
  auto pod =
      define<POD, Declarator>(m, "POD", "A number of a dtype, which each language has a name for.");
  pod.def(
      "__init__",
      [](POD* self, nb::handle dtype, Part name) {
        place(self, Kind::scalar, {std::move(name)});
        self->scalar = scalar_from(dtype);
      },
      "dtype"_a, "name"_a);
  add_part<0>(pod, "name");
  pod.def_prop_ro(
      "dtype", [](const Generable& self) { return numpy_dtype(self.scalar); },
      nb::sig("def dtype(self, /) -> typing.Any"), "The numpy.dtype.");
  using CLVectorPOD = Class<struct CLVectorPODTag, Declarator>;
  auto vector =
      define<CLVectorPOD, Declarator>(m, "CLVectorPOD", "A vector of numbers: float4, int2 ...");
  vector.def(
      "__init__",
      [](CLVectorPOD* self, nb::handle dtype, unsigned count, Part name) {
        place(self, Kind::scalar, {std::move(name), count});
        self->scalar = scalar_from(dtype);
      },
      "dtype"_a, "count"_a, "name"_a);
  add_part<0>(vector, "name");
  vector.def_prop_ro(
      "dtype", [](const Generable& self) { return numpy_dtype(self.scalar); },
      nb::sig("def dtype(self, /) -> typing.Any"), "The numpy.dtype.");
  vector.def_prop_ro(
      "count", [](const Generable& self) { return std::stoi(std::string(self.part(1).text())); },
      "How many.");
  auto value = define<Value, Declarator>(m, "Value", "typename name");
  value.def(
      "__init__",
      [](Value* self, Part type, Part name) {
        place(self, Kind::value, {std::move(type), std::move(name)});
      },
      "typename"_a, "name"_a);
  add_part<0>(value, "typename");
  add_part<1>(value, "name");
  using CLImage = Class<struct CLImageTag, Value>;
  define<CLImage, Value>(m, "CLImage", "An image of so many dimensions, to be read or written.")
      .def(
          "__init__",
          [](CLImage* self, int dims, const std::string& mode, Part name) {
            if (mode != "r" && mode != "w")
              throw InvalidArgument("mode must be one of 'r' or 'w', not '" + mode + "'",
                                    "pass one of them");
            place(self, Kind::value,
                  {(mode == "r" ? "__read_only image" : "__write_only image") +
                       std::to_string(dims) + "d_t",
                   std::move(name)});
            self->only_in = Language::opencl_c;
          },
          "dims"_a, "mode"_a, "name"_a);
  using ArrayOf = Class<struct ArrayOfTag, NestedDeclarator>;
  auto array = define<ArrayOf, NestedDeclarator>(m, "ArrayOf", "subdecl[count]");
  array.def(
      "__init__",
      [](ArrayOf* self, Part inner, Part count) {
        place(self, Kind::array, {std::move(inner), std::move(count)});
      },
      "subdecl"_a, "count"_a = nb::none());
  array.def_prop_rw(
      "count",
      [](const Generable& self) -> nb::object {
        const nb::object count = object_of(self.part(1), true);
        const bool is_number =
            PyUnicode_Check(count.ptr()) && nb::cast<bool>(count.attr("isdigit")());
        return is_number ? nb::object(nb::int_(count)) : count;
      },
      [](Generable& self, const nb::object& count) { to_change(self).parts()[1] = part_of(count); },
      nb::for_setter("value"_a.none()), nb::for_getter(nb::sig("def count(self, /) -> typing.Any")),
      "How many; None: not said.");
  using FunctionDeclaration = Class<struct FunctionDeclarationTag, NestedDeclarator>;
  auto function =
      define<FunctionDeclaration, NestedDeclarator>(m, "FunctionDeclaration", "subdecl(arg_decls)");
  function.def(
      "__init__",
      [](FunctionDeclaration* self, Part inner, nb::handle arguments) {
        place(self, Kind::function, {std::move(inner)}, parts_of(arguments));
      },
      "subdecl"_a, "arg_decls"_a,
      nb::sig("def __init__(self, subdecl: typing.Any, arg_decls: "
              "collections.abc.Iterable[typing.Any]) -> None"));
  add_list(function, "arg_decls");
  using Template = Class<struct TemplateTag, NestedDeclarator>;
  auto pattern = define<Template, NestedDeclarator>(
      m, "Template", "template <template_spec> before a declarator, of C++.");
  pattern.def(
      "__init__",
      [](Template* self, Part spec, Part inner) {
        place(self, Kind::template_of, {std::move(spec), std::move(inner)});
        self->only_in = Language::cuda_c;
      },
      "template_spec"_a, "subdecl"_a);
  add_part<0>(pattern, "template_spec");
}

// Adds text with arguments around the type or the name; `names` are the attributes.
void keep(PythonNode* self, const char* name, nb::handle value) {
  if (!self->extra.is_valid()) self->extra = nb::dict();
  self->extra[name] = value;
}

void bind_attributes(nb::module_& m) {
  using Extern = Class<struct ExternTag, DeclSpecifier>;
  auto ext = define<Extern, DeclSpecifier>(m, "Extern", "extern \"language\" before the type.");
  ext.def(
      "__init__",
      [](Extern* self, const std::string& language, Part inner) {
        place(self, Kind::around, {"extern \"" + language + "\" ", "", "", "", std::move(inner)});
        keep(self, "language", nb::str(language.c_str()));
        keep(self, "spec", nb::str(("extern \"" + language + "\"").c_str()));
        keep(self, "sep", nb::str(" "));
      },
      "language"_a, "subdecl"_a);
  add_extra(ext, "language");
  using NamespaceQualifier = Class<struct NamespaceQualifierTag, DeclSpecifier>;
  auto space = define<NamespaceQualifier, DeclSpecifier>(m, "NamespaceQualifier",
                                                         "namespace:: before the type.");
  space.def(
      "__init__",
      [](NamespaceQualifier* self, const std::string& name, Part inner) {
        place(self, Kind::around, {name + "::", "", "", "", std::move(inner)});
        keep(self, "spec", nb::str(name.c_str()));
        keep(self, "sep", nb::str("::"));
        keep(self, "namespace", nb::str(name.c_str()));
      },
      "namespace"_a, "subdecl"_a);
  add_extra(space, "namespace");
  using TemplateSpecializer = Class<struct TemplateSpecializerTag, NestedDeclarator>;
  auto special = define<TemplateSpecializer, NestedDeclarator>(m, "TemplateSpecializer",
                                                               "<specializer> behind the type.");
  special.def(
      "__init__",
      [](TemplateSpecializer* self, const std::string& text, Part inner) {
        place(self, Kind::around, {"", "<" + text + ">", "", "", std::move(inner)});
        keep(self, "specializer", nb::str(text.c_str()));
      },
      "specializer"_a, "subdecl"_a);
  add_extra(special, "specializer");
  const auto aligned = [&]<class Tag>(const char* name, const char* word) {
    using Aligned = Class<Tag, NestedDeclarator>;
    auto cls = define<Aligned, NestedDeclarator>(m, name, word);
    cls.def(
        "__init__",
        [word](Aligned* self, nb::handle bytes, Part inner) {
          const std::string number = nb::cast<std::string>(nb::str(bytes));
          place(self, Kind::around,
                {"", "", "", " __attribute__ ((" + std::string(word) + " (" + number + ")))",
                 std::move(inner)});
          keep(self, "align_bytes", bytes);
        },
        "align_bytes"_a, "subdecl"_a);
    add_extra(cls, "align_bytes");
  };
  aligned.template operator()<struct AlignedTag>("AlignedAttribute", "aligned");
  aligned.template operator()<struct AlignValueTag>("AlignValueAttribute", "align_value");
  using Attribute = Class<struct AttributeTag, NestedDeclarator>;
  define<Attribute, NestedDeclarator>(m, "Attribute", "__attribute__ ((text)) before the name.")
      .def(
          "__init__",
          [](Attribute* self, const std::string& text, Part inner) {
            place(self, Kind::around,
                  {"", "", "__attribute__ ((" + text + ")) ", "", std::move(inner)});
          },
          "text"_a, "subdecl"_a);
}

std::string numbers(nb::handle tuple, std::size_t at_least) {
  std::string text;
  std::size_t count = 0;
  for (nb::handle one : tuple) {
    text += (text.empty() ? "" : ", ") + nb::cast<std::string>(nb::str(one));
    ++count;
  }
  for (; count < at_least; ++count) text += text.empty() ? "1" : ", 1";
  return text;
}

void bind_launches(nb::module_& m) {
  using Bounds = Class<struct CudaLaunchBoundsTag, NestedDeclarator>;
  auto bounds = define<Bounds, NestedDeclarator>(m, "CudaLaunchBounds",
                                                 "__launch_bounds__ before a kernel's name.");
  bounds.def(
      "__init__",
      [](Bounds* self, nb::handle threads, Part inner, nb::handle blocks) {
        std::string text = nb::cast<std::string>(nb::str(threads));
        if (!blocks.is_none()) text += ", " + nb::cast<std::string>(nb::str(blocks));
        place(self, Kind::around,
              {"", "", "__launch_bounds__(" + text + ") ", "", std::move(inner)});
        self->only_in = Language::cuda_c;
        keep(self, "max_threads_per_block", threads);
        keep(self, "min_blocks_per_mp", blocks);
      },
      "max_threads_per_block"_a, "subdecl"_a, "min_blocks_per_mp"_a = nb::none());
  add_extra(bounds, "max_threads_per_block");
  add_extra(bounds, "min_blocks_per_mp");
  const auto sized = [&]<class Tag>(const char* name, const char* before, const char* behind,
                                    Language only_in) {
    using Sized = Class<Tag, NestedDeclarator>;
    auto cls = define<Sized, NestedDeclarator>(m, name, before);
    cls.def(
        "__init__",
        [before, behind, only_in](Sized* self, nb::handle dim, Part inner) {
          const std::string text = numbers(dim, 3);
          place(self, Kind::around, {"", "", before + text + behind, "", std::move(inner)});
          self->only_in = only_in;
          nb::list dims(dim);
          while (nb::len(dims) < 3) dims.append(1);
          keep(self, "dim", nb::tuple(dims));
        },
        "dim"_a, "subdecl"_a);
    add_extra(cls, "dim");
  };
  const Language cuda = Language::cuda_c, opencl = Language::opencl_c;
  sized.template operator()<struct ClusterDimsTag>("CudaClusterDims", "__cluster_dims__(", ") ",
                                                   cuda);
  sized.template operator()<struct SizeHintTag>(
      "CLWorkGroupSizeHint", "__attribute__ ((work_group_size_hint(", "))) ", opencl);
  sized.template operator()<struct RequiredSizeTag>(
      "CLRequiredWorkGroupSize", "__attribute__ ((reqd_work_group_size(", "))) ", opencl);
  using Hint = Class<struct VecTypeHintTag, NestedDeclarator>;
  auto hint =
      define<Hint, NestedDeclarator>(m, "CLVecTypeHint", "vec_type_hint before a kernel's name.");
  hint.def(
      "__init__",
      [](Hint* self, Part inner, nb::handle dtype, nb::handle count, nb::handle type) {
        if (dtype.is_none() == type.is_none())
          throw InvalidArgument("Exactly one of 'dtype' and 'type_str' must be specified",
                                "pass one of them");
        if (dtype.is_none() != count.is_none())
          throw InvalidArgument("'dtype' and 'count' must always be specified together",
                                "pass both");
        const std::string text =
            type.is_none() ? vector_name(scalar_from(dtype)) + nb::cast<std::string>(nb::str(count))
                           : nb::cast<std::string>(nb::str(type));
        place(self, Kind::around,
              {"", "", "__attribute__ ((vec_type_hint(" + text + "))) ", "", std::move(inner)});
        self->only_in = Language::opencl_c;
        keep(self, "type_str", nb::str(text.c_str()));
        keep(self, "count", count);
      },
      "subdecl"_a, "dtype"_a = nb::none(), "count"_a = nb::none(), "type_str"_a = nb::none());
  add_extra(hint, "type_str");
  add_extra(hint, "count");
}

}  // namespace

void bind_tree_declarators(nb::module_& m) {
  bind_bases(m);
  bind_words(m);
  bind_values(m);
  bind_attributes(m);
  bind_launches(m);
  bind_tree_structures(m);
}

}  // namespace treadle::bindings
