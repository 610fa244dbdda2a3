// SPDX-License-Identifier: MIT
// Barrier regions: a worker runs all threads of a block, but a thread cannot wait for
// another in the middle of a loop over threads. So the kernel is cut at its barriers, and each
// stretch gets loops of its own: all threads to the first barrier, then all on to the next.
//
//   s[x] = a[x];                    run_all 0:  for x { s[x] = a[x]; }
//   __syncthreads();          =>
//   b[x] = s[n - x];                run_all 1:  for x { b[x] = s[n - x]; }
#include "cuda_cpu/compiler/passes/regions/barrier_regions.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "cuda_cpu/compiler/passes/analysis/uniformity.hpp"
#include "cuda_cpu/compiler/passes/lowering/markers.hpp"
#include "cuda_cpu/compiler/passes/pass_context.hpp"
#include "cuda_cpu/compiler/passes/regions/implied_barriers.hpp"

namespace treadle::cuda_cpu {

bool needs_regions(const KernelBody& body) {
  for (const llvm::Instruction& instruction : llvm::instructions(*body.function))
    if (marker_of(instruction) == Marker::barrier) return true;
  return hands_over_in_loops(body);
}

void split_at_barriers(SplitKernel& kernel, const std::string& name) {
  kernel.graph.emplace(kernel.body, name);
  const Uniformity uniformity(kernel.body);
  const auto count = static_cast<unsigned>(kernel.graph->regions().size());
  for (unsigned i = 0; i < count; ++i)
    kernel.exits.push_back(find_exits(*kernel.graph, uniformity, i));
  const llvm::BitVector apart = divergent_regions(*kernel.graph, kernel.exits);
  kernel.local = plan_local_memory(kernel.body);
  kernel.live.emplace(kernel.body, *kernel.graph, uniformity, apart);
  kernel.regions.resize(count);
}

void make_region_functions(SplitKernel& kernel) {
  for (unsigned i = 0; i < kernel.regions.size(); ++i) {
    RegionWork& region = kernel.regions[i];
    region.function = make_region_function(kernel.body, *kernel.graph, *kernel.live, kernel.local,
                                           i, region.indices);
  }
}

}  // namespace treadle::cuda_cpu
