// SPDX-License-Identifier: MIT
// A street of houses on every device there is: which of them stand above the water, how long the
// dry stretches are, and the houses in the order of their heights.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <treadle/treadle.hpp>
#include <vector>

int main() {
  using namespace treadle;
  constexpr std::size_t n = 10000;
  std::vector<std::uint32_t> heights(n);
  for (std::size_t i = 0; i < n; ++i)
    heights[i] = static_cast<std::uint32_t>(i * i / 7 % 41 + i % 10);
  bool correct = true;
  for (const auto& device : devices()) {
    device::Stream& stream = *device->default_stream();
    const Buffer street(device, heights), chosen(device, n * 4), count(device, 8);

    // The dry ones, moved to the front.
    SelectKernel dry(device, Selection::matching,
                     {.type = "uint", .predicate = "ary[i] >= water", .arguments = "uint water"});
    dry.launch(stream, n, street, chosen, count, 30u);
    std::vector<std::uint64_t> dry_count(1);
    count.copy_to(dry_count);

    // How far each house is from the last wet one: a sum that begins anew there.
    kernel::ScanKernel stretch(device, Scalar::int32,
                               {.arguments = "const uint *height, uint water, int *length",
                                .input = "height[i] >= water ? 1 : 0",
                                .scan = "across_seg_boundary ? b : a + b",
                                .output = "length[i] = item",
                                .segment_start = "a == 0"});
    const Buffer lengths(device, n * 4);
    stretch.launch(stream, n, street, 30u, lengths);
    std::vector<int> length(n);
    lengths.copy_to(length);

    // Heights in order, and whose they are.
    RadixSortKernel sort(device, {.arguments = "const uint *height, const int *house",
                                  .key = "height[i]",
                                  .sorted = {"height", "house"}});
    std::vector<int> houses(n);
    for (std::size_t i = 0; i < n; ++i) houses[i] = static_cast<int>(i);
    const Buffer numbers(device, houses), in_order(device, n * 4), whose(device, n * 4);
    const UserArgument given[] = {street, numbers}, sorted[] = {in_order, whose};
    sort.launch(stream, n, {.given = given, .sorted = sorted, .key_bits = 6});
    std::vector<std::uint32_t> ordered(n);
    in_order.copy_to(ordered);
    whose.copy_to(houses);

    int longest = 0;
    std::uint64_t expected = 0;
    for (std::size_t i = 0; i < n; ++i) {
      expected += heights[i] >= 30 ? 1 : 0;
      longest = std::max(longest, length[i]);
      const bool is_next = i == 0 || ordered[i - 1] <= ordered[i];
      correct = correct && is_next && heights[static_cast<std::size_t>(houses[i])] == ordered[i];
      const int before = i == 0 ? 0 : length[i - 1];
      correct = correct && length[i] == (heights[i] >= 30 ? before + 1 : 0);
    }
    correct = correct && dry_count[0] == expected;
    std::printf("%s: %d dry houses, at most %d in a row, the highest is number %d\n",
                device->info().id.c_str(), static_cast<int>(dry_count[0]), longest, houses[n - 1]);
  }
  return correct ? 0 : 1;
}
