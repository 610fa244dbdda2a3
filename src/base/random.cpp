// SPDX-License-Identifier: MIT
#include "treadle/base/random.hpp"

#include <bit>

namespace treadle {
namespace {

constexpr std::uint32_t low(std::uint64_t number) { return static_cast<std::uint32_t>(number); }
constexpr std::uint32_t high(std::uint64_t number) { return low(number >> 32); }

}  // namespace

std::string_view generator_name(RandomGenerator generator) noexcept {
  return generator == RandomGenerator::philox ? "philox" : "threefry";
}

RandomWords philox4x32(const RandomWords& counter, const std::array<std::uint32_t, 2>& key) {
  RandomWords x = counter;
  std::array<std::uint32_t, 2> k = key;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p = std::uint64_t{0xd2511f53} * x[0], q = std::uint64_t{0xcd9e8d57} * x[2];
    x = {high(q) ^ x[1] ^ k[0], low(q), high(p) ^ x[3] ^ k[1], low(p)};
    k[0] += 0x9e3779b9;
    k[1] += 0xbb67ae85;
  }
  return x;
}

RandomWords threefry4x32(const RandomWords& counter, const RandomWords& key) {
  constexpr int rotations[8][2] = {{10, 26}, {11, 21}, {13, 27}, {23, 5},
                                   {6, 20},  {17, 11}, {25, 10}, {18, 20}};
  const std::uint32_t schedule[5] = {key[0], key[1], key[2], key[3],
                                     0x1bd11bda ^ key[0] ^ key[1] ^ key[2] ^ key[3]};
  RandomWords x = counter;
  for (std::size_t i = 0; i < 4; ++i) x[i] += schedule[i];
  for (unsigned round = 0; round < 20; ++round) {
    // The words 1 and 3 change places from round to round.
    const std::size_t first = round % 2 == 0 ? 1 : 3, second = 4 - first;
    x[0] += x[first];
    x[first] = std::rotl(x[first], rotations[round % 8][0]) ^ x[0];
    x[2] += x[second];
    x[second] = std::rotl(x[second], rotations[round % 8][1]) ^ x[2];
    if (round % 4 != 3) continue;
    const unsigned injected = round / 4 + 1;
    for (unsigned i = 0; i < 4; ++i) x[i] += schedule[(injected + i) % 5];
    x[3] += injected;
  }
  return x;
}

RandomWords RandomState::words(std::uint64_t blocks) const {
  const std::uint64_t block = position + blocks;
  const RandomWords counter{low(block), high(block), low(stream), high(stream)};
  if (generator == RandomGenerator::philox) return philox4x32(counter, {low(seed), high(seed)});
  return threefry4x32(counter, {low(seed), high(seed), 0, 0});
}

RandomState RandomState::jumped(std::uint64_t streams) const noexcept {
  return {seed, stream + streams, 0, generator, 0};
}

std::vector<RandomState> RandomState::spawn(std::size_t count) {
  std::vector<RandomState> children;
  children.reserve(count);
  for (; count > 0; --count) {
    // Threefry with a second half of the key that no state has: blocks that are never drawn.
    const RandomWords made =
        threefry4x32({low(spawned), high(spawned), low(stream), high(stream)},
                     {low(seed), high(seed), 1, static_cast<std::uint32_t>(generator)});
    children.push_back({std::uint64_t{made[1]} << 32 | made[0], 0, 0, generator, 0});
    ++spawned;
  }
  return children;
}

}  // namespace treadle
