// SPDX-License-Identifier: MIT
#include "tune/diagram.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "treadle/base/error.hpp"

namespace treadle::tune {

namespace {
constexpr std::uint64_t most_edges = std::uint64_t{1} << 27;  // 2 GiB
}

class Diagram::Builder {
 public:
  Builder(Diagram& diagram, std::vector<std::size_t> extents,
          const std::vector<DiagramConstraint>& constraints)
      : diagram_(diagram),
        extents_(std::move(extents)),
        decided_(extents_.size()),
        read_behind_(extents_.size()),
        known_(extents_.size()),
        positions_(extents_.size()) {
    for (const DiagramConstraint& constraint : constraints)
      decided_[constraint.parameters.back()].push_back(&constraint);
    // What constraints behind a level read of the levels up to it.
    for (std::size_t level = 0; level < extents_.size(); ++level)
      for (std::size_t parameter = 0; parameter <= level; ++parameter)
        if (std::ranges::any_of(constraints, [&](const DiagramConstraint& each) {
              return each.parameters.back() > level &&
                     std::ranges::binary_search(each.parameters, parameter);
            }))
          read_behind_[level].push_back(parameter);
    diagram_.levels_.resize(extents_.size());
  }

  void build() { diagram_.size_ = node(0).paths; }

 private:
  struct Made {
    std::uint32_t node;
    std::uint64_t paths;  ///< 0: there is no such node
  };

  // The node behind the positions of the levels before.
  Made node(std::size_t level) {
    const std::size_t begin = pending_.size();
    std::uint64_t paths = 0;
    for (std::uint32_t position = 0; position < extents_[level]; ++position) {
      positions_[level] = position;
      if (!std::ranges::all_of(decided_[level],
                               [&](const auto* each) { return each->holds(positions_); }))
        continue;
      const Made below = level + 1 == extents_.size() ? Made{0, 1} : next(level);
      if (below.paths == 0) continue;
      pending_.push_back({position, below.node, paths});
      if (__builtin_add_overflow(paths, below.paths, &paths))
        throw InvalidArgument("the space has more than 2^64 configurations",
                              "leave parameters out, or add constraints");
    }
    Level& at = diagram_.levels_[level];
    const auto first = static_cast<std::uint32_t>(at.edges.size());
    const std::size_t count = pending_.size() - begin;
    if (count == 0) return {0, 0};
    edges_ += count;
    if (edges_ > most_edges)
      throw InvalidArgument("the constraints of the space need more than 128 million decisions",
                            "write constraints as formulas over the parameters that each needs");
    at.edges.insert(at.edges.end(), pending_.begin() + static_cast<std::ptrdiff_t>(begin),
                    pending_.end());
    pending_.resize(begin);
    at.nodes.push_back({first, static_cast<std::uint32_t>(count)});
    return {static_cast<std::uint32_t>(at.nodes.size() - 1), paths};
  }

  // The node of the next level, which prefixes share whose positions that are read behind are
  // equal.
  Made next(std::size_t level) {
    const auto& read = read_behind_[level];
    if (read.size() == level + 1) return node(level + 1);  // nothing can be shared
    std::uint64_t key = 0;
    for (const std::size_t parameter : read)
      if (__builtin_mul_overflow(key, extents_[parameter], &key) ||
          __builtin_add_overflow(key, positions_[parameter], &key))
        return node(level + 1);
    const auto found = known_[level].find(key);
    if (found != known_[level].end()) return found->second;
    const Made made = node(level + 1);
    known_[level].emplace(key, made);
    return made;
  }

  Diagram& diagram_;
  std::vector<std::size_t> extents_;
  std::vector<std::vector<const DiagramConstraint*>> decided_;  // by each level
  std::vector<std::vector<std::size_t>> read_behind_;
  std::vector<std::unordered_map<std::uint64_t, Made>> known_;
  std::vector<std::uint32_t> positions_;
  std::vector<Edge> pending_;  // of the nodes that are being made
  std::uint64_t edges_ = 0;
};

Diagram::Diagram(std::vector<std::size_t> extents,
                 const std::vector<DiagramConstraint>& constraints) {
  Builder(*this, std::move(extents), constraints).build();
}

std::vector<std::uint32_t> Diagram::path(std::uint64_t number) const {
  std::vector<std::uint32_t> positions;
  std::uint32_t node = root();
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    const auto edges = edges_of(level, node);
    const auto& edge = *std::prev(std::ranges::upper_bound(edges, number, {}, &Edge::before));
    positions.push_back(edge.position);
    number -= edge.before;
    node = edge.child;
  }
  return positions;
}

std::optional<std::uint64_t> Diagram::number(std::span<const std::uint32_t> positions) const {
  if (size_ == 0) return {};
  std::uint64_t number = 0;
  std::uint32_t node = root();
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    const auto edges = edges_of(level, node);
    const auto edge = std::ranges::lower_bound(edges, positions[level], {}, &Edge::position);
    if (edge == edges.end() || edge->position != positions[level]) return {};
    number += edge->before;
    node = edge->child;
  }
  return number;
}

std::optional<std::uint64_t> Diagram::first(
    std::span<const std::optional<std::uint32_t>> wanted) const {
  if (size_ == 0) return {};
  // Depth first. Nodes without such a path are remembered, for many paths lead to them.
  std::vector<std::unordered_set<std::uint32_t>> dead(levels_.size());
  const auto search = [&](const auto& self, std::size_t level,
                          std::uint32_t node) -> std::optional<std::uint64_t> {
    if (level == levels_.size()) return 0;
    if (dead[level].contains(node)) return {};
    const auto edges = edges_of(level, node);
    auto edge = edges.begin();
    if (wanted[level]) edge = std::ranges::lower_bound(edges, *wanted[level], {}, &Edge::position);
    for (; edge != edges.end(); ++edge) {
      if (wanted[level] && edge->position != *wanted[level]) break;
      if (const auto rest = self(self, level + 1, edge->child)) return edge->before + *rest;
    }
    dead[level].insert(node);
    return {};
  };
  return search(search, 0, root());
}

}  // namespace treadle::tune
