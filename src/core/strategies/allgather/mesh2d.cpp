// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/allgather/mesh_routes.hpp"

namespace thalweg::strategies::allgather {

Strategy mesh2d() {
  return {
      .name = "mesh2d",
      .operation = Operation::allgather,
      .summary =
          "sends the own block along the row, then the row's blocks along the column of a 2-D virtual mesh",
      .wins_when = "short and medium blocks: 2 (sqrt(P) - 1) messages, no block sent twice by the same rank",
      .source = "Kumar 2005, section 3.1.1 (2-D mesh with holes)",
      .unequal_blocks = true,
      .in_place = true,
      .order_matters = true,
      .append = [](Builder& b) { append_on_mesh(b, 2); }};
}

} // namespace thalweg::strategies::allgather
