// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A list of hosts (machine/node_list.hpp) together with the network that it is of.

#include "machine/node_list.hpp"
#include "topology/node_places.hpp"

#include <span>
#include <string_view>

namespace thalweg::machine {

/// Is a network one that knows hosts by their names, so that it needs no list?
bool knows_names(std::string_view network);

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
