// SPDX-License-Identifier: MIT
#include "array/kernel_call.hpp"

#include <algorithm>

#include "array/access.hpp"
#include "array/evaluate.hpp"
#include "array/record.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/error.hpp"
#include "treadle/base/promotion.hpp"
#include "treadle/codegen/tree_builders.hpp"
#include "treadle/codegen/tree_printer.hpp"
#include "treadle/device/current.hpp"

namespace treadle::array {
namespace {

OpenDeclarations::One read_one(std::string_view text) {
  Declaration read = read_declaration(text);
  if (read.type.empty() && is_c_name(read.name)) return {std::move(read), true};
  if (read.name.empty() && !read.is_pointer && is_c_name(read.type) && !c_scalar(read.type)) {
    std::swap(read.name, read.type);
    return {std::move(read), true};
  }
  return {parse_declaration(text), false};
}

}  // namespace

std::string c_type_of(const DType& dtype, const TypeList& types) {
  for (const auto& [name, known] : types)
    if (known == dtype) return name;
  switch (dtype.scalar()) {
    case Scalar::boolean:
    case Scalar::uint8:
      return "unsigned char";
    case Scalar::int8:
      return "char";
    case Scalar::int16:
      return "short";
    case Scalar::uint16:
      return "unsigned short";
    case Scalar::int32:
      return "int";
    case Scalar::uint32:
      return "unsigned int";
    case Scalar::int64:
      return "long";
    case Scalar::uint64:
      return "unsigned long";
    case Scalar::float16:
      return "half";
    case Scalar::float32:
      return "float";
    case Scalar::float64:
      return "double";
    default:
      throw DTypeError("the type of an argument of " + dtype.name() + " has no name in C",
                       "name it among `types`");
  }
}

OpenDeclarations::OpenDeclarations(std::string_view text) {
  const std::string clean = without_comments(text);
  if (clean.find_first_not_of(" \t\n") == std::string::npos) return;
  for (const std::string_view one : split_list(clean)) all_.push_back(read_one(one));
}

std::string OpenDeclarations::closed(std::span<const DType> open, const TypeList& types) const {
  std::string list;
  for (const auto& [declaration, is_open] : all_) {
    if (!list.empty()) list += ", ";
    if (is_open) {
      list += c_type_of(open.front(), types);
      open = open.subspan(1);
    } else {
      list += declaration.type;
    }
    list += (declaration.is_pointer ? " *" : " ") + declaration.name;
  }
  return list;
}

std::string OpenDeclarations::around(const std::string& preamble, std::span<const DType> open,
                                     const TypeList& types) const {
  std::string before, behind;
  for (const auto& [declaration, is_open] : all_) {
    if (!is_open) continue;
    const bool is_record = open.front().scalar() == Scalar::structure;
    (is_record ? behind : before) += codegen::tree::print(codegen::tree::declare(
        codegen::tree::specifier("typedef", codegen::tree::value(c_type_of(open.front(), types),
                                                                 declaration.name + "_t"))));
    open = open.subspan(1);
  }
  return before + preamble + (behind.empty() ? "" : "\n") + behind;
}

TypeList with_complex_names(TypeList types) {
  for (const auto& [name, dtype] :
       {std::pair("float2", Scalar::complex64), std::pair("double2", Scalar::complex128)})
    if (std::ranges::none_of(types, [&](const auto& one) {
          return one.first == name || one.second == DType(dtype);
        }))
      types.emplace_back(name, dtype);
  return types;
}

KernelCall::KernelCall(std::string kernel, const OpenDeclarations& declarations,
                       std::span<const Operand> given)
    : kernel_(std::move(kernel)), declarations_(declarations), given_(given) {
  const std::vector<One>& all = declarations.all();
  if (given.size() > all.size())
    throw InvalidArgument(kernel_ + " takes " + std::to_string(all.size()) +
                              " arguments, and was given " + std::to_string(given.size()),
                          "pass one for each declaration");
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i >= given.size()) {
      if (!declarations.may_write(i) || all[i].is_open)
        throw InvalidArgument(named(i) + " is missing",
                              "only arrays of a declared type that are written to, at the end of "
                              "the list, are made by the call");
      continue;
    }
    const Array* array = given[i].array();
    if ((array != nullptr) != all[i].declaration.is_pointer)
      throw InvalidArgument(named(i) + (array != nullptr ? " is an array, and declared a value"
                                                         : " is a number, and declared a pointer"),
                            array != nullptr
                                ? "declare it *" + all[i].declaration.name + ", or pass a number"
                                : "pass an array");
    if (array == nullptr) continue;
    Context& own = *Access::node(*array).context;
    if (context_ != nullptr) require_one_context(kernel_, *context_, own);
    context_ = &own;
  }
  if (context_ == nullptr) context_ = &Context::of(*device::current_device());
  resolve_open();
}

std::string KernelCall::named(std::size_t i) const {
  return "argument " + std::to_string(i) + " (" + declarations_.all()[i].declaration.name +
         ") of " + kernel_;
}

void KernelCall::resolve_open() {
  std::vector<OperandType> types;
  for (const Operand& one : given_)
    if (one.array() != nullptr && one.array()->dtype().scalar() != Scalar::structure)
      types.push_back(one.type());
  for (std::size_t i = 0; i < given_.size(); ++i) {
    if (!declarations_.all()[i].is_open) continue;
    if (const Array* array = given_[i].array()) {
      open_dtypes_.push_back(array->dtype());
    } else if (given_[i].type().is_weak()) {
      types.push_back(given_[i].type());
      open_dtypes_.emplace_back(promote(types));
      types.pop_back();
    } else {
      open_dtypes_.emplace_back(given_[i].type().scalar());
    }
  }
}

void KernelCall::prepare(const std::optional<kernel::ElementRange>& range) {
  require_writable_targets();
  find_shape();
  find_range(range);
  make_left_out();
  for (std::size_t i = 0; i < dtypes_.size(); ++i) {
    if (i >= given_.size())
      add_array(i, made_[i - given_.size()]);
    else if (const Array* array = given_[i].array())
      add_array(i, *array);
    else
      add_value(i);
  }
}

void KernelCall::require_writable_targets() const {
  for (std::size_t i = 0; i < given_.size(); ++i)
    if (const Array* array = given_[i].array(); array != nullptr && declarations_.may_write(i))
      require_writable(Access::node(*array));
}

void KernelCall::refuse_shapes() const {
  std::string shapes;
  for (std::size_t i = 0; i < given_.size(); ++i)
    if (given_[i].array() != nullptr && are_elements_[i])
      shapes += (shapes.empty() ? "" : ", ") + declarations_.all()[i].declaration.name + " " +
                shape_text(given_[i].array()->shape());
  throw ShapeError("arguments of " + kernel_ + " do not broadcast together: " + shapes,
                   "pass arrays whose axes, counted from the last, are equal or of length 1");
}

void KernelCall::find_shape() {
  std::vector<const Layout*> layouts;
  for (std::size_t i = 0; i < given_.size(); ++i)
    if (given_[i].array() != nullptr && are_elements_[i])
      layouts.push_back(&given_[i].array()->layout());
  if (layouts.empty()) return;
  const Layout all = [&] {
    try {
      return broadcast(layouts, 1);
    } catch (const ShapeError&) {
      refuse_shapes();
    }
  }();
  shape_.emplace(all.shape().begin(), all.shape().end());
  for (std::size_t i = 0; i < given_.size(); ++i) {
    const Array* array = given_[i].array();
    if (array == nullptr || !are_elements_[i] || array->layout().same_shape(all) ||
        !declarations_.may_write(i))
      continue;
    throw ShapeError(named(i) + " has shape " + shape_text(array->shape()) +
                         ", and is written to in one of " + shape_text(*shape_),
                     "declare it const if it is only read");
  }
}

void KernelCall::find_range(const std::optional<kernel::ElementRange>& range) {
  const std::int64_t size = shape_ ? Layout::contiguous(*shape_, 1).size() : 0;
  if (!range) {
    if (!shape_)
      throw InvalidArgument(kernel_ +
                                " uses no argument as x[i], which would say how many "
                                "elements there are",
                            "pass a range of indices");
    range_ = {0, size};
    return;
  }
  range_ = *range;
  const auto count = static_cast<std::int64_t>(range->count());
  if (count == 0 || !shape_) return;
  const std::int64_t last = range->start + (count - 1) * range->step;
  if (std::min(range->start, last) < 0 || std::max(range->start, last) >= size)
    throw IndexError("indices from " + std::to_string(range->start) + " to " +
                         std::to_string(last) + " of " + kernel_ + ", whose arrays have " +
                         std::to_string(size) + " elements",
                     "keep the range within them");
}

void KernelCall::make_left_out() {
  for (std::size_t i = given_.size(); i < dtypes_.size(); ++i) {
    if (!shape_ || !are_elements_[i])
      throw InvalidArgument(named(i) + " is missing, and its shape is not known",
                            "pass an array, or use it as " +
                                declarations_.all()[i].declaration.name + "[i] beside others");
    made_.push_back(empty(*shape_, dtypes_[i], {.stream = context_->stream({})}));
  }
}

void KernelCall::add_value(std::size_t i) {
  const Number& number = given_[i].number();
  const OperandType type = given_[i].type();
  const Scalar declared = dtypes_[i].scalar();
  const bool is_of_its_kind =
      number.is_integer() || can_cast(type.scalar(), declared, Casting::same_kind);
  if (declared == Scalar::structure || !is_of_its_kind)
    throw DTypeError(
        named(i) + " is declared " + dtypes_[i].name() + ", and given " + number.text(),
        "pass a number of that kind");
  if (number.is_integer()) require_fit(number, declared);
  values_.push_back(number.as(declared));
  arguments_.emplace_back(device::Argument(values_.back().data(), dtypes_[i].size_bytes(),
                                           device::ParameterKind::unknown));
}

void KernelCall::add_array(std::size_t i, const Array& array) {
  const bool is_written = declarations_.may_write(i);
  const bool is_spread = are_elements_[i] && !std::ranges::equal(array.shape(), *shape_);
  Array used = is_spread ? broadcast_to(array, *shape_) : array;
  if (!used.layout().is_contiguous(used.dtype().size_bytes())) {
    used = dense_copy(used);
    if (is_written) copied_.push_back({array, used});
  }
  used_.push_back(std::move(used));
  arguments_.emplace_back(used_.back());
}

std::vector<Array> KernelCall::end() {
  for (const Copied& one : copied_) one.target.assign(one.dense);
  return std::move(made_);
}

}  // namespace treadle::array
