// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/alltoall/mesh_routes.hpp"

#include "strategies/ranges.hpp"

namespace thalweg::strategies::alltoall {

namespace {

using schedule::BlockList;
using schedule::Buffer;
using topology::VirtualMesh;

// Before phase t a rank holds the blocks of sources(rank, t) for the ranks that agree with it in the first t
// coordinates: each source for each of those destinations. What arrived in phase u lies in a scratch region
// of its own, a row a source and in the row the destinations in the order of agreeing(rank, u + 1). As that
// order sorts by the next coordinate first, a row's blocks for one receiver are always neighbors; a region
// goes as one range.
class HeldBlocks {
public:
  HeldBlocks(Builder& b, const VirtualMesh& mesh) : mesh_(mesh), rank_(b.rank()) {
    for (std::int32_t phase = 0; phase + 1 < mesh.dimensions(); ++phase) {
      Region region;
      for (const Rank sender : mesh.senders(rank_, phase)) {
        const std::vector<Rank> theirs = mesh.sources(sender, phase);
        region.sources.insert(region.sources.end(), theirs.begin(), theirs.end());
      }
      region.width = mesh.count_agreeing(rank_, phase + 1);
      region.first = b.scratch_blocks(static_cast<std::int32_t>(region.sources.size()) * region.width);
      regions_.push_back(std::move(region));
    }
  }

  /// Blocks for the ranks that agree with `receiver` in the first phase+1 coordinates, source by source.
  BlockList leaving(std::int32_t phase, Rank receiver) const {
    BlockList blocks;
    for (const Rank destination : mesh_.agreeing(receiver, phase + 1))
      blocks.push_back({Buffer::input, destination});
    const std::int32_t run = mesh_.count_agreeing(receiver, phase + 1);
    for (std::int32_t u = 0; u < phase; ++u)
      blocks = std::move(blocks) + rows(u, mesh_.place_among(receiver, u + 1, phase + 1), run);
    return blocks;
  }

  /// Where what a sender of that phase sends goes; its sources begin at row `row`, which is moved past them.
  BlockList arriving(std::int32_t phase, std::int32_t source_count, std::int32_t& row) const {
    const Region& region = regions_[static_cast<std::size_t>(phase)];
    const std::int32_t first = region.first + row * region.width;
    row += source_count;
    return schedule::scratch(first, source_count * region.width);
  }

  /// Blocks that are at home before the last phase, and where they belong.
  void append_own(Builder& b) const {
    for (std::int32_t u = 0; u + 1 < mesh_.dimensions(); ++u) {
      BlockList home;
      for (const Rank source : regions_[static_cast<std::size_t>(u)].sources)
        home.push_back({Buffer::output, source});
      b.copy(rows(u, mesh_.place_among(rank_, u + 1, mesh_.dimensions()), 1), home);
    }
  }

private:
  struct Region {
    std::vector<Rank> sources;
    std::int32_t width = 0;
    std::int32_t first = 0;
  };

  BlockList rows(std::int32_t phase, std::int32_t column, std::int32_t run) const {
    const Region& region = regions_[static_cast<std::size_t>(phase)];
    return strided(Buffer::scratch, region.first + column, run,
                   static_cast<std::int64_t>(region.sources.size()), region.width);
  }

  const VirtualMesh& mesh_;
  Rank rank_;
  std::vector<Region> regions_;
};

} // namespace

void append_on_mesh(Builder& b, const VirtualMesh& mesh) {
  const HeldBlocks held(b, mesh);
  const std::int32_t last = mesh.dimensions() - 1;
  b.copy(schedule::input(b.rank()), schedule::output(b.rank()));
  for (std::int32_t phase = 0; phase <= last; ++phase) {
    b.round();
    std::int32_t row = 0;
    for (const Rank sender : mesh.senders(b.rank(), phase)) {
      const std::vector<Rank> sources = mesh.sources(sender, phase);
      BlockList home;
      if (phase == last)
        for (const Rank source : sources)
          home.push_back({Buffer::output, source});
      b.receive(sender,
                phase == last ? home : held.arriving(phase, static_cast<std::int32_t>(sources.size()), row));
    }
    for (const Rank receiver : mesh.receivers(b.rank(), phase))
      b.send(receiver, held.leaving(phase, receiver));
    if (phase == last)
      held.append_own(b);
  }
}

} // namespace thalweg::strategies::alltoall
