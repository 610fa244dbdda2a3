// SPDX-License-Identifier: MIT
// A graph in two parts of equal size with few edges between them, on every device there is: by the
// eigenvector of the second eigenvalue of its Laplacian (Fiedler 1973), which Lanczos' method
// finds. With the name of a folder it draws the parts.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <treadle/treadle.hpp>
#include <vector>

#include "picture.hpp"

namespace {

using treadle::Array;
using treadle::CsrMatrix;
using treadle::Scalar;
namespace array = treadle::array;

// Points of two squares that touch at a bridge, with an edge between those that are near.
struct Graph {
  std::vector<double> x, y;
  std::vector<std::int64_t> from, to;
};

Graph drawn_graph() {
  constexpr std::size_t points = 600;
  constexpr double reach = 0.06;
  Graph graph;
  std::mt19937 random(4);
  std::uniform_real_distribution<double> place(0, 1);
  while (graph.x.size() < points) {
    const double x = place(random), y = place(random);
    if (x > 0.45 && x < 0.55 && (y < 0.4 || y > 0.6)) continue;
    graph.x.push_back(x);
    graph.y.push_back(y);
  }
  for (std::size_t k = 0; k < points; ++k)
    for (std::size_t other = 0; other < points; ++other) {
      const double dx = graph.x[k] - graph.x[other], dy = graph.y[k] - graph.y[other];
      if (k == other || dx * dx + dy * dy > reach * reach) continue;
      graph.from.push_back(static_cast<std::int64_t>(k));
      graph.to.push_back(static_cast<std::int64_t>(other));
    }
  return graph;
}

// Degrees on the diagonal, and -1 for each edge.
CsrMatrix laplacian_of(const Graph& graph) {
  const auto points = static_cast<std::int64_t>(graph.x.size());
  const Array from = Array::from(graph.from), to = Array::from(graph.to);
  const Array edges = array::full({from.size()}, -1.0);
  const Array places = array::arange(points);
  const Array degrees = -CsrMatrix::from_entries(edges, from, to, {points, points}).sum(1);
  return CsrMatrix::from_entries(array::concatenate({edges, degrees}),
                                 array::concatenate({from, places}),
                                 array::concatenate({to, places}), {points, points});
}

// Which points are above the middle of the second eigenvector.
std::vector<bool> halved(const Graph& graph) {
  const treadle::EigshSolution found = treadle::sparse::eigsh(
      laplacian_of(graph), 2,
      {.choice = treadle::EigenChoice::smallest, .tolerance = 1e-6, .basis = 40});
  if (!found.has_all) return {};
  const Array vector = found.vectors(treadle::Index::all(), 1);
  const std::vector<double> values = vector.as<double>();
  std::vector<double> sorted = values;
  std::ranges::sort(sorted);
  std::vector<bool> part;
  for (const double value : values) part.push_back(value > sorted[sorted.size() / 2]);
  return part;
}

bool is_right_on(const std::shared_ptr<treadle::device::Device>& device, const Graph& graph,
                 const char* folder) {
  const treadle::DeviceScope on(device);
  const std::vector<bool> part = halved(graph);
  if (part.empty()) return false;
  std::size_t cut = 0;
  for (std::size_t k = 0; k < graph.from.size(); ++k)
    cut += part[static_cast<std::size_t>(graph.from[k])] !=
           part[static_cast<std::size_t>(graph.to[k])];
  std::printf("%-10s %zu edges, %zu of them between the parts\n", device->info().id.c_str(),
              graph.from.size() / 2, cut / 2);
  if (folder != nullptr) {
    Picture picture;
    for (std::size_t k = 0; k < part.size(); ++k)
      picture.dot(graph.x[k], graph.y[k], part[k] ? 255 : 110);
    picture.write(std::string(folder) + "/graph_partition.pgm");
  }
  return cut < graph.from.size() / 20;
}

}  // namespace

int main(int count, char** arguments) {
  const Graph graph = drawn_graph();
  bool is_right = true;
  for (const auto& device : treadle::devices())
    if (device->info().traits.runs_kernels)
      is_right = is_right_on(device, graph, count > 1 ? arguments[1] : nullptr) && is_right;
  std::puts(is_right ? "right" : "WRONG");
  return is_right ? 0 : 1;
}
