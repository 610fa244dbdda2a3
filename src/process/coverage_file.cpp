// SPDX-License-Identifier: MIT
#include "process/coverage_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>

#include "treadle/base/error.hpp"
#include "treadle/process/coverage.hpp"
#include "treadle/process/folders.hpp"

namespace treadle {
namespace {

constexpr std::uint64_t page = 4096;
constexpr std::string_view coverage_head = "coverage of kernels, made by Treadle\n";

struct RecordHead {
  char magic[8] = {'T', 'R', 'D', 'L', 'C', 'O', 'V', '1'};
  std::uint64_t bytes = 0;  ///< of the record: whole pages
  std::uint64_t counters = 0, map_bytes = 0;
};

constexpr std::uint64_t whole_pages(std::uint64_t bytes) {
  return (bytes + page - 1) / page * page;
}

struct OpenFile {
  explicit OpenFile(int opened) : number(opened) {}
  ~OpenFile() {
    if (number < 0) return;
    ::flock(number, LOCK_UN);  // memory that is shared with the file keeps it open
    ::close(number);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  const int number;
};

/// An open file that one process at a time looks through and adds to.
class CoverageFile {
 public:
  enum class Access { read, write };

  CoverageFile(const std::filesystem::path& path, Access access)
      : path_(path),
        file_(::open(path.c_str(),
                     access == Access::write ? O_RDWR | O_CREAT | O_CLOEXEC : O_RDONLY | O_CLOEXEC,
                     0666)) {
    if (file_.number < 0) fail("opening");
    while (::flock(file_.number, access == Access::write ? LOCK_EX : LOCK_SH) != 0)
      if (errno != EINTR) fail("locking");
    struct stat status{};
    if (::fstat(file_.number, &status) != 0) fail("looking at");
    size_ = static_cast<std::uint64_t>(status.st_size);
    if (size_ == 0 && access == Access::write) {
      put(coverage_head.data(), coverage_head.size(), 0);
      grow(page);
    }
    std::string head(coverage_head.size(), '\0');
    if (size_ != 0 && (!get(head.data(), head.size(), 0) || head != coverage_head))
      throw InvalidArgument("\"" + path.string() + "\" is no coverage of kernels",
                            "give another name to TREADLE_COVERAGE");
  }

  /// The record at that place. False behind the last one, or at one that a process began to write
  /// and did not end: the next one is written over it.
  bool record_at(std::uint64_t place, RecordHead& head) const {
    return get(&head, sizeof head, place) &&
           std::memcmp(head.magic, RecordHead().magic, sizeof head.magic) == 0 &&
           head.bytes % page == 0 && head.bytes <= size_ - place &&
           head.counters <= head.bytes / sizeof(std::uint64_t) && head.map_bytes <= head.bytes &&
           sizeof head + head.counters * sizeof(std::uint64_t) + head.map_bytes <= head.bytes;
  }
  std::string map_of(std::uint64_t place, const RecordHead& head) const {
    std::string map(head.map_bytes, '\0');
    if (!get(map.data(), map.size(), place + sizeof head + head.counters * sizeof(std::uint64_t)))
      fail("reading");
    return map;
  }
  std::vector<std::uint64_t> counters_of(std::uint64_t place, const RecordHead& head) const {
    std::vector<std::uint64_t> counters(head.counters);
    if (!get(counters.data(), head.counters * sizeof(std::uint64_t), place + sizeof head))
      fail("reading");
    return counters;
  }
  /// Where the record of that map begins.
  std::uint64_t find_or_add(std::string_view map, std::uint64_t count, RecordHead& head) {
    std::uint64_t place = page;
    for (; record_at(place, head); place += head.bytes)
      if (head.counters == count && head.map_bytes == map.size() && map_of(place, head) == map)
        return place;
    head = {};
    head.counters = count;
    head.map_bytes = map.size();
    const std::uint64_t counted = sizeof head + count * sizeof(std::uint64_t);
    head.bytes = whole_pages(counted + map.size());
    if (place + head.bytes > size_) grow(place + head.bytes);
    const std::vector<std::uint64_t> zeros(count);
    put(zeros.data(), count * sizeof(std::uint64_t), place + sizeof head);
    put(map.data(), map.size(), place + counted);
    put(&head, sizeof head, place);
    return place;
  }
  std::uint64_t* counters_in_memory(std::uint64_t place, const RecordHead& head) const {
    const std::uint64_t bytes = sizeof head + head.counters * sizeof(std::uint64_t);
    void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.number,
                            static_cast<off_t>(place));
    if (at == MAP_FAILED) fail("mapping");
    return reinterpret_cast<std::uint64_t*>(static_cast<char*>(at) + sizeof head);
  }
  void clear_counters() {
    RecordHead head;
    for (std::uint64_t place = page; record_at(place, head); place += head.bytes) {
      const std::vector<std::uint64_t> zeros(head.counters);
      put(zeros.data(), zeros.size() * sizeof(std::uint64_t), place + sizeof head);
    }
  }

 private:
  bool get(void* into, std::size_t bytes, std::uint64_t place) const {
    return ::pread(file_.number, into, bytes, static_cast<off_t>(place)) ==
           static_cast<ssize_t>(bytes);
  }
  void put(const void* from, std::size_t bytes, std::uint64_t place) const {
    const auto* rest = static_cast<const char*>(from);
    while (bytes != 0) {
      const ssize_t written = ::pwrite(file_.number, rest, bytes, static_cast<off_t>(place));
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) fail("writing");
      rest += written;
      place += static_cast<std::uint64_t>(written);
      bytes -= static_cast<std::size_t>(written);
    }
  }
  void grow(std::uint64_t size) {
    if (::ftruncate(file_.number, static_cast<off_t>(size)) != 0) fail("writing");
    size_ = size;
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw FileError(errno, path_.string(), what + " the coverage \"" + path_.string() + "\"");
  }

  const std::filesystem::path path_;
  const OpenFile file_;
  std::uint64_t size_ = 0;
};

}  // namespace

std::uint64_t* coverage_counters(const std::filesystem::path& file, std::string_view map,
                                 std::uint64_t count) {
  static std::mutex mutex;
  static auto* const known = new std::map<std::string, std::uint64_t*, std::less<>>;
  const std::lock_guard lock(mutex);
  if (const auto found = known->find(map); found != known->end()) return found->second;
  CoverageFile open(absolute_path(file), CoverageFile::Access::write);
  RecordHead head;
  const std::uint64_t place = open.find_or_add(map, count, head);
  std::uint64_t* const counters = open.counters_in_memory(place, head);
  known->emplace(map, counters);
  return counters;
}

std::vector<CoverageRecord> coverage_records(const std::filesystem::path& file) {
  std::vector<CoverageRecord> records;
  if (!std::filesystem::exists(file)) return records;
  const CoverageFile open(file, CoverageFile::Access::read);
  RecordHead head;
  for (std::uint64_t place = page; open.record_at(place, head); place += head.bytes)
    records.push_back({open.map_of(place, head), open.counters_of(place, head)});
  return records;
}

void reset_coverage(const std::filesystem::path& file) {
  if (std::filesystem::exists(file))
    CoverageFile(file, CoverageFile::Access::write).clear_counters();
}

}  // namespace treadle
