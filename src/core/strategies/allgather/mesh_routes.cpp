// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/allgather/mesh_routes.hpp"

#include "strategies/allgather/layout.hpp"
#include "topology/virtual_mesh.hpp"

#include <algorithm>

namespace thalweg::strategies::allgather {

namespace {

/// What a rank has and passes on in a phase, in ascending order, so that neighbors melt into one range.
schedule::BlockList held(const topology::VirtualMesh& mesh, Rank rank, std::int32_t phase) {
  std::vector<Rank> sources = mesh.sources(rank, phase);
  std::ranges::sort(sources);
  schedule::BlockList blocks;
  for (const Rank source : sources)
    blocks.push_back({schedule::Buffer::output, source});
  return blocks;
}

} // namespace

void append_on_mesh(Builder& b, std::int32_t dimensions) {
  const topology::VirtualMesh mesh(b.ranks(), dimensions);
  append_own(b);
  for (std::int32_t phase = 0; phase < mesh.dimensions(); ++phase) {
    b.round();
    for (const Rank sender : mesh.senders(b.rank(), phase))
      b.receive(sender, held(mesh, sender, phase));
    const schedule::BlockList passed_on = held(mesh, b.rank(), phase);
    for (const Rank receiver : mesh.receivers(b.rank(), phase))
      b.send(receiver, passed_on);
  }
}

} // namespace thalweg::strategies::allgather
