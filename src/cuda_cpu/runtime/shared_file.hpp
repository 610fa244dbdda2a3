// SPDX-License-Identifier: MIT
// Memory that processes share: an anonymous file of the process that made it, which others open as
// /proc/<pid>/fd/<number>. Nothing is left behind, however a process ends; it needs a common /proc,
// so that containers with numbers of their own for processes cannot share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace treadle::cuda_cpu {

enum class SharedKind : std::uint32_t { memory = 1, event = 2 };

/// What a handle holds: the file, and what is meant in it. Plain data of at most 64 bytes.
struct SharedName {
  char magic[8];
  std::uint32_t pid;
  std::int32_t file;
  std::uint64_t inode;  ///< another file that has the number by now is refused
  std::uint64_t bytes;  ///< of the whole file
  std::uint64_t offset, size;
  SharedKind kind;
};
static_assert(sizeof(SharedName) <= 64);

/// A new file of this process, of zeros; -1 if the system has none.
int make_shared_file(std::size_t bytes);
/// The name of a file of this process; nothing if there is no such file.
std::optional<SharedName> name_shared_file(int file, std::size_t bytes, SharedKind kind);

/// The name in a handle; nothing if that is none of this kind, or was made by this process itself,
/// for which `own` is set.
std::optional<SharedName> read_shared_name(const void* handle, SharedKind kind, bool& own);
/// Opens the file of another process; -1 if it is gone, or not the one that was meant.
int open_shared_file(const SharedName& name);

}  // namespace treadle::cuda_cpu
