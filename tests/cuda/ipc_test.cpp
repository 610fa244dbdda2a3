// SPDX-License-Identifier: MIT
// Two processes: the test starts its own program once more, which opens what it is given.
#include "treadle/cuda/ipc.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cuda/providers.hpp"
#include "treadle/cuda/copy.hpp"
#include "treadle/cuda/memory.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::cuda {
namespace {

std::string hexadecimal(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) {
    constexpr char digits[] = "0123456789abcdef";
    text += digits[std::to_integer<unsigned>(byte) >> 4];
    text += digits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

template <class IpcHandle>
IpcHandle from_hexadecimal(const std::string& text) {
  IpcHandle handle{};
  for (std::size_t i = 0; i < handle.bytes.size() && 2 * i + 1 < text.size(); ++i) {
    unsigned value = 0;
    std::from_chars(text.data() + 2 * i, text.data() + 2 * i + 2, value, 16);
    handle.bytes[i] = static_cast<std::byte>(value);
  }
  return handle;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// What another process did.
struct Outcome {
  int status;        ///< its exit status; -1: a signal ended it
  std::string said;  ///< all that it printed
};

/// Starts the test OtherProcess below in a process of its own, which finds `variables`.
Outcome start_other(const std::string& provider,
                    const std::vector<std::pair<const char*, std::string>>& variables) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string filter = "--gtest_filter=*OtherProcess.*/" + provider;
  std::FILE* const output = std::tmpfile();
  for (const auto& [name, value] : variables) setenv(name, value.c_str(), 1);
  const pid_t child = fork();
  if (child == 0) {
    if (output != nullptr) {
      dup2(fileno(output), STDOUT_FILENO);
      dup2(fileno(output), STDERR_FILENO);
    }
    execl(program.c_str(), program.c_str(), filter.c_str(), nullptr);
    _exit(99);
  }
  for (const auto& [name, value] : variables) unsetenv(name);
  int status = 0;
  waitpid(child, &status, 0);
  Outcome outcome{WIFEXITED(status) ? WEXITSTATUS(status) : -1, {}};
  if (output == nullptr) return outcome;
  std::rewind(output);
  for (int letter = 0; (letter = std::fgetc(output)) != EOF;)
    outcome.said += static_cast<char>(letter);
  std::fclose(output);
  return outcome;
}

bool worked(const Outcome& outcome) {
  return outcome.status == 0 && outcome.said.find("SKIPPED") == std::string::npos;
}

class Ipc : public OnEachProvider {
 protected:
  /// OtherProcess works with these handles. The test is skipped where not even the driver's own
  /// calls share memory between two processes, as in some containers; test stops() afterwards.
  void other_process(const IpcMemoryHandle& memory, std::size_t count = 16,
                     const std::string& event = {}, int ordinal = 0) {
    const std::string provider = provider_name({GetParam(), 0});
    const Outcome outcome =
        start_other(provider, {{"TREADLE_TEST_IPC_MEMORY", hexadecimal(memory.bytes)},
                               {"TREADLE_TEST_IPC_COUNT", std::to_string(count)},
                               {"TREADLE_TEST_IPC_EVENT", event},
                               {"TREADLE_TEST_IPC_DEVICE", std::to_string(ordinal)}});
    if (worked(outcome)) return;
    const Outcome bare = bare_calls(provider);
    if (GetParam() == Provider::nvidia && !worked(bare))
      GTEST_SKIP() << "the driver shares no memory between two processes here: " << bare.said;
    FAIL() << "status " << outcome.status << " of the other process, which said:\n"
           << outcome.said << "\nThe driver's bare calls work there.";
  }
  bool stops() const { return IsSkipped() || HasFatalFailure(); }
  static std::vector<int> values(const DeviceMemory& memory) {
    std::vector<int> values(memory.size_bytes() / sizeof(int));
    memory.copy_to(values);
    return values;
  }

 private:
  /// The same without any of our classes, of an allocation that shares its block with no other.
  Outcome bare_calls(const std::string& provider) const {
    const Table& cu = device().driver().table();
    DevicePointer address = 0;
    CUipcMemHandle handle{};
    if (const int code = cu.cuMemAlloc(&address, 2 << 20); code != 0)
      return {code, "cuMemAlloc gives " + std::to_string(code)};
    Outcome outcome{cu.cuIpcGetMemHandle(&handle, address), "cuIpcGetMemHandle"};
    if (outcome.status == 0)
      outcome = start_other(provider, {{"TREADLE_TEST_IPC_BARE",
                                        hexadecimal(std::as_bytes(std::span(handle.reserved)))}});
    cu.cuMemFree(address);
    return outcome;
  }
};
INSTANTIATE_TEST_SUITE_P(Cuda, Ipc, each_provider, provider_name);

class OtherProcess : public OnEachProvider {};
INSTANTIATE_TEST_SUITE_P(Cuda, OtherProcess, each_provider, provider_name);

/// The first number becomes one more, the rest 7; with an event, only once that is reached, and
/// what follows is recorded in it.
void use_what_is_opened(const std::string& handle) {
  IpcMemory memory(from_hexadecimal<IpcMemoryHandle>(handle));
  const Stream stream;
  std::optional<Event> event;
  if (const std::string text = variable("TREADLE_TEST_IPC_EVENT"); !text.empty())
    stream.wait(event.emplace(open_ipc_event(from_hexadecimal<IpcEventHandle>(text))));
  int first = 0;
  copy_to_host_async(&first, memory.address(), sizeof first, stream);
  stream.synchronize();
  ++first;
  copy_to_device_async(memory.address(), &first, sizeof first, stream);
  fill32_async(memory.address() + sizeof first, 7,
               std::stoul(variable("TREADLE_TEST_IPC_COUNT")) - 1, stream);
  if (event) event->record(stream);
  stream.synchronize();
  memory.close();
  EXPECT_TRUE(memory.is_closed());
  EXPECT_THROW(memory.close(), InvalidState);
  EXPECT_THROW(memory.address(), InvalidState);
}

TEST_P(OtherProcess, UsesWhatItOpens) {
  if (const std::string bare = variable("TREADLE_TEST_IPC_BARE"); !bare.empty()) {
    const auto bytes = from_hexadecimal<IpcMemoryHandle>(bare);
    CUipcMemHandle handle{};
    std::memcpy(&handle, bytes.bytes.data(), sizeof handle);
    const Table& cu = device().driver().table();
    DevicePointer address = 0;
    ASSERT_EQ(cu.cuIpcOpenMemHandle(&address, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS), 0)
        << "of cuIpcOpenMemHandle";
    ASSERT_EQ(cu.cuMemsetD32(address, 1, 1), 0) << "of cuMemsetD32";
    ASSERT_EQ(cu.cuCtxSynchronize(), 0) << "of cuCtxSynchronize";
    ASSERT_EQ(cu.cuIpcCloseMemHandle(address), 0) << "of cuIpcCloseMemHandle";
  } else if (const std::string handle = variable("TREADLE_TEST_IPC_MEMORY"); !handle.empty()) {
    const int ordinal = std::stoi(variable("TREADLE_TEST_IPC_DEVICE"));
    const auto current = Context::make_current(device().driver().device(ordinal));
    use_what_is_opened(handle);
  } else {
    GTEST_SKIP() << "started by the tests above";
  }
}

TEST_P(Ipc, AnotherProcessWorksOnTheSameMemory) {
  for (const std::size_t count : {16u, 300'000u}) {  // among others on a page, and alone
    DeviceMemory memory(count * sizeof(int)), neighbour(64);
    std::vector<int> before(count, 41);
    memory.copy_from(before);
    fill32(neighbour.address(), 5, 16);
    context().synchronize();
    other_process(ipc_handle(memory.address()), count);
    if (stops()) return;
    const std::vector<int> after = values(memory);
    EXPECT_EQ(after.front(), 42);
    EXPECT_EQ(after.back(), 7);
    EXPECT_EQ(values(neighbour).front(), 5);
    // The address is an ordinary one to this process, before and after.
    fill32(memory.address(), 1, count);
    context().synchronize();  // the other process's work is in no order with ours
    other_process(ipc_handle(memory.address()), count);
    if (stops()) return;
    EXPECT_EQ(values(memory).front(), 2);
  }
}

TEST_P(Ipc, AnotherProcessWorksWithAnotherDeviceOnTheMemoryOfThisOne) {
  const Driver& driver = device().driver();
  if (driver.device_count() < 2) GTEST_SKIP() << "one device";
  if (!driver.device(1).can_access_peer(device()))
    GTEST_SKIP() << "device 1 is no peer of device 0";
  constexpr std::size_t count = 1'000'000;
  DeviceMemory memory(count * sizeof(int));
  fill32(memory.address(), 41, count);
  context().synchronize();
  other_process(ipc_handle(memory.address()), count, {}, 1);
  if (stops()) return;
  const std::vector<int> after = values(memory);
  EXPECT_EQ(after.front(), 42);
  EXPECT_EQ(after.back(), 7);
}

TEST_P(Ipc, StreamsOfTwoProcessesAreOrderedByAnEvent) {
  DeviceMemory memory(64);
  const Stream stream;
  const Event event(EventFlags::interprocess | EventFlags::disable_timing);
  EXPECT_TRUE(event.is_done());
  fill32_async(memory.address(), 9, 16, stream);
  event.record(stream);
  other_process(ipc_handle(memory.address()), 16, hexadecimal(ipc_handle(event).bytes));
  if (stops()) return;
  event.synchronize();  // recorded by the other process since
  EXPECT_TRUE(event.is_done());
  stream.wait(event);
  stream.synchronize();
  EXPECT_EQ(values(memory).front(), 10);
}

TEST_P(Ipc, AHandleIsForOtherProcesses) {
  const DeviceMemory memory(64);
  const IpcMemoryHandle handle = ipc_handle(memory.address());
  EXPECT_THROW(IpcMemory{handle}, DeviceError);
  const Event event(EventFlags::interprocess | EventFlags::disable_timing);
  EXPECT_THROW(open_ipc_event(ipc_handle(event)), DeviceError);
}

TEST_P(Ipc, WhatIsNoHandleIsRefused) {
  EXPECT_THROW(IpcMemory{IpcMemoryHandle{}}, DeviceError);
  EXPECT_THROW(open_ipc_event(IpcEventHandle{}), DeviceError);
  EXPECT_THROW(ipc_handle(DevicePointer{0}), InvalidArgument);
  EXPECT_THROW(ipc_handle(Event{}), DeviceError);
  EXPECT_THROW(Event{EventFlags::interprocess}, DeviceError);  // wants disable_timing
  const HostMemory host(64);
  EXPECT_THROW(ipc_handle(reinterpret_cast<DevicePointer>(host.data())), DeviceError);
}

TEST_P(Ipc, AnAddressWithinMeansTheWholeAllocation) {
  DeviceMemory memory(64);
  fill32(memory.address(), 3, 16);
  context().synchronize();
  other_process(ipc_handle(memory.address() + 32));
  if (stops()) return;
  EXPECT_EQ(values(memory), std::vector<int>({4, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7}));
}

}  // namespace
}  // namespace treadle::cuda
