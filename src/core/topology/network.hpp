// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// An interconnect between hosts as a table of cables: for who builds it (the lab), or counts what its links
// carry; and where the nodes of a job are in it.

#include "topology/interconnect.hpp"

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

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
  std::unordered_map<std::uint64_t, std::int32_t> numbers_; ///< of links, by their ends
};

struct NodePlaces {
  /// The network's shape (topology/network.hpp); empty: not known.
  std::string network = {};
  /// Hosts of the whole network; 0: what the shape says, or as many as its places need.
  std::int32_t hosts = 0;
  /// The place of each node, a host's number in the network, -1 where it is not known. Empty: node i is at
  /// place i, and there are no others.
  std::vector<std::int32_t> places = {};
};

/// What that says of so many nodes.
struct LocatedNodes {
  /// Nothing where the shape is not known or does not fit the job.
  std::optional<Network> network = {};
  /// The place of each node; empty where they are not known.
  std::vector<std::int32_t> places = {};
  /// Why a shape that is given cannot be used; empty where it can, or none is given.
  std::string why_unknown = {};
};

LocatedNodes locate(const NodePlaces& known, std::int32_t nodes);

/// The switch of each rank's node, numbered from 0 in order of first appearance. `nodes`: each rank's node,
/// numbered from 0. Empty where the network is not known, or where all are on one switch.
std::vector<std::int32_t> leaves_of(const NodePlaces& known, std::span<const std::int32_t> nodes);

} // namespace thalweg::topology
