// SPDX-License-Identifier: MIT
#include "linalg/cublaslt_product.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include "linalg/blas_product.hpp"
#include "linalg/gpu_library.hpp"
#include "linalg/matrix_product.hpp"
#include "treadle/base/dtype.hpp"
#include "treadle/base/number.hpp"
#include "treadle/device/deferred.hpp"
#include "treadle/kernel/workspace.hpp"
#include "treadle/library/cublas.hpp"
#include "treadle/process/settings.hpp"

namespace treadle::linalg {
namespace {

using codegen::Expression;
using codegen::Instruction;
using codegen::Value;
using library::CublasLtForm;
using library::CublasLtWords;

/// Forms that are kept: programs of more shapes than that choose algorithms anew.
constexpr std::size_t most_forms = 1024;

/// Takes an expression apart from its end.
class EpilogueReader {
 public:
  explicit EpilogueReader(const kernel::Product& product)
      : product_(product), expression_(product.epilogue->expression) {}

  std::optional<LtEpilogue> read() {
    if (expression_.outputs.size() != 1 || expression_.scatter) return std::nullopt;
    value_ = expression_.outputs[0];
    if (const auto bound = operand_beside(Op::maximum, &EpilogueReader::is_zero)) {
      made_.activation = LtActivation::relu;
      value_ = *bound;
    } else if (const auto operand = operand_of_gelu()) {
      made_.activation = LtActivation::gelu_tanh;
      value_ = *operand;
    }
    while (const auto rest = operand_beside(Op::add, &EpilogueReader::takes_term)) value_ = *rest;
    if (const auto rest = operand_beside(Op::multiply, &EpilogueReader::takes_factor))
      value_ = *rest;
    const Instruction& last = expression_.instructions[value_];
    const bool is_product = last.op == Op::leaf && last.leaf() == 0;
    return is_product ? std::optional(made_) : std::nullopt;
  }

 private:
  /// If the value is `op` of something that `takes` accepts: its other operand.
  std::optional<Value> operand_beside(Op op, bool (EpilogueReader::*takes)(const Instruction&)) {
    const Instruction& step = expression_.instructions[value_];
    if (step.op != op || step.dtype != product_.dtype) return std::nullopt;
    for (const unsigned own : {1u, 0u})
      if ((this->*takes)(expression_.instructions[step.operands[own]]))
        return step.operands[1 - own];
    return std::nullopt;
  }
  /// The operand of array::gelu() of float16 with tanh, by the steps of src/array/activation.cpp:
  /// x / (exp(x * (x * x * -0.0713 - 1.5957)) + 1). Of larger floats the library's tanh is too far
  /// off: by 2e-10 of float64.
  std::optional<Value> operand_of_gelu() const {
    if (product_.dtype != Scalar::float16) return std::nullopt;
    const auto step = [&](Value value) -> const Instruction& {
      return expression_.instructions[value];
    };
    const auto beside = [&](Op op, std::optional<Value> value, double number) {
      if (value && step(*value).op == op)
        for (const unsigned own : {1u, 0u}) {
          const auto constant = scalar(step(step(*value).operands[own]));
          if (constant && std::abs(*constant - number) <= 1e-6 * std::abs(number))
            return std::optional(step(*value).operands[1 - own]);
        }
      return std::optional<Value>();
    };
    // Operands of a product are sorted.
    const auto factor_beside = [&](std::optional<Value> value, Value one) -> std::optional<Value> {
      if (!value || step(*value).op != Op::multiply) return std::nullopt;
      const auto& factors = step(*value).operands;
      if (factors[0] == one) return factors[1];
      return factors[1] == one ? std::optional(factors[0]) : std::nullopt;
    };
    if (step(value_).op != Op::cast) return std::nullopt;
    const Instruction& quotient = step(step(value_).operands[0]);
    if (quotient.op != Op::divide) return std::nullopt;
    const Value x = quotient.operands[0];
    const auto power = beside(Op::add, quotient.operands[1], 1);
    if (!power || step(*power).op != Op::exp) return std::nullopt;
    const auto slope =
        beside(Op::add, factor_beside(step(*power).operands[0], x), -1.5957691216057308);
    if (factor_beside(beside(Op::multiply, slope, -0.07135481627260025), x) != x)
      return std::nullopt;
    return step(x).op == Op::cast ? std::optional(step(x).operands[0]) : std::nullopt;
  }
  std::optional<double> scalar(const Instruction& step) const {
    if (step.op != Op::scalar) return std::nullopt;
    const ElementBytes& bytes = product_.epilogue->scalars[step.operands[0]];
    return Number::stored(step.dtype, bytes.data()).as_double();
  }
  bool is_zero(const Instruction& step) { return scalar(step) == 0.0; }
  bool takes_factor(const Instruction& step) {
    const auto factor = scalar(step);
    // With 0 the library would not look at the product, which may be infinite or NaN.
    if (!factor || *factor == 0 || !std::isfinite(*factor)) return false;
    made_.factor = *factor;
    return true;
  }
  bool takes_term(const Instruction& step) {
    if (step.op != Op::leaf || step.leaf() == 0 || step.dtype != product_.dtype) return false;
    const auto& array = product_.epilogue->arrays[step.leaf()];  // behind the one output
    const auto n = static_cast<std::int64_t>(product_.n);
    if (array.column != 1 && n != 1) return false;
    const kernel::ProductOperand** const place = array.row == 0   ? &made_.row
                                                 : array.row >= n ? &made_.matrix
                                                                  : nullptr;
    if (place == nullptr || *place != nullptr) return false;
    *place = &array;
    return true;
  }

  const kernel::Product& product_;
  const Expression& expression_;
  LtEpilogue made_;
  Value value_ = 0;
};

std::uint64_t lt_address(const device::Location& place) { return place.handle + place.offset; }
const void* lt_pointer(const device::Location& place) {
  return reinterpret_cast<const void*>(lt_address(place));
}

/// The largest power of two up to 256 that divides the address.
int alignment_of(const device::Location& place) {
  return static_cast<int>(std::uint64_t{1} << std::countr_zero(lt_address(place) | 256));
}

CublasLtForm::Matrix as_stored(const BlasMatrix& matrix, const device::Location& place) {
  return {static_cast<std::uint64_t>(matrix.rows), static_cast<std::uint64_t>(matrix.columns),
          matrix.distance, alignment_of(place), matrix.is_transposed};
}

/// One product in the words of the library.
struct LtProduct {
  const BlasProduct& blas;
  const LtEpilogue& epilogue;
  library::CublasType type;

  const kernel::ProductOperand& result() const { return blas.product.epilogue->arrays[0]; }
  /// A matrix like the result, transposed as BLAS has it.
  CublasLtForm::Matrix like_result(const kernel::ProductOperand& operand) const {
    const kernel::Product& p = blas.product;
    const std::int64_t row = p.m > 1 ? operand.row : static_cast<std::int64_t>(p.n);
    return {p.n, p.m, row, alignment_of(operand.location), false};
  }
  CublasLtForm form() const {
    const kernel::Product& p = blas.product;
    int words = epilogue.activation == LtActivation::relu        ? CublasLtWords::relu
                : epilogue.activation == LtActivation::gelu_tanh ? CublasLtWords::gelu_tanh
                                                                 : 0;
    if (epilogue.row != nullptr) words |= CublasLtWords::adds_bias;
    // Numbers of real types: float32 is 0, float64 1.
    return {.stored = type.stored,
            .computed = type.computed,
            .scaled = p.dtype == Scalar::float64 ? 1 : 0,
            .epilogue = words != 0 ? words : CublasLtWords::nothing,
            .bias_alignment = epilogue.row != nullptr ? alignment_of(epilogue.row->location) : 0,
            .a = as_stored(blas.y, p.y.location),
            .b = as_stored(blas.x, p.x.location),
            .c = like_result(epilogue.matrix != nullptr ? *epilogue.matrix : result()),
            .d = like_result(result())};
  }
  void run(const library::CublasLtPlan& plan, void* handle, double factor,
           const library::HandleWorkspace& workspace, std::uint64_t stream) const {
    const kernel::Product& p = blas.product;
    const auto single = static_cast<float>(factor);
    const bool is_double = p.dtype == Scalar::float64, has_matrix = epilogue.matrix != nullptr;
    const auto* const alpha =
        is_double ? static_cast<const void*>(&factor) : static_cast<const void*>(&single);
    void* const d = reinterpret_cast<void*>(lt_address(result().location));
    plan.run(handle,
             {.alpha = alpha,
              .beta = has_matrix ? type.one : type.zero,
              .a = lt_pointer(p.y.location),
              .b = lt_pointer(p.x.location),
              .c = has_matrix ? lt_pointer(epilogue.matrix->location) : d,
              .d = d,
              .bias = epilogue.row != nullptr ? lt_pointer(epilogue.row->location) : nullptr,
              .workspace = workspace,
              .stream = stream},
             [&] { return product_words(p) + " with an epilogue"; });
  }
};

/// Whether the activation of a plan leaves NaN alone, as ours do: all elements are made NaN.
bool keeps_nan(const LtProduct& product, const auto& run, device::Stream& stream) {
  run(std::numeric_limits<double>::quiet_NaN());
  ElementBytes first = {};
  const Scalar dtype = product.blas.product.dtype;
  stream.copy_out(first.data(), product.result().location, DType(dtype).size_bytes());
  stream.synchronize();
  return std::isnan(Number::stored(dtype, first.data()).as_double());
}

}  // namespace

std::optional<LtEpilogue> lt_epilogue(const kernel::Product& product) {
  if (product.epilogue == nullptr || product.outer != 1 || product.inner != 1 || product.k == 0 ||
      DType(product.dtype).kind() != ScalarKind::floating)
    return std::nullopt;
  const kernel::ProductOperand& result = product.epilogue->arrays[0];
  const auto n = static_cast<std::int64_t>(product.n);
  if ((result.column != 1 && n != 1) || (result.row < n && product.m != 1) ||
      kernel::array_dtype(product.epilogue->expression, 0) != DType(product.dtype))
    return std::nullopt;
  return EpilogueReader(product).read();
}

DeviceCublasLt::DeviceCublasLt(std::unique_ptr<library::CublasLtHandle> opened)
    : handle(std::move(opened)) {
  if (handle == nullptr) return;
  workspace_bytes = library::Cublas::workspace_bytes(handle->context());
  const std::string file = handle->library().path().filename().string();
  name = "matmul with epilogue of " + file;
  plain_name = "gemm of " + file;
  text = "cuBLASLt, version " + handle->library().version();
}
DeviceCublasLt::DeviceCublasLt(device::Device& device)
    : DeviceCublasLt(on_gpu_of_nvidia<library::CublasLtHandle>(device)) {}

bool multiply_by_cublaslt(DeviceCublasLt& cublaslt, device::Stream& stream,
                          const kernel::Product& product) {
  const auto type = library::cublas_type(product.dtype);
  const auto epilogue = lt_epilogue(product);
  const auto blas = blas_product(product);
  const int size = static_cast<int>(DType(product.dtype).size_bytes());
  if (!type || !epilogue || !blas ||
      std::min(alignment_of(product.x.location), alignment_of(product.y.location)) < size)
    return false;
  const LtProduct whole{*blas, *epilogue, *type};
  library::CublasLtHandle& handle = *cublaslt.handle;
  const device::LeaveDeferred leave;
  bool is_queued = false;
  const auto queue = [&](void* raw, const library::HandleWorkspace& memory) {
    const CublasLtForm form = whole.form();
    if (cublaslt.known.size() >= most_forms) cublaslt.known.clear();
    const auto [place, is_new] = cublaslt.known.try_emplace(form);
    DeviceCublasLt::Known& known = place->second;
    if (is_new)
      known.plan =
          library::CublasLtPlan::make(handle.shared_library(), raw, form, cublaslt.workspace_bytes);
    const auto run = [&](double factor) {
      whole.run(*known.plan, raw, factor, memory, stream.raw());
    };
    if (known.plan != nullptr && epilogue->activation != LtActivation::none && !known.is_tried) {
      if (handle.is_captured(stream.raw())) return;
      if (!keeps_nan(whole, run, stream)) known.plan = nullptr;
      known.is_tried = true;
    }
    if (known.plan == nullptr) return;
    run(epilogue->factor);
    is_queued = true;
  };
  const auto launch = [&](const kernel::Workspace& workspace) {
    const library::HandleWorkspace memory{lt_address(workspace.partials), cublaslt.workspace_bytes};
    handle.on_stream(stream.raw(), memory, [&](void* raw) { queue(raw, memory); });
  };
  // By reference: functions that hold more than two pointers allocate.
  kernel::with_workspace(stream, {.partial_bytes = cublaslt.workspace_bytes, .tickets = 0},
                         std::ref(launch));
  if (is_queued && settings().sync) stream.synchronize();
  return is_queued;
}

bool multiply_small_by_cublaslt(DeviceCublasLt& cublaslt, device::Stream& stream,
                                const kernel::Product& product) {
  // Larger ones take the device longer than the host.
  constexpr double most_work = 1 << 24;
  const double work = static_cast<double>(product.m) * static_cast<double>(product.n) *
                      static_cast<double>(product.k);
  if (cublaslt.handle == nullptr || product.epilogue != nullptr || work > most_work) return false;
  static const auto plain = [] {
    std::map<Scalar, Expression> made;
    for (const Scalar dtype : {Scalar::float16, Scalar::float32, Scalar::float64}) {
      codegen::ExpressionBuilder build;
      build.output(build.leaf(dtype));
      made.emplace(dtype, build.build());
    }
    return made;
  }();
  const auto expression = plain.find(product.dtype);
  if (expression == plain.end()) return false;
  const kernel::ProductOperand result{product.z, static_cast<std::int64_t>(product.n), 1};
  const kernel::ProductEpilogue epilogue{expression->second, {&result, 1}, {}};
  kernel::Product whole = product;
  whole.epilogue = &epilogue;
  return multiply_by_cublaslt(cublaslt, stream, whole);
}

std::optional<kernel::KernelNote> joined_note_of_gpu(device::Device& device,
                                                     const kernel::Product& product) {
  if (!lt_epilogue(product) || !blas_product(product)) return std::nullopt;
  const DeviceCublasLt& cublaslt = device.slot<DeviceCublasLt>();
  if (cublaslt.handle == nullptr) return std::nullopt;
  return product_note(product, cublaslt.name, cublaslt.text);
}

std::optional<kernel::KernelNote> multiply_joined_on_gpu(device::Stream& stream,
                                                         const kernel::Product& product) {
  const auto note = joined_note_of_gpu(stream.device(), product);
  if (!note || !multiply_by_cublaslt(stream.device().slot<DeviceCublasLt>(), stream, product))
    return std::nullopt;
  return note;
}

}  // namespace treadle::linalg
