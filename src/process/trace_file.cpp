// SPDX-License-Identifier: MIT
#include "process/trace_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "treadle/base/error.hpp"
#include "treadle/process/folders.hpp"
#include "treadle/process/write_all.hpp"

namespace treadle {
namespace {

constexpr std::string_view trace_head =
    "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"made_by\":\"Treadle\"},\"traceEvents\":[\n";
constexpr std::string_view trace_end = "\n]}\n";

/// An open file that one process at a time reads and writes.
class LockedFile {
 public:
  LockedFile(const std::filesystem::path& path, int flags)
      : path_(path), file_(::open(path.c_str(), O_RDWR | O_CLOEXEC | flags, 0666)) {
    if (file_ < 0) fail("opening the trace");
    while (::flock(file_, LOCK_EX) != 0)
      if (errno != EINTR) {
        const int error = errno;
        ::close(file_);
        throw FileError(error, path_.string(), "locking the trace \"" + path_.string() + "\"");
      }
  }
  ~LockedFile() { ::close(file_); }
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;

  /// The size of a trace in bytes; 0 if the file is empty. Throws InvalidArgument if it is neither.
  std::size_t check() const {
    struct stat status{};
    if (::fstat(file_, &status) != 0) fail("looking at the trace");
    if (S_ISREG(status.st_mode) && status.st_size == 0) return 0;
    const auto size = static_cast<std::size_t>(status.st_size);
    if (!S_ISREG(status.st_mode) || size < trace_head.size() + trace_end.size() ||
        !holds(trace_head, 0) || !holds(trace_end, size - trace_end.size()))
      throw InvalidArgument("the trace \"" + path_.string() +
                                "\": there is such a file already, and it is no trace of Treadle",
                            "give the trace another name");
    return size;
  }

  /// Ends the file behind `text`, written at `place`.
  void write(std::string_view text, std::size_t place) const {
    const auto write_at = [&place](int file, const void* from, std::size_t bytes) {
      const ssize_t written = ::pwrite(file, from, bytes, static_cast<off_t>(place));
      if (written > 0) place += static_cast<std::size_t>(written);
      return written;
    };
    if (!write_all(write_at, file_, text.data(), text.size()) ||
        ::ftruncate(file_, static_cast<off_t>(place)) != 0)
      fail("writing the trace");
  }

 private:
  bool holds(std::string_view text, std::size_t place) const {
    std::string there(text.size(), '\0');
    return ::pread(file_, there.data(), there.size(), static_cast<off_t>(place)) ==
               static_cast<ssize_t>(text.size()) &&
           there == text;
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw FileError(errno, path_.string(), what + " \"" + path_.string() + "\"");
  }

  const std::filesystem::path& path_;
  int file_;
};

}  // namespace

TraceFile::TraceFile(const std::filesystem::path& path, Start start) : path_(absolute_path(path)) {
  const LockedFile file(path_, O_CREAT);
  if (file.check() == 0 || start == Start::replace)
    file.write(std::string(trace_head) + std::string(trace_end), 0);
}

void TraceFile::append(std::string_view events) const {
  if (events.empty() || !std::filesystem::exists(path_)) return;
  const LockedFile file(path_, 0);
  const std::size_t size = file.check();
  if (size == 0) return;
  std::string text(size == trace_head.size() + trace_end.size() ? "" : ",\n");
  text += events;
  text += trace_end;
  file.write(text, size - trace_end.size());
}

}  // namespace treadle
