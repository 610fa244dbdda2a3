// SPDX-License-Identifier: MIT
// A fountain of particles on every device there is: those that hit the ground are taken out by a
// mask, and new ones come. Without a call that waits, except for how many are left. With the name
// of a folder it writes a picture.
#include <cstdint>
#include <cstdio>
#include <string>
#include <treadle/treadle.hpp>
#include <vector>

#include "picture.hpp"

int main(int count, char** arguments) {
  namespace array = treadle::array;
  using treadle::Array, treadle::Index, treadle::Scalar;
  constexpr std::int64_t new_ones = 2000, steps = 40;
  const std::vector<float> gravity{0, -1};
  bool correct = true;
  for (const auto& device : treadle::devices()) {
    if (!device->info().traits.runs_kernels) continue;
    const treadle::DeviceScope here(device);
    treadle::Generator random(3, device);
    const Array pull = Array::from(gravity.data(), {1, 2}, Scalar::float32);
    Array place = array::zeros({0, 2}, Scalar::float32), speed = place;
    std::int64_t taken_out = 0;
    for (std::int64_t step = 0; step < steps; ++step) {
      const Array new_places[] = {place, array::zeros({new_ones, 2}, Scalar::float32)};
      const Array new_speeds[] = {speed, random.normal(0, 0.3, {new_ones, 2}, Scalar::float32)};
      speed = array::concatenate(new_speeds) + 0.05f * pull;
      place = array::concatenate(new_places) + 0.05f * speed;
      const Array flies = place(Index::all(), 1) > 0;
      taken_out += place.shape()[0];
      place = selected(place, flies);
      speed = selected(speed, flies);
      taken_out -= place.shape()[0];
    }
    const std::int64_t left = place.shape()[0];
    std::printf("%s: %lld fly, %lld have come down\n", device->info().id.c_str(),
                static_cast<long long>(left), static_cast<long long>(taken_out));
    correct = correct && left > 0 && left + taken_out == steps * new_ones &&
              double(min(place(Index::all(), 1))) > 0;
    if (count > 1) {
      const std::vector<float> places = place.as<float>();
      Picture picture;
      for (std::size_t i = 0; i + 1 < places.size(); i += 2)
        picture.dot(double{places[i]} / 3 + 0.5, 2 * double{places[i + 1]});
      picture.write(std::string(arguments[1]) + "/particles.pgm");
    }
  }
  std::printf("check that none is lost, and none under the ground: %s\n", correct ? "ok" : "WRONG");
  return correct ? 0 : 1;
}
