// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/allgather/mesh_routes.hpp"

namespace thalweg::strategies::allgather {

Strategy mesh3d() {
  return {
      .name = "mesh3d",
      .operation = Operation::allgather,
      .summary =
          "combines blocks along rows, columns and planes of a 3-D virtual mesh: 3 (cbrt(P) - 1) messages",
      .wins_when = "short blocks on hundreds of ranks and more",
      .source = "Kumar 2005, section 3.1.2 (3-D mesh with holes)",
      .unequal_blocks = true,
      .in_place = true,
      .order_matters = true,
      .append = [](Builder& b) { append_on_mesh(b, 3); }};
}

} // namespace thalweg::strategies::allgather
