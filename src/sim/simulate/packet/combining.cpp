// SPDX-License-Identifier: BSD-3-Clause

// Combine units: outputs of a switch that lead back into it (S. Kumar 2005, 8.1.2). Of r units one is the
// root and the others are leaves, each for some of the inputs; a leaf that is the only one with something to
// combine needs no root.
//
// A unit begins with a packet when all of it is there, and takes a cycle, or as many as its elements need.
// The text does not say how a leaf knows that it has all its contributions where the port that sends none is
// one of its own: here reductions name the node that they go to, and that port is the one that leads there.

#include "simulate/packet/network.hpp"

#include <algorithm>
#include <bit>

namespace thalweg::simulate::packet {

std::uint32_t Network::leaf_of(std::uint32_t vertex, std::uint32_t input) const {
  if (options_.unit_subsets == UnitSubsets::round_robin)
    return input % leaf_units();
  return input * leaf_units() / fabric_.inputs(vertex);
}

// The ports that contribute, and the output for the result.
std::uint64_t Network::contributors(const Packet& packet, std::uint32_t vertex, std::uint32_t& out) const {
  out = groups_->output_to(vertex, packet.group, packet.to);
  return groups_->ports(vertex, packet.group) & ~(std::uint64_t{1} << out);
}

std::uint32_t Network::expected(const Packet& packet, std::uint32_t vertex, std::uint32_t unit) const {
  std::uint32_t out = 0;
  std::uint64_t leaves = 0;
  std::uint32_t own = 0;
  for (std::uint64_t rest = contributors(packet, vertex, out); rest != 0; rest &= rest - 1) {
    const std::uint32_t leaf = leaf_of(vertex, static_cast<std::uint32_t>(std::countr_zero(rest)));
    leaves |= std::uint64_t{1} << leaf;
    own += leaf == unit ? 1 : 0;
  }
  const bool is_root = options_.combine_units > 1 && unit == options_.combine_units - 1;
  return is_root ? static_cast<std::uint32_t>(std::popcount(leaves)) : own;
}

std::uint32_t Network::reduction_output(const Packet& packet, std::uint32_t vertex) const {
  const std::uint32_t input = packet.input / virtual_channels_;
  if (input < fabric_.inputs(vertex))
    return unit_channel(vertex, leaf_of(vertex, input));
  const std::uint32_t root = options_.combine_units - 1;
  const bool is_of_root = input - fabric_.inputs(vertex) == root;
  if (!is_of_root && expected(packet, vertex, root) > 1)
    return unit_channel(vertex, root);
  std::uint32_t out = 0;
  contributors(packet, vertex, out);
  return fabric_.first_channel(vertex) + out;
}

void Network::combine(std::uint32_t channel, std::uint32_t index) {
  Channel& unit = channels_[channel];
  Packet& packet = packets_[index];
  const std::uint64_t elements = (packet.bytes + options_.element_bytes - 1) / options_.element_bytes;
  const Ticks duration = options_.cycle * std::max<std::uint64_t>(1, elements * options_.element_cycles);
  const Ticks end = now_ + duration;
  free_at_[channel] = end;
  unit.busy += duration;
  release(unit.from, channels_[channel].output, packet, end);
  const std::uint64_t key = std::uint64_t{channel} << 32 | packet.message;
  if (++combined_[key] < expected(packet, unit.from, unit.unit)) {
    free(index);
    return;
  }
  combined_.erase(key);
  packet.channel = channel;
  packet.virtual_channel = 0;
  credits_.send(credit_of(channel, 0));
  push(end + options_.switch_delay, What::arrive, index);
}

} // namespace thalweg::simulate::packet
