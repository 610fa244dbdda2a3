// SPDX-License-Identifier: MIT
// Row width: the blockDim.x that a kernel is probably launched with. A loop over 16 threads that
// LLVM knows to be 16 is one vector instruction and no loop, and loads that are uniform along y are
// done once for all rows; with a width known only at the launch there is a loop over whole vectors,
// one over half of one and one over the rest. Tiles in shared memory suggest the width: a kernel
// with a tile has a thread for each element.
//
//   __shared__ float a[16][16];  a[threadIdx.y][threadIdx.x] = ..    stride 16 along y      =>  16
//   __shared__ float t[32][33];  t[threadIdx.y][threadIdx.x] = ..    33, one of them padding => 32
//   __shared__ float s[256];     s[threadIdx.x] = ..                 uniform along y         =>  0
#include "cuda_cpu/compiler/passes/speed/row_width.hpp"

#include <llvm/ADT/bit.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "cuda_cpu/compiler/passes/analysis/affine_strides.hpp"
#include "cuda_cpu/compiler/passes/lowering/kernel_body.hpp"

namespace treadle::cuda_cpu {
namespace {

using llvm::Instruction;

constexpr std::int64_t narrowest = 8, widest = 64;
// Of a row of a tile: a column against bank conflicts, or a halo on both sides.
constexpr std::int64_t most_padding = 4;

/// Elements from one row of threads to the next where `access` goes to a tile in shared memory.
std::int64_t row_of(Instruction& access, const KernelBody& body, AffineStrides& along_x,
                    AffineStrides& along_y) {
  const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&access);
  if (!pointer || llvm::getUnderlyingObject(pointer, 0) != body.shared()) return 0;
  const auto size = static_cast<std::int64_t>(
      access.getModule()->getDataLayout().getTypeStoreSize(llvm::getLoadStoreType(&access)));
  const auto x = along_x.stride(pointer), y = along_y.stride(pointer);
  return x && y && *x == size && *y > 0 && *y % size == 0 ? *y / size : 0;
}

}  // namespace

unsigned likely_row_width(const KernelBody& body) {
  if (body.thread_index(1)->use_empty()) return 0;
  const llvm::DominatorTree dominators(*body.function);
  const llvm::LoopInfo loops(dominators);
  AffineStrides along_x(body, loops, 0), along_y(body, loops, 1);
  for (Instruction& instruction : llvm::instructions(*body.function)) {
    const std::int64_t row = row_of(instruction, body, along_x, along_y);
    if (row < narrowest || row > widest + most_padding) continue;
    const auto width = static_cast<std::int64_t>(llvm::bit_floor(static_cast<std::uint64_t>(row)));
    if (row - width <= most_padding) return static_cast<unsigned>(width);
  }
  return 0;
}

}  // namespace treadle::cuda_cpu
