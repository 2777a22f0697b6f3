// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/alltoall/mesh_routes.hpp"

namespace thalweg::strategies::alltoall {

Strategy mesh3d() {
  return {
      .name = "mesh3d",
      .operation = Operation::alltoall,
      .summary =
          "combines blocks along a 3-D virtual mesh: 3 (cbrt(P) - 1) messages, each block sent three times",
      .wins_when = "short blocks on hundreds of ranks and more",
      .source = "Kumar 2005, section 3.1.2 (3-D mesh with holes)",
      .order_matters = true,
      .append = [](Builder& b) { append_on_mesh(b, topology::VirtualMesh(b.ranks(), 3)); }};
}

} // namespace thalweg::strategies::alltoall
