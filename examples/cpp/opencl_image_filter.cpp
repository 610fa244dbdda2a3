// SPDX-License-Identifier: MIT
// A picture is smoothed: an image that a kernel reads through a sampler, which clamps at the edges,
// and another that it writes. The mean of nine neighbours is compared with the host's.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <treadle/treadle.hpp>
#include <vector>
using namespace treadle::opencl;

constexpr int width = 160, height = 120;

// A disc on a ramp, one number of four channels each.
std::vector<float> picture() {
  std::vector<float> pixels(4 * width * height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const bool is_inside = (x - 80) * (x - 80) + (y - 60) * (y - 60) < 40 * 40;
      for (int channel = 0; channel < 4; ++channel)
        pixels[4 * (y * width + x) + channel] = is_inside ? 1.0f : 0.001f * static_cast<float>(x);
    }
  return pixels;
}

float mean_of_nine(const std::vector<float>& pixels, int x, int y) {
  float sum = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) {
      const int column = std::clamp(x + dx, 0, width - 1), row = std::clamp(y + dy, 0, height - 1);
      sum += pixels[4 * (row * width + column)];
    }
  return sum / 9;
}

int main() {
  const Device device = Loader::system().platforms().front().devices().at(0);
  if (!device.get<DeviceInfo::image_support>()) {
    std::printf("%s has no images\n", device.name().c_str());
    return 0;
  }
  const Context context(device);
  const Queue queue(context);
  const Program program = Program::from_source(context, R"(
    __kernel void smooth(read_only image2d_t from, sampler_t edge, write_only image2d_t to) {
      int2 at = (int2)(get_global_id(0), get_global_id(1));
      float4 sum = 0;
      for (int y = -1; y <= 1; ++y)
        for (int x = -1; x <= 1; ++x) sum += read_imagef(from, edge, at + (int2)(x, y));
      write_imagef(to, at, sum / 9);
    })");
  program.build();

  const std::size_t sizes[] = {width, height};
  const ImageFormat format{ChannelOrder::rgba, ChannelType::float_};
  const Image from(context, format, ImageDescriptor::of(sizes), MemFlags::read_only);
  const Image to(context, format, ImageDescriptor::of(sizes), MemFlags::write_only);
  const Sampler edge(context, false, AddressingMode::clamp_to_edge, FilterMode::nearest);
  const std::vector<float> pixels = picture();
  write_image(queue, from, pixels);
  program.kernel("smooth").launch({.queue = queue, .global = {width, height}}, from, edge, to);
  std::vector<float> smoothed(pixels.size());
  read_image(queue, to, smoothed);

  float worst = 0;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      worst = std::max(worst, std::abs(smoothed[4 * (y * width + x)] - mean_of_nine(pixels, x, y)));
  std::printf("%s: %d x %d pixels smoothed, off by at most %g\n", device.name().c_str(), width,
              height, static_cast<double>(worst));
  return worst < 1e-5f ? 0 : 1;
}
