// SPDX-License-Identifier: MIT
#include "treadle/cuda/diagnostics.hpp"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <memory>

#include "calls/argument.hpp"
#include "kept.hpp"
#include "native/cuda_rooms.hpp"
#include "rooms.hpp"
#include "treadle/base/error.hpp"

namespace treadle::bindings {

using namespace treadle::cuda;

namespace {

/// Keeps a Python function. Throws TypeError for objects that cannot be called.
std::shared_ptr<void> keep_callable(nb::handle function, const char* name) {
  if (PyCallable_Check(function.ptr()) == 0)
    raise_python(PyExc_TypeError, std::string(name) + " is to be called, and " +
                                      Py_TYPE(function.ptr())->tp_name + " cannot be");
  return keep(function);
}

/// Lets threads of the driver call Python, until it is closed. Closing waits for calls that are
/// running, and these need the GIL.
template <class Heard>
class Listening {
 public:
  explicit Listening(std::unique_ptr<Heard> heard) noexcept : heard_(std::move(heard)) {}
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;
  ~Listening() { close(); }
  void close() {
    if (heard_ == nullptr) return;
    const nb::gil_scoped_release released;
    heard_.reset();
  }

 private:
  std::unique_ptr<Heard> heard_;
};

template <class Heard>
void bind_closing(nb::class_<Listening<Heard>>& type) {
  type.def("close", &Listening<Heard>::close, "Ends it now. Again is no error.")
      .def("__enter__", [](nb::object self) { return self; })
      .def("__exit__", [](Listening<Heard>& self, const nb::args&) { self.close(); });
}

void bind_log(nb::module_& m) {
  nb::enum_<LogLevel>(m, "LogLevel", "What a line of the driver's log is.")
      .value("error", LogLevel::error)
      .value("warning", LogLevel::warning);
  using Log = Listening<DriverLog>;
  nb::class_<Log> log(m, "DriverLog", nb::is_weak_referenceable(),
                      "Hears each line of the driver's log until close() or the end of `with`.");
  log.def(
      "__init__",
      [](Log* self, nb::handle listener) {
        new (self) Log(std::make_unique<DriverLog>(
            [kept = keep_callable(listener, "listener")](LogLevel level, std::string_view line) {
              const ForeignGil gil;
              if (gil) kept_object(kept)(level, nb::str(line.data(), line.size()));
            }));
      },
      nb::arg("listener"),
      nb::sig("def __init__(self, listener: typing.Callable[[LogLevel, str], object]) -> None"),
      "`listener(level, line)` is called on any thread, and must not use CUDA.");
  bind_closing(log);
  m.def("log_end", [] { return log_end(); }, "The end of the driver's log, as it is now.");
  m.def(
      "log_text", [](std::optional<LogPlace> since) { return log_text(since ? &*since : nullptr); },
      nb::arg("since") = nb::none(), "Its lines from a log_end() on, or the last hundred.");
  m.def(
      "write_log",
      [](const std::filesystem::path& path, std::optional<LogPlace> since) {
        write_log(path, since ? &*since : nullptr);
      },
      nb::arg("path"), nb::arg("since") = nb::none(), "The same, appended to a file.");
}

void bind_coredumps(nb::module_& m) {
  nb::enum_<CoredumpOmissions>(m, "CoredumpOmissions", "What a dump leaves out; combine with |.",
                               nb::is_arithmetic(), nb::is_flag())
      .value("none", CoredumpOmissions::none)
      .value("images", CoredumpOmissions::images)
      .value("global_memory", CoredumpOmissions::global_memory)
      .value("shared_memory", CoredumpOmissions::shared_memory)
      .value("local_memory", CoredumpOmissions::local_memory)
      .value("abort", CoredumpOmissions::abort)
      .value("constant_memory", CoredumpOmissions::constant_memory)
      .value("lightweight", CoredumpOmissions::lightweight);
  nb::class_<Coredumps>(m, "Coredumps",
                        "Settings of the files that the driver writes of a GPU when a kernel "
                        "fails, for cuda-gdb.")
      .def_static(
          "of_process", [] { return Coredumps::of_process(); },
          "Of all contexts that are made later.")
      .def_static("of", &Coredumps::of, nb::arg("context"), "Of one context.")
      .def_prop_rw("on_exception", &Coredumps::on_exception, &Coredumps::set_on_exception,
                   "Whether a failed kernel leaves one.")
      .def_prop_rw("triggers_host", &Coredumps::triggers_host, &Coredumps::set_triggers_host,
                   "Whether the processor's own coredump follows.")
      .def_prop_rw("user_trigger", &Coredumps::user_trigger, &Coredumps::set_user_trigger,
                   "Whether writing to `pipe` makes one at any time. Of the process alone.")
      .def_prop_rw("file", &Coredumps::file, &Coredumps::set_file,
                   "Where: %h is the host's name, %p the process, %t the time.")
      .def_prop_rw("pipe", &Coredumps::pipe, &Coredumps::set_pipe, "The pipe of `user_trigger`.")
      .def_prop_rw("omissions", &Coredumps::omissions, &Coredumps::set_omissions,
                   "What they leave out.");
}

std::array<std::uint8_t, 16> uuid_argument(const nb::bytes& uuid) {
  std::array<std::uint8_t, 16> bytes{};
  if (uuid.size() != bytes.size())
    throw InvalidArgument("a uuid has " + std::to_string(uuid.size()) + " bytes, and 16 are needed",
                          "pass Device.uuid");
  std::memcpy(bytes.data(), uuid.data(), bytes.size());
  return bytes;
}

void bind_checkpoints(nb::module_& m) {
  nb::enum_<CheckpointState>(m, "CheckpointState", "As far as CUDA is concerned.")
      .value("running", CheckpointState::running)
      .value("locked", CheckpointState::locked)
      .value("checkpointed", CheckpointState::checkpointed)
      .value("failed", CheckpointState::failed);
  nb::class_<CheckpointedProcess>(m, "CheckpointedProcess",
                                  "A process of which CUDA is stopped, moved to the host's memory "
                                  "and brought back.")
      .def(
          "__init__",
          [](CheckpointedProcess* self, int process) { new (self) CheckpointedProcess(process); },
          nb::arg("process"))
      .def_prop_ro("state", &CheckpointedProcess::state)
      .def_prop_ro("restore_thread", &CheckpointedProcess::restore_thread,
                   "The thread that restore() is called for.")
      .def("lock", &CheckpointedProcess::lock, nb::arg("timeout_ms") = 0,
           nb::call_guard<nb::gil_scoped_release>(),
           "Lets its calls wait, and waits for the work under way; 0: as long as it takes.")
      .def("checkpoint", &CheckpointedProcess::checkpoint, nb::call_guard<nb::gil_scoped_release>(),
           "Moves its device memory to the host's and lets go of the GPUs.")
      .def(
          "restore",
          [](const CheckpointedProcess& self,
             const std::vector<std::pair<nb::bytes, nb::bytes>>& gpus) {
            std::vector<CheckpointedGpu> pairs;
            for (const auto& [saved, restored] : gpus)
              pairs.push_back({uuid_argument(saved), uuid_argument(restored)});
            const nb::gil_scoped_release released;
            self.restore(pairs);
          },
          nb::arg("gpus") = std::vector<std::pair<nb::bytes, nb::bytes>>(),
          nb::sig("def restore(self, gpus: Sequence[tuple[bytes, bytes]] = ()) -> None"),
          "Takes GPUs and moves the memory there: the same, or for each (saved, restored) uuid.")
      .def("unlock", &CheckpointedProcess::unlock, nb::call_guard<nb::gil_scoped_release>(),
           "Lets its calls go on.")
      .def_prop_ro("process", &CheckpointedProcess::process);
}

void bind_budget(nb::module_& m) {
  using Budget = Listening<MemoryBudget>;
  nb::class_<Budget> budget(m, "MemoryBudget", nb::is_weak_referenceable(),
                            "Hears that the process uses more memory of a device than it was "
                            "granted, until close() or the end of `with`.");
  budget.def(
      "__init__",
      [](Budget* self, const Device& device, nb::handle over) {
        new (self) Budget(std::make_unique<MemoryBudget>(
            device, [kept = keep_callable(over, "over")](std::uint64_t bytes) {
              const ForeignGil gil;
              if (gil) kept_object(kept)(bytes);
            }));
      },
      nb::arg("device"), nb::arg("over"),
      nb::sig("def __init__(self, device: Device, over: typing.Callable[[int], object]) -> None"),
      "`over(bytes)` is called on a thread of the driver's, and must not use CUDA.");
  bind_closing(budget);
}

}  // namespace

void bind_cuda_diagnostics(nb::module_& m) {
  bind_log(m);
  bind_coredumps(m);
  bind_checkpoints(m);
  bind_budget(m);
}

}  // namespace treadle::bindings
