// SPDX-License-Identifier: MIT
#include "treadle/kernel/list_builder.hpp"

#include <algorithm>

#include "treadle/base/error.hpp"
#include "treadle/codegen/dialect.hpp"

namespace treadle::kernel {
namespace {

using codegen::Dialect;
using codegen::ParameterSpec;
using codegen::TypeNames;

/// The two programs of one ListBuilder.
class ListTexts {
 public:
  ListTexts(const device::Device& device, const std::vector<BuiltList>& lists,
            const ListBuilderTexts& texts, const ElementwiseOptions& options, Scalar index_dtype)
      : dialect_(codegen::dialect_of(device.info().language)),
        types_(dialect_),
        lists_(lists),
        texts_(texts),
        options_(options) {
    for (const auto& [name, dtype] : options.types) types_.add(name, dtype);
    index_ = types_.name_of(index_dtype);
    parameters_ = codegen::parse_parameters(texts.arguments, types_);
  }

  enum class Stage { count, write };
  /// The kernel's parameters, those of the lists before the user's.
  std::string arguments(Stage stage) const {
    std::string all;
    for (const BuiltList& list : lists_)
      if (has_counts(lists_, list)) all += index_ + " *plb_numbers_" + list.name + ", ";
    if (stage == Stage::write)
      for (const BuiltList& list : lists_)
        if (!list.is_left_out) all += element(list) + " *plb_list_" + list.name + ", ";
    if (!texts_.arguments.empty()) return all + texts_.arguments;
    return all.substr(0, all.size() - std::min<std::size_t>(2, all.size()));
  }
  /// Statements for one object.
  std::string operation(Stage stage) const {
    std::string before, passed, behind;
    for (const BuiltList& list : lists_) {
      const bool counts = has_counts(lists_, list);
      if (stage == Stage::write && !list.is_left_out) passed += "plb_list_" + list.name + ", ";
      if (!counts) continue;
      passed += "&plb_at_" + list.name + ", ";
      const std::string numbers = "plb_numbers_" + list.name + "[i]";
      before +=
          index_ + " plb_at_" + list.name + " = " + (stage == Stage::count ? "0" : numbers) + ";\n";
      if (stage == Stage::count) behind += numbers + " = plb_at_" + list.name + ";\n";
    }
    for (const ParameterSpec& parameter : parameters_) passed += parameter.name + ", ";
    return before + "generate(" + passed + "(index_type)i);\n" + behind;
  }
  /// The text before the kernel: macros that the user's function uses, and the function.
  std::string preamble(Stage stage) const {
    std::string declared, passed, appends;
    for (const BuiltList& list : lists_) {
      const bool counts = has_counts(lists_, list);
      const bool is_written = stage == Stage::write && !list.is_left_out;
      if (is_written) {
        declared += dialect_.global + element(list) + " *plb_list_" + list.name + ", ";
        passed += "plb_list_" + list.name + ", ";
      }
      if (counts) {
        declared += "index_type *plb_at_" + list.name + ", ";
        passed += "plb_at_" + list.name + ", ";
      }
      // The element of a list with a mother has the place of the mother's last element.
      std::string text = "((void)0)";
      if (counts) text = "((void)++*plb_at_" + list.name + ")";
      if (is_written) {
        const std::string place = list.mother.empty() ? "(*plb_at_" + list.name + ")++"
                                                      : "*plb_at_" + list.mother + " - 1";
        text = "((void)(plb_list_" + list.name + "[" + place + "] = (value)))";
      }
      appends += "#define APPEND_" + list.name + "(value) " + text + "\n";
    }
    std::string user_declared, user_passed;
    for (const ParameterSpec& parameter : parameters_) {
      user_declared += codegen::declare(parameter, dialect_, types_) + ", ";
      user_passed += parameter.name + ", ";
    }
    return options_.preamble + "\ntypedef " + index_ + " index_type;\n" +
           (stage == Stage::count ? "#define PLB_COUNT_STAGE\n" : "#define PLB_WRITE_STAGE\n") +
           "#define LIST_ARG_DECL " + declared + "\n#define LIST_ARGS " + passed +
           "\n#define USER_ARG_DECL " + user_declared + "\n#define USER_ARGS " + user_passed +
           "\n" + appends + texts_.generate + "\n";
  }

  /// Whether a list is counted. A mother is, for her children, even if she is left out.
  static bool has_counts(const std::vector<BuiltList>& lists, const BuiltList& list) {
    if (!list.mother.empty()) return false;
    return !list.is_left_out || std::ranges::any_of(lists, [&](const BuiltList& other) {
      return other.mother == list.name && !other.is_left_out;
    });
  }

 private:
  std::string element(const BuiltList& list) const { return types_.name_of(list.dtype); }

  const Dialect& dialect_;
  TypeNames types_;
  const std::vector<BuiltList>& lists_;
  const ListBuilderTexts& texts_;
  const ElementwiseOptions& options_;
  std::string index_;
  std::vector<ParameterSpec> parameters_;
};

/// Refuses lists for which no text can be made, and returns the others.
std::vector<BuiltList> checked(std::vector<BuiltList> lists,
                               const std::shared_ptr<device::Device>& device, Scalar index_dtype) {
  if (device == nullptr) throw InvalidArgument("a ListBuilder needs a device");
  if (index_dtype != Scalar::int32 && index_dtype != Scalar::int64)
    throw DTypeError("lists are counted in " + DType(index_dtype).name(), "choose int32 or int64");
  for (const BuiltList& list : lists) {
    if (std::ranges::count(lists, list.name, &BuiltList::name) > 1)
      throw InvalidArgument("two lists are called " + list.name, "give each a name of its own");
    if (list.mother.empty()) continue;
    const auto mother = std::ranges::find(lists, list.mother, &BuiltList::name);
    if (mother == lists.end() || !mother->mother.empty())
      throw InvalidArgument("list " + list.name + " is to share the counts of " + list.mother +
                                ", which is no list with counts of its own",
                            "name one that has");
  }
  return lists;
}

ElementwiseKernel stage_kernel(const std::shared_ptr<device::Device>& device,
                               const ListTexts& texts, ElementwiseOptions options,
                               ListTexts::Stage stage) {
  options.name += stage == ListTexts::Stage::count ? "_count" : "_write";
  options.preamble = texts.preamble(stage);
  return {device, texts.arguments(stage), texts.operation(stage), std::move(options)};
}

ScanTexts adding_up(const std::string& index) {
  return {.arguments = "const " + index + " *counts, " + index + " *starts",
          .input = "counts[i]",
          .scan = "a + b",
          .output = "starts[i] = prev_item;\nif (i == N - 1) starts[N] = item",
          .neutral = "0"};
}
ScanTexts compressing(const std::string& index) {
  return {.arguments = "const " + index + " *starts, " + index + " *left, " + index +
                       " *objects, " + index + " *places",
          .input = "starts[i + 1] != starts[i] ? 1 : 0",
          .scan = "a + b",
          .output =
              "places[i] = prev_item;\n"
              "if (item != prev_item) { left[prev_item] = starts[i]; objects[prev_item] = i; }\n"
              "if (i == N - 1) { places[N] = item; left[item] = starts[N]; }",
          .neutral = "0"};
}
std::string index_type(const device::Device& device, Scalar dtype) {
  return TypeNames(codegen::dialect_of(device.info().language)).name_of(dtype);
}

}  // namespace

ListBuilder::ListBuilder(std::shared_ptr<device::Device> device, std::vector<BuiltList> lists,
                         const ListBuilderTexts& texts, const ElementwiseOptions& options,
                         Scalar index_dtype)
    : device_(std::move(device)),
      lists_(checked(std::move(lists), device_, index_dtype)),
      count_(stage_kernel(device_, ListTexts(*device_, lists_, texts, options, index_dtype),
                          options, ListTexts::Stage::count)),
      write_(stage_kernel(device_, ListTexts(*device_, lists_, texts, options, index_dtype),
                          options, ListTexts::Stage::write)),
      add_up_(device_, index_dtype, adding_up(index_type(*device_, index_dtype)),
              {.name = options.name + "_starts",
               .index_dtype = index_dtype,
               .schedule = options.schedule}),
      compress_(device_, index_dtype, compressing(index_type(*device_, index_dtype)),
                {.name = options.name + "_compress",
                 .index_dtype = index_dtype,
                 .schedule = options.schedule}) {}

std::vector<std::string> ListBuilder::counted() const {
  std::vector<std::string> names;
  for (const BuiltList& list : lists_)
    if (ListTexts::has_counts(lists_, list)) names.push_back(list.name);
  return names;
}
std::vector<std::string> ListBuilder::written() const {
  std::vector<std::string> names;
  for (const BuiltList& list : lists_)
    if (!list.is_left_out) names.push_back(list.name);
  return names;
}

void ListBuilder::count(device::Stream& stream, std::uint64_t n,
                        std::span<const UserArgument> counts,
                        std::span<const UserArgument> arguments, const device::Order& order) {
  std::vector<UserArgument> all(counts.begin(), counts.end());
  all.insert(all.end(), arguments.begin(), arguments.end());
  count_.launch_arguments(stream, n, all, order);
}

void ListBuilder::write(device::Stream& stream, std::uint64_t n,
                        std::span<const UserArgument> starts,
                        std::span<const UserArgument> elements,
                        std::span<const UserArgument> arguments, const device::Order& order) {
  std::vector<UserArgument> all(starts.begin(), starts.end());
  all.insert(all.end(), elements.begin(), elements.end());
  all.insert(all.end(), arguments.begin(), arguments.end());
  write_.launch_arguments(stream, n, all, order);
}

void ListBuilder::add_up(device::Stream& stream, std::uint64_t n, const UserArgument& counts,
                         const UserArgument& starts, const device::Order& order) {
  const UserArgument all[] = {counts, starts};
  add_up_.launch_arguments(stream, n, all, order);
}

void ListBuilder::compress(device::Stream& stream, std::uint64_t n, const UserArgument& starts,
                           const Compressed& compressed, const device::Order& order) {
  const UserArgument all[] = {starts, compressed.starts, compressed.objects, compressed.places};
  compress_.launch_arguments(stream, n, all, order);
}

}  // namespace treadle::kernel
