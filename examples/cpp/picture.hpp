// SPDX-License-Identifier: MIT
// A grey picture, into which programs draw points and curves.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

class Picture {
 public:
  static constexpr std::size_t side = 400;

  // A dot at a place between 0 and 1 on both axes, the second one upwards; else nothing.
  void dot(double x, double y, std::uint8_t grey = 255) {
    if (!(x >= 0 && x <= 1 && y >= 0 && y <= 1)) return;
    const auto place = [](double part) { return static_cast<std::size_t>(part * (side - 1)); };
    greys_[(side - 1 - place(y)) * side + place(x)] = grey;
  }
  // A curve from the left to the right through values between 0 and 1, at equal distances.
  void curve(const std::vector<double>& values, std::uint8_t grey = 255) {
    constexpr std::size_t fine = 8 * side;
    for (std::size_t i = 0; i < fine; ++i) {
      const double x = static_cast<double>(i) / (fine - 1);
      const double at = x * static_cast<double>(values.size() - 1);
      const std::size_t left = std::min(static_cast<std::size_t>(at), values.size() - 2);
      dot(x, std::lerp(values[left], values[left + 1], at - static_cast<double>(left)), grey);
    }
  }
  void write(const std::string& name) const {
    std::ofstream file(name, std::ios::binary);
    file << "P5 " << side << ' ' << side << " 255\n";
    file.write(reinterpret_cast<const char*>(greys_.data()), side * side);
  }

 private:
  std::vector<std::uint8_t> greys_ = std::vector<std::uint8_t>(side * side, 20);
};
