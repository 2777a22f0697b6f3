// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/alltoall/mesh_routes.hpp"

namespace thalweg::strategies::alltoall {

Strategy mesh() {
  return {.name = "mesh",
          .operation = Operation::alltoall,
          .summary =
              "combines blocks along a virtual mesh of N dimensions: N (P^(1/N) - 1) messages, each block "
              "sent N times",
          .wins_when = "short blocks; the more ranks and the shorter, the more dimensions",
          .source = "Kumar 2005, section 3.1 (2-D and 3-D mesh with holes), generalized",
          .parameters = {{.name = "dimensions",
                          .kind = ParameterKind::count,
                          .default_value = 4,
                          .min = 1,
                          .max = 16,
                          .description = "of the mesh, at most",
                          .proven_at = {5, 1, 7}}},
          .order_matters = true,
          .append = [](Builder& b) {
            append_on_mesh(
                b, topology::VirtualMesh(b.ranks(), static_cast<std::int32_t>(b.parameter("dimensions"))));
          }};
}

} // namespace thalweg::strategies::alltoall
