// SPDX-License-Identifier: MIT
// What the passes learn about a module and the descriptor tells the run-time (module_abi.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cuda_cpu/module_abi.h"

namespace llvm {
class DISubprogram;
class Function;
class GlobalVariable;
}  // namespace llvm

namespace treadle::cuda_cpu {

struct ParameterPlan {
  std::string name;
  std::string type;  ///< as the source spells it; may be empty
  ParameterKind kind = ParameterKind::value;
  std::uint32_t size = 0, align = 1, offset = 0;
};

struct RegionPlan {
  llvm::Function* run_all = nullptr;
  llvm::Function* run_selected = nullptr;  ///< null where `run_all` does
  std::int32_t only_successor = -1;
  BarrierKind barrier = BarrierKind::block;
  bool uniform_exit = false;
};

enum class RunningTime {
  over_soon,     ///< no loops, or few iterations
  by_arguments,  ///< the arguments and the launch's shape say how many iterations
  any            ///< memory decides when a loop ends, or called code does
};

struct KernelPlan {
  llvm::Function* function =
      nullptr;  ///< as the front end made it; its body moves into `run` or the regions
  const llvm::DISubprogram* description = nullptr;  ///< what line tables say of it; may be null
  std::string name;
  std::string signature;
  std::vector<ParameterPlan> parameters;
  std::uint64_t parameter_bytes = 0;
  std::uint32_t max_threads = 0;
  std::uint64_t static_shared = 0, exchange_shared = 0;  ///< as in module_abi.h
  bool dynamic_shared = false;
  bool small_index = false;
  RunningTime running_time = RunningTime::over_soon;
  bool runs_block_rows = false;  ///< see block_rows.hpp
  bool deferred = false;         ///< its code is left for later (kernels_on_demand.hpp)
  bool notes_writes = false;     ///< is checked for reads of what nobody has written
  bool checks_races = false, checks_order = false;
  llvm::Function* run = nullptr;     ///< null when there are regions
  llvm::Function* thread = nullptr;  ///< null unless it is asked for
  std::vector<RegionPlan> regions;
  std::uint64_t uniform_frame_size = 0, varying_frame_size = 0, local_size = 0;
};

struct GlobalPlan {
  llvm::GlobalVariable* variable = nullptr;
  std::string name;
  std::uint64_t size = 0;
};

/// What coverage.hpp made of a text.
struct CountedPlan {
  llvm::GlobalVariable* map = nullptr;
  llvm::GlobalVariable* counters = nullptr;  ///< the address of the first counter
  std::uint64_t counter_count = 0;
};

/// A kernel that kernels launch.
struct LaunchPlan {
  unsigned kernel = 0;  ///< among ModulePlan::kernels
  std::string row;      ///< variable for the address of its `Kernel`; gone if no code is left
};

struct ModulePlan {
  std::vector<KernelPlan> kernels;
  std::vector<GlobalPlan> globals;
  std::vector<LaunchPlan> launches;
  std::vector<CountedPlan> counted;  ///< of each text, where coverage is asked for
  std::uint64_t constant_size = 0;
  std::string deferred, deferred_arguments;  ///< what kernels that are left for later are made of
};

}  // namespace treadle::cuda_cpu
