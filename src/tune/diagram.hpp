// SPDX-License-Identifier: MIT
// A diagram of decisions (MDD): one level for each parameter, one edge for each value that some
// configuration has. Prefixes that allow the same continuations share a node, as in
//   R. E. Bryant: Graph-based algorithms for Boolean function manipulation. IEEE Trans. Comp. 1986,
// where what a prefix allows is told by those of its values that constraints behind it read.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace treadle::tune {

/// A condition on some parameters, by the positions of all.
struct DiagramConstraint {
  std::vector<std::size_t> parameters;  ///< rising
  std::function<bool(std::span<const std::uint32_t>)> holds;
};

class Diagram {
 public:
  /// `extents`: values of each parameter. Throws InvalidArgument beyond 2^27 edges.
  Diagram(std::vector<std::size_t> extents, const std::vector<DiagramConstraint>& constraints);

  /// Paths from the root to the end.
  std::uint64_t size() const { return size_; }
  /// The positions on a path.
  std::vector<std::uint32_t> path(std::uint64_t number) const;
  /// The number of a path; none if it does not exist.
  std::optional<std::uint64_t> number(std::span<const std::uint32_t> positions) const;
  /// The number of the first path with these positions, where some are given; none if none has.
  std::optional<std::uint64_t> first(std::span<const std::optional<std::uint32_t>> wanted) const;

 private:
  class Builder;
  struct Edge {
    std::uint32_t position;
    std::uint32_t child;   ///< of the next level; of the last level 0
    std::uint64_t before;  ///< paths through earlier edges of the node
  };
  struct Node {
    std::uint32_t first, count;  ///< edges
  };
  struct Level {
    std::vector<Node> nodes;
    std::vector<Edge> edges;
  };
  std::uint32_t root() const { return 0; }  // the one node of the first level
  std::span<const Edge> edges_of(std::size_t level, std::uint32_t node) const {
    const Node& at = levels_[level].nodes[node];
    return std::span(levels_[level].edges).subspan(at.first, at.count);
  }

  std::vector<Level> levels_;
  std::uint64_t size_ = 0;
};

}  // namespace treadle::tune
