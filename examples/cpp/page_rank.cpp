// SPDX-License-Identifier: MIT
// How important the pages of a web are, on every device there is: PageRank, a sum over the links to
// each page, by a kernel that reads the ranks through the links. With the name of a folder it draws
// the ranks, both axes logarithmic.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <treadle/treadle.hpp>
#include <vector>

#include "picture.hpp"

namespace {

constexpr std::size_t pages = 20'000, steps = 20;
constexpr double damping = 0.85;

// Links by the page that they lead to: those to page p are offsets[p] to before offsets[p + 1].
struct Web {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> from, out = std::vector<std::int32_t>(pages, 0);
};

Web drawn_web() {
  Web web;
  std::uint32_t state = 12345;
  for (std::size_t page = 0; page < pages; ++page) {
    // Few pages have many links, and most have few.
    const std::size_t links = 2 + 20'000 / (page + 20);
    for (std::size_t k = 0; k < links; ++k) {
      state = state * 1664525 + 1013904223;
      web.from.push_back(static_cast<std::int32_t>((state >> 8) % (pages - 100)));
      ++web.out[static_cast<std::size_t>(web.from.back())];
    }
    web.offsets.push_back(static_cast<std::int64_t>(web.from.size()));
  }
  return web;
}

std::vector<double> ranks_on_host(const Web& web) {
  std::vector<double> rank(pages, 1.0 / pages), next(pages);
  for (std::size_t step = 0; step < steps; ++step) {
    double lost = 0;
    for (std::size_t page = 0; page < pages; ++page) lost += web.out[page] == 0 ? rank[page] : 0;
    for (std::size_t page = 0; page < pages; ++page) {
      double received = lost / pages;
      for (auto k = web.offsets[page]; k < web.offsets[page + 1]; ++k) {
        const auto from = static_cast<std::size_t>(web.from[static_cast<std::size_t>(k)]);
        received += rank[from] / web.out[from];
      }
      next[page] = (1 - damping) / pages + damping * received;
    }
    rank.swap(next);
  }
  return rank;
}

}  // namespace

int main(int count, char** arguments) {
  using treadle::Array, treadle::Index, treadle::Scalar;
  namespace array = treadle::array;
  const Web web = drawn_web();
  const std::vector<double> expected = ranks_on_host(web);
  bool correct = true;
  for (const auto& device : treadle::devices()) {
    if (!device->info().traits.runs_kernels) continue;
    const treadle::DeviceScope here(device);
    const Array offsets = Array::from(web.offsets), from = Array::from(web.from),
                out = Array::from(web.out);
    const Array starts = offsets(Index{.stop = -1}), ends = offsets(Index{.start = 1});
    const Array is_dead_end = out == 0;
    treadle::SegmentedFoldKernel received(
        device, Scalar::float64,
        {.arguments = "const int *page, const double *rank, const int *out",
         .map = "rank[page[i]] / out[page[i]]",
         .reduce = "a + b",
         .neutral = "0"},
        {.name = "received"});
    Array rank = array::full({std::int64_t{pages}}, 1.0 / pages, Scalar::float64);
    const Array sums = array::empty({std::int64_t{pages}}, Scalar::float64);
    for (std::size_t step = 0; step < steps; ++step) {
      const Array lost = sum(array::where(is_dead_end, rank, 0.0)) / double{pages};
      received.launch(*device->default_stream(), {.count = pages, .indices = web.from.size()},
                      starts, ends, sums, from, rank, out);
      rank = (1 - damping) / pages + damping * (sums + lost);
      array::evaluate({rank});
    }
    const std::vector<double> found = rank.as<double>();
    double worst = 0;
    for (std::size_t page = 0; page < pages; ++page)
      worst = std::fmax(worst, std::fabs(found[page] / expected[page] - 1));
    std::printf("%s: the first page has a rank of %.5f, and is off by at most %.1e\n",
                device->info().id.c_str(), found[0], worst);
    correct = correct && worst < 1e-9;
    if (count > 1) {
      const std::vector<double> ordered = array::sorted(rank).as<double>();
      std::vector<double> drawn;
      for (double place = 1; place < double{pages}; place *= 1.25)
        drawn.push_back(1 + std::log10(ordered[pages - static_cast<std::size_t>(place)]) / 5);
      Picture picture;
      picture.curve(drawn);
      picture.write(std::string(arguments[1]) + "/page_rank.pgm");
    }
  }
  std::printf("check against loops: %s\n", correct ? "ok" : "WRONG");
  return correct ? 0 : 1;
}
