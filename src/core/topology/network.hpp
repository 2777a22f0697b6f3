// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// An interconnect between hosts as a table of cables: for who builds it (the lab), or counts what its links
// carry.

#include "topology/interconnect.hpp"

#include <optional>
#include <unordered_map>

namespace thalweg::topology {

/// Hosts 0 .. hosts-1 and switches hosts .. vertices-1; a link carries packets one way.
struct NetworkLink {
  std::int32_t from = 0;
  std::int32_t to = 0;
  bool operator==(const NetworkLink&) const = default;
};

/// A network with fixed routes. Each host has one link to its switch in either direction.
class Network {
public:
  /// Takes any name of an interconnect (parse_interconnect) with that many nodes; fat-tree:HxS may have a
  /// leaf that is not full. On a mesh, torus or ring each host has a cable to a switch of its own. Throws
  /// Error for a text that is no shape, or one that does not fit the number of hosts.
  Network(std::string_view shape, std::int32_t hosts);

  /// The number of hosts that a shape has by itself; 0 for shapes that any number fits, and what is no shape.
  static std::int32_t hosts_of(std::string_view shape);

  const std::string& shape() const { return shape_; }
  std::int32_t hosts() const { return hosts_; }
  std::int32_t switches() const { return switches_; }
  /// The switch that a host is linked to.
  std::int32_t switch_of(std::int32_t host) const {
    return links_[static_cast<std::size_t>(link_from(host))].to;
  }
  /// The numbers of the links from a host to its switch, and back.
  std::int32_t link_from(std::int32_t host) const { return 2 * host; }
  std::int32_t link_to(std::int32_t host) const { return 2 * host + 1; }
  /// All links, both directions of a cable one after the other; those of hosts first, in their order.
  const std::vector<NetworkLink>& links() const { return links_; }
  /// Where packets for `host` go from each switch: another switch, or the host; -1 where none comes by.
  std::vector<std::int32_t> forwarding(std::int32_t host) const;
  /// The numbers of the links from one host to another, in order; none to itself.
  std::vector<std::int32_t> route(std::int32_t from, std::int32_t to) const;
  /// How many links that are.
  std::int64_t hops(std::int32_t from, std::int32_t to) const { return interconnect_->hops(from, to); }
  /// The same, computed. It may have more nodes behind the hosts.
  const std::shared_ptr<const Interconnect>& interconnect() const { return interconnect_; }
  /// A mesh, ring or torus as a grid whose places are the hosts; nothing for other shapes.
  std::optional<Grid> grid() const;

private:
  std::int32_t vertex(Vertex at) const;
  void add_host(NetworkLink up);
  void add_cable(NetworkLink there);

  std::string shape_;
  std::int32_t hosts_ = 0;
  std::int32_t switches_ = 0;
  std::shared_ptr<const Interconnect> interconnect_;
  std::vector<NetworkLink> links_;
  std::unordered_map<std::uint64_t, std::int32_t> numbers_; // of links, by their ends
};

} // namespace thalweg::topology
