// SPDX-License-Identifier: MIT
#include "calls/numpy_scalars.hpp"

#include <nanobind/nanobind.h>

#include <array>

namespace nb = nanobind;

namespace treadle::bindings {
namespace {

struct Named {
  const char* name;
  ScalarType type;
};

// numpy.longlong and numpy.ulonglong are separate types, beside int64 and uint64.
constexpr Named scalars[] = {
    {"bool_", {'?', ScalarKind::boolean, 1, 1}},
    {"int8", {'b', ScalarKind::integer, 1, 1}},
    {"uint8", {'B', ScalarKind::unsigned_integer, 1, 1}},
    {"int16", {'h', ScalarKind::integer, 2, 2}},
    {"uint16", {'H', ScalarKind::unsigned_integer, 2, 2}},
    {"int32", {'i', ScalarKind::integer, 4, 4}},
    {"uint32", {'I', ScalarKind::unsigned_integer, 4, 4}},
    {"int64", {'l', ScalarKind::integer, 8, 8}},
    {"uint64", {'L', ScalarKind::unsigned_integer, 8, 8}},
    {"longlong", {'q', ScalarKind::integer, 8, 8}},
    {"ulonglong", {'Q', ScalarKind::unsigned_integer, 8, 8}},
    {"float16", {'e', ScalarKind::floating, 2, 2}},
    {"float32", {'f', ScalarKind::floating, 4, 4}},
    {"float64", {'d', ScalarKind::floating, 8, 8}},
    {"complex64", {'F', ScalarKind::complex, 8, 4}},
    {"complex128", {'D', ScalarKind::complex, 16, 8}},
};

// An open-addressing table whose size is a power of two: a look-up costs a multiplication and
// usually one comparison.
class Table {
 public:
  Table() {
    const nb::module_ numpy = nb::module_::import_("numpy");
    for (const Named& scalar : scalars) {
      const nb::object type = numpy.attr(scalar.name);
      insert(reinterpret_cast<PyTypeObject*>(type.ptr()), scalar.type);
    }
    const auto type = [&](const char* name) {
      nb::object found = numpy.attr(name);
      return reinterpret_cast<PyTypeObject*>(found.release().ptr());
    };
    types = {type("ndarray"), type("void"), type("generic")};
  }

  const ScalarType* find(PyTypeObject* type) const noexcept {
    for (std::size_t at = start(type);; at = (at + 1) % slots_.size()) {
      if (slots_[at].type == type) return &slots_[at].scalar;
      if (slots_[at].type == nullptr) return nullptr;
    }
  }

  NumpyTypes types{};

 private:
  struct Slot {
    PyTypeObject* type = nullptr;
    ScalarType scalar{};
  };
  static std::size_t start(PyTypeObject* type) noexcept {
    return (reinterpret_cast<std::uintptr_t>(type) * 0x9E3779B97F4A7C15ull >> 58) %
           std::tuple_size_v<decltype(slots_)>;
  }
  void insert(PyTypeObject* type, const ScalarType& scalar) {
    std::size_t at = start(type);
    while (slots_[at].type != nullptr && slots_[at].type != type) at = (at + 1) % slots_.size();
    slots_[at] = {type, scalar};
  }

  std::array<Slot, 64> slots_{};
};

// Never destroyed, because calls may come while the interpreter shuts down. The GIL guards it, not
// the lock of a static variable: importing NumPy may let another thread run, and that thread would
// wait for the static's lock.
const Table* loaded = nullptr;

}  // namespace

const NumpyTypes& numpy_types() {
  if (loaded == nullptr) {
    const Table* made = new Table;
    if (loaded == nullptr) loaded = made;
  }
  return loaded->types;
}

const ScalarType* scalar_type(PyTypeObject* type) noexcept {
  return loaded == nullptr ? nullptr : loaded->find(type);
}

}  // namespace treadle::bindings
