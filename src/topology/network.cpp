#include "topology/network.hpp"

#include "core/error.hpp"
#include "topology/extents.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <numeric>

namespace thalweg::topology {

namespace {

constexpr const char* shapes = "choose star, fat-tree:HOSTSxSPINES, ring, or torus:XxY…";

std::uint64_t key(std::int32_t from, std::int32_t to) {
  return static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint64_t>(to);
}

} // namespace

Network::Network(std::string_view shape, std::int32_t hosts) : shape_(shape), hosts_(hosts) {
  const std::size_t colon = std::min(shape.find(':'), shape.size());
  const std::string_view name = shape.substr(0, colon);
  const std::vector<std::int32_t> extents =
      colon < shape.size() ? parse_extents(shape.substr(colon + 1)) : std::vector<std::int32_t>{};
  if (hosts < 1)
    throw Error(fmt::format("a network of {} hosts cannot be", hosts), "choose a number above 0");
  if (shape == "star") {
    for (std::int32_t host = 0; host < hosts; ++host)
      add_cable(host, hosts);
  } else if (name == "fat-tree" && extents.size() == 2) {
    kind_ = Kind::fat_tree;
    hosts_per_leaf_ = extents[0];
    spines_ = extents[1];
    make_fat_tree();
  } else if (shape == "ring" || (name == "torus" && !extents.empty())) {
    kind_ = Kind::torus;
    extents_ = shape == "ring" ? std::vector{hosts} : extents;
    make_torus();
  } else {
    throw Error(fmt::format("'{}' is no shape of a network", shape), shapes);
  }
}

std::int32_t Network::hosts_of(std::string_view shape) {
  constexpr std::string_view mark = "torus:";
  if (!shape.starts_with(mark))
    return 0;
  std::int64_t product = 1;
  for (const std::int32_t extent : parse_extents(shape.substr(mark.size())))
    product = std::min<std::int64_t>(product * extent, std::numeric_limits<std::int32_t>::max());
  return static_cast<std::int32_t>(product);
}

void Network::make_fat_tree() {
  switches_ = (hosts_ + hosts_per_leaf_ - 1) / hosts_per_leaf_ + spines_;
  for (std::int32_t host = 0; host < hosts_; ++host)
    add_cable(host, switch_of(host));
  for (std::int32_t leaf = 0; leaf < leaves(); ++leaf)
    for (std::int32_t spine = 0; spine < spines_; ++spine)
      add_cable(hosts_ + leaf, hosts_ + leaves() + spine);
}

void Network::make_torus() {
  const auto product = std::accumulate(extents_.begin(), extents_.end(), std::int64_t{1},
                                       [](std::int64_t a, std::int32_t b) { return a * b; });
  if (product != hosts_)
    throw Error(fmt::format("'{}' has {} places, not {}", shape_, product, hosts_),
                "choose extents whose product is the number of hosts");
  switches_ = hosts_;
  for (std::int32_t host = 0; host < hosts_; ++host)
    add_cable(host, hosts_ + host);
  std::int32_t stride = 1;
  for (const std::int32_t extent : extents_) {
    for (std::int32_t place = 0; place < hosts_; ++place) {
      const std::int32_t coordinate = place / stride % extent;
      // Two neighbors have one cable, not one for each way round.
      if (extent == 1 || (extent == 2 && coordinate == 1))
        continue;
      const std::int32_t forward = place + ((coordinate + 1) % extent - coordinate) * stride;
      add_cable(hosts_ + place, hosts_ + forward);
    }
    stride *= extent;
  }
}

void Network::add_cable(std::int32_t a, std::int32_t b) {
  for (const NetworkLink& link : {NetworkLink{a, b}, NetworkLink{b, a}}) {
    numbers_.emplace(key(link.from, link.to), static_cast<std::int32_t>(links_.size()));
    links_.push_back(link);
  }
}

std::int32_t Network::switch_of(std::int32_t host) const {
  switch (kind_) {
  case Kind::star:
    return hosts_;
  case Kind::fat_tree:
    return hosts_ + host / hosts_per_leaf_;
  case Kind::torus:
    return hosts_ + host;
  }
  return hosts_;
}

std::int32_t Network::next(std::int32_t at_switch, std::int32_t host) const {
  const std::int32_t last = switch_of(host);
  if (at_switch == last)
    return host;
  if (kind_ == Kind::fat_tree)
    return at_switch < hosts_ + leaves() ? hosts_ + leaves() + host % spines_ : last;
  std::int32_t stride = 1;
  const std::int32_t place = at_switch - hosts_;
  for (const std::int32_t extent : extents_) {
    const std::int32_t from = place / stride % extent;
    const std::int32_t to = host / stride % extent;
    if (from != to) {
      const std::int32_t ahead = (to - from + extent) % extent;
      const std::int32_t step = 2 * ahead <= extent ? 1 : extent - 1;
      return hosts_ + place + ((from + step) % extent - from) * stride;
    }
    stride *= extent;
  }
  return host;
}

std::int32_t Network::link(std::int32_t from, std::int32_t to) const {
  return numbers_.at(key(from, to));
}

std::vector<std::int32_t> Network::route(std::int32_t from, std::int32_t to) const {
  std::vector<std::int32_t> links;
  if (from == to)
    return links;
  std::int32_t at = switch_of(from);
  links.push_back(link(from, at));
  while (at != to) {
    const std::int32_t ahead = next(at, to);
    links.push_back(link(at, ahead));
    at = ahead;
  }
  return links;
}

std::int64_t Network::hops(std::int32_t from, std::int32_t to) const {
  if (from == to)
    return 0;
  switch (kind_) {
  case Kind::star:
    return 2;
  case Kind::fat_tree:
    return switch_of(from) == switch_of(to) ? 2 : 4;
  case Kind::torus:
    break;
  }
  std::int64_t between_switches = 0;
  std::int32_t stride = 1;
  for (const std::int32_t extent : extents_) {
    const std::int32_t ahead = (to / stride % extent - from / stride % extent + extent) % extent;
    between_switches += std::min(ahead, extent - ahead);
    stride *= extent;
  }
  return between_switches + 2;
}

std::optional<Grid> Network::grid() const {
  if (kind_ != Kind::torus)
    return std::nullopt;
  return Grid(extents_, true);
}

} // namespace thalweg::topology
