// SPDX-License-Identifier: MIT
// The file of TREADLE_COVERAGE: a page that says what it is, then a record for each map of a
// module, which begins at a page: magic, size of the record, counters, size of the map; the
// counters; the map. Counters are shared memory, so several processes add to the same ones, and
// nothing has to be written when a process ends, or is ended.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace treadle {

/// The counters of that map, all processes' that count into the file; they stay for as long as the
/// process. A file that is not there is made. Throws FileError, and InvalidArgument if the file is
/// another one. Any thread.
std::uint64_t* coverage_counters(const std::filesystem::path& file, std::string_view map,
                                 std::uint64_t count);

/// A record as it is now.
struct CoverageRecord {
  std::string map;
  std::vector<std::uint64_t> counters;
};
/// All records; none where there is no file. Throws as coverage_counters.
std::vector<CoverageRecord> coverage_records(const std::filesystem::path& file);

}  // namespace treadle
