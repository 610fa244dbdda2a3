// SPDX-License-Identifier: MIT
// Entry points for objects that graphs keep alive.
#include <algorithm>

#include "cuda_cpu/runtime/entry.hpp"
#include "cuda_cpu/runtime/graph.hpp"

using namespace treadle::cuda_cpu;

namespace {

/// A user object with the references that the program itself holds.
struct HeldObject {
  std::mutex mutex;
  std::shared_ptr<UserObject> object;
  unsigned references = 0;
};

using UserObjects = HandleRegistry<HeldObject, CUuserObject, HandleKind::user_object>;
UserObjects& user_objects() {
  static UserObjects* const objects = new UserObjects;
  return *objects;
}

/// The object while graphs hold it, too; null if there are not that many references.
std::shared_ptr<UserObject> give_up(CUuserObject handle, unsigned count) {
  const auto held = user_objects().find(handle);
  if (!held) return nullptr;
  const std::lock_guard lock(held->mutex);
  if (held->references < count) return nullptr;
  held->references -= count;
  if (held->references > 0) return held->object;
  user_objects().remove(handle);  // graphs that keep the object know it by themselves
  return std::move(held->object);
}

/// The object behind the handle: the program's, or else one that this graph keeps.
std::shared_ptr<UserObject> find_object(const Graph& graph, CUuserObject handle) {
  if (const auto held = user_objects().find(handle)) {
    const std::lock_guard lock(held->mutex);
    if (held->object) return held->object;
  }
  const auto kept = std::find_if(graph.kept.begin(), graph.kept.end(),
                                 [&](const auto& each) { return each.first == handle; });
  return kept == graph.kept.end() ? nullptr : kept->second;
}

}  // namespace

CUresult cuUserObjectCreate(CUuserObject* handle, void* data, CUhostFn destroy, unsigned references,
                            unsigned flags) {
  return with_process([&]() -> CUresult {
    if (handle == nullptr || destroy == nullptr || references == 0 ||
        flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
      return CUDA_ERROR_INVALID_VALUE;
    auto held = std::make_shared<HeldObject>();
    held->object = std::make_shared<UserObject>(data, destroy);
    held->references = references;
    *handle = user_objects().insert(std::move(held));
    return CUDA_SUCCESS;
  });
}

CUresult cuUserObjectRetain(CUuserObject handle, unsigned count) {
  return with_process([&]() -> CUresult {
    const auto held = user_objects().find(handle);
    if (!held || count == 0) return CUDA_ERROR_INVALID_VALUE;
    const std::lock_guard lock(held->mutex);
    if (!held->object) return CUDA_ERROR_INVALID_VALUE;
    held->references += count;
    return CUDA_SUCCESS;
  });
}

CUresult cuUserObjectRelease(CUuserObject handle, unsigned count) {
  return with_process([&]() -> CUresult {
    return count > 0 && give_up(handle, count) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuGraphRetainUserObject(CUgraph handle, CUuserObject object, unsigned count,
                                 unsigned flags) {
  return with_graph(handle, [&](const auto& graph) -> CUresult {
    if (count == 0 || (flags & ~static_cast<unsigned>(CU_GRAPH_USER_OBJECT_MOVE)) != 0)
      return CUDA_ERROR_INVALID_VALUE;
    const bool move = (flags & CU_GRAPH_USER_OBJECT_MOVE) != 0;
    const auto kept = move ? give_up(object, count) : find_object(*graph, object);
    if (!kept) return CUDA_ERROR_INVALID_VALUE;
    graph->kept.insert(graph->kept.end(), count, {object, kept});
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphReleaseUserObject(CUgraph handle, CUuserObject object, unsigned count) {
  return with_graph(handle, [&](const auto& graph) -> CUresult {
    const auto is_it = [&](const auto& each) { return each.first == object; };
    const auto there = std::count_if(graph->kept.begin(), graph->kept.end(), is_it);
    if (count == 0 || there < static_cast<std::ptrdiff_t>(count)) return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count; ++i)
      graph->kept.erase(std::find_if(graph->kept.begin(), graph->kept.end(), is_it));
    return CUDA_SUCCESS;
  });
}
