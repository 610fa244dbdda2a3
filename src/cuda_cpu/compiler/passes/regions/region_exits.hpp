// SPDX-License-Identifier: MIT
#pragma once

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/SmallVector.h>

namespace treadle::cuda_cpu {

class RegionGraph;
class Uniformity;

/// Where threads go from a region.
struct RegionExits {
  llvm::SmallVector<int, 4> successors;  ///< sorted; region numbers, region_exited
  bool uniform = true;                   ///< all threads of the block go to the same one
  bool both_ways = false;  ///< threads that diverge come to barriers whichever way they go, or
                           ///< in different iterations of a loop

  /// The only place to go, or -1. A region nobody leaves counts as leading out.
  int only_successor() const;
  /// Threads may go to different barriers; leaving the kernel does not count.
  bool scatters() const;
};

RegionExits find_exits(const RegionGraph& graph, const Uniformity& uniformity, unsigned region);

/// Regions that some threads of a block may run while others stand elsewhere; `exits` of each. No
/// decision that such a region makes is uniform any more.
llvm::BitVector divergent_regions(const RegionGraph& graph,
                                  llvm::MutableArrayRef<RegionExits> exits);

}  // namespace treadle::cuda_cpu
