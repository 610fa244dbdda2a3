// SPDX-License-Identifier: MIT
// Order matters. Functions are inlined before anything looks for barriers or shared variables in
// kernels. What memory a loop reads is decided while pointers still show it, and before the split
// makes loads of values. LLVM's loop passes come last, when the loops over threads exist.
#include "cuda_cpu/compiler/passes/pass_table.hpp"

#include <llvm/Analysis/CFG.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <array>

#include "cuda_cpu/compiler/backend.hpp"
#include "cuda_cpu/compiler/codegen.hpp"
#include "cuda_cpu/compiler/descriptor.hpp"
#include "cuda_cpu/compiler/passes/analysis/running_time.hpp"
#include "cuda_cpu/compiler/passes/analysis/uniformity.hpp"
#include "cuda_cpu/compiler/passes/check/check_supported.hpp"
#include "cuda_cpu/compiler/passes/check/coverage_counters.hpp"
#include "cuda_cpu/compiler/passes/check/kernel_checks.hpp"
#include "cuda_cpu/compiler/passes/check/row_checks.hpp"
#include "cuda_cpu/compiler/passes/lowering/block_function.hpp"
#include "cuda_cpu/compiler/passes/lowering/device_functions.hpp"
#include "cuda_cpu/compiler/passes/lowering/fuse_multiply_adds.hpp"
#include "cuda_cpu/compiler/passes/lowering/gpu_arithmetic.hpp"
#include "cuda_cpu/compiler/passes/lowering/inline_functions.hpp"
#include "cuda_cpu/compiler/passes/lowering/kernels_on_demand.hpp"
#include "cuda_cpu/compiler/passes/lowering/line_tables.hpp"
#include "cuda_cpu/compiler/passes/lowering/local_stack.hpp"
#include "cuda_cpu/compiler/passes/lowering/math_calls.hpp"
#include "cuda_cpu/compiler/passes/lowering/retarget.hpp"
#include "cuda_cpu/compiler/passes/lowering/texture_objects.hpp"
#include "cuda_cpu/compiler/passes/lowering/thread_function.hpp"
#include "cuda_cpu/compiler/passes/lowering/thread_loop.hpp"
#include "cuda_cpu/compiler/passes/pass_context.hpp"
#include "cuda_cpu/compiler/passes/pass_runner.hpp"
#include "cuda_cpu/compiler/passes/regions/barrier_regions.hpp"
#include "cuda_cpu/compiler/passes/regions/implied_barriers.hpp"
#include "cuda_cpu/compiler/passes/regions/lockstep.hpp"
#include "cuda_cpu/compiler/passes/regions/region_entries.hpp"
#include "cuda_cpu/compiler/passes/speed/block_rows.hpp"
#include "cuda_cpu/compiler/passes/speed/consecutive_indices.hpp"
#include "cuda_cpu/compiler/passes/speed/join_regions.hpp"
#include "cuda_cpu/compiler/passes/speed/loop_interchange.hpp"
#include "cuda_cpu/compiler/passes/speed/row_width.hpp"
#include "cuda_cpu/compiler/passes/speed/scalar_addresses.hpp"
#include "cuda_cpu/compiler/passes/speed/shared_atomics.hpp"
#include "cuda_cpu/compiler/passes/speed/simplify_body.hpp"
#include "cuda_cpu/compiler/passes/speed/software_prefetch.hpp"
#include "cuda_cpu/compiler/passes/speed/strip_mining.hpp"
#include "cuda_cpu/compiler/passes/speed/vector_conversions.hpp"
#include "cuda_cpu/compiler/passes/speed/widen_indices.hpp"

namespace treadle::cuda_cpu {
namespace {

using enum PassKind;

llvm::SmallVector<std::reference_wrapper<SplitKernel>, 4> split_kernels(const PassContext& c) {
  llvm::SmallVector<std::reference_wrapper<SplitKernel>, 4> found;
  for (const auto& kernel : c.kernels)
    if (kernel->split) found.push_back(*kernel->split);
  return found;
}

void make_kernel_bodies(PassContext& c) {
  for (KernelPlan& plan : c.plan.kernels) {
    if (plan.deferred) continue;
    c.kernels.push_back(std::make_unique<KernelWork>(plan));
    c.kernels.back()->body = make_kernel_body(plan, *c.shared);
  }
}

void make_thread_functions(PassContext& c) {
  if (!c.options.fibers && !c.options.checks.determinism) return;
  for (const auto& kernel : c.kernels) {
    // Which products are fused must not depend on the way a kernel runs.
    if (c.options.checks.determinism) fuse_for_good(*kernel->body->function);
    make_thread_function(kernel->plan, *kernel->body, c.machine, c.runner);
  }
}

void choose_kernels_to_split(PassContext& c) {
  for (const auto& kernel : c.kernels) {
    if (!needs_regions(*kernel->body)) continue;
    kernel->split.emplace(*kernel->body);
    kernel->body.reset();
  }
}

/// Kernels without barriers keep their body beside a copy that is split: the launch chooses. For
/// blocks of one thread it would never take the copy.
void split_interchanged_loops(PassContext& c) {
  for (const auto& kernel : c.kernels) {
    if (!kernel->body || kernel->plan.max_threads == 1) continue;
    llvm::SmallVector<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>, 4> back_edges;
    llvm::FindFunctionBackedges(*kernel->body->function, back_edges);
    if (back_edges.empty()) continue;
    KernelBody copy = *kernel->body;
    llvm::ValueToValueMapTy values;
    copy.function = llvm::CloneFunction(copy.function, values);
    simplify_body(copy, c.runner);
    if (mark_interchanged_loops(copy, c.runner))
      kernel->split.emplace(copy);
    else
      copy.function->eraseFromParent();
  }
}

Interchange interchange(const PassContext& c) {
  return c.runs("loop-interchange") ? Interchange::on : Interchange::off;
}

/// Whether all that threads do between barriers of the block they do in this region.
bool is_between_block_barriers(const SplitKernel& kernel, unsigned number) {
  const auto& regions = kernel.graph->regions();
  const auto is_apart = [&](int region) {
    return region == region_exited ||
           regions[static_cast<unsigned>(region)].barrier == BarrierKind::block;
  };
  return (number == 0 || is_apart(static_cast<int>(number))) &&
         llvm::all_of(kernel.exits[number].successors, is_apart);
}

void split_at_barriers(PassContext& c) {
  for (const auto& kernel : c.kernels)
    if (kernel->split) split_at_barriers(*kernel->split, kernel->plan.name);
}

void declare_threads_independent(PassContext& c) {
  const auto declare = [](llvm::Function& function) {
    llvm::MDNode* group = llvm::MDNode::getDistinct(function.getContext(), {});
    join_access_group(function, group);
    make_shared_atomics_plain(function);
    return group;
  };
  for (const auto& kernel : c.kernels) {
    if (kernel->body) kernel->group = declare(*kernel->body->function);
    if (!kernel->split) continue;
    for (RegionWork& region : kernel->split->regions)
      region.group = declare(*region.function.function);
  }
}

/// Without `determinism`, which counts each access.
void check_rows(PassContext& c) {
  const auto may_ask = [&](const KernelBody& body, llvm::Function& function, Rows rows,
                           bool alone) {
    std::unique_ptr<RowChecks> checks;
    if (!c.options.checks.determinism) {
      checks = std::make_unique<RowChecks>(body, function, rows, alone);
      if (!checks->unchecked()) checks.reset();
    }
    return checks;
  };
  for (const auto& kernel : c.kernels) {
    if (kernel->body)
      kernel->checks = may_ask(*kernel->body, *kernel->body->function,
                               kernel->plan.runs_block_rows ? Rows::of_blocks : Rows::of_block,
                               /*alone=*/false);
    if (!kernel->split) continue;
    for (unsigned i = 0; i < kernel->split->regions.size(); ++i) {
      RegionWork& region = kernel->split->regions[i];
      if (region.function.indices.empty())
        region.checks = may_ask(kernel->split->body, *region.function.function, Rows::of_block,
                                is_between_block_barriers(*kernel->split, i));
    }
  }
}

void call_checks(PassContext& c) {
  for (const auto& kernel : c.kernels) {
    if (kernel->body) lower_services_for_threads(*kernel->body, *kernel->body->function, is_check);
    if (!kernel->split) continue;
    for (const RegionWork& region : kernel->split->regions)
      lower_services_for_threads(kernel->split->body, *region.function.function, is_check);
  }
}

void plan_unroll_and_jam_of_regions(PassContext& c) {
  for (SplitKernel& kernel : split_kernels(c)) {
    if (kernel.row_width == 0 || kernel.body.stores_thread_index) continue;
    for (RegionWork& region : kernel.regions) {
      if (!region.function.indices.empty() || region.checks) continue;
      KernelBody as_body = kernel.body;
      as_body.function = region.function.function;
      region.rows = plan_unroll_and_jam(as_body, kernel.row_width, c.machine);
    }
  }
}

void copy_full_strips(PassContext& c) {
  for (SplitKernel& kernel : split_kernels(c))
    for (unsigned i = 0; i < kernel.regions.size(); ++i)
      if (RegionWork& region = kernel.regions[i]; !region.function.indices.empty())
        region.full_strip.emplace(kernel.body, region.function, i);
}

void make_all_region_entries(PassContext& c) {
  const auto counters = c.runs("software-prefetch") ? Counters::marked : Counters::unmarked;
  for (const auto& kernel : c.kernels)
    if (kernel->split) make_region_entries(kernel->plan, *kernel->split, c.machine, counters);
}

void make_block_functions(PassContext& c) {
  for (const auto& kernel : c.kernels)
    if (kernel->body) make_block_function(*kernel, c.machine);
}

void finish_module(PassContext& c) {
  if (c.kernels.empty() && !c.bitcode.empty()) {
    c.plan.deferred = std::move(c.bitcode);
    c.plan.deferred_arguments = c.options.arguments;
  }
  for (KernelPlan& kernel : c.plan.kernels) kernel.function->eraseFromParent();
  c.shared->erase();
  emit_descriptor(c.module, c.plan);
}

void verify(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (llvm::verifyModule(module, &stream))
    throw BackendError("error: the CPU compiler made invalid code, please report this: " + text);
}

template <class FunctionPass>
void run_on_functions(PassContext& c) {
  llvm::ModulePassManager passes;
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(FunctionPass()));
  c.runner.run(passes, c.module);
}

constexpr Pass passes_in_order[] = {
    {"retarget", required, "from the front end's abstract GPU to this processor; lists the kernels",
     [](PassContext& c) { c.plan = retarget(c.module, c.machine); }},
    {"early-gpu-arithmetic", required,
     "a GPU's answers where C++ has none, before constants are folded",
     [](PassContext& c) {
       for (llvm::Function& function : c.module) give_gpu_arithmetic(function);
     }},
    {"inline-functions", required, "every device function that can be goes into its callers",
     [](PassContext& c) { inline_functions(c.module, c.plan, c.runner); }},
    {"check-supported", required, "refuses, at the user's line, what cannot be run here",
     [](PassContext& c) { check_supported(c.module, c.plan); }},
    {"kernels-on-demand", speed, "leaves the kernels of a text of many until they are asked for",
     [](PassContext& c) {
       if (!c.bitcode.empty()) leave_kernels_for_later(c.module, c.plan);
     }},
    {"kernel-checks", required, "with TREADLE_CHECK, asks the run-time before each access",
     [](PassContext& c) { insert_kernel_checks(c.module, c.plan, c.options.checks); }},
    {"coverage-counters", required, "with TREADLE_COVERAGE, counts where clang says so",
     [](PassContext& c) { lower_coverage_counters(c.module); }},
    {"texture-objects", required, "from the number of a texture object to what it describes",
     [](PassContext& c) { lower_texture_objects(c.module); }},
    {"math-calls", required, "math functions read and write no memory",
     [](PassContext& c) { prepare_math_calls(c.module); }},
    {"gpu-arithmetic", required, "a GPU's answers in what was inlined and added since",
     [](PassContext& c) {
       for (llvm::Function& function : c.module) give_gpu_arithmetic(function);
     }},
    {"shared-memory", required, "lays out the shared memory of a block",
     [](PassContext& c) { c.shared.emplace(c.module, c.plan); }},
    {"device-functions", required, "lowers functions that could not be inlined",
     [](PassContext& c) { lower_device_functions(c.module, c.plan, *c.shared); }},
    {"kernel-bodies", required, "a kernel becomes a function of all that one thread depends on",
     [](PassContext& c) { make_kernel_bodies(c); }},
    {"thread-functions", required,
     "with --treadle-fibers, or checked for determinism: each kernel also for one thread",
     [](PassContext& c) { make_thread_functions(c); }},
    {"lockstep", required,
     "lanes of a warp meet between one's write to shared memory and another's read",
     [](PassContext& c) {
       // A thread that is alone in its block meets nobody, and its loops stay as they are.
       for (const auto& kernel : c.kernels)
         if (kernel->plan.max_threads != 1)
           keep_lockstep(*kernel->body, c.runner, ThreadOrder::ascending);
     }},
    {"running-time", required, "which kernels a waiting thread of the program may run",
     [](PassContext& c) {
       for (const auto& kernel : c.kernels)
         kernel->plan.running_time = running_time(*kernel->body->function, c.runner);
     }},
    {"shared-atomics", speed, "atomics on shared memory need no lock: one worker runs a block",
     [](PassContext& c) {
       for (const auto& kernel : c.kernels) mark_shared_atomics(*kernel->body);
     }},
    {"split-kernels", required, "kernels with barriers are going to be split at them",
     [](PassContext& c) { choose_kernels_to_split(c); }},
    {"loop-interchange", speed,
     "exchanges loops of kernels without barriers with the loop over threads",
     [](PassContext& c) { split_interchanged_loops(c); }},
    {"widen-indices", speed, "indices along rows in 64 bits, so that LLVM sees vectors",
     [](PassContext& c) {
       for (SplitKernel& kernel : split_kernels(c)) widen_indices(kernel.body);
     }},
    {"simplify", required, "LLVM's simplification before the split; unrolls small loops",
     [](PassContext& c) {
       for (SplitKernel& kernel : split_kernels(c)) simplify_body(kernel.body, c.runner);
     }},
    {"float-loop-interchange", speed,
     "the same for loops that carry floats, in kernels with barriers",
     [](PassContext& c) {
       for (SplitKernel& kernel : split_kernels(c)) mark_float_loops(kernel.body, c.runner);
     }},
    {"strip-mining", speed, "unrolls interchanged loops by strips of four iterations",
     [](PassContext& c) {
       for (SplitKernel& kernel : split_kernels(c))
         strip_mining(kernel.body, c.runner, interchange(c));
     }},
    {"scheduling-barriers", required, "barriers at the head of loops that wait or are interchanged",
     [](PassContext& c) {
       for (SplitKernel& kernel : split_kernels(c))
         add_scheduling_barriers(kernel.body, Uniformity(kernel.body), interchange(c));
     }},
    {"row-width", speed, "compiles for the blockDim.x that tiles in shared memory suggest, too",
     [](PassContext& c) {
       for (SplitKernel& kernel : split_kernels(c))
         kernel.row_width = likely_row_width(kernel.body);
     }},
    {"multiply-adds", required, "fuses products and sums where a known row width could part them",
     [](PassContext& c) {
       for (SplitKernel& kernel : split_kernels(c))
         if (kernel.row_width != 0) fuse_multiply_adds(*kernel.body.function);
     }},
    {"regions", required, "splits kernels at barriers; finds what regions hand on to each other",
     [](PassContext& c) { split_at_barriers(c); }},
    {"consecutive-indices", speed,
     "indices that are consecutive along a row are computed, not loaded by each thread",
     [](PassContext& c) {
       for (SplitKernel& kernel : split_kernels(c)) find_consecutive_indices(kernel);
     }},
    {"region-functions", required, "each region as a function for one thread",
     [](PassContext& c) {
       for (SplitKernel& kernel : split_kernels(c)) make_region_functions(kernel);
     }},
    {"block-rows", speed, "neighbouring blocks run together, a row of threads of each in turn",
     [](PassContext& c) {
       for (const auto& kernel : c.kernels)
         if (kernel->body) kernel->plan.runs_block_rows = suits_block_rows(*kernel->body, c.runner);
     }},
    {"access-groups", required, "declares memory accesses of different threads independent",
     [](PassContext& c) { declare_threads_independent(c); }},
    {"row-checks", speed,
     "checks of a row of threads are one question, and rows that pass run free",
     [](PassContext& c) { check_rows(c); }},
    {"check-calls", required, "other checks are calls of the run-time by each thread",
     [](PassContext& c) { call_checks(c); }},
    {"unroll-and-jam", speed,
     "two rows of threads at a time, where rows share more vectors than there are registers",
     [](PassContext& c) { plan_unroll_and_jam_of_regions(c); }},
    {"full-strips", speed, "a copy without exits, for strips of a loop that no thread leaves",
     [](PassContext& c) { copy_full_strips(c); }},
    {"index-set-splitting", speed,
     "the threads of a row that pass the kernel's guards run a copy without them",
     [](PassContext& c) {
       for (const auto& kernel : c.kernels)
         if (kernel->body)
           kernel->guards.emplace(kernel->checks ? kernel->checks->unchecked_body()
                                                 : *kernel->body);
     }},
    {"thread-loops", required, "loops over the threads of a block around each region",
     [](PassContext& c) { make_all_region_entries(c); }},
    {"join-regions", speed, "regions that follow each other become one function",
     [](PassContext& c) {
       for (const auto& kernel : c.kernels)
         if (kernel->split) join_regions(kernel->plan);
     }},
    {"block-functions", required,
     "a loop over the threads of a block around kernels without barriers",
     [](PassContext& c) { make_block_functions(c); }},
    {"import-variables", required,
     "a kernel that is compiled on demand has the variables of the module it is from",
     [](PassContext& c) {
       if (!c.options.only.empty()) import_variables(c.module, c.plan);
     }},
    {"descriptor", required, "drops what is lowered; writes what the run-time reads of a module",
     [](PassContext& c) { finish_module(c); }},
    {"vector-conversions", speed, "conversions that saturate are written out, so that vectors stay",
     [](PassContext& c) { run_on_functions<VectorConversions>(c); }},
    {"verify", required, "LLVM's verifier", [](PassContext& c) { verify(c.module); }},
    {"optimize", required, "LLVM's optimiser at the level of the options, loop vectoriser included",
     [](PassContext& c) { optimize(c.module, c.runner, c.options.optimization); }},
    {"scalar-addresses", speed, "addresses that LLVM takes out of vectors are computed beside them",
     [](PassContext& c) { run_on_functions<ScalarAddresses>(c); }},
    {"software-prefetch", speed,
     "prefetches what the next iteration of a loop around a region will read",
     [](PassContext& c) { run_on_functions<SoftwarePrefetch>(c); }},
    {"line-tables", required, "each function that a kernel became gets a line table of its own",
     [](PassContext& c) { finish_line_tables(c.module, c.plan); }},
    {"local-stack", required, "arrays of threads go apart from where functions return to",
     [](PassContext& c) { use_local_stack(c.module, c.machine); }},
};

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

std::span<const Pass> pass_table() { return passes_in_order; }

const Pass* find_pass(std::string_view name) {
  const auto found = std::ranges::find(passes_in_order, name, &Pass::name);
  return found == std::end(passes_in_order) ? nullptr : found;
}

bool PassContext::runs(const Pass& pass) const {
  return pass.kind == required ||
         (options.optimization > 0 && !contains(options.passes.disabled, pass.name));
}

bool PassContext::runs(std::string_view pass) const { return runs(*find_pass(pass)); }

void run_passes(PassContext& context, std::span<const Pass> passes) {
  for (const Pass& pass : passes) {
    const bool runs = context.runs(pass);
    if (runs) pass.run(context);
    if (!contains(context.options.passes.printed, pass.name)) continue;
    llvm::raw_string_ostream stream(context.log);
    stream << "; " << pass.name << (runs ? "" : ", which is off") << "\n";
    if (runs) context.module.print(stream, nullptr);
  }
}

}  // namespace treadle::cuda_cpu
