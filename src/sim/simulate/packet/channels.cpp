// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/packet/channels.hpp"

#include <fmt/format.h>
#include <limits>

namespace thalweg::simulate::packet {

Channels::Channels(const Fabric& fabric, std::uint32_t combine_units)
    : fabric_(fabric), units_(combine_units) {
  add_wires();
  for (std::uint32_t vertex = fabric.nodes(); vertex < fabric.vertices(); ++vertex)
    add_units(vertex);
  free_at_.assign(lines_.size(), 0);
}

void Channels::add_wires() {
  for (const Wire& wire : fabric_.wires()) {
    const std::uint32_t number = size();
    Channel channel;
    channel.from = wire.from;
    channel.to = wire.to;
    channel.input = static_cast<std::uint16_t>(wire.input);
    channel.output = static_cast<std::uint16_t>(number - fabric_.first_channel(wire.from));
    channel.is_of_node = fabric_.is_node(wire.from);
    channel.is_to_node = fabric_.is_node(wire.to);
    channel.is_free = fabric_.is_free(number);
    channel.capacity = channel.is_free ? std::numeric_limits<double>::infinity() : fabric_.capacity(number);
    lines_.emplace_back().facts = channel;
  }
}

void Channels::add_units(std::uint32_t vertex) {
  for (std::uint32_t unit = 0; unit < units_; ++unit) {
    THALWEG_ASSERT(light, this->unit(vertex, unit) == size());
    Channel channel;
    channel.from = channel.to = vertex;
    channel.input = static_cast<std::uint16_t>(fabric_.inputs(vertex) + unit);
    channel.output = static_cast<std::uint16_t>(fabric_.outputs(vertex) + unit);
    channel.unit = static_cast<std::uint16_t>(unit);
    lines_.emplace_back().facts = channel;
  }
}

std::uint32_t Channels::inputs_before(std::uint32_t channel) const {
  const Channel& one = lines_[channel].facts;
  return one.is_of_node ? 1 : fabric_.inputs(one.from) + units_;
}

std::uint32_t Channels::crosspoints_behind(std::uint32_t channel) const {
  const Channel& one = lines_[channel].facts;
  return one.is_to_node ? 1 : fabric_.outputs(one.to) + units_;
}

std::string Channels::name(std::uint32_t channel) const {
  const Channel& one = lines_[channel].facts;
  return one.is_unit() ? fmt::format("switch {}, combine unit {}", one.from - fabric_.nodes(), one.unit)
                       : fabric_.channel_name(channel);
}

} // namespace thalweg::simulate::packet
