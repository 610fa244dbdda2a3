// SPDX-License-Identifier: MIT
#include "opencl/fault_table.hpp"

#include <mutex>
#include <set>
#include <string_view>
#include <type_traits>

namespace treadle::opencl::faults {
namespace {

/// Platforms call back on threads of their own, which release objects: all under one lock.
struct State {
  std::mutex mutex;
  Table inner;
  int calls = 0, fail_call = 0, fail_code = 0;
  std::string failed_call;
  std::set<std::string> called;
  std::map<std::string, int> live;
};
State& state() {
  static State& instance = *new State;
  return instance;
}

template <class T>
constexpr const char* kind = nullptr;
template <>
constexpr const char* kind<cl_context> = "context";
template <>
constexpr const char* kind<cl_command_queue> = "queue";
template <>
constexpr const char* kind<cl_mem> = "memory";
template <>
constexpr const char* kind<cl_program> = "program";
template <>
constexpr const char* kind<cl_kernel> = "kernel";
template <>
constexpr const char* kind<cl_event> = "event";
template <>
constexpr const char* kind<cl_sampler> = "sampler";
template <>
constexpr const char* kind<void*> = "mapping";

void count(const char* what, int change) {
  const std::lock_guard lock(state().mutex);
  state().live[what] += change;
}

/// Whether this call is the one to fail.
bool enter(const char* name) {
  const std::lock_guard lock(state().mutex);
  state().called.insert(name);
  const bool fails = ++state().calls == state().fail_call;
  if (fails) state().failed_call = name;
  return fails;
}

// A call's name, its first argument and its result say what it did to references.
template <class First, class... Rest>
void count_references(std::string_view name, First, Rest...) {
  if (kind<First> != nullptr && name.starts_with("clRetain")) count(kind<First>, 1);
  if (kind<First> != nullptr && name.starts_with("clRelease")) count(kind<First>, -1);
  if (name == "clEnqueueUnmapMemObject") count("mapping", -1);
  if (name == "clEnqueueSVMFree") count("shared memory", -1);
}
void count_references(std::string_view) {}
void count_references(std::string_view, cl_program, cl_uint number, cl_kernel* kernels, cl_uint*) {
  if (kernels != nullptr) count("kernel", static_cast<int>(number));
}

void count_event(cl_event* event) {
  if (event != nullptr && *event != nullptr) count("event", 1);
}
template <class Other>
void count_event(Other) {}

template <class Result, class... Arguments>
void take_census(std::string_view name, Result result, Arguments... arguments) {
  if constexpr (!std::is_same_v<Result, cl_int>) {
    if (name == "clSVMAlloc" && result != nullptr)
      count("shared memory", 1);
    else if (kind<Result> != nullptr && result != nullptr && !name.starts_with("clGetExtension"))
      count(kind<Result>, 1);
  } else {
    if (result != CL_SUCCESS) return;
    count_references(name, arguments...);
  }
  if (name.starts_with("clEnqueue")) (count_event(arguments), ...);
}

template <auto Slot>
const char* name_of = "";

template <auto Slot, class Result, class... Arguments>
Result counted(Arguments... arguments) {
  const std::string_view name = name_of<Slot>;
  const bool fails = enter(name_of<Slot>);
  // A release that "fails" still gives the reference up: nothing the caller could do later would.
  if (fails && !name.starts_with("clRelease")) {
    const int code = state().fail_code;
    if constexpr (std::is_same_v<Result, cl_int>) {
      return code;
    } else if constexpr (!std::is_void_v<Result>) {
      const auto set_code = [code](auto argument) {
        if constexpr (std::is_same_v<decltype(argument), cl_int*>)
          if (argument != nullptr) *argument = code;
      };
      (set_code(arguments), ...);
      return Result{};
    }
  }
  if constexpr (std::is_void_v<Result>) {
    (state().inner.*Slot)(arguments...);
    if (name == "clSVMFree") count("shared memory", -1);
  } else {
    const Result result = (state().inner.*Slot)(arguments...);
    take_census(name, result, arguments...);
    if constexpr (std::is_same_v<Result, cl_int>)
      if (fails) return state().fail_code;
    return result;
  }
}

template <auto Slot, class Result, class... Arguments>
auto counted_slot(Result (*)(Arguments...), const char* name) -> Result (*)(Arguments...) {
  name_of<Slot> = name;
  return &counted<Slot, Result, Arguments...>;
}

}  // namespace

void reset(int fail_call, int fail_code) {
  const std::lock_guard lock(state().mutex);
  state().calls = 0;
  state().fail_call = fail_call;
  state().fail_code = fail_code;
  state().failed_call.clear();
  state().live.clear();
}

int calls() {
  const std::lock_guard lock(state().mutex);
  return state().calls;
}
std::string failed_call() {
  const std::lock_guard lock(state().mutex);
  return state().failed_call;
}
std::vector<std::string> called() {
  const std::lock_guard lock(state().mutex);
  return {state().called.begin(), state().called.end()};
}
std::map<std::string, int> live() {
  const std::lock_guard lock(state().mutex);
  std::map<std::string, int> rest = state().live;
  std::erase_if(rest, [](const auto& entry) { return entry.second == 0; });
  return rest;
}

std::shared_ptr<const Table> wrap(const Table& inner) {
  state().inner = inner;
  auto table = std::make_shared<Table>(inner);
#define TREADLE_SYMBOL(name, since, presence) \
  if (is_present(inner.name)) table->name = counted_slot<&Table::name>(inner.name, #name);
#include "treadle/opencl/symbols.def"
  return table;
}

}  // namespace treadle::opencl::faults
