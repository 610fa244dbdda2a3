// SPDX-License-Identifier: MIT
// A rod in two halves on two devices: heat spreads in each, and after every step they copy the
// cells at the cut to each other, ordered by events alone. With one device, two contexts of it
// stand in.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <treadle/treadle.hpp>
#include <vector>

namespace cuda = treadle::cuda;

const char* const source = R"(
// Cell 0 and cell count + 1 belong to a neighbour or to the ends, which stay cold.
extern "C" __global__ void spread(const float* now, float* next, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    if (i <= count) next[i] = now[i] + 0.25f * (now[i - 1] - 2 * now[i] + now[i + 1]);
}
extern "C" __global__ void total(const float* here, const float* there, int count, float* sum)
{
    float mine = 0;
    for (int i = threadIdx.x + 1; i <= count; i += blockDim.x) mine += here[i] + there[i];
    atomicAdd(sum, mine);
}
)";
constexpr int half = 1000, steps = 200;
constexpr std::size_t bytes = (half + 2) * sizeof(float);

// One half in a context of its own. What is not given is made in the current context.
struct Half {
  cuda::Context context;
  cuda::Module module;
  cuda::Function spread = module.function("spread");
  cuda::DeviceMemory now{bytes}, next{bytes};
  cuda::Stream stream{};
  cuda::Event stepped{cuda::EventFlags::disable_timing}, fetched{cuda::EventFlags::disable_timing};

  cuda::PeerAddress cell(int i) const { return {now.address() + i * sizeof(float), context}; }
};

Half make_half(const cuda::Device& device, const std::vector<float>& cells) {
  const auto current = cuda::Context::make_current(cuda::Context::create(device));
  const auto target = treadle::compile::Target::parse(device.target());
  Half made{.context = current,
            .module = cuda::Module(treadle::compile_cuda(source, target).image)};
  made.now.copy_from(cells);
  made.next.copy_from(cells);
  return made;
}

void step(Half& here, const Half& other) {
  here.stream.wait(other.fetched);  // from the memory that this step writes to
  here.spread.launch({.grid = {(half + 255) / 256}, .block = {256}, .stream = here.stream},
                     here.now, here.next, half);
  std::swap(here.now, here.next);
  here.stepped.record(here.stream);
}

// Cell `mine` is what the other half calls `theirs`.
void fetch(Half& here, const Half& other, int mine, int theirs) {
  const auto current = cuda::Context::make_current(here.context);
  here.stream.wait(other.stepped);
  cuda::copy_peer_async(here.cell(mine), other.cell(theirs), sizeof(float), here.stream);
  here.fetched.record(here.stream);
}

// A kernel of one device reads the memory of the other, if it can; else a copy of it.
float total(const Half& here, const Half& other) {
  const auto current = cuda::Context::make_current(here.context);
  const cuda::DeviceMemory sum(sizeof(float)), copied(bytes);
  const bool direct = here.context.device().can_access_peer(other.context.device());
  if (direct)
    here.context.enable_peer_access(other.context);
  else
    cuda::copy_peer({copied.address(), here.context}, other.cell(0), bytes);
  cuda::fill32(sum.address(), 0, 1);
  here.module.function("total").launch({.block = {64}}, here.now,
                                       direct ? other.now.address() : copied.address(), half, sum);
  std::vector<float> found(1);
  sum.copy_to(found);
  std::printf("the sum is read %s\n", direct ? "directly" : "from a copy");
  return found[0];
}

int main() {
  // The whole rod, as the host computes it; warm around the cut.
  std::vector<float> rod(2 * half + 2), next(rod.size());
  for (int i = half - 20; i < half + 50; ++i) rod[i] = static_cast<float>(i % 7);
  const auto middle = rod.begin() + half;  // the left half's last cell
  const auto devices = cuda::default_driver().devices();
  Half left = make_half(devices.front(), {rod.begin(), middle + 2});
  Half right = make_half(devices[devices.size() > 1], {middle, rod.end()});
  std::printf("device: %s and %s\n", left.context.device().name().c_str(),
              devices.size() > 1 ? right.context.device().name().c_str() : "another context of it");

  for (int i = 0; i < steps; ++i) {
    step(left, right);
    step(right, left);
    fetch(left, right, half + 1, 1);
    fetch(right, left, 0, half);
    for (int k = 1; k <= 2 * half; ++k)
      next[k] = rod[k] + 0.25f * (rod[k - 1] - 2 * rod[k] + rod[k + 1]);
    std::swap(rod, next);
  }
  left.stream.synchronize();
  right.stream.synchronize();

  std::vector<float> found(half + 2), expected(rod.begin(), rod.begin() + half + 2);
  float error = 0, sum = 0;
  for (const Half* each : {&left, &right}) {
    each->now.copy_to(found);
    for (int i = 1; i <= half; ++i) error = std::max(error, std::abs(found[i] - expected[i]));
    expected.assign(rod.begin() + half, rod.end());
  }
  for (int k = 1; k <= 2 * half; ++k) sum += rod[k];
  const bool correct = error < 1e-4f && std::abs(total(left, right) - sum) < 1e-2f;
  std::printf("check: %s\n", correct ? "ok" : "WRONG");
  return correct ? 0 : 1;
}
