// SPDX-License-Identifier: MIT
// Every call of a whole program made to fail once, at every call site: the outcome is a typed error
// or a warning, never the end of the process; nothing stays behind, and the next program starts
// afresh.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "opencl/each_platform.hpp"
#include "opencl/fault_table.hpp"
#include "treadle/opencl/image_transfer.hpp"
#include "treadle/opencl/sampler.hpp"
#include "treadle/opencl/svm.hpp"
#include "treadle/process/warning.hpp"

namespace treadle::opencl {
namespace {

constexpr const char* adding_kernel =
    "__kernel void add(__global int* a, int b) { a[get_global_id(0)] += b; }";

void use_memory(const Context& context, const Queue& queue) {
  // Not on the stack: where a wait fails, the platform may still be writing.
  static std::vector<int> values(16);
  const Buffer buffer(context, 4096), other(context, 4096);
  Buffer released(context, 16);
  released.release();
  const Buffer part = buffer.sub_buffer(0, 1024), copied = part;
  write(queue, buffer, values);
  read(queue, buffer, values, 0, {}, Blocking::no).wait();
  copy(queue, buffer, other);
  fill(queue, other, std::vector<int>{1}, 0, 64);
  copy_box(queue, buffer, other, {.region = {4, 2, 1}});
  write_box(queue, buffer, values, {.region = {4, 2, 1}});
  read_box(queue, buffer, values, {.region = {4, 2, 1}});
  const MemoryObject all[] = {buffer, other};
  migrate(queue, all);
  Mapping mapping = map(queue, buffer, MapFlags::write);
  mapping.as<int>()[0] = 1;
  mapping.unmap();
  const Mapping left_to_the_destructor = map(queue, buffer, MapFlags::read);
  buffer.flags();
}

void use_images(const Context& context, const Queue& queue) {
  if (!queue.device().get<DeviceInfo::image_support>()) return;
  static std::vector<float> pixels(4 * 8 * 4);
  const std::size_t sizes[] = {8, 4};
  const ImageFormat format{ChannelOrder::rgba, ChannelType::float_};
  const Image image(context, format, ImageDescriptor::of(sizes)),
      other(context, format, ImageDescriptor::of(sizes)), copied = image;
  const Buffer buffer(context, 4096);
  write_image(queue, image, pixels);
  copy_image(queue, image, other);
  copy_image_to_buffer(queue, other, buffer);
  copy_buffer_to_image(queue, buffer, image);
  fill_image(queue, image, std::array<float, 4>{1, 0, 0, 1});
  read_image(queue, image, pixels);
  const ImageMapping left_to_the_destructor = map_image(queue, image, MapFlags::read);
  const Sampler sampler(context, true, AddressingMode::repeat, FilterMode::linear);
  sampler.get<SamplerInfo::filter_mode>();
  Image(context.shared_table(), image.raw(), Ownership::retain).get<ImageInfo::width>();
}

void use_shared_memory(const Context& context, const Queue& queue) {
  if (queue.device().version() < Version{2, 0} ||
      queue.device().get<DeviceInfo::svm_capabilities>() == 0)
    return;
  static std::vector<int> values(16);
  SharedMemory memory(context, 64), enqueued(context, 64);
  memory.bind_to_queue(queue);  // freed behind what uses it, whatever fails
  const std::span<int> ints(static_cast<int*>(memory.data()), 16);
  copy_shared(queue, ints, values);
  // NVIDIA's driver keeps every context in which memory was filled, and a hundred fill the GPU.
  if (queue.device().platform().vendor() != "NVIDIA Corporation")
    fill_shared(queue, ints, std::vector<int>{1});
  map_shared(queue, MapFlags::read, ints);
  unmap_shared(queue, memory.data());
  enqueued.enqueue_free(queue);
  queue.finish();
}

/// A user event that is set in the end, whatever fails in between: NVIDIA's clReleaseContext waits
/// for ever for what an event holds back that nobody set.
class Gate {
 public:
  explicit Gate(const Context& context) : event(context) {}
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate() { Loader::system().table().clSetUserEventStatus(event.raw(), 0); }
  UserEvent event;
};

void use_events(const Context& context, const Queue& queue) {
  const Gate gate(context);
  const UserEvent& start = gate.event;
  const Event marker = queue.marker({.after = start});
  marker.set_callback(CommandExecutionStatus::complete, [](int) {});
  const Event barrier = queue.barrier({.after = {start, marker}});
  start.set_status(0);
  const Event both[] = {marker, barrier};
  wait_for(both);
  if (!barrier.is_done()) throw InvalidState("done events are done");
  marker.profiling(ProfilingInfo::end);
  queue.flush();
  queue.finish();
}

void use_programs(const Context& context, const Queue& queue) {
  const Program program = Program::from_source(context, adding_kernel);
  program.build("-cl-kernel-arg-info");
  program.build_log(context.devices().front());
  const Program again = Program::from_binaries(context, context.devices(), program.binaries());
  again.build();
  const Buffer buffer(context, 64);
  const Kernel kernel = program.kernel("add");
  kernel.launch({.queue = queue, .global = {16}}, buffer, 1).wait();
  kernel.parameters();
  kernel.program().kernels();
  kernel.work_group_info(queue.device(), KernelWorkGroupInfo::work_group_size);
  queue.finish();
}

void whole_program(const std::shared_ptr<const Table>& table, std::size_t platform) {
  const Loader loader(table);
  const Device device = loader.platforms().at(platform).devices().at(0);
  device.name();
  const Context context(device);
  const Queue queue(context, CommandQueueProperties::profiling_enable);
  const Queue second = Queue(context.shared_table(), queue.raw(), Ownership::retain);
  use_memory(context, queue);
  use_images(context, queue);
  use_shared_memory(context, queue);
  use_events(context, second);
  use_programs(context, queue);
}

class FaultInjection : public OnEachPlatform {};
INSTANTIATE_TEST_SUITE_P(, FaultInjection, each_platform, platform_test_name);

TEST_P(FaultInjection, NoCallSiteEndsTheProcessOrLeaks) {
  int warnings = 0;
  const WarningHandler before = set_warning_handler([&](std::string_view) { ++warnings; });
  const auto table = faults::wrap(Loader::system().table());
  int reported = 0;
  for (int call = 1;; ++call) {
    faults::reset(call, CL_OUT_OF_RESOURCES);
    warnings = 0;
    bool failed = false;
    std::string said;
    try {
      whole_program(table, GetParam());
    } catch (const treadle::Error& error) {
      failed = true;
      said = error.message();
      EXPECT_FALSE(said.empty());
    }
    const std::string name = faults::failed_call();
    if (name.empty()) {
      EXPECT_FALSE(failed) << said;
      EXPECT_EQ(faults::live(), (std::map<std::string, int>{}));
      break;
    }
    // A command that cannot be enqueued for a destructor leaves the mapping; all else is given
    // back.
    auto live = faults::live();
    if (name == "clEnqueueUnmapMemObject") live.erase("mapping");
    EXPECT_EQ(live, (std::map<std::string, int>{})) << "call " << call << ", " << name;
    reported += failed || warnings > 0 ? 1 : 0;
  }
  set_warning_handler(before);
  EXPECT_GT(reported, 100);
}

TEST_P(FaultInjection, TheProgramReachesEveryKindOfCall) {
  const auto table = faults::wrap(Loader::system().table());
  faults::reset();
  whole_program(table, GetParam());
  EXPECT_GT(faults::called().size(), 50u);
  EXPECT_EQ(faults::live(), (std::map<std::string, int>{}));
}

}  // namespace
}  // namespace treadle::opencl
