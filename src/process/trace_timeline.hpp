// SPDX-License-Identifier: MIT
// The work of one device in the trace, stream by stream, and the time in which it had none.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "process/trace_recorder.hpp"

namespace treadle {

/// Places a device's clock on the host's, which no driver does exactly: work does not begin before
/// it is asked for, so the latest offset that keeps to this is the one.
class DeviceClock {
 public:
  /// `device_time` is not before `asked`, of trace_now().
  void learn(std::int64_t asked, std::int64_t device_time) noexcept {
    if (!is_known_ || asked - device_time > offset_) offset_ = asked - device_time;
    is_known_ = true;
  }
  std::int64_t host_time(std::int64_t device_time) const noexcept { return device_time + offset_; }

 private:
  std::int64_t offset_ = 0;
  bool is_known_ = false;
};

/// Something a device did.
struct DeviceWork {
  std::string name;
  const char* category = "";
  long stream = 0;                  ///< of DeviceTimeline::stream()
  std::int64_t asked = 0;           ///< when the host asked for it, of trace_now()
  std::int64_t begin = 0, end = 0;  ///< of trace_now(), by a DeviceClock
  TraceDetails details = {};
  std::uint64_t flow = 0;
};

/// Any thread.
class DeviceTimeline {
 public:
  DeviceTimeline(TraceRecorder& recorder, const std::string& device)
      : recorder_(recorder), process_(recorder.add_device(device)) {}

  /// A number for a stream's or queue's handle, and a row of its own; 0 and "default stream" for
  /// null.
  long stream(const void* handle);
  /// The handle may stand for another stream from now on.
  void forget_stream(const void* handle);
  /// "default stream", "stream 2".
  static std::string stream_name(long stream);

  void add(const DeviceWork& work);
  /// Finds the gaps before the latest work, too; until then the newest work is held back, as that
  /// of other streams may still come.
  void settle();

 private:
  struct Interval {
    std::int64_t begin, end, asked;
    std::string name;
  };
  void settle_until(std::size_t left);

  TraceRecorder& recorder_;
  long process_;
  std::mutex mutex_;
  std::map<const void*, long> streams_;
  std::vector<std::int64_t> stream_ends_{0};  ///< of the latest work, for each number
  bool has_gap_row_ = false;
  std::vector<Interval> unsettled_;
  std::int64_t busy_until_ = 0;  ///< 0: nothing is settled yet
};

}  // namespace treadle
