// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/shared_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <string>

namespace treadle::cuda_cpu {
namespace {

constexpr char shared_magic[8] = {'T', 'R', 'D', 'L', 'I', 'P', 'C', '1'};

}  // namespace

int make_shared_file(std::size_t bytes) {
  const int file = memfd_create("treadle-shared", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) == 0) return file;
  close(file);
  return -1;
}

std::optional<SharedName> name_shared_file(int file, std::size_t bytes, SharedKind kind) {
  struct stat status{};
  if (fstat(file, &status) != 0) return std::nullopt;
  SharedName name{};
  std::memcpy(name.magic, shared_magic, sizeof name.magic);
  name.pid = static_cast<std::uint32_t>(getpid());
  name.file = file;
  name.inode = status.st_ino;
  name.bytes = bytes;
  name.kind = kind;
  return name;
}

std::optional<SharedName> read_shared_name(const void* handle, SharedKind kind, bool& own) {
  SharedName name;
  std::memcpy(&name, handle, sizeof name);
  if (std::memcmp(name.magic, shared_magic, sizeof name.magic) != 0 || name.kind != kind ||
      name.bytes == 0 || name.size > name.bytes || name.offset > name.bytes - name.size)
    return std::nullopt;
  own = name.pid == static_cast<std::uint32_t>(getpid());
  return own ? std::nullopt : std::optional(name);
}

int open_shared_file(const SharedName& name) {
  const std::string path = "/proc/" + std::to_string(name.pid) + "/fd/" + std::to_string(name.file);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  struct stat status{};
  if (file < 0 || (fstat(file, &status) == 0 && status.st_ino == name.inode &&
                   static_cast<std::uint64_t>(status.st_size) == name.bytes))
    return file;
  close(file);
  return -1;
}

}  // namespace treadle::cuda_cpu
