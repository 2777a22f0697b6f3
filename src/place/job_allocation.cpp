#include "place/job_allocation.hpp"

#include "topology/network.hpp"

#include <fmt/format.h>
#include <numeric>
#include <optional>

namespace thalweg::place {

namespace {

/// A network of hosts and switches. A host's links to its switch count as hops, so that what stays on a host
/// is nearest.
class HostNetwork final : public topology::Interconnect {
public:
  explicit HostNetwork(topology::Network network) : network_(std::move(network)), grid_(network_.grid()) {}

  std::string name() const override { return network_.shape(); }
  topology::Place nodes() const override { return network_.hosts(); }
  std::int64_t hops(topology::Place a, topology::Place b) const override {
    return network_.hops(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b));
  }
  std::int64_t diameter() const override { return links(); }
  topology::Link links() const override { return static_cast<topology::Link>(network_.links().size()); }
  void append_route(topology::Place from, topology::Place to,
                    std::vector<topology::LinkShare>& route) const override {
    for (const std::int32_t link :
         network_.route(static_cast<std::int32_t>(from), static_cast<std::int32_t>(to)))
      route.push_back({link});
  }
  std::string link_name(topology::Link link) const override {
    const auto [from, to] = network_.links()[static_cast<std::size_t>(link)];
    return fmt::format("{}-{}", from, to);
  }
  const topology::Grid* grid() const override { return grid_ ? &*grid_ : nullptr; }

private:
  topology::Network network_;
  std::optional<topology::Grid> grid_;
};

} // namespace

machine::Allocation job_allocation(const topology::NodePlaces& known, std::span<const int> node_of,
                                   std::int32_t nodes) {
  topology::LocatedNodes located = topology::locate(known, nodes);
  if (!located.network) {
    located.network.emplace("star", nodes);
    located.places.resize(static_cast<std::size_t>(nodes));
    std::iota(located.places.begin(), located.places.end(), 0);
  }
  machine::Allocation allocation{std::make_shared<HostNetwork>(std::move(*located.network)), {}};
  allocation.slots.reserve(node_of.size());
  for (const int node : node_of)
    allocation.slots.push_back(located.places[static_cast<std::size_t>(node)]);
  return allocation;
}

} // namespace thalweg::place
