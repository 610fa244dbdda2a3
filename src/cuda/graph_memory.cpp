// SPDX-License-Identifier: MIT
#include "treadle/cuda/graph_memory.hpp"

#include "treadle/cuda/table.hpp"

namespace treadle::cuda {
namespace {

std::uint64_t graph_bytes(const Device& device, CUgraphMem_attribute attribute) {
  const Table& cu = device.driver().table();
  cuuint64_t bytes = 0;
  check(cu, cu.cuDeviceGetGraphMemAttribute(device.raw(), attribute, &bytes),
        "cuDeviceGetGraphMemAttribute");
  return bytes;
}

}  // namespace

GraphMemoryUse graph_memory_use(const Device& device) {
  return {graph_bytes(device, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT),
          graph_bytes(device, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH),
          graph_bytes(device, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT),
          graph_bytes(device, CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH)};
}

void reset_most_graph_memory(const Device& device) {
  const Table& cu = device.driver().table();
  for (const CUgraphMem_attribute attribute :
       {CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH}) {
    cuuint64_t zero = 0;  // the only value that is taken
    check(cu, cu.cuDeviceSetGraphMemAttribute(device.raw(), attribute, &zero),
          "cuDeviceSetGraphMemAttribute");
  }
}

void trim_graph_memory(const Device& device) {
  const Table& cu = device.driver().table();
  check(cu, cu.cuDeviceGraphMemTrim(device.raw()), "cuDeviceGraphMemTrim");
}

}  // namespace treadle::cuda
