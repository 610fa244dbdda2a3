// SPDX-License-Identifier: MIT
#include "device/cuda/pattern_fill.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "treadle/base/error.hpp"
#include "treadle/cuda/error.hpp"
#include "treadle/cuda/function.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::device {
namespace {

// for (i = global id; i < count; i += global size) to[i] = pattern;
// PTX, which every driver turns into code for its GPUs: this room knows no compiler. Each kernel
// stores one pattern at a time, in one instruction.
constexpr std::string_view fill_ptx = R"(
.version 6.0
.target sm_50
.address_size 64

.visible .entry treadle_fill_8(.param .u64 to, .param .u64 low, .param .u64 high, .param .u64 count)
{
  .reg .pred %done;
  .reg .u32 %block, %threads, %thread, %blocks;
  .reg .u64 %to, %low, %count, %i, %step, %at;
  ld.param.u64 %to, [to];
  ld.param.u64 %low, [low];
  ld.param.u64 %count, [count];
  mov.u32 %block, %ctaid.x;
  mov.u32 %blocks, %nctaid.x;
  mov.u32 %threads, %ntid.x;
  mov.u32 %thread, %tid.x;
  cvt.u64.u32 %at, %thread;
  mad.wide.u32 %i, %block, %threads, %at;
  mul.wide.u32 %step, %blocks, %threads;
next:
  setp.ge.u64 %done, %i, %count;
  @%done ret;
  mad.lo.u64 %at, %i, 8, %to;
  st.global.u64 [%at], %low;
  add.u64 %i, %i, %step;
  bra next;
}

.visible .entry treadle_fill_16(.param .u64 to, .param .u64 low, .param .u64 high, .param .u64 count)
{
  .reg .pred %done;
  .reg .u32 %block, %threads, %thread, %blocks;
  .reg .u64 %to, %low, %high, %count, %i, %step, %at;
  ld.param.u64 %to, [to];
  ld.param.u64 %low, [low];
  ld.param.u64 %high, [high];
  ld.param.u64 %count, [count];
  mov.u32 %block, %ctaid.x;
  mov.u32 %blocks, %nctaid.x;
  mov.u32 %threads, %ntid.x;
  mov.u32 %thread, %tid.x;
  cvt.u64.u32 %at, %thread;
  mad.wide.u32 %i, %block, %threads, %at;
  mul.wide.u32 %step, %blocks, %threads;
next:
  setp.ge.u64 %done, %i, %count;
  @%done ret;
  mad.lo.u64 %at, %i, 16, %to;
  st.global.v2.u64 [%at], {%low, %high};
  add.u64 %i, %i, %step;
  bra next;
}
)";

/// The shortest pattern that repeated gives the same bytes: most values of 8 and 16 bytes that
/// programs fill with are zero.
std::size_t period(std::span<const std::byte> pattern) {
  std::size_t size = pattern.size();
  while (size > 1 &&
         std::ranges::equal(pattern.first(size / 2), pattern.subspan(size / 2, size / 2)))
    size /= 2;
  return size;
}

template <class T>
T word(std::span<const std::byte> pattern, std::size_t index) {
  T value{};
  std::memcpy(&value, pattern.data() + index * sizeof value, sizeof value);
  return value;
}

}  // namespace

void PatternFill::queue(const cuda::Context& context, const cuda::Table& cu, cuda::DevicePointer to,
                        std::span<const std::byte> whole, std::size_t whole_count,
                        cuda::RawStream stream) {
  // A whole fill is aligned to its pattern, so one of a part of it is aligned too.
  const std::span<const std::byte> pattern = whole.first(period(whole));
  const std::size_t count = whole_count * (whole.size() / pattern.size());
  switch (pattern.size()) {
    case 1:
      return cuda::check(cu, cu.cuMemsetD8Async(to, word<std::uint8_t>(pattern, 0), count, stream),
                         "cuMemsetD8Async");
    case 2:
      return cuda::check(cu,
                         cu.cuMemsetD16Async(to, word<std::uint16_t>(pattern, 0), count, stream),
                         "cuMemsetD16Async");
    case 4:
      return cuda::check(cu,
                         cu.cuMemsetD32Async(to, word<std::uint32_t>(pattern, 0), count, stream),
                         "cuMemsetD32Async");
    default:
      break;
  }
  if (cu.fill_pattern != nullptr)
    return cuda::check(cu, cu.fill_pattern(to, pattern.data(), pattern.size(), count, stream),
                       "treadle_cpu_fill_pattern");
  launch(context, to, pattern, count, stream);
}

void PatternFill::launch(const cuda::Context& context, cuda::DevicePointer to,
                         std::span<const std::byte> pattern, std::size_t count,
                         cuda::RawStream stream) {
  std::call_once(loaded_, [&] {
    const auto current = cuda::Context::make_current(context);
    module_.emplace(std::as_bytes(std::span(fill_ptx)));
  });
  const cuda::Function kernel =
      module_->function(pattern.size() == 8 ? "treadle_fill_8" : "treadle_fill_16");
  const auto low = word<std::uint64_t>(pattern, 0);
  const auto high = pattern.size() == 16 ? word<std::uint64_t>(pattern, 1) : low;
  constexpr std::size_t block = 256, most_blocks = 4096;
  const std::size_t blocks = std::min((count + block - 1) / block, most_blocks);
  kernel.launch({.grid = {static_cast<unsigned>(blocks)},
                 .block = {static_cast<unsigned>(block)},
                 .stream = cuda::StreamRef(stream)},
                std::uint64_t{to}, low, high, std::uint64_t{count});
}

}  // namespace treadle::device
