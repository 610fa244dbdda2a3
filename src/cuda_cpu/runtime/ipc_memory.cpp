// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/ipc_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "cuda_cpu/runtime/address_range.hpp"
#include "cuda_cpu/runtime/device_heap.hpp"
#include "cuda_cpu/runtime/entry.hpp"
#include "cuda_cpu/runtime/scheduler.hpp"
#include "cuda_cpu/runtime/shared_file.hpp"

namespace treadle::cuda_cpu {
namespace {

std::size_t page_size() {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

struct Opened {
  void* mapping;
  std::size_t bytes;
  std::uint64_t inode, offset;
  unsigned count;  ///< cuIpcOpenMemHandle counts
};

/// The files of blocks that were exported, and the mappings of those that were opened.
struct SharedBlocks {
  std::mutex mutex;
  std::map<void*, int> files;               ///< by the block's base
  std::map<std::uintptr_t, Opened> opened;  ///< by the allocation's address
};

SharedBlocks& shared_blocks() {
  static SharedBlocks* const blocks = new SharedBlocks;  // outlives every thread
  return *blocks;
}

/// Copies what is not zero: pages of memory that nobody has written stay unbacked.
void copy_pages(std::byte* to, const std::byte* from, std::size_t bytes) {
  static const std::vector<std::byte> zeros(page_size());
  for (std::size_t at = 0; at < bytes; at += zeros.size())
    if (std::memcmp(from + at, zeros.data(), zeros.size()) != 0)
      std::memcpy(to + at, from + at, zeros.size());
}

/// Puts a file's pages in the place of the block's own, with their contents; its number, or -1.
int share(const HeapBlock& block) {
  const int file = make_shared_file(block.bytes);
  if (file < 0) return -1;
  void* const pages = mmap(nullptr, block.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (pages != MAP_FAILED) {
    copy_pages(static_cast<std::byte*>(pages), static_cast<const std::byte*>(block.base),
               block.bytes);
    // In one step: no thread finds the address without memory.
    if (mremap(pages, block.bytes, block.bytes, MREMAP_MAYMOVE | MREMAP_FIXED, block.base) !=
        MAP_FAILED)
      return file;
    munmap(pages, block.bytes);
  }
  close(file);
  return -1;
}

bool is_shared(const HeapBlock& block) {
  SharedBlocks& blocks = shared_blocks();
  const std::lock_guard lock(blocks.mutex);
  return blocks.files.contains(block.base);
}

CUresult export_memory(const Allocation& allocation, SharedName& name) {
  const HeapBlock block =
      device_heap_block(reinterpret_cast<void*>(allocation.base), allocation.size);
  // What is written while the pages are replaced would be lost. Without the lock: work that is
  // waited for may free memory.
  if (!is_shared(block))
    for (const auto& context : context_handles().all()) Scheduler::instance().wait_all(*context);
  SharedBlocks& blocks = shared_blocks();
  const std::lock_guard lock(blocks.mutex);
  auto found = blocks.files.find(block.base);
  if (found == blocks.files.end()) {
    const int file = share(block);
    if (file < 0) return CUDA_ERROR_OUT_OF_MEMORY;
    found = blocks.files.emplace(block.base, file).first;
  }
  auto made = name_shared_file(found->second, block.bytes, SharedKind::memory);
  if (!made) return CUDA_ERROR_OPERATING_SYSTEM;
  made->offset = allocation.base - reinterpret_cast<std::uintptr_t>(block.base);
  made->size = allocation.size;
  name = *made;
  return CUDA_SUCCESS;
}

/// Maps the file among the device's addresses; null if that fails.
void* map_file(int file, std::size_t bytes) {
  void* const at = take_addresses(bytes, page_size(), page_size());
  if (at == nullptr) return nullptr;
  if (mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED)
    return at;
  give_back_addresses(at, bytes, page_size());
  return nullptr;
}

CUresult import_memory(const std::shared_ptr<Context>& context, const SharedName& name,
                       std::uintptr_t& address) {
  SharedBlocks& blocks = shared_blocks();
  const std::lock_guard lock(blocks.mutex);
  for (auto& [known, opened] : blocks.opened) {
    if (opened.inode != name.inode || opened.offset != name.offset) continue;
    const auto memory = find_memory(known);
    if (!memory || memory->context != context) continue;
    ++opened.count;
    address = known;
    return CUDA_SUCCESS;
  }
  const int file = open_shared_file(name);
  if (file < 0) return CUDA_ERROR_INVALID_HANDLE;
  void* const mapping = map_file(file, name.bytes);
  close(file);
  if (mapping == nullptr) return CUDA_ERROR_MAP_FAILED;
  address = reinterpret_cast<std::uintptr_t>(mapping) + name.offset;
  blocks.opened.emplace(address, Opened{mapping, name.bytes, name.inode, name.offset, 1});
  add_memory({.base = address,
              .size = name.size,
              .kind = MemoryKind::imported,
              .flags = 0,
              .id = 0,
              .context = context,
              .site = {}});
  return CUDA_SUCCESS;
}

/// Whether this was the last reference to what was opened.
bool drop_reference(std::uintptr_t address) {
  SharedBlocks& blocks = shared_blocks();
  const std::lock_guard lock(blocks.mutex);
  const auto found = blocks.opened.find(address);
  return found == blocks.opened.end() || --found->second.count == 0;
}

}  // namespace

void forget_exported(const Allocation& allocation) {
  if (allocation.kind != MemoryKind::device) return;
  SharedBlocks& blocks = shared_blocks();
  const std::lock_guard lock(blocks.mutex);
  if (blocks.files.empty()) return;
  const HeapBlock block =
      device_heap_block(reinterpret_cast<void*>(allocation.base), allocation.size);
  // The pages of small blocks go on to be shared: others lie on them.
  if (block.holds_others) return;
  const auto found = blocks.files.find(block.base);
  if (found == blocks.files.end()) return;
  close(found->second);
  blocks.files.erase(found);
}

void unmap_imported(const Allocation& allocation) {
  SharedBlocks& blocks = shared_blocks();
  const std::lock_guard lock(blocks.mutex);
  const auto found = blocks.opened.find(allocation.base);
  if (found == blocks.opened.end()) return;
  give_back_addresses(found->second.mapping, found->second.bytes, page_size());
  blocks.opened.erase(found);
}

}  // namespace treadle::cuda_cpu

using namespace treadle::cuda_cpu;

CUresult cuIpcGetMemHandle(CUipcMemHandle* handle, CUdeviceptr pointer) {
  return with_context([&](const auto&) -> CUresult {
    const auto found = find_memory(pointer);
    if (handle == nullptr || !found || found->kind != MemoryKind::device)
      return CUDA_ERROR_INVALID_VALUE;
    SharedName name;
    const CUresult result = export_memory(*found, name);
    if (result != CUDA_SUCCESS) return result;
    *handle = {};
    std::memcpy(handle->reserved, &name, sizeof name);
    return CUDA_SUCCESS;
  });
}

CUresult cuIpcOpenMemHandle(CUdeviceptr* pointer, CUipcMemHandle handle, unsigned flags) {
  return with_context([&](const auto& context) -> CUresult {
    if (pointer == nullptr || flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS)
      return CUDA_ERROR_INVALID_VALUE;
    bool own = false;
    const auto name = read_shared_name(handle.reserved, SharedKind::memory, own);
    if (!name) return own ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_VALUE;
    std::uintptr_t address = 0;
    const CUresult result = import_memory(context, *name, address);
    if (result == CUDA_SUCCESS) *pointer = address;
    return result;
  });
}

CUresult cuIpcCloseMemHandle(CUdeviceptr pointer) {
  return with_context([&](const auto&) -> CUresult {
    const auto found = find_memory(pointer);
    if (!found || found->base != pointer || found->kind != MemoryKind::imported)
      return CUDA_ERROR_INVALID_VALUE;
    if (!Scheduler::instance().wait_all(*found->context, Hook::asked)) return CUDA_ERROR_NOT_READY;
    if (!drop_reference(pointer)) return CUDA_SUCCESS;
    if (const auto allocation = remove_memory(pointer, {MemoryKind::imported}))
      release_memory(*allocation);
    return CUDA_SUCCESS;
  });
}
