// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/packet/collectives.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"
#include "simulate/packet/fabric.hpp"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace thalweg::simulate::packet {

namespace {

constexpr std::uint32_t max_ports = 64;

const topology::FatTree& tree_of_groups(const Fabric& fabric) {
  const auto* const tree = dynamic_cast<const topology::FatTree*>(&fabric.shape());
  if (tree == nullptr)
    throw Error(fmt::format("groups on {}, which is no tree", fabric.shape().name()),
                "choose a tree, as tree:16^2, or send to each node by itself");
  return *tree;
}

} // namespace

GroupTables::GroupTables(const Fabric& fabric)
    : fabric_(fabric), places_(fabric, tree_of_groups(fabric)), switches_(fabric.vertices() - fabric.nodes()),
      loads_(fabric.vertices(), 0) {
  for (std::uint32_t vertex = fabric.nodes(); vertex < fabric.vertices(); ++vertex)
    if (fabric.outputs(vertex) > max_ports)
      throw Error(fmt::format("groups on switches of {} ports", fabric.outputs(vertex)),
                  fmt::format("choose a tree whose switches have at most {}", max_ports));
}

std::uint32_t GroupTables::add(std::span<const std::uint32_t> members) {
  if (members.empty() || std::ranges::max(members) >= fabric_.nodes())
    throw Error("a group of no nodes, or of nodes that do not exist",
                fmt::format("choose members of 0 to {}", fabric_.nodes() - 1));
  if (free_.empty()) {
    building_ = static_cast<std::uint32_t>(members_.size());
    ports_.resize(ports_.size() + switches_, 0);
    members_.push_back(0);
    visited_.emplace_back();
  } else {
    building_ = free_.back();
    free_.pop_back();
  }
  visit(neighbor(members.front(), 0), members, true);
  members_[building_] = static_cast<std::uint32_t>(members.size());
  return building_;
}

void GroupTables::remove(std::uint32_t group) {
  THALWEG_ASSERT(normal, has(group));
  building_ = group;
  for (const std::uint32_t vertex : visited_[group]) {
    bits(vertex) = 0;
    --loads_[vertex];
  }
  visited_[group].clear();
  members_[group] = 0;
  free_.push_back(group);
}

void GroupTables::visit(std::uint32_t vertex, std::span<const std::uint32_t> members, bool goes_up) {
  ++loads_[vertex];
  visited_[building_].push_back(vertex);
  const auto is_below = [&](std::uint32_t member) { return places_.reaches(vertex, member); };
  if (goes_up && !std::ranges::all_of(members, is_below)) {
    const std::uint32_t first = places_.down_ports(vertex);
    std::uint32_t port = first;
    for (std::uint32_t other = first; other < first + places_.up_ports(vertex); ++other)
      if (loads_[neighbor(vertex, other)] < loads_[neighbor(vertex, port)])
        port = other;
    const std::uint32_t parent = neighbor(vertex, port);
    bits(vertex) |= std::uint64_t{1} << port;
    bits(parent) |= std::uint64_t{1} << places_.down_port(parent, members.front());
    visit(parent, members, true);
  }
  for (const std::uint32_t member : members) {
    if (!is_below(member))
      continue;
    const std::uint32_t port = places_.down_port(vertex, member);
    const std::uint32_t child = neighbor(vertex, port);
    const bool is_new = (bits(vertex) >> port & 1) == 0;
    bits(vertex) |= std::uint64_t{1} << port;
    if (!is_new || fabric_.is_node(child))
      continue;
    bits(child) |= std::uint64_t{1} << fabric_.wires()[fabric_.first_channel(vertex) + port].input;
    visit(child, members, false);
  }
}

std::uint32_t GroupTables::output_to(std::uint32_t vertex, std::uint32_t group, std::uint32_t node) const {
  if (places_.reaches(vertex, node))
    return places_.down_port(vertex, node);
  const std::uint64_t up = ports(vertex, group) >> places_.down_ports(vertex) << places_.down_ports(vertex);
  THALWEG_ASSERT(normal, up != 0);
  return static_cast<std::uint32_t>(std::countr_zero(up));
}

std::uint32_t Multicasts::begin(std::uint64_t outputs) {
  THALWEG_ASSERT(normal, outputs != 0);
  return copies_.take({static_cast<std::uint32_t>(std::popcount(outputs)), outputs});
}

std::uint64_t Multicasts::leave(std::uint32_t number) {
  Copies& copies = copies_[number];
  THALWEG_ASSERT(normal, copies.left > 0);
  if (--copies.left > 0)
    return 0;
  copies_.give_back(number);
  return copies.outputs;
}

CombineUnits::CombineUnits(const Channels& channels, const RouterOptions& options, const GroupTables* groups)
    : channels_(channels), groups_(groups), units_(options.combine_units), subsets_(options.unit_subsets),
      cycle_(options.cycle), element_cycles_(options.element_cycles), element_bytes_(options.element_bytes) {
  THALWEG_ASSERT(light, units_ == 0 || groups != nullptr);
}

std::uint32_t CombineUnits::leaf_of(std::uint32_t vertex, std::uint32_t input) const {
  if (subsets_ == UnitSubsets::round_robin)
    return input % leaves();
  return input * leaves() / channels_.fabric().inputs(vertex);
}

// The ports that contribute, and the output for the result.
std::uint64_t CombineUnits::contributors(const Packet& packet, std::uint32_t vertex,
                                         std::uint32_t& out) const {
  out = groups_->output_to(vertex, packet.group, packet.to);
  return groups_->ports(vertex, packet.group) & ~(std::uint64_t{1} << out);
}

std::uint32_t CombineUnits::expected(const Packet& packet, std::uint32_t vertex, std::uint32_t unit) const {
  std::uint32_t out = 0;
  std::uint64_t with_something = 0;
  std::uint32_t own = 0;
  for (std::uint64_t rest = contributors(packet, vertex, out); rest != 0; rest &= rest - 1) {
    const std::uint32_t leaf = leaf_of(vertex, static_cast<std::uint32_t>(std::countr_zero(rest)));
    with_something |= std::uint64_t{1} << leaf;
    own += leaf == unit ? 1 : 0;
  }
  const bool is_root = units_ > 1 && unit == root();
  return is_root ? static_cast<std::uint32_t>(std::popcount(with_something)) : own;
}

std::uint32_t CombineUnits::output(const Packet& packet, std::uint32_t vertex, std::uint32_t input) const {
  const std::uint32_t ports = channels_.fabric().inputs(vertex);
  THALWEG_ASSERT(normal, packet.kind == Kind::reduction && input < ports + units_);
  if (input < ports)
    return channels_.unit(vertex, leaf_of(vertex, input));
  const bool is_of_root = input - ports == root();
  if (!is_of_root && expected(packet, vertex, root()) > 1)
    return channels_.unit(vertex, root());
  std::uint32_t out = 0;
  contributors(packet, vertex, out);
  return channels_.fabric().first_channel(vertex) + out;
}

Ticks CombineUnits::duration(std::uint32_t bytes) const {
  const std::uint64_t elements = (bytes + element_bytes_ - 1) / element_bytes_;
  return cycle_ * std::max<std::uint64_t>(1, elements * element_cycles_);
}

bool CombineUnits::add(std::uint32_t channel, const Packet& packet) {
  const Channel& unit = channels_[channel];
  const std::uint64_t key = std::uint64_t{channel} << 32 | packet.message;
  std::uint32_t& contributions = combined_[key];
  const std::uint32_t all = expected(packet, unit.from, unit.unit);
  THALWEG_ASSERT(normal, contributions < all);
  if (++contributions < all)
    return false;
  combined_.erase(key);
  return true;
}

} // namespace thalweg::simulate::packet
