// SPDX-License-Identifier: MIT
// Pass 8, barrier regions: a worker runs all threads of a block, but a thread cannot wait for
// another in the middle of a loop over threads. So the kernel is cut at its barriers, and each
// stretch gets loops of its own: all threads to the first barrier, then all on to the next.
//
//   s[x] = a[x];                    run_all 0:  for x { s[x] = a[x]; }
//   __syncthreads();          =>
//   b[x] = s[n - x];                run_all 1:  for x { b[x] = s[n - x]; }
//
// As long as all threads leave a region to the same next one the scheduler calls `run_all`. Where
// a branch depends on the thread they may not; each then leaves a note in `state`, and the
// scheduler calls `run_selected` for those it has released. That path is rarely taken and is
// compiled with little effort.
#include "cuda_cpu/compiler/passes/barrier_regions.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "cuda_cpu/compiler/passes/block_context.hpp"
#include "cuda_cpu/compiler/passes/frame_scopes.hpp"
#include "cuda_cpu/compiler/passes/implied_barriers.hpp"
#include "cuda_cpu/compiler/passes/join_regions.hpp"
#include "cuda_cpu/compiler/passes/live_values.hpp"
#include "cuda_cpu/compiler/passes/markers.hpp"
#include "cuda_cpu/compiler/passes/region_exits.hpp"
#include "cuda_cpu/compiler/passes/region_function.hpp"
#include "cuda_cpu/compiler/passes/region_graph.hpp"
#include "cuda_cpu/compiler/passes/shared_atomics.hpp"
#include "cuda_cpu/compiler/passes/simplify_body.hpp"
#include "cuda_cpu/compiler/passes/thread_loop.hpp"
#include "cuda_cpu/compiler/passes/uniformity.hpp"

namespace treadle::cuda_cpu {
namespace {

using llvm::Value;

/// Makes `run_all` and `run_selected` of one region.
class RegionEntries {
 public:
  RegionEntries(const KernelPlan& kernel, const KernelBody& body,
                const llvm::TargetMachine& machine, const RegionFunction& region, unsigned number,
                const RegionExits& exits)
      : kernel_(kernel),
        body_(body),
        machine_(machine),
        region_(region),
        number_(number),
        exits_(exits),
        group_(llvm::MDNode::getDistinct(region.function->getContext(), {})) {
    join_access_group(*region_.function, group_);
    make_shared_atomics_plain(*region_.function);
  }

  llvm::Function* make_all() const { return make("all.", LoopKind::parallel, group_); }

  llvm::Function* make_selected() const {
    llvm::Function* function = make("selected.", LoopKind::serial, nullptr);
    function->addFnAttr(llvm::Attribute::OptimizeForSize);
    return function;
  }

 private:
  llvm::LLVMContext& context() const { return region_.function->getContext(); }
  llvm::Function* make(const char* prefix, LoopKind kind, llvm::MDNode* group) const;
  void append_frames(llvm::IRBuilder<>& builder, BlockEntry& entry) const;
  /// Where append_frames put them: behind the parameters of the body, thread and thread count.
  Value* uniform_frame(const BlockEntry& entry) const {
    return entry.values[body_.function->arg_size() + 2];
  }
  Value* varying_frame(const BlockEntry& entry) const {
    return entry.values[body_.function->arg_size() + 3];
  }
  void store_state(llvm::IRBuilder<>& builder, Value* next, Value* state, Value* thread,
                   llvm::MDNode* group) const;

  const KernelPlan& kernel_;
  const KernelBody& body_;
  const llvm::TargetMachine& machine_;
  const RegionFunction& region_;
  const unsigned number_;
  const RegionExits& exits_;
  llvm::MDNode* const group_;  ///< of the parallel loop; means nothing to the serial one
};

/// The parameters of a region function behind those of the body; `thread` is still null.
void RegionEntries::append_frames(llvm::IRBuilder<>& builder, BlockEntry& entry) const {
  Value* count =
      invariant(load_context_u32(builder, entry.context, offsetof(BlockContext, thread_count)));
  entry.values.push_back(nullptr);
  entry.values.push_back(
      builder.CreateAnd(builder.CreateAdd(count, builder.getInt32(63)), builder.getInt32(~63u)));
  for (std::size_t offset :
       {offsetof(BlockContext, uniform_frame), offsetof(BlockContext, varying_frame),
        offsetof(BlockContext, local_memory)})
    entry.values.push_back(invariant(load_context_pointer(builder, entry.context, offset)));
  // Read before the first thread runs: threads write the values of their next turn there.
  for (const Slot* slot : region_.uniform_values)
    entry.values.push_back(builder.CreateLoad(
        slot->memory_type, context_field(builder, uniform_frame(entry), slot->offset)));
}

void RegionEntries::store_state(llvm::IRBuilder<>& builder, Value* next, Value* state,
                                Value* thread, llvm::MDNode* group) const {
  auto* store = builder.CreateStore(
      next, builder.CreateInBoundsGEP(builder.getInt8Ty(), state,
                                      builder.CreateZExt(thread, builder.getInt64Ty())));
  if (group) store->setMetadata(llvm::LLVMContext::MD_access_group, group);
}

llvm::Function* RegionEntries::make(const char* prefix, LoopKind kind, llvm::MDNode* group) const {
  llvm::IRBuilder<> builder(context());
  BlockEntry entry = create_block_entry(
      body_, prefix + std::to_string(number_) + "." + kernel_.name, machine_, builder);
  append_frames(builder, entry);
  Value* state = load_context_pointer(builder, entry.context, offsetof(BlockContext, state));
  Value* selected = load_context_pointer(builder, entry.context, offsetof(BlockContext, selected));
  llvm::CallInst* call = nullptr;
  emit_thread_loop(builder, body_, entry, kind, group, [&](const ThreadPosition& at) {
    llvm::BasicBlock* skip = nullptr;
    if (kind == LoopKind::serial) {
      auto* run = llvm::BasicBlock::Create(context(), "run", entry.function);
      skip = llvm::BasicBlock::Create(context(), "skip", entry.function);
      Value* mine = builder.CreateLoad(
          builder.getInt8Ty(),
          builder.CreateInBoundsGEP(builder.getInt8Ty(), selected,
                                    builder.CreateZExt(at.linear, builder.getInt64Ty())));
      builder.CreateCondBr(
          builder.CreateICmpEQ(mine, builder.getInt8(static_cast<std::uint8_t>(number_))), run,
          skip);
      builder.SetInsertPoint(run);
    }
    if (body_.stores_thread_index) store_thread_index(builder, entry.context, {at.x, at.y, at.z});
    llvm::SmallVector<Value*, 24> values(entry.values);
    values[body_.user_parameters] = at.x;
    values[body_.user_parameters + 1] = at.y;
    values[body_.user_parameters + 2] = at.z;
    values[body_.function->arg_size()] = at.linear;
    call = builder.CreateCall(region_.function, values);
    if (kind == LoopKind::serial)
      store_state(builder, call, state, at.linear, group);
    else if (exits_.only_successor() < 0)
      // Where all threads go the same way, the scheduler asks the first only.
      store_state(builder, call, state, exits_.uniform ? builder.getInt32(0) : at.linear, group);
    if (skip) {
      builder.CreateBr(skip);
      builder.SetInsertPoint(skip);
    }
  });
  llvm::InlineFunctionInfo info;
  llvm::InlineFunction(*call, info, /*MergeAttributes=*/false, nullptr, /*InsertLifetime=*/false);
  separate_frames(*entry.function, {state, uniform_frame(entry), varying_frame(entry)});
  return entry.function;
}

void prepare(const KernelBody& body, PassRunner& runner) {
  add_warp_barriers(body);
  simplify_body(body, runner);
  add_scheduling_barriers(body, Uniformity(body));
}

}  // namespace

bool needs_regions(const KernelBody& body) {
  for (const llvm::Instruction& instruction : llvm::instructions(*body.function))
    if (marker_of(instruction) == Marker::barrier) return true;
  return relies_on_warps(body);
}

void make_region_functions(KernelPlan& kernel, const KernelBody& body, PassRunner& runner,
                           const llvm::TargetMachine& machine) {
  prepare(body, runner);
  const RegionGraph graph(body, kernel.name);
  const Uniformity uniformity(body);
  const auto count = static_cast<unsigned>(graph.regions().size());
  llvm::SmallVector<RegionExits, 8> exits;
  for (unsigned i = 0; i < count; ++i) exits.push_back(find_exits(graph, uniformity, i));
  const bool scatter =
      llvm::any_of(exits, [](const RegionExits& region) { return region.scatters(); });
  const bool part = llvm::any_of(exits, [](const RegionExits& region) { return !region.uniform; });

  const LocalMemory local = plan_local_memory(body);
  const LiveValues live(body, graph, uniformity, scatter);
  for (unsigned i = 0; i < count; ++i) {
    const RegionFunction region = make_region_function(body, graph, live, local, i);
    const RegionEntries entries(kernel, body, machine, region, i, exits[i]);
    RegionPlan plan;
    plan.run_selected = part ? entries.make_selected() : nullptr;
    plan.run_all = entries.make_all();
    plan.only_successor = exits[i].only_successor();
    plan.barrier = graph.regions()[i].barrier;
    plan.uniform_exit = exits[i].uniform;
    kernel.regions.push_back(plan);
    region.function->eraseFromParent();
  }
  join_regions(kernel);
  kernel.uniform_frame_size = live.uniform_size();
  kernel.varying_frame_size = live.varying_size();
  kernel.local_size = local.size;
  body.function->eraseFromParent();
}

}  // namespace treadle::cuda_cpu
