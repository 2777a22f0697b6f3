// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/packet/fabric.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace thalweg::simulate::packet {

namespace {

constexpr std::int64_t max_channels = 1 << 26;

} // namespace

Fabric::Fabric(std::shared_ptr<const topology::Interconnect> shape, Ports ports)
    : shape_(std::move(shape)), ports_(ports) {
  if (shape_->links() > max_channels || shape_->vertices() > max_channels)
    throw Error(fmt::format("{} has {} links, too many for packets", shape_->name(), shape_->links()),
                fmt::format("choose a network of up to {}", max_channels));
  nodes_ = static_cast<std::uint32_t>(shape_->nodes());
  has_ports_ = needs_ports();
  add_wires();
  const std::size_t vertices = static_cast<std::size_t>(shape_->vertices()) + (has_ports_ ? nodes_ : 0);
  first_.assign(vertices + 1, 0);
  inputs_.assign(vertices, 0);
  for (const Wire& wire : wires_)
    ++first_[wire.from + 1];
  for (std::size_t vertex = 0; vertex < vertices; ++vertex)
    first_[vertex + 1] += first_[vertex];
  number_inputs();
  constexpr std::uint32_t max_ports = 1 << 15; // of crosspoints' counters
  for (std::uint32_t vertex = 0; vertex < this->vertices(); ++vertex)
    if (outputs(vertex) > max_ports)
      throw Error(fmt::format("a switch of {} with {} ports", shape_->name(), outputs(vertex)),
                  fmt::format("choose a network whose switches have at most {}", max_ports));
  for (std::uint32_t node = 0; node < nodes_; ++node)
    if (outputs(node) != 1)
      throw Error(fmt::format("a node of {} has {} links", shape_->name(), outputs(node)),
                  "choose a network whose nodes have one: xgft:4x4:1x4, and more than one node");
}

bool Fabric::needs_ports() const {
  if (shape_->vertices() == shape_->nodes())
    return true;
  if (ports_ == Ports::cables)
    return false;
  std::vector<char> has_link(nodes_, 0);
  for (topology::Link link = 0; link < shape_->links(); ++link)
    if (const topology::Vertex from = shape_->ends(link).from; from >= 0 && from < shape_->nodes())
      if (has_link[static_cast<std::size_t>(from)]++ != 0)
        return true;
  return false;
}

// In the order of vertices, then links, of which a node's own come first.
void Fabric::add_wires() {
  if (has_ports_)
    for (std::uint32_t node = 0; node < nodes_; ++node) {
      wires_.push_back({node, nodes_ + node, 0, -1});
      wires_.push_back({nodes_ + node, node, 0, -1});
    }
  for (topology::Link link = 0; link < shape_->links(); ++link)
    if (const topology::LinkEnds ends = shape_->ends(link); ends.from >= 0)
      wires_.push_back({switch_vertex(ends.from), switch_vertex(ends.to), 0, link});
  std::ranges::stable_sort(wires_, {}, &Wire::from);
  channels_.assign(static_cast<std::size_t>(shape_->links()), none);
  to_nodes_.assign(nodes_, none);
  for (std::uint32_t channel = 0; channel < wires_.size(); ++channel) {
    const Wire& wire = wires_[channel];
    if (wire.link >= 0)
      channels_[static_cast<std::size_t>(wire.link)] = channel;
    if (is_node(wire.to))
      to_nodes_[wire.to] = channel;
  }
}

// A vertex's inputs are in the order of the links that go the other way: in trees they differ in the last
// bit.
void Fabric::number_inputs() {
  std::vector<std::uint32_t> order(wires_.size());
  for (std::uint32_t channel = 0; channel < order.size(); ++channel)
    order[channel] = channel;
  std::ranges::stable_sort(order, {}, [&](std::uint32_t channel) {
    const topology::Link link = wires_[channel].link;
    return link < 0 ? link : link ^ 1;
  });
  for (const std::uint32_t channel : order)
    wires_[channel].input = inputs_[wires_[channel].to]++;
}

std::string Fabric::channel_name(std::uint32_t channel) const {
  const Wire& wire = wires_[channel];
  if (is_node(wire.from))
    return fmt::format("node {}", wire.from);
  const std::string to =
      is_node(wire.to) ? fmt::format("node {}", wire.to) : fmt::format("switch {}", wire.to - nodes_);
  return fmt::format("switch {}, output {} to {}", wire.from - nodes_, channel - first_channel(wire.from),
                     to);
}

TreePlaces::TreePlaces(const Fabric& fabric, const topology::FatTree& tree)
    : places_(fabric.vertices()), nodes_below_{1}, children_{fabric.has_ports() ? 1U : 0U}, ways_{1} {
  for (const std::int32_t children : tree.shape().children) {
    children_.push_back(static_cast<std::uint32_t>(children));
    nodes_below_.push_back(nodes_below_.back() * children_.back());
  }
  for (const std::int32_t parents : tree.shape().parents) {
    parents_.push_back(static_cast<std::uint32_t>(parents));
    ways_.push_back(ways_.back() * parents_.back());
  }
  parents_.push_back(0);
  std::uint64_t vertex = fabric.switch_vertex(0);
  for (std::uint32_t level = 0; level < nodes_below_.size(); ++level) {
    const std::uint64_t subtrees = fabric.nodes() / nodes_below_[level];
    for (std::uint64_t place = 0; place < subtrees * ways_[level]; ++place)
      places_[vertex++] = {static_cast<std::uint32_t>(place / ways_[level] * nodes_below_[level]), level};
  }
}

} // namespace thalweg::simulate::packet
