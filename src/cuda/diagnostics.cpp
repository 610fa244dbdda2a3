// SPDX-License-Identifier: MIT
#include "treadle/cuda/diagnostics.hpp"

#include <cstring>
#include <exception>
#include <vector>

#include "treadle/base/error.hpp"
#include "treadle/cuda/table.hpp"
#include "treadle/process/warning.hpp"

namespace treadle::cuda {
namespace {

/// Calls `body`, which nothing may leave.
template <class Body>
void call_guarded(const char* what, Body&& body) noexcept {
  try {
    body();
  } catch (const std::exception& error) {
    warn(std::string(what) + " threw: " + error.what());
  } catch (...) {
    warn(std::string(what) + " threw");
  }
}

void refuse_empty_listener(const char* call, bool is_given) {
  if (!is_given)
    throw InvalidArgument(std::string(call) + ": the function is empty",
                          "pass a function to be called");
}

using Listener = std::function<void(LogLevel, std::string_view)>;
void CUDA_CB hear_log(void* data, CUlogLevel level, char* message, std::size_t length) {
  call_guarded("the listener of the driver's log", [&] {
    (*static_cast<const Listener*>(data))(static_cast<LogLevel>(level), {message, length});
  });
}

void hear_budget(CUasyncNotificationInfo* info, void* data, CUasyncCallbackHandle) {
  if (info->type != CU_ASYNC_NOTIFICATION_TYPE_OVER_BUDGET) return;
  call_guarded("the function for scarce memory", [&] {
    (*static_cast<const std::function<void(std::uint64_t)>*>(data))(
        info->info.overBudget.bytesOverBudget);
  });
}

/// The driver keeps a hundred lines of at most 256 bytes, and takes no larger buffer.
constexpr std::size_t most_log_bytes = 25600;

}  // namespace

DriverLog::DriverLog(Listener listener, const Driver& driver)
    : listener_(std::move(listener)), driver_(driver) {
  constexpr const char* call = "cuLogsRegisterCallback";
  refuse_empty_listener(call, listener_ != nullptr);
  const Table& cu = driver_.table();
  check(cu, cu.cuLogsRegisterCallback(&hear_log, &listener_, &raw_), call);
}

DriverLog::~DriverLog() {
  const Table& cu = driver_.table();
  warn_if_failed(cu, cu.cuLogsUnregisterCallback(raw_), "cuLogsUnregisterCallback",
                 "a listener of the driver's log");
}

LogPlace log_end(const Driver& driver) {
  const Table& cu = driver.table();
  CUlogIterator place = 0;
  check(cu, cu.cuLogsCurrent(&place, 0), "cuLogsCurrent");
  return place;
}

std::string log_text(LogPlace* from, const Driver& driver) {
  const Table& cu = driver.table();
  std::string text(most_log_bytes, '\0');
  std::size_t size = text.size();
  check(cu, cu.cuLogsDumpToMemory(from, text.data(), &size, 0), "cuLogsDumpToMemory");
  text.resize(std::min(size, text.size()));
  text.resize(std::strlen(text.c_str()));
  return text;
}

void write_log(const std::filesystem::path& path, LogPlace* from, const Driver& driver) {
  const Table& cu = driver.table();
  check(cu, cu.cuLogsDumpToFile(from, path.c_str(), 0), "cuLogsDumpToFile",
        [&] { return "to " + path.string(); });
}

Coredumps Coredumps::of_process(const Driver& driver) { return {driver, std::nullopt}; }
Coredumps Coredumps::of(const Context& context) { return {context.driver(), context}; }

void Coredumps::get(int attribute, void* value, std::size_t& size_bytes) const {
  const auto raw = static_cast<CUcoredumpSettings>(attribute);
  const Table& cu = driver_.table();
  if (!context_)
    return check(cu, cu.cuCoredumpGetAttributeGlobal(raw, value, &size_bytes),
                 "cuCoredumpGetAttributeGlobal");
  const Activation active(*context_);
  check(cu, cu.cuCoredumpGetAttribute(raw, value, &size_bytes), "cuCoredumpGetAttribute");
}

void Coredumps::set(int attribute, const void* value, std::size_t size_bytes) const {
  const auto raw = static_cast<CUcoredumpSettings>(attribute);
  const Table& cu = driver_.table();
  const auto describe = [&] { return "CUcoredumpSettings " + std::to_string(attribute); };
  void* given = const_cast<void*>(value);
  if (!context_)
    return check(cu, cu.cuCoredumpSetAttributeGlobal(raw, given, &size_bytes),
                 "cuCoredumpSetAttributeGlobal", describe);
  const Activation active(*context_);
  check(cu, cu.cuCoredumpSetAttribute(raw, given, &size_bytes), "cuCoredumpSetAttribute", describe);
}

bool Coredumps::flag(int attribute) const {
  bool value = false;
  std::size_t size = sizeof value;
  get(attribute, &value, size);
  return value;
}

std::string Coredumps::text(int attribute) const {
  char value[1024] = "";
  std::size_t size = sizeof value - 1;
  get(attribute, value, size);
  return value;
}

void Coredumps::set_text(int attribute, const char* what, const std::string& value) const {
  if (value.empty() || value.size() > 1023)
    throw InvalidArgument(std::string("cuCoredumpSetAttribute: ") + what + " has " +
                              std::to_string(value.size()) + " bytes, and 1 to 1023 was expected",
                          "give the name of a file");
  set(attribute, value.c_str(), value.size() + 1);
}

bool Coredumps::on_exception() const { return flag(CU_COREDUMP_ENABLE_ON_EXCEPTION); }
void Coredumps::set_on_exception(bool enabled) const {
  set(CU_COREDUMP_ENABLE_ON_EXCEPTION, &enabled, sizeof enabled);
}
bool Coredumps::triggers_host() const { return flag(CU_COREDUMP_TRIGGER_HOST); }
void Coredumps::set_triggers_host(bool enabled) const {
  set(CU_COREDUMP_TRIGGER_HOST, &enabled, sizeof enabled);
}
bool Coredumps::user_trigger() const { return flag(CU_COREDUMP_ENABLE_USER_TRIGGER); }
void Coredumps::set_user_trigger(bool enabled) const {
  set(CU_COREDUMP_ENABLE_USER_TRIGGER, &enabled, sizeof enabled);
}
std::string Coredumps::file() const { return text(CU_COREDUMP_FILE); }
void Coredumps::set_file(const std::string& name) const {
  set_text(CU_COREDUMP_FILE, "file", name);
}
std::string Coredumps::pipe() const { return text(CU_COREDUMP_PIPE); }
void Coredumps::set_pipe(const std::string& name) const {
  set_text(CU_COREDUMP_PIPE, "pipe", name);
}
CoredumpOmissions Coredumps::omissions() const {
  unsigned value = 0;
  std::size_t size = sizeof value;
  get(CU_COREDUMP_GENERATION_FLAGS, &value, size);
  return static_cast<CoredumpOmissions>(value);
}
void Coredumps::set_omissions(CoredumpOmissions omissions) const {
  const auto value = static_cast<unsigned>(omissions);
  set(CU_COREDUMP_GENERATION_FLAGS, &value, sizeof value);
}

CheckpointedProcess::CheckpointedProcess(int process, const Driver& driver)
    : process_(process), driver_(driver) {
  if (process <= 0)
    throw InvalidArgument("process is " + std::to_string(process) + ", and 1 or more was expected",
                          "pass the number of a process (pid)");
  driver_.initialize();
}

namespace {

template <class Slot, class Given>
void checkpoint_call(const Driver& driver, const char* call, Slot Table::* slot, int process,
                     Given* given) {
  const Table& cu = driver.table();
  check(cu, (cu.*slot)(process, given), call, [&] { return "process " + std::to_string(process); });
}

}  // namespace

CheckpointState CheckpointedProcess::state() const {
  CUprocessState state{};
  checkpoint_call(driver_, "cuCheckpointProcessGetState", &Table::cuCheckpointProcessGetState,
                  process_, &state);
  return static_cast<CheckpointState>(state);
}

int CheckpointedProcess::restore_thread() const {
  int thread = 0;
  checkpoint_call(driver_, "cuCheckpointProcessGetRestoreThreadId",
                  &Table::cuCheckpointProcessGetRestoreThreadId, process_, &thread);
  return thread;
}

void CheckpointedProcess::lock(unsigned timeout_ms) const {
  CUcheckpointLockArgs given{};
  given.timeoutMs = timeout_ms;
  checkpoint_call(driver_, "cuCheckpointProcessLock", &Table::cuCheckpointProcessLock, process_,
                  &given);
}

void CheckpointedProcess::checkpoint() const {
  checkpoint_call<decltype(Table::cuCheckpointProcessCheckpoint), CUcheckpointCheckpointArgs>(
      driver_, "cuCheckpointProcessCheckpoint", &Table::cuCheckpointProcessCheckpoint, process_,
      nullptr);
}

void CheckpointedProcess::restore(std::span<const CheckpointedGpu> gpus) const {
  std::vector<CUcheckpointGpuPair> pairs(gpus.size());
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    std::memcpy(pairs[i].oldUuid.bytes, gpus[i].saved.data(), 16);
    std::memcpy(pairs[i].newUuid.bytes, gpus[i].restored.data(), 16);
  }
  CUcheckpointRestoreArgs given{};
  given.gpuPairs = pairs.data();
  given.gpuPairsCount = static_cast<unsigned>(pairs.size());
  checkpoint_call(driver_, "cuCheckpointProcessRestore", &Table::cuCheckpointProcessRestore,
                  process_, pairs.empty() ? nullptr : &given);
}

void CheckpointedProcess::unlock() const {
  checkpoint_call<decltype(Table::cuCheckpointProcessUnlock), CUcheckpointUnlockArgs>(
      driver_, "cuCheckpointProcessUnlock", &Table::cuCheckpointProcessUnlock, process_, nullptr);
}

MemoryBudget::MemoryBudget(const Device& device, std::function<void(std::uint64_t)> over)
    : over_(std::move(over)), device_(device) {
  constexpr const char* call = "cuDeviceRegisterAsyncNotification";
  refuse_empty_listener(call, over_ != nullptr);
  const Table& cu = device_.driver().table();
  check(cu, cu.cuDeviceRegisterAsyncNotification(device_.raw(), &hear_budget, &over_, &raw_), call,
        [&] { return device_.name(); });
}

MemoryBudget::~MemoryBudget() {
  const Table& cu = device_.driver().table();
  warn_if_failed(cu, cu.cuDeviceUnregisterAsyncNotification(device_.raw(), raw_),
                 "cuDeviceUnregisterAsyncNotification", "a notice of scarce memory");
}

}  // namespace treadle::cuda
