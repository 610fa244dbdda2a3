// SPDX-License-Identifier: MIT
#include "treadle/cuda/launch_attributes.hpp"

#include <nanobind/stl/optional.h>

#include "calls/argument.hpp"
#include "rooms.hpp"

namespace treadle::bindings {

using namespace treadle::cuda;

namespace {

std::optional<Dim3> optional_dim3(nb::handle dim, const char* name) {
  if (dim.is_none()) return std::nullopt;
  return dim3_argument(dim.ptr(), name);
}
nb::object shown(const std::optional<Dim3>& dim) {
  return dim ? nb::object(nb::make_tuple(dim->x, dim->y, dim->z)) : nb::none();
}

void bind_window(nb::module_& m) {
  nb::enum_<CacheLines>(m, "CacheLines", "How long a line stays in the cache of the device.")
      .value("normal", CacheLines::normal)
      .value("streaming", CacheLines::streaming)
      .value("persisting", CacheLines::persisting);
  nb::class_<AccessWindow>(m, "AccessWindow",
                           "How the cache of the device treats a range of memory.")
      .def(
          "__init__",
          [](AccessWindow* self, nb::handle address, nb::handle size_bytes, float hit_ratio,
             CacheLines hits, CacheLines misses) {
            new (self) AccessWindow{pointer_argument(address.ptr(), "address"),
                                    static_cast<std::size_t>(unsigned_argument(
                                        size_bytes.ptr(), "size_bytes", PTRDIFF_MAX)),
                                    hit_ratio, hits, misses};
          },
          nb::arg("address"), nb::arg("size_bytes"), nb::arg("hit_ratio") = 1.0f,
          nb::arg("hits") = CacheLines::persisting, nb::arg("misses") = CacheLines::normal)
      .def_ro("address", &AccessWindow::address)
      .def_ro("size_bytes", &AccessWindow::size_bytes)
      .def_ro("hit_ratio", &AccessWindow::hit_ratio, "The share of its lines that are `hits`.")
      .def_ro("hits", &AccessWindow::hits)
      .def_ro("misses", &AccessWindow::misses);
  m.def(
      "set_access_window",
      [](nb::handle stream, const AccessWindow& window) {
        set_access_window(stream_argument(stream.ptr()), window);
      },
      nb::arg("stream"), nb::arg("window"),
      "Gives later work of the stream a window; size_bytes = 0 takes it away.");
  m.def(
      "access_window",
      [](nb::handle stream) { return access_window(stream_argument(stream.ptr())); },
      nb::arg("stream"), "What a stream was given; size_bytes = 0: none.");
  m.def(
      "memory_domain",
      [](nb::handle stream) { return memory_domain(stream_argument(stream.ptr())); },
      nb::arg("stream"), "In which domain later work of a stream is.");
  m.def(
      "set_memory_domain",
      [](nb::handle stream, MemoryDomain domain) {
        set_memory_domain(stream_argument(stream.ptr()), domain);
      },
      nb::arg("stream"), nb::arg("domain"), "Changes it, on GPUs since sm_90.");
  m.def(
      "copy_attributes",
      [](nb::handle to, nb::handle from) {
        copy_attributes(stream_argument(to.ptr()), stream_argument(from.ptr()));
      },
      nb::arg("to"), nb::arg("source"), "Gives a stream all attributes of another.");
  m.def("reset_persisting_lines", &reset_persisting_lines,
        "Lets no line of the current context's device persist any more.");
}

}  // namespace

void bind_cuda_launch_attributes(nb::module_& m) {
  nb::enum_<ClusterScheduling>(m, "ClusterScheduling", "Where blocks of a cluster run.")
      .value("standard", ClusterScheduling::standard)
      .value("spread", ClusterScheduling::spread)
      .value("load_balancing", ClusterScheduling::load_balancing);
  nb::enum_<MemoryDomain>(m, "MemoryDomain",
                          "Fences of one domain do not wait for writes of the other.")
      .value("standard", MemoryDomain::standard)
      .value("remote", MemoryDomain::remote);
  bind_window(m);
  nb::class_<LaunchAttributes>(m, "LaunchAttributes",
                               "What a launch asks for beside its shape: k(..., attributes=...).")
      .def(
          "__init__",
          [](LaunchAttributes* self, nb::handle cluster, nb::handle preferred_cluster,
             std::optional<ClusterScheduling> cluster_scheduling, std::optional<int> priority,
             bool overlaps_previous, const Event* triggered, const Event* started,
             std::optional<AccessWindow> access_window, std::optional<MemoryDomain> memory_domain,
             std::optional<int> shared_memory_percent) {
            new (self) LaunchAttributes{
                .cluster = optional_dim3(cluster, "cluster"),
                .preferred_cluster = optional_dim3(preferred_cluster, "preferred_cluster"),
                .cluster_scheduling = cluster_scheduling,
                .priority = priority,
                .overlaps_previous = overlaps_previous,
                .triggered = triggered,
                .started = started,
                .access_window = access_window,
                .memory_domain = memory_domain,
                .shared_memory_percent = shared_memory_percent};
          },
          nb::kw_only(), nb::arg("cluster") = nb::none(), nb::arg("preferred_cluster") = nb::none(),
          nb::arg("cluster_scheduling") = nb::none(), nb::arg("priority") = nb::none(),
          nb::arg("overlaps_previous") = false, nb::arg("triggered") = nb::none(),
          nb::arg("started") = nb::none(), nb::arg("access_window") = nb::none(),
          nb::arg("memory_domain") = nb::none(), nb::arg("shared_memory_percent") = nb::none(),
          nb::keep_alive<1, 7>(), nb::keep_alive<1, 8>(),
          nb::sig("def __init__(self, *, cluster: Sequence[int] | None = None, "
                  "preferred_cluster: Sequence[int] | None = None, cluster_scheduling: "
                  "ClusterScheduling | None = None, priority: int | None = None, "
                  "overlaps_previous: bool = False, triggered: Event | None = None, started: "
                  "Event | None = None, access_window: AccessWindow | None = None, memory_domain: "
                  "MemoryDomain | None = None, shared_memory_percent: int | None = None) -> None"))
      .def_prop_ro(
          "cluster", [](const LaunchAttributes& self) { return shown(self.cluster); },
          "Blocks that run at once and reach each other's shared memory.")
      .def_prop_ro(
          "preferred_cluster",
          [](const LaunchAttributes& self) { return shown(self.preferred_cluster); },
          "Larger clusters, where there is room for them.")
      .def_ro("cluster_scheduling", &LaunchAttributes::cluster_scheduling)
      .def_ro("priority", &LaunchAttributes::priority, "In place of the stream's.")
      .def_ro("overlaps_previous", &LaunchAttributes::overlaps_previous,
              "Blocks may start before the kernel before has ended.")
      .def_ro("access_window", &LaunchAttributes::access_window)
      .def_ro("memory_domain", &LaunchAttributes::memory_domain)
      .def_ro("shared_memory_percent", &LaunchAttributes::shared_memory_percent);
}

}  // namespace treadle::bindings
