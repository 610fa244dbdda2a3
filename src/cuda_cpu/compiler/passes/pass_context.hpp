// SPDX-License-Identifier: MIT
// What the passes of one compile hand on to each other: the module, and for each kernel what it has
// become so far.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cuda_cpu/compiler/passes/check/row_checks.hpp"
#include "cuda_cpu/compiler/passes/lowering/kernel_body.hpp"
#include "cuda_cpu/compiler/passes/lowering/shared_memory.hpp"
#include "cuda_cpu/compiler/passes/module_plan.hpp"
#include "cuda_cpu/compiler/passes/pass_table.hpp"
#include "cuda_cpu/compiler/passes/regions/live_values.hpp"
#include "cuda_cpu/compiler/passes/regions/region_exits.hpp"
#include "cuda_cpu/compiler/passes/regions/region_function.hpp"
#include "cuda_cpu/compiler/passes/regions/region_graph.hpp"
#include "cuda_cpu/compiler/passes/speed/full_strips.hpp"
#include "cuda_cpu/compiler/passes/speed/index_set_splitting.hpp"
#include "cuda_cpu/compiler/passes/speed/unroll_and_jam.hpp"

namespace llvm {
class MDNode;
class Module;
class TargetMachine;
}  // namespace llvm

namespace treadle::cuda_cpu {

class PassRunner;
struct BackendOptions;

/// One region of a kernel that is split at barriers.
struct RegionWork {
  llvm::SmallVector<const Slot*, 2> indices;  ///< that may be consecutive (consecutive_indices.hpp)
  RegionFunction function;
  llvm::MDNode* group = nullptr;      ///< of memory accesses that are independent between threads
  std::unique_ptr<RowChecks> checks;  ///< null: the region is not checked by rows
  UnrollAndJamPlan rows;
  std::optional<FullStrip> full_strip;
};

/// A kernel on its way to KernelPlan::regions.
struct SplitKernel {
  explicit SplitKernel(const KernelBody& body_to_split) : body(body_to_split) {}

  KernelBody body;
  unsigned row_width = 0;  ///< the blockDim.x that is compiled for beside any other; 0: none
  std::optional<RegionGraph> graph;
  llvm::SmallVector<RegionExits, 8> exits;
  LocalMemory local;
  std::optional<LiveValues> live;
  std::vector<RegionWork> regions;  ///< in the order of graph->regions()
};

/// A kernel without barriers has `body`, and `split` too where its loops are interchanged with the
/// loop over threads; the launch chooses. One with barriers has `split` only.
struct KernelWork {
  explicit KernelWork(KernelPlan& of) : plan(of) {}

  KernelPlan& plan;
  std::optional<KernelBody> body;
  llvm::MDNode* group = nullptr;      ///< as RegionWork::group
  std::unique_ptr<RowChecks> checks;  ///< null: it is not checked by rows
  std::optional<IndexSetSplit> guards;
  std::optional<SplitKernel> split;
};

struct PassContext {
  /// Whether `pass` is on.
  bool runs(const Pass& pass) const;
  bool runs(std::string_view pass) const;

  llvm::Module& module;
  const llvm::TargetMachine& machine;
  PassRunner& runner;
  const BackendOptions& options;
  std::string bitcode = {};  ///< of the module before the first pass, if kernels may be left for
                             ///< later
  ModulePlan plan = {};
  std::optional<SharedMemory> shared = {};
  std::vector<std::unique_ptr<KernelWork>> kernels = {};
  std::string log = {};
};

}  // namespace treadle::cuda_cpu
