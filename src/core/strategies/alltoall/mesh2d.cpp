// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/alltoall/mesh_routes.hpp"

namespace thalweg::strategies::alltoall {

Strategy mesh2d() {
  return {
      .name = "mesh2d",
      .operation = Operation::alltoall,
      .summary =
          "combines blocks by columns of a 2-D virtual mesh: 2 (sqrt(P) - 1) messages, each block sent twice",
      .wins_when = "blocks below about 1 KiB on dozens to thousands of ranks",
      .source = "Kumar 2005, section 3.1.1 (2-D mesh with holes)",
      .order_matters = true,
      .append = [](Builder& b) { append_on_mesh(b, topology::VirtualMesh(b.ranks(), 2)); }};
}

} // namespace thalweg::strategies::alltoall
