// SPDX-License-Identifier: MIT
#include "treadle/fft/plan.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <utility>

#include "array/broadcast.hpp"
#include "array/evaluate.hpp"
#include "fft/fused_text.hpp"
#include "fft/generated.hpp"
#include "fft/transform.hpp"
#include "treadle/array/computation.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/user_kernel.hpp"
#include "treadle/base/axis.hpp"
#include "treadle/base/c_declaration.hpp"
#include "treadle/base/error.hpp"
#include "treadle/base/promotion.hpp"
#include "treadle/kernel/declared_arguments.hpp"

namespace treadle::fft {
namespace {

using array::Operand;
using array::Shape;
using codegen::ParameterSpec;

/// A pending transform takes so many arrays, its input among them.
constexpr std::size_t most_inputs = 4;

/// Whether a number may be passed as an argument of this dtype as it is.
bool fits(const Number& number, Scalar dtype) {
  const DType declared(dtype);
  if (declared.kind() == ScalarKind::floating) return number.kind() != ScalarKind::complex;
  if (!declared.is_integer() || !number.is_integer()) return false;
  return (number.is_negative() ? fit(dtype, number.as_int64()) : fit(dtype, number.as_uint64())) ==
         IntegerFit::within;
}

/// A transform of rows by one kernel that contains texts of the caller's.
class FusedTransform final : public array::Computation {
 public:
  FusedTransform(FusedPlan plan, std::vector<ParameterSpec> parameters,
                 std::vector<ElementBytes> numbers)
      : plan_(std::move(plan)),
        numbers_(std::move(numbers)),
        declared_(std::move(parameters), "fft::Plan",
                  std::vector(numbers_.size(), kernel::ElementUse::unknown)) {}

  std::string_view name() const override { return "fft with texts"; }
  kernel::KernelNote run(device::Stream& stream,
                         const array::ComputationLaunch& launch) const override {
    if (!stream.device().info().traits.runs_kernels) return {};
    std::vector<kernel::UserArgument> given;
    std::size_t arrays = 0;
    for (std::size_t k = 0; k < numbers_.size(); ++k) {
      const ParameterSpec& parameter = declared_.parameters()[k];
      if (parameter.kind == ParameterSpec::Kind::scalar)
        given.emplace_back(device::Argument(numbers_[k].data(), parameter.dtype.size_bytes(),
                                            device::ParameterKind::unknown));
      else
        given.emplace_back(device::Argument(launch.input(++arrays).location));
    }
    kernel::ReadArguments read = declared_.read(given, {}, stream.device());
    plan_.plan->run(stream, {launch.input(0).location, launch.result(0)->location, read.all()});
    return plan_.note;
  }

 private:
  FusedPlan plan_;
  std::vector<ElementBytes> numbers_;  // for each parameter; of arrays nothing
  kernel::DeclaredArguments declared_;
};

/// A transform of the innermost axis, as one of rows.
struct Rows {
  TransformKind kind;
  bool is_forward;
  std::int64_t length;  ///< of the real side, if there is one
  Shape result;
};

/// None: the transform is not one of rows as they lie.
std::optional<Rows> rows_of(Plan::Function function, const Array& x, const Options& options) {
  const bool is_real = function == &rfft, is_halved = function == &irfft;
  if ((function != &fft && function != &ifft && !is_real && !is_halved) ||
      options.axes.size() != 1 || x.rank() == 0 || x.size() == 0)
    return std::nullopt;
  Rows rows{is_real     ? TransformKind::real_to_complex
            : is_halved ? TransformKind::complex_to_real
                        : TransformKind::complex,
            function == &fft || is_real, x.shape().back(), shape_of(x)};
  if (checked_axis(options.axes[0], x.rank(), "fft::Plan") != x.rank() - 1) return std::nullopt;
  const bool is_complex = x.dtype().kind() == ScalarKind::complex;
  if ((is_real && is_complex) || (is_halved && !is_complex)) return std::nullopt;
  if (is_halved) rows.length = options.lengths.empty() ? 2 * (rows.length - 1) : options.lengths[0];
  const bool is_whole = is_halved
                            ? rows.length / 2 + 1 == x.shape().back()
                            : options.lengths.empty() || options.lengths[0] == x.shape().back();
  if (!is_whole || rows.length < 2) return std::nullopt;
  if (is_real) rows.result.back() = rows.length / 2 + 1;
  if (is_halved) rows.result.back() = rows.length;
  return rows;
}

}  // namespace

/// The element-wise kernels, for each dtype of elements.
struct Plan::Kernels {
  std::vector<Declaration> declarations;  // of the arguments
  std::mutex mutex;                       // guards the following member
  std::map<std::pair<Scalar, bool>, std::unique_ptr<array::ElementwiseKernel>> known;

  /// Throws unless there is an argument for each declaration, whether a text needs it or not.
  void require_count(std::size_t given) const {
    if (given == declarations.size()) return;
    const std::string which =
        given < declarations.size()
            ? declarations[given].name + " is missing"
            : "number " + std::to_string(declarations.size() + 1) + " is not declared";
    throw InvalidArgument("fft::Plan takes " + std::to_string(declarations.size()) +
                              " arguments behind the array, and was given " +
                              std::to_string(given) + ": " + which,
                          "pass one for each declaration");
  }

  /// One text for all elements of x.
  Array run(const ElementTexts& texts, bool is_load, Scalar result, const Array& x,
            List<Operand> arguments) {
    array::ElementwiseKernel* kernel = nullptr;
    {
      const std::lock_guard lock(mutex);
      auto& place = known[{x.dtype().scalar(), is_load}];
      if (place == nullptr) {
        const std::string type = type_name(x.dtype().scalar());
        place = std::make_unique<array::ElementwiseKernel>(
            "const " + type + " *treadle_x" + (texts.arguments.empty() ? "" : ", ") +
                texts.arguments + ", " + type_name(result) + " *treadle_z",
            element_statements(type, is_load ? texts.load : texts.store),
            kernel::ElementwiseOptions{.name = is_load ? "fft_load" : "fft_store",
                                       .preamble = complex_operators()});
      }
      kernel = place.get();
    }
    std::vector<Operand> all{Operand(x)};
    all.insert(all.end(), arguments.begin(), arguments.end());
    Array made = std::move(kernel->call(all).front());
    if (!std::ranges::equal(made.shape(), x.shape()))
      throw ShapeError("fft::Plan: arrays of the " + std::string(is_load ? "load" : "store") +
                           " text broadcast to shape " + shape_text(made.shape()) +
                           ", and its elements have " + shape_text(x.shape()),
                       "pass arrays that broadcast to the elements, or tables");
    return made;
  }
  static std::string type_name(Scalar dtype) {
    static const codegen::TypeNames names = [] {
      codegen::TypeNames all(codegen::dialect_of(Language::cuda_c));
      all.prefer("float2", Scalar::complex64), all.prefer("double2", Scalar::complex128);
      return all;
    }();
    return names.name_of(dtype);
  }
  /// The transform with its texts in one kernel; none: that cannot be.
  std::optional<Array> fused(const Plan& plan, const Array& x, List<Operand> arguments);
};

Plan::Plan(Function function, ElementTexts texts, Options options)
    : function_(function),
      texts_(std::move(texts)),
      options_(std::move(options)),
      kernels_(std::make_unique<Kernels>()) {
  kernels_->declarations = parse_declarations(texts_.arguments);
  for (const Declaration& one : kernels_->declarations) {
    if (one.is_pointer && !one.points_to_const)
      throw InvalidArgument("fft::Plan: the array " + one.name + " is not declared const",
                            "write \"const " + one.type + " *" + one.name + "\"");
    for (const char* own : {"x", "i", "n"})
      if (one.name == own)
        throw InvalidArgument("fft::Plan: an argument is called " + one.name,
                              "x is the element, i its place, n their number: choose another name");
  }
}
Plan::~Plan() = default;

std::optional<Array> Plan::Kernels::fused(const Plan& plan, const Array& x,
                                          List<Operand> arguments) {
  const auto rows = rows_of(plan.function_, x, plan.options_);
  const auto stream = x.stream();
  device::Device& device = stream->device();
  const bool is_processor = device.info().kind == device::DeviceKind::cpu;
  // Without texts cuFFT may be faster.
  const bool has_texts = !plan.texts_.load.empty() || !plan.texts_.store.empty();
  if (!has_texts || !rows || !device.info().traits.runs_kernels ||
      (is_processor && !generates_everywhere()))
    return std::nullopt;
  const codegen::Dialect& dialect = codegen::dialect_of(device.info().language);
  const codegen::TypeNames types = kernel::type_names(
      device.shared_from_this(), {{"float2", Scalar::complex64}, {"double2", Scalar::complex128}},
      "fft::Plan");
  FusedRequest request;
  request.parameters = kernel::declared_parameters(plan.texts_.arguments, types, device);
  const bool is_single = x.dtype().real_type() == Scalar::float32;
  const Scalar part = is_single ? Scalar::float32 : Scalar::float64;
  const Scalar complex = is_single ? Scalar::complex64 : Scalar::complex128;
  const Scalar stored = rows->kind == TransformKind::complex_to_real ? part : complex;
  request.load = {plan.texts_.load, rows->kind == TransformKind::real_to_complex ? part : complex,
                  x.dtype().scalar(), shape_of(x)};
  request.store = {plan.texts_.store, stored, plan.texts_.dtype.value_or(stored), rows->result};
  request.factor =
      result_factor(plan.options_.norm, rows->is_forward, static_cast<double>(rows->length));
  request.makes_ends_real = rows->kind == TransformKind::complex_to_real;
  request.length = rows->length;

  // The computation takes dense arrays, and elements of the declared dtypes.
  const auto dense = [](const Array& one) {
    return one.layout().is_contiguous(one.dtype().size_bytes()) ? one : array::dense_copy(one);
  };
  std::vector<Array> inputs{dense(x)};
  std::vector<ElementBytes> numbers;
  for (std::size_t k = 0; k < request.parameters.size(); ++k) {
    const ParameterSpec& parameter = request.parameters[k];
    const Array* const given = arguments[k].array();
    const bool is_array = parameter.kind != ParameterSpec::Kind::scalar;
    if ((given != nullptr) != is_array) return std::nullopt;
    request.shapes.emplace_back(given != nullptr ? shape_of(*given) : Shape());
    numbers.emplace_back();
    if (given == nullptr) {
      if (!fits(arguments[k].number(), parameter.dtype.scalar())) return std::nullopt;
      numbers.back() = arguments[k].number().as(parameter.dtype.scalar());
      continue;
    }
    for (const FusedSide* side : {&request.load, &request.store})
      if (codegen::mentions_element(side->text, parameter.name) &&
          !array::broadcasts_to(request.shapes.back(), side->shape))
        return std::nullopt;
    if (given->dtype() != parameter.dtype || inputs.size() == most_inputs ||
        &given->stream()->device() != &device)
      return std::nullopt;
    inputs.push_back(dense(*given));
  }
  PlanShape shape{.kind = rows->kind,
                  .is_forward = rows->is_forward,
                  .is_double = !is_single,
                  .rank = 1,
                  .extents = {static_cast<std::uint64_t>(rows->length)},
                  .batches = static_cast<std::uint64_t>(x.size() / x.shape().back())};
  auto made = [&] {  // compiles, and waits for the stream, whose work may wait for the lock
    const array::WithoutHostLock released;
    return fused_plan(*stream, shape, fused_text(request, dialect, types));
  }();
  if (!made) return std::nullopt;
  const array::ResultSpec result[] = {{rows->result, request.store.memory_dtype}};
  return array::pending_results(
      std::make_shared<const FusedTransform>(*std::move(made), std::move(request.parameters),
                                             std::move(numbers)),
      inputs, result)[0];
}

Array Plan::call(const Array& x, List<Operand> arguments) const {
  kernels_->require_count(arguments.size());
  const Array elements = in_working_dtype("fft::Plan", x);
  if (auto made = kernels_->fused(*this, elements, arguments)) return *std::move(made);
  const Scalar dtype = elements.dtype().scalar();
  const Array loaded =
      texts_.load.empty() ? elements : kernels_->run(texts_, true, dtype, elements, arguments);
  const Array made = function_(loaded, options_);
  const Scalar stored = texts_.dtype.value_or(made.dtype().scalar());
  if (texts_.store.empty())
    return stored == made.dtype().scalar() ? made : array::cast(made, stored);
  return kernels_->run(texts_, false, stored, made, arguments);
}

}  // namespace treadle::fft
