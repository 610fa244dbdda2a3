// SPDX-License-Identifier: MIT
#include "process/trace_recorder.hpp"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "process/nvtx.hpp"
#include "treadle/base/error.hpp"
#include "treadle/process/settings.hpp"
#include "treadle/process/trace.hpp"
#include "treadle/process/warning.hpp"

namespace treadle {

/// Who records; never destroyed, as threads record while the process ends.
struct ProcessTrace {
  std::mutex mutex;
  std::atomic<bool> is_decided{false};  ///< a device was looked for, or a text compiled
  std::atomic<TraceRecorder*> recorder{nullptr};

  static ProcessTrace& instance() {
    static ProcessTrace& one = *new ProcessTrace;
    return one;
  }
  void begin(const std::filesystem::path& named) {
    recorder = new TraceRecorder(named);
    [[maybe_unused]] static const int forks = ::pthread_atfork(before, in_parent, in_child);
    std::atexit(write_trace);
  }
  static void before() {
    if (TraceRecorder* recorder = instance().recorder) recorder->mutex_.lock();
  }
  static void in_parent() {
    if (TraceRecorder* recorder = instance().recorder) recorder->mutex_.unlock();
  }
  static void in_child() {
    TraceRecorder* recorder = instance().recorder;
    if (recorder == nullptr) return;
    recorder->lines_.clear();  // the parent writes these
    recorder->named_threads_.clear();
    recorder->collectors_.clear();  // a child cannot use its parent's devices
    recorder->process_ = 0;
    recorder->mutex_.unlock();
  }
};

namespace {

/// Devices are numbered behind all that the kernel gives processes: at most 2^22.
constexpr long first_device_process = 1l << 22;
constexpr std::size_t most_bytes_held = std::size_t{1} << 20;

bool continues_utf8(unsigned char byte) { return (byte & 0xC0) == 0x80; }

/// How many bytes of a character of UTF-8 begin at `at`; 0 if none does.
std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  const std::size_t length = first < 0xC2   ? 0
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                             : first < 0xF5 ? 4
                                            : 0;
  for (std::size_t i = 1; i < length; ++i)
    if (at + i >= text.size() || !continues_utf8(static_cast<unsigned char>(text[at + i])))
      return 0;
  return length;
}

void add_quoted(std::string& line, std::string_view text) {
  line += '"';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte == '"' || byte == '\\') {
      line += '\\';
      line += text[i];
    } else if (byte < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", unsigned{byte});
      line += escaped;
    } else if (byte < 0x80) {
      line += text[i];
    } else if (const std::size_t length = utf8_length(text, i); length != 0) {
      line += text.substr(i, length);
      i += length - 1;
    } else {
      line += '?';
    }
  }
  line += '"';
}

/// The format's unit is the microsecond.
void add_time(std::string& line, std::int64_t nanoseconds) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%lld.%03d", static_cast<long long>(nanoseconds / 1000),
                static_cast<int>(nanoseconds % 1000));
  line += digits;
}

void add_track(std::string& line, const TraceTrack& track) {
  line += ",\"pid\":" + std::to_string(track.process) + ",\"tid\":" + std::to_string(track.thread);
}

std::string metadata(const char* what, const TraceTrack& track) {
  std::string line = "{\"ph\":\"M\",\"name\":\"";
  line += what;
  line += "\"";
  add_track(line, track);
  line += ",\"args\":{";
  return line;
}

std::string command_of_this_process() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string words((std::istreambuf_iterator<char>(file)), {});
  while (!words.empty() && words.back() == '\0') words.pop_back();
  for (char& letter : words)
    if (letter == '\0') letter = ' ';
  return words.substr(0, 200);
}

TraceFile open_trace(const std::filesystem::path& named) {
  const std::string& text = named.native();
  if (text.starts_with('+')) return {text.substr(1), TraceFile::Start::join};
  return {named, TraceFile::Start::replace};
}

}  // namespace

void TraceDetails::add_key(std::string_view key) {
  if (!text_.empty()) text_ += ',';
  add_quoted(text_, key);
  text_ += ':';
}

void TraceDetails::add(std::string_view key, std::string_view text) {
  add_key(key);
  add_quoted(text_, text);
}

void TraceDetails::add(std::string_view key, std::uint64_t number) {
  add_key(key);
  text_ += std::to_string(number);
}

void TraceDetails::add_dims(std::string_view key, const std::uint64_t (&dims)[3]) {
  add_key(key);
  text_ += '[' + std::to_string(dims[0]) + ',' + std::to_string(dims[1]) + ',' +
           std::to_string(dims[2]) + ']';
}

TraceRecorder::TraceRecorder(const std::filesystem::path& named) : file_(open_trace(named)) {
  // A process that this one starts and that reads the same variable must not begin anew.
  ::setenv("TREADLE_TRACE", ("+" + file_.path().native()).c_str(), 1);
}

TraceRecorder* TraceRecorder::active() {
  ProcessTrace& state = ProcessTrace::instance();
  if (!state.is_decided.load(std::memory_order_acquire)) {
    const std::lock_guard lock(state.mutex);
    if (!state.is_decided) {
      if (state.recorder == nullptr && !settings().trace.empty()) state.begin(settings().trace);
      state.is_decided = true;
    }
  }
  return state.recorder.load(std::memory_order_acquire);
}

void TraceRecorder::add_line(std::string line) {
  const std::lock_guard lock(mutex_);
  if (is_broken_) return;
  if (!lines_.empty()) lines_ += ",\n";
  lines_ += line;
  if (lines_.size() > most_bytes_held) write_locked();
}

void TraceRecorder::write_locked() noexcept {
  try {
    file_.append(lines_);
  } catch (const std::exception& error) {
    is_broken_ = true;
    warn(std::string("the trace ends early: ") + error.what());
  }
  lines_.clear();
}

void TraceRecorder::add(const TraceEvent& event) {
  std::string line = "{\"ph\":\"X\",\"name\":";
  add_quoted(line, event.name);
  line += ",\"cat\":\"";
  line += event.category;
  line += "\"";
  add_track(line, event.track);
  line += ",\"ts\":";
  add_time(line, event.begin);
  line += ",\"dur\":";
  add_time(line, event.end > event.begin ? event.end - event.begin : 0);
  if (event.flow != 0) {
    line += ",\"bind_id\":\"" + std::to_string(event.flow) + "\"";
    line += event.flow_starts ? ",\"flow_out\":true" : ",\"flow_in\":true";
  }
  if (!event.details.text().empty()) line += ",\"args\":{" + event.details.text() + "}";
  add_line(line + "}");
}

TraceTrack TraceRecorder::host_track() {
  const long thread = ::gettid();
  TraceTrack track{::getpid(), thread};
  bool is_new_process = false, is_new_thread = false;
  {
    const std::lock_guard lock(mutex_);
    if (process_ != track.process) {
      process_ = track.process;
      is_new_process = true;
    }
    is_new_thread = named_threads_.insert(thread).second;
  }
  if (is_new_process) name_process(track.process, command_of_this_process(), 0);
  if (is_new_thread)
    name_thread(track,
                thread == track.process ? "main thread" : "thread " + std::to_string(thread));
  return track;
}

long TraceRecorder::add_device(const std::string& name) {
  long process = 0;
  {
    const std::lock_guard lock(mutex_);
    process = first_device_process * ++devices_ + ::getpid();
  }
  name_process(process, name, 1);
  return process;
}

void TraceRecorder::name_process(long process, const std::string& name, int rank) {
  std::string line = metadata("process_name", {process, 0}) + "\"name\":";
  add_quoted(line, name);
  add_line(line + "}}");
  add_line(metadata("process_sort_index", {process, 0}) + "\"sort_index\":" + std::to_string(rank) +
           "}}");
}

void TraceRecorder::name_thread(const TraceTrack& track, const std::string& name) {
  std::string line = metadata("thread_name", track) + "\"name\":";
  add_quoted(line, name);
  add_line(line + "}}");
}

std::uint64_t TraceRecorder::new_flow() noexcept {
  const std::lock_guard lock(mutex_);
  return static_cast<std::uint64_t>(::getpid()) << 32 | ++flows_;
}

void TraceRecorder::collect_from(std::function<bool()> collect) {
  const std::lock_guard lock(mutex_);
  collectors_.push_back(std::move(collect));
}

void TraceRecorder::finish() {
  std::vector<std::function<bool()>> collectors;
  {
    const std::lock_guard lock(mutex_);
    collectors = collectors_;
  }
  for (const auto& collect : collectors) {
    // Work that never ends must not keep the process from ending.
    const std::int64_t latest = trace_now() + 1'000'000'000;
    while (collect() && trace_now() < latest)
      std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  const std::lock_guard lock(mutex_);
  if (!is_broken_) write_locked();
}

void start_trace(const std::filesystem::path& file) {
  if (file.empty() || file == "+")
    throw InvalidArgument("a trace needs the name of a file", "trace.json");
  ProcessTrace& state = ProcessTrace::instance();
  const std::lock_guard lock(state.mutex);
  if (state.recorder != nullptr)
    throw InvalidState("this process records a trace already",
                       "start_trace() once, or TREADLE_TRACE, not both");
  if (state.is_decided)
    throw InvalidState("start_trace() was called after a device was looked for or a text compiled",
                       "call it first, or start the program with TREADLE_TRACE=" + file.string());
  state.begin(file);
}

bool is_tracing() { return TraceRecorder::active() != nullptr; }

void write_trace() {
  if (TraceRecorder* recorder = ProcessTrace::instance().recorder) recorder->finish();
}

TraceRange::TraceRange(std::string name)
    : name_(std::move(name)), begin_(TraceRecorder::active() == nullptr ? 0 : trace_now()) {
  if (const Nvtx* nvtx = Nvtx::active()) nvtx->push(name_.c_str());
}

TraceRange::~TraceRange() {
  if (const Nvtx* nvtx = Nvtx::active()) nvtx->pop();
  if (begin_ == 0) return;
  try {
    TraceRecorder& recorder = *TraceRecorder::active();
    const TraceDetails none;
    recorder.add({.name = name_,
                  .category = "range",
                  .track = recorder.host_track(),
                  .begin = begin_,
                  .end = trace_now(),
                  .details = none});
  } catch (const std::exception& error) {
    warn(std::string("a range of the trace is lost: ") + error.what());
  }
}

}  // namespace treadle
