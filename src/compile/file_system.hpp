// SPDX-License-Identifier: MIT
// The few file operations of the cache, as a table: tests replace one to make it fail.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace treadle::compile {

/// Each member has the meaning and the errno of the system call it is named after.
struct FileSystem {
  std::function<int(const char* path, int flags, mode_t mode)> open;
  std::function<int(int file)> close;
  std::function<ssize_t(int file, void* into, size_t size)> read;
  std::function<ssize_t(int file, const void* from, size_t size)> write;
  std::function<int(int file, struct stat* into)> fstat;
  std::function<int(const char* path, struct stat* into)> lstat;
  std::function<int(const char* path, mode_t mode)> mkdir;
  std::function<int(const char* from, const char* to)> rename;
  std::function<int(const char* path)> unlink;
  /// Sets the modification time to now.
  std::function<int(int file)> touch;
  /// Names in the folder, without "." and ".."; -1 and errno on failure.
  std::function<int(const char* path, std::vector<std::string>& names)> list;

  /// The operating system's.
  static const FileSystem& system();
};

/// A file descriptor that closes itself; a failure of close() is not reported, for it was only
/// read.
class OpenFile {
 public:
  OpenFile(const FileSystem& files, int descriptor) : files_(&files), descriptor_(descriptor) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (descriptor_ >= 0) files_->close(descriptor_);
  }
  explicit operator bool() const noexcept { return descriptor_ >= 0; }
  int get() const noexcept { return descriptor_; }
  int release() noexcept { return std::exchange(descriptor_, -1); }

 private:
  const FileSystem* files_;
  int descriptor_;
};

/// Reads `size` bytes; false, with errno, if the file ends before or a read fails.
bool read_exactly(const FileSystem& files, int file, void* into, size_t size);
bool write_all(const FileSystem& files, int file, const void* from, size_t size);

}  // namespace treadle::compile
