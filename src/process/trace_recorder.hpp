// SPDX-License-Identifier: MIT
// The events of this process on their way into its trace.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "process/trace_file.hpp"

namespace treadle {

/// Nanoseconds of a clock that all processes of a machine share.
inline std::int64_t trace_now() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Where an event is drawn. Trace viewers have "processes" with "threads": devices and their
/// streams are made such, too.
struct TraceTrack {
  long process = 0, thread = 0;
};

/// What an event tells beside its name: the members of a JSON object.
class TraceDetails {
 public:
  void add(std::string_view key, std::string_view text);
  void add(std::string_view key, std::uint64_t number);
  void add_dims(std::string_view key, const std::uint64_t (&dims)[3]);
  const std::string& text() const noexcept { return text_; }

 private:
  void add_key(std::string_view key);
  std::string text_;
};

struct TraceEvent {
  std::string_view name;
  const char* category = "";
  TraceTrack track = {};
  std::int64_t begin = 0, end = 0;  ///< of trace_now()
  const TraceDetails& details;
  std::uint64_t flow = 0;    ///< joins a launch and its kernel by an arrow; 0: none
  bool flow_starts = false;  ///< whether the arrow starts or ends here
};

/// One for the process; lives as long as it. Any thread.
class TraceRecorder {
 public:
  /// The process's; null where nothing is recorded. The first call reads TREADLE_TRACE and throws
  /// as start_trace(); later ones take a nanosecond.
  static TraceRecorder* active();

  explicit TraceRecorder(const std::filesystem::path& named);

  void add(const TraceEvent& event);
  /// The calling thread.
  TraceTrack host_track();
  /// A new device of this process, as a process of the trace.
  long add_device(const std::string& name);
  void name_thread(const TraceTrack& track, const std::string& name);
  std::uint64_t new_flow() noexcept;

  /// `collect` adds what a device has done meanwhile; true: there is more to come. Called before
  /// events are written; never again in a forked child.
  void collect_from(std::function<bool()> collect);
  /// Collects until nothing is to come, or a second went by without progress, and writes.
  void finish();

 private:
  friend struct ProcessTrace;
  void add_line(std::string line);
  void name_process(long process, const std::string& name, int rank);
  void write_locked() noexcept;

  std::mutex mutex_;
  TraceFile file_;
  std::string lines_;  ///< not yet written
  bool is_broken_ = false;
  std::set<long> named_threads_;
  std::vector<std::function<bool()>> collectors_;
  std::uint64_t flows_ = 0;
  long devices_ = 0, process_ = 0;
};

/// A span of the calling thread; nothing where nothing is recorded.
class TraceSpan {
 public:
  explicit TraceSpan(TraceRecorder* recorder) noexcept
      : recorder_(recorder), begin_(recorder == nullptr ? 0 : trace_now()) {}
  /// Ends it. Called at most once, and only where recording() is true.
  void end(std::string_view name, const char* category, const TraceDetails& details) {
    recorder_->add({.name = name,
                    .category = category,
                    .track = recorder_->host_track(),
                    .begin = begin_,
                    .end = trace_now(),
                    .details = details});
  }
  bool recording() const noexcept { return recorder_ != nullptr; }

 private:
  TraceRecorder* recorder_;
  std::int64_t begin_;
};

}  // namespace treadle
