// SPDX-License-Identifier: MIT
// What a program does, in time: compiles, copies, launches, waits, and the work of its devices. A
// trace is a file in the Trace Event format, which Perfetto (ui.perfetto.dev) opens.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace treadle {

/// Records from now on into `file`, which is replaced, as TREADLE_TRACE=<file> does for a whole
/// process. `+<file>` adds to the trace that is there; processes that this one starts do that. To
/// be called before the first device is looked for and the first text compiled. Throws InvalidState
/// if it is later, InvalidArgument if `file` is there and is no trace, FileError if it cannot be
/// written.
void start_trace(const std::filesystem::path& file);

/// Whether this process records a trace.
bool is_tracing();

/// Writes what was recorded so far; the end of the process does so, too. Waits until devices have
/// done what was queued on them, up to a second after the last sign of progress. The file is
/// whole after each call. Does nothing where nothing is recorded.
void write_trace();

/// The time from its making to its end as an event of its thread, named by the program: "assembly".
/// In the trace, and in NVIDIA's profilers as a range of NVTX, whose ranges end on the thread that
/// began them, the last begun first. Costs two branches where neither listens.
class TraceRange {
 public:
  explicit TraceRange(std::string name);
  ~TraceRange();
  TraceRange(const TraceRange&) = delete;
  TraceRange& operator=(const TraceRange&) = delete;

 private:
  std::string name_;
  std::int64_t begin_ = 0;  ///< 0: nothing is recorded
};

}  // namespace treadle
