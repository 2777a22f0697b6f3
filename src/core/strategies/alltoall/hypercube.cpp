// SPDX-License-Identifier: BSD-3-Clause
#include "topology/hypercube.hpp"

#include "schedule/block.hpp"
#include "strategies/strategy.hpp"

namespace thalweg::strategies::alltoall {

namespace {

using schedule::BlockList;
using schedule::Buffer;
using topology::Hypercube;

// Folded ranks first hand all their blocks to their node and get theirs from it at the end. Between, stage t
// exchanges with node XOR 2^t every block whose destination's node differs there. What a node gets in stage t
// comes from 2^t neighboring nodes (and ranks folded onto them: layer 1) and is for every 2^(t+1)-th node
// (and layer 1 likewise). It is kept apart by layers of source and of destination, in columns: a
// destination's blocks of all these sources are neighbors. So a message is a few ranges for each earlier
// stage, however many blocks it has.
class HypercubeBlocks {
public:
  HypercubeBlocks(Builder& b, const Hypercube& cube) : cube_(cube), node_(cube.node_of(b.rank())) {
    const auto take = [&](std::int32_t blocks) { return b.rank() == node_ ? b.scratch_blocks(blocks) : 0; };
    folded_ = take(cube.count_in_layer(node_, 1, 1) * cube.ranks());
    for (std::int32_t stage = 0; stage < cube.dimensions(); ++stage) {
      Arrivals arrivals{.first_source = cube.group(neighbor(stage), stage)};
      for (std::int32_t from = 0; from < cube.layers(); ++from)
        for (std::int32_t to = 0; to < cube.layers(); ++to) {
          const bool at_home = stage + 1 == cube.dimensions() && to == 0;
          const std::int32_t columns = at_home ? 0 : destinations(node_, stage + 1, to);
          arrivals.region[from][to] = take(sources(arrivals.first_source, stage, from) * columns);
        }
      stages_.push_back(arrivals);
    }
  }

  Rank neighbor(std::int32_t stage) const { return cube_.neighbor(node_, stage, 1); }
  /// Where the blocks of the rank folded onto this node lie, by destination.
  std::int32_t folded() const { return folded_; }

  /// What this node holds before a stage for the neighbor's side, layer by layer of destinations, in each
  /// first the node's own, then what came in stage 0, 1, ..
  BlockList leaving(std::int32_t stage) const {
    const std::int32_t step = cube_.distance(stage + 1);
    const Rank first = neighbor(stage) % step;
    BlockList blocks;
    for (std::int32_t to = 0; to < cube_.layers(); ++to) {
      const std::int32_t count = destinations(neighbor(stage), stage + 1, to);
      blocks = std::move(blocks) + own(first + to * cube_.nodes(), count, step);
      for (std::int32_t u = 0; u < stage; ++u)
        for (std::int32_t from = 0; from < cube_.layers(); ++from)
          blocks = std::move(blocks) + columns(u, from, to, first, count, step);
    }
    return blocks;
  }

  /// The same blocks where they arrive at this node, which are its neighbor's before the stage.
  BlockList arriving(std::int32_t stage) const {
    BlockList blocks;
    for (std::int32_t to = 0; to < cube_.layers(); ++to) {
      for (std::int32_t from = 0; from < cube_.layers(); ++from)
        blocks = std::move(blocks) + column_parts(stage, from, to, neighbor(stage), 1);
      for (std::int32_t u = 0; u < stage; ++u)
        for (std::int32_t from = 0; from < cube_.layers(); ++from)
          blocks = std::move(blocks) + column_parts(stage, from, to,
                                                    cube_.group(cube_.neighbor(neighbor(stage), u, 1), u),
                                                    cube_.distance(u));
    }
    return blocks;
  }

  /// What this node holds in the end for the rank of that layer, itself or the one folded onto it, but for
  /// the own block of the latter: from node or folded rank, then by stages.
  BlockList held_for(std::int32_t to) const {
    BlockList blocks = own(node_ + to * cube_.nodes(), 1, 1);
    if (to == 1) // its own block stayed with it
      blocks.resize(1);
    for (std::int32_t u = 0; u + (to == 0 ? 1 : 0) < cube_.dimensions(); ++u)
      for (std::int32_t from = 0; from < cube_.layers(); ++from)
        blocks = std::move(blocks) + columns(u, from, to, node_, 1, 1);
    return blocks;
  }

  /// The outputs in which held_for(to) belongs.
  BlockList home(std::int32_t to) const {
    BlockList blocks = schedule::output(node_);
    if (to == 0 && cube_.count_in_layer(node_, 1, 1) > 0)
      blocks.push_back({Buffer::output, node_ + cube_.nodes()});
    for (std::int32_t u = 0; u + (to == 0 ? 1 : 0) < cube_.dimensions(); ++u)
      for (std::int32_t from = 0; from < cube_.layers(); ++from) {
        const Rank first = stages_[static_cast<std::size_t>(u)].first_source;
        blocks = std::move(blocks) +
                 strided(Buffer::output, first + from * cube_.nodes(), sources(first, u, from), 1, 0);
      }
    return blocks;
  }

private:
  struct Arrivals {
    Rank first_source = 0;
    std::int32_t region[2][2] = {};
  };

  std::int32_t sources(Rank first, std::int32_t stage, std::int32_t layer) const {
    return cube_.count_in_layer(first, cube_.distance(stage), layer);
  }
  /// How many nodes that agree with `node` in the lowest `digits` digits have a rank in that layer.
  std::int32_t destinations(Rank node, std::int32_t digits, std::int32_t layer) const {
    const std::int32_t step = cube_.distance(digits);
    const std::int32_t in_layer = cube_.count_in_layer(0, cube_.nodes(), layer);
    return static_cast<std::int32_t>(ceil_divide(std::max(0, in_layer - node % step), step));
  }

  BlockList own(std::int32_t first, std::int32_t count, std::int32_t step) const {
    BlockList blocks = strided(Buffer::input, first, 1, count, step);
    if (cube_.count_in_layer(node_, 1, 1) > 0)
      blocks = std::move(blocks) + strided(Buffer::scratch, folded_ + first, 1, count, step);
    return blocks;
  }

  BlockList columns(std::int32_t u, std::int32_t from, std::int32_t to, Rank first, std::int32_t count,
                    std::int32_t step) const {
    const Arrivals& arrivals = stages_[static_cast<std::size_t>(u)];
    const std::int32_t height = sources(arrivals.first_source, u, from);
    const std::int32_t column = first / cube_.distance(u + 1);
    return strided(Buffer::scratch, arrivals.region[from][to] + column * height, height, count,
                   std::int64_t{step} / cube_.distance(u + 1) * height);
  }

  /// The part of a region's columns that comes from the nodes first .. first+count-1; in the last stage the
  /// one column for this rank itself is its output.
  BlockList column_parts(std::int32_t stage, std::int32_t from, std::int32_t to, Rank first,
                         std::int32_t count) const {
    const Arrivals& arrivals = stages_[static_cast<std::size_t>(stage)];
    const std::int32_t run = cube_.count_in_layer(first, count, from);
    if (stage + 1 == cube_.dimensions() && to == 0)
      return strided(Buffer::output, first + from * cube_.nodes(), run, 1, 0);
    return strided(Buffer::scratch, arrivals.region[from][to] + first - arrivals.first_source, run,
                   destinations(node_, stage + 1, to), sources(arrivals.first_source, stage, from));
  }

  const Hypercube& cube_;
  Rank node_;
  std::int32_t folded_ = 0;
  std::vector<Arrivals> stages_;
};

void append(Builder& b) {
  const Hypercube cube(b.ranks(), 2);
  const Rank self = b.rank();
  const Rank node = cube.node_of(self);
  const HypercubeBlocks held(b, cube);
  if (self != node) {
    b.copy(schedule::input(self), schedule::output(self));
    b.send(node, schedule::input(0, self) + strided(Buffer::input, self + 1, b.ranks() - self - 1, 1, 0));
    b.round();
    b.receive(node, held.home(1));
    return;
  }
  const bool stands_for_two = cube.count_in_layer(node, 1, 1) > 0;
  const Rank other = node + cube.nodes();
  if (stands_for_two)
    b.receive(other, strided(Buffer::scratch, held.folded(), other, 1, 0) +
                         strided(Buffer::scratch, held.folded() + other + 1, b.ranks() - other - 1, 1, 0));
  for (std::int32_t stage = 0; stage < cube.dimensions(); ++stage) {
    b.round();
    b.receive(held.neighbor(stage), held.arriving(stage));
    b.send(held.neighbor(stage), held.leaving(stage));
  }
  b.round();
  b.copy(held.held_for(0), held.home(0));
  if (stands_for_two)
    b.send(other, held.held_for(1));
}

} // namespace

Strategy hypercube() {
  return {.name = "hypercube",
          .operation = Operation::alltoall,
          .summary = "exchanges half of all blocks with rank XOR 1, 2, 4, ..; ranks beyond a power of two "
                     "fold in and out",
          .wins_when = "the shortest blocks, ranks a power of two",
          .source = "Kumar 2005, section 3.1.3 (hypercube with holes)",
          .order_matters = true,
          .append = append};
}

} // namespace thalweg::strategies::alltoall
