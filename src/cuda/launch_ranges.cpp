// SPDX-License-Identifier: MIT
#include "cuda/launch_ranges.hpp"

#include <string>

#include "cuda/kernel_names.hpp"
#include "treadle/process/launch_site.hpp"

namespace treadle::cuda {
namespace {

/// A slot holds a bare function: which driver it belongs to is part of its type.
template <Provider provider>
struct MarkedDriver {
  static inline const Nvtx* nvtx = nullptr;
  static inline const Table* real = nullptr;  ///< for good: slots are called as a process ends
};

std::string launched_name(const Table& cu, CUfunction function) {
  const char* symbol = nullptr;
  if (is_present(cu.cuFuncGetName) && cu.cuFuncGetName(&symbol, function) == CUDA_SUCCESS &&
      symbol != nullptr)
    return kernel_name(demangle(symbol));
  return "kernel";
}

/// What is launched, found among the arguments of the call.
struct MarkedWork {
  CUfunction function = nullptr;  ///< null: a graph

  template <class... Arguments>
  explicit MarkedWork(Arguments... arguments) {
    (look_at(arguments), ...);
  }
  std::string text(const Table& cu) const {
    std::string name = function == nullptr ? "graph" : launched_name(cu, function);
    const LaunchSite site = launch_site();
    if (site.file != nullptr)
      name += " (" + std::string(site.file) + ":" + std::to_string(site.line) + ")";
    return name;
  }

 private:
  template <class Argument>
  void look_at(Argument /*other*/) {}
  void look_at(CUfunction given) { function = given; }
};

template <Provider provider, auto Member>
struct Marked;
template <Provider provider, class... Arguments, CUresult (*Table::*Member)(Arguments...)>
struct Marked<provider, Member> {
  static CUresult call(Arguments... arguments) {
    using Driver = MarkedDriver<provider>;
    const NvtxRange range(Driver::nvtx, MarkedWork(arguments...).text(*Driver::real));
    return (Driver::real->*Member)(arguments...);
  }
};

template <Provider provider>
void mark(Table& table, const Nvtx& nvtx) {
  MarkedDriver<provider>::nvtx = &nvtx;
  MarkedDriver<provider>::real = new Table(table);
  const auto put = [&]<auto Member>() {
    if (is_present(table.*Member)) table.*Member = &Marked<provider, Member>::call;
  };
  put.template operator()<&Table::cuLaunchKernel>();
  put.template operator()<&Table::cuLaunchKernelEx>();
  put.template operator()<&Table::cuLaunchCooperativeKernel>();
  put.template operator()<&Table::cuGraphLaunch>();
}

}  // namespace

void mark_launches(Table& table, const Nvtx& nvtx) {
  if (table.provider == Provider::cpu)
    mark<Provider::cpu>(table, nvtx);
  else
    mark<Provider::nvidia>(table, nvtx);
}

}  // namespace treadle::cuda
