#pragma once

// Networks of hosts and switches, and the links that a packet takes through them.

#include "core/rank.hpp"
#include "topology/grid.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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
///
///   star            all hosts on one switch
///   fat-tree:HxS    H hosts on each leaf switch, S spine switches; up by the destination's number (D mod k)
///   ring            a switch for each host, in a ring; the shorter way, forward if both are as long
///   torus:XxYxZ     a switch for each host, in a torus of any dimensions; one dimension after the other,
///   each like a ring
class Network {
public:
  /// Throws Error for a text that is no shape, or one that does not fit the number of hosts.
  Network(std::string_view shape, std::int32_t hosts);

  /// The number of hosts that a shape has by itself, as a torus; 0 for shapes that any number fits.
  static std::int32_t hosts_of(std::string_view shape);

  const std::string& shape() const { return shape_; }
  std::int32_t hosts() const { return hosts_; }
  std::int32_t switches() const { return switches_; }
  /// The switch that a host is linked to.
  std::int32_t switch_of(std::int32_t host) const;
  /// The numbers of the links from a host to its switch, and back.
  std::int32_t link_from(std::int32_t host) const { return 2 * host; }
  std::int32_t link_to(std::int32_t host) const { return 2 * host + 1; }
  /// All links, both directions of a cable one after the other; those of hosts first, in their order.
  const std::vector<NetworkLink>& links() const { return links_; }
  /// Where a packet for `host` goes from a switch: another switch, or the host.
  std::int32_t next(std::int32_t at_switch, std::int32_t host) const;
  /// The numbers of the links from one host to another, in order; none to itself.
  std::vector<std::int32_t> route(std::int32_t from, std::int32_t to) const;
  /// How many links that are; O(dimensions).
  std::int64_t hops(std::int32_t from, std::int32_t to) const;
  /// A ring or torus as a grid whose places are the hosts; nothing for other shapes.
  std::optional<Grid> grid() const;

private:
  enum class Kind : std::uint8_t { star, fat_tree, torus };

  void add_cable(std::int32_t a, std::int32_t b);
  void make_fat_tree();
  void make_torus();
  std::int32_t link(std::int32_t from, std::int32_t to) const;
  std::int32_t leaves() const { return switches_ - spines_; }

  std::string shape_;
  Kind kind_ = Kind::star;
  std::int32_t hosts_ = 0;
  std::int32_t switches_ = 1;
  std::int32_t hosts_per_leaf_ = 0;
  std::int32_t spines_ = 0;
  std::vector<std::int32_t> extents_;
  std::vector<NetworkLink> links_;
  std::unordered_map<std::uint64_t, std::int32_t> numbers_; // of links, by their ends
};

} // namespace thalweg::topology
