// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/packet/collectives.hpp"

#include <algorithm>
#include <bit>

namespace thalweg::simulate::packet {

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
