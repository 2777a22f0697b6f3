// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Where hosts are in a machine's interconnect: a line a host, its name and its place.
//
//     # torus:25x32x24
//     nid00012  3 1 0      coordinates, for meshes and tori
//     nid00013  4 1 0
//     leaf2-7   23         or the node's number
//     n[017-020]           on graphs nodes have their places by their names
//
// Where a switch has several nodes, the node's number there follows the switch's coordinates.

#include "base/host_names.hpp"
#include "topology/interconnect.hpp"
#include "topology/network.hpp"

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace thalweg::machine {

class NodeList {
public:
  NodeList() = default;

  /// The place of a host, or -1 if the list does not have it; with a domain or without (base/host_names.hpp).
  topology::Place place_of(std::string_view host) const { return hosts_.find(host); }
  /// Throws Error where the host is there already, or another one is at that place.
  void add(std::string_view host, topology::Place place);
  std::size_t size() const { return hosts_.size(); }
  /// All hosts with their places, by place and name.
  std::vector<std::pair<std::string, topology::Place>> hosts() const { return hosts_.hosts(); }

  bool operator==(const NodeList&) const = default;

private:
  HostIndex hosts_;
  std::unordered_map<topology::Place, std::string> at_;
};

/// The text of a list, with the nodes' numbers.
std::string to_text(const NodeList& list);

/// Reads the text of a list; `name` is for errors. Throws Error naming the line where a place is outside of
/// the interconnect, coordinates are too few, or a host or a place comes twice.
NodeList parse_node_list(std::string_view text, const topology::Interconnect& interconnect,
                         const std::string& name);

/// Is a network one that knows hosts by their names, so that it needs no list?
bool knows_names(std::string_view network);

/// A list of hosts together with the network that it is of.
struct HostPlaces {
  std::string network; ///< its shape (topology/network.hpp); empty: not known
  std::int32_t hosts = 0;
  NodeList list;

  /// Of the hosts that a job's nodes are: by the list, or by the names that the network knows.
  topology::NodePlaces of(std::span<const std::string> nodes) const;
};

/// Reads a list of hosts. Its first line may name the network's shape, as "# torus:4x2", which comes before
/// `shape`, what a machine file says (empty: nothing). A torus has as many hosts as its extents say; of a
/// ring, a fat tree or a star the list names all. `name` is for errors. Throws Error as parse_node_list does.
HostPlaces parse_host_places(const std::string& text, const std::string& shape, const std::string& name);

/// Reads a list of the hosts of a network that is known. Throws Error as parse_node_list does, and where the
/// first line names a shape that is none, or one of another number of nodes.
NodeList parse_hosts_of(const topology::Interconnect& interconnect, const std::string& text,
                        const std::string& name);

} // namespace thalweg::machine
