// SPDX-License-Identifier: MIT
// The reference interpreter, for tests: instructions are tuples, inputs and outputs NumPy arrays.
#include "kernel/reference/interpret.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "treadle/base/error.hpp"

namespace nb = nanobind;

namespace treadle::kernel {
namespace {

/// Operation, dtype as NumPy writes it, and operands.
using StepTuple = std::tuple<std::string, std::string, std::vector<int>>;

// The elements of an object with a buffer, for as long as this lives.
class HostElements {
 public:
  HostElements(nb::handle object, int flags) {
    if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_STRIDES | flags) != 0)
      throw nb::python_error();
  }
  HostElements(HostElements&& other) noexcept : view_(std::exchange(other.view_, Py_buffer{})) {}
  HostElements& operator=(HostElements&&) = delete;
  ~HostElements() {
    if (view_.obj != nullptr) PyBuffer_Release(&view_);
  }

  void* data() const { return view_.buf; }
  std::size_t size_bytes() const { return static_cast<std::size_t>(view_.itemsize); }
  Layout layout() const {
    const auto rank = static_cast<std::size_t>(view_.ndim);
    const std::vector<std::int64_t> shape(view_.shape, view_.shape + rank);
    return Layout(shape, std::vector<std::int64_t>(view_.strides, view_.strides + rank));
  }

 private:
  Py_buffer view_{};
};

codegen::Expression expression_of(const std::vector<StepTuple>& steps,
                                  const std::vector<int>& outputs) {
  codegen::Expression expression;
  for (const auto& [name, dtype, operands] : steps) {
    const auto op = find_op(name);
    if (!op) throw InvalidArgument("there is no operation \"" + name + "\"");
    codegen::Instruction step{*op, DType::parse(dtype).scalar()};
    for (std::size_t i = 0; i < std::min(operands.size(), step.operands.size()); ++i)
      step.operands[i] = static_cast<codegen::Value>(operands[i]);
    // Nothing is read from beyond what was computed before.
    for (std::size_t i = 0; i < op_info(*op).arity; ++i)
      if (i >= operands.size() || step.operands[i] >= expression.instructions.size())
        throw InvalidArgument("step \"" + name + "\" has an operand that comes later");
    if (*op == Op::leaf) step.operands[0] = static_cast<codegen::Value>(expression.leaves.size());
    if (*op == Op::scalar)
      step.operands[0] = static_cast<codegen::Value>(expression.scalars.size());
    if (*op == Op::leaf) expression.leaves.push_back({step.dtype});
    if (*op == Op::scalar) expression.scalars.push_back(step.dtype);
    expression.instructions.push_back(step);
  }
  for (const int output : outputs) {
    if (output < 0 || static_cast<std::size_t>(output) >= steps.size())
      throw InvalidArgument("there is no value " + std::to_string(output));
    expression.outputs.push_back(static_cast<codegen::Value>(output));
  }
  return expression;
}

void interpret_arrays(const std::vector<StepTuple>& steps, const std::vector<nb::object>& leaves,
                      const std::vector<nb::object>& scalars,
                      const std::vector<std::pair<int, nb::object>>& outputs) {
  std::vector<int> values;
  for (const auto& output : outputs) values.push_back(output.first);
  const codegen::Expression expression = expression_of(steps, values);
  std::vector<HostElements> held;
  const auto hold = [&](const nb::object& object, Scalar dtype, int flags) {
    held.emplace_back(object, flags);
    if (held.back().size_bytes() != DType(dtype).size_bytes())
      throw DTypeError("an array whose elements are not " + DType(dtype).name());
    return held.back().data();
  };
  std::vector<HostInput> inputs;
  for (std::size_t i = 0; i < std::min(leaves.size(), expression.leaves.size()); ++i) {
    void* const data = hold(leaves[i], expression.leaves[i].dtype.scalar(), 0);
    inputs.push_back({data, held.back().layout()});
  }
  std::vector<ElementBytes> bytes;
  for (std::size_t i = 0; i < std::min(scalars.size(), expression.scalars.size()); ++i) {
    const void* const data = hold(scalars[i], expression.scalars[i], 0);
    std::memcpy(bytes.emplace_back().data(), data, held.back().size_bytes());
  }
  std::vector<HostOutput> results;
  for (const auto& [value, array] : outputs) {
    const Scalar dtype = expression.instructions[static_cast<std::size_t>(value)].dtype;
    void* const data = hold(array, dtype, PyBUF_WRITABLE);
    results.push_back({data, held.back().layout()});
  }
  interpret(expression, inputs, bytes, results);
}

/// As treadle's own extension raises them.
void raise_as_treadle(const std::exception_ptr& error, void*) {
  const auto raise = [](const char* name, const Error& thrown) {
    PyErr_SetString(nb::module_::import_("treadle").attr(name).ptr(), thrown.what());
  };
  try {
    std::rethrow_exception(error);
  } catch (const ShapeError& thrown) {
    raise("ShapeError", thrown);
  } catch (const DTypeError& thrown) {
    raise("DTypeError", thrown);
  } catch (const InvalidArgument& thrown) {
    raise("InvalidArgument", thrown);
  }
}

}  // namespace
}  // namespace treadle::kernel

NB_MODULE(treadle_reference, m) {
  nb::register_exception_translator(treadle::kernel::raise_as_treadle);
  m.def("interpret", &treadle::kernel::interpret_arrays, nb::arg("steps"), nb::arg("leaves"),
        nb::arg("scalars"), nb::arg("outputs"),
        "Computes steps (operation, dtype, operands) on host arrays; outputs are (step, array). "
        "Leaves and scalars are numbered in the order of their steps.");
}
