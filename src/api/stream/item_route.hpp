// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which way items go: a virtual mesh of ranks, and this rank's peers in it.

#include "base/assertion.hpp"
#include "base/rank.hpp"
#include "thalweg/stream_links.h"
#include "topology/virtual_mesh.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg::streams {

/// Sides of a mesh, the dimension that items travel along first in front.
using Shape = std::vector<std::int32_t>;

/// "direct", or "4x8". Throws Error where it is none, or not one of so many ranks: each side but the last is
/// at least 2, and the last one is the smallest that holds them all.
Shape parse_shape(std::string_view text, std::int32_t ranks);
std::string to_text(const Shape& shape);

struct Peer {
  Rank rank = -1; ///< -1: no such link
  std::uint32_t dimension = 0;
};

class ItemRoute {
public:
  /// In round r of a quiescence check a rank sends to those that are 1 to 3 times 4^r ranks behind it.
  static constexpr std::int32_t quiescence_radix = 4;

  /// `rank_of_cell`: who is where in the mesh; empty where rank r is cell r.
  ItemRoute(const Shape& shape, std::int32_t ranks, Rank rank, std::span<const Rank> rank_of_cell = {});

  const Shape& shape() const { return shape_; }
  std::uint32_t dimensions() const { return static_cast<std::uint32_t>(shape_.size()); }
  /// By link.
  const std::vector<Peer>& peers() const { return peers_; }
  std::uint32_t own_link() const;
  std::uint32_t first_link(std::uint32_t dimension) const {
    THALWEG_ASSERT(normal, dimension < dimensions_.size());
    return dimensions_[dimension].first_link;
  }
  /// One behind the last link of a dimension.
  std::uint32_t end_link(std::uint32_t dimension) const;
  /// Who sends to this rank along a dimension, in the last one it does so itself; or in quiescence checks.
  const std::vector<Rank>& senders(std::uint32_t dimension) const { return senders_[dimension]; }
  /// Stands for a dimension behind the last one: what ranks send each other in quiescence checks.
  std::uint32_t quiescence_dimension() const { return dimensions(); }
  /// Of a round of a quiescence check, or one behind the last link of all.
  std::uint32_t first_link_of_round(std::uint32_t round) const { return rounds_[round]; }
  std::uint32_t rounds() const { return static_cast<std::uint32_t>(rounds_.size() - 1); }
  std::uint32_t tag_bytes() const { return tag_bytes_; }
  const thalweg_stream_dimension* view() const { return dimensions_.data(); }

private:
  void add_quiescence_links(std::int32_t ranks, Rank rank);

  Shape shape_;
  std::vector<thalweg_stream_dimension> dimensions_;
  std::vector<Peer> peers_;
  std::vector<std::vector<Rank>> senders_;
  std::vector<std::uint32_t> rounds_; ///< their first links
  std::uint32_t tag_bytes_ = 2;
};

} // namespace thalweg::streams
