// SPDX-License-Identifier: MIT
#include "compile/file_system.hpp"

#include "treadle/process/write_all.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace treadle::compile {
namespace {

int list_folder(const char* path, std::vector<std::string>& names) {
  DIR* folder = ::opendir(path);
  if (folder == nullptr) return -1;
  while (const dirent* entry = ::readdir(folder)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  ::closedir(folder);
  return 0;
}

FileSystem make_system() {
  FileSystem files;
  files.open = [](const char* path, int flags, mode_t mode) { return ::open(path, flags, mode); };
  files.close = [](int file) { return ::close(file); };
  files.read = [](int file, void* into, size_t size) { return ::read(file, into, size); };
  files.write = [](int file, const void* from, size_t size) { return ::write(file, from, size); };
  files.fstat = [](int file, struct stat* into) { return ::fstat(file, into); };
  files.lstat = [](const char* path, struct stat* into) { return ::lstat(path, into); };
  files.mkdir = [](const char* path, mode_t mode) { return ::mkdir(path, mode); };
  files.rename = [](const char* from, const char* to) { return std::rename(from, to); };
  files.unlink = [](const char* path) { return ::unlink(path); };
  files.touch = [](int file) { return ::futimens(file, nullptr); };
  files.list = list_folder;
  return files;
}

}  // namespace

const FileSystem& FileSystem::system() {
  static const FileSystem files = make_system();
  return files;
}

bool read_exactly(const FileSystem& files, int file, void* into, size_t size) {
  auto* to = static_cast<char*>(into);
  while (size > 0) {
    const ssize_t got = files.read(file, to, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      if (got == 0) errno = EIO;  // the file is shorter than fstat said
      return false;
    }
    to += got;
    size -= static_cast<size_t>(got);
  }
  return true;
}

bool write_all(const FileSystem& files, int file, const void* from, size_t size) {
  return treadle::write_all(files.write, file, from, size);
}

}  // namespace treadle::compile
