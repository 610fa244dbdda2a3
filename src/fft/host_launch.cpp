// SPDX-License-Identifier: MIT
// A host function in stream order, on the threads of the CPU device: its kernels are code of this
// process, so that a kernel can call a function whose address it is given. Beside a host callback,
// that has all threads, needs no change of threads where somebody waits, can be captured in a
// graph, and its failure is the stream's.
#include "fft/host_launch.hpp"

#include <algorithm>
#include <string>

#include "treadle/codegen/block_builder.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/tree_printer.hpp"
#include "treadle/device/device.hpp"
#include "treadle/kernel/program.hpp"
#include "treadle/kernel/workspace.hpp"

namespace treadle::fft {
namespace {

/// The launch of a task with a team: so many threads that the device wakes all of its own at once.
constexpr unsigned team_groups = 64, team_group_size = 512;
/// Tasks of fewer elements, counted once for each axis, take less time than waking a thread.
constexpr std::uint64_t least_for_team = 1 << 15;
/// Shares of a parallel region for each thread: threads that come late find some left.
constexpr unsigned shares_per_thread = 4;

std::string kernel_text(Language language) {
  static_assert(sizeof(HostTask) % 8 == 0 && alignof(HostTask) == 8);
  namespace tree = codegen::tree;
  const codegen::Dialect& dialect = codegen::dialect_of(language);
  tree::BlockBuilder code;
  code.comment("A transform by code of the library's own, which knows what is in the task.");
  code.add(
      tree::declare(tree::structure("Task", {tree::array(tree::value("unsigned long long", "words"),
                                                         std::to_string(sizeof(HostTask) / 8))})));
  code.open_kernel("treadle_fft",
                   {tree::value("unsigned long long", "engine"), tree::value("Task", "task"),
                    tree::pointer(tree::value("void", "team"))});
  const std::string done =
      "((int (*)(const Task *, unsigned, void *))engine)(&task, " + dialect.group_count + ", team)";
  // It fails where there is no memory.
  code.when({dialect.local_id, " == 0 && ", done, " != 0"}, tree::statement("__trap()"));
  code.close();
  return tree::print(code.take(), language);
}

struct HostKernel {
  explicit HostKernel(device::Device& device)
      : text(kernel_text(device.info().language)),
        kernel(kernel::Program(device.shared_from_this(), text, {.source_name = "treadle_fft"})
                   .kernel("treadle_fft")) {
    kernel.let_go_of_device();
  }
  std::string name = "treadle_fft", text;
  device::Kernel kernel;
};

/// The address of an engine: code, which no run-time watches.
std::uint64_t address_of(HostEngine engine) { return reinterpret_cast<std::uintptr_t>(engine); }

}  // namespace

kernel::KernelNote launch_on_host(device::Stream& stream, HostTask task) {
  const HostKernel& host = stream.device().slot<HostKernel>();
  std::uint64_t elements = 1;
  for (unsigned axis = 0; axis < task.rank; ++axis)
    elements *= static_cast<std::uint64_t>(task.shape[axis]);
  const std::uint64_t part_bytes = task.is_double ? 8 : 4;
  const auto bytes_of = [&](TransformKind real) {
    return elements * part_bytes * (task.kind == real ? 1 : 2);
  };
  const std::uint64_t engine = address_of(host_engine().run);
  const unsigned threads = stream.device().info().performance.compute_units;
  if (threads > 1 && elements * task.axis_count >= least_for_team) {
    task.threads = threads * shares_per_thread;
    kernel::with_workspace(
        stream, {.partial_bytes = 0, .tickets = 16}, [&](const kernel::Workspace& workspace) {
          stream.launch(host.kernel, {.groups = team_groups, .group_size = team_group_size}, engine,
                        task, workspace.tickets);
        });
  } else {
    task.threads = 1;
    stream.launch(host.kernel, {}, engine, task, device::Location{});
  }
  return {.name = &host.name,
          .text = &host.text,
          .bytes_read = bytes_of(TransformKind::real_to_complex),
          .bytes_written = bytes_of(TransformKind::complex_to_real),
          .instructions = 0};
}

}  // namespace treadle::fft
