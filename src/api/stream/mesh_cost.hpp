// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a phase of a stream takes on a mesh, by the machine's figures.
//
// All ranks are taken to send alike, to all ranks. An item costs a processor the same for each hop, and a
// buffer that of a message. A node's network is held by the buffers of all its ranks. Whichever of the two
// takes longer counts, and then what the phase takes to end: the last buffers, dimension by dimension, and a
// quiescence check. (Wesolowski and others 2014, table I, has the numbers of messages and bytes, but no end.)

#include "machine/machine.hpp"
#include "stream/item_route.hpp"

#include <span>
#include <vector>

namespace thalweg::streams {

/// What a rank sends in a phase.
struct Load {
  double bytes = 0;      ///< of items
  double item_bytes = 8; ///< of an item, or what is thought of it
};

class MeshCost {
public:
  /// `nodes[r]`: the node of rank r. `ranks_of_core`: that share one, at least 1.
  MeshCost(machine::Machine machine, std::span<const std::int32_t> nodes, double ranks_of_core);

  /// Of a phase. `fill_bytes`: when a buffer is full.
  double seconds(const Shape& shape, double fill_bytes, const Load& load) const;
  /// Bytes put into buffers for a byte of items: of all hops, with tags.
  double copies(const Shape& shape, double item_bytes) const;

private:
  struct Links { // of a rank, along a dimension; in the mean
    double near = 0;
    double far = 0;
  };
  std::vector<Links> links_of(const Shape& shape) const;

  machine::Machine machine_;
  std::vector<std::int32_t> node_of_cell_;
  double ranks_of_core_;
  double ranks_of_node_;
};

} // namespace thalweg::streams
