// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/packet/outputs.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace thalweg::simulate::packet {

namespace {

/// How many queues each channel has.
std::vector<std::uint32_t> queues_of(const Channels& channels, std::uint32_t virtual_channels) {
  std::vector<std::uint32_t> queues;
  for (std::uint32_t channel = 0; channel < channels.size(); ++channel)
    queues.push_back(channels.inputs_before(channel) * (channels[channel].is_of_node ? 1 : virtual_channels));
  return queues;
}

} // namespace

Outputs::Outputs(Channels& channels, const RouterOptions& options, std::uint32_t virtual_channels,
                 Pool<Packet>& packets, Agenda& agenda)
    : channels_(channels), lines_(channels.lines()), rule_(options.credits),
      channel_delay_(options.channel_delay), virtual_channels_(virtual_channels), agenda_(agenda),
      crosspoints_(packets, channels.lines(), options.arbitration, virtual_channels,
                   queues_of(channels, virtual_channels)),
      credits_(options.buffers, virtual_channels) {
  for (std::uint32_t channel = 0; channel < channels.size(); ++channel)
    credits_.add(channels.crosspoints_behind(channel));
}

void Outputs::wait_for_credits(std::uint32_t channel) {
  lines_[channel].is_blocked = true;
  if (const Ticks first = credits_.next_time(channel); first != never)
    wake(channel, first);
}

// Of a channel that is free.
std::uint32_t Outputs::choose(std::uint32_t channel) {
  const std::uint32_t open =
      channels_[channel].is_to_node ? UINT32_MAX : credits_.open(channel, agenda_.now());
  const std::uint32_t queue = open == 0 ? none : crosspoints_.select(channel, open);
  if (queue == none) {
    wait_for_credits(channel);
    return none;
  }
  lines_[channel].is_blocked = false;
  return crosspoints_.take(channel, queue);
}

std::string Outputs::list() const {
  constexpr int max_listed = 8;
  std::string text;
  int listed = 0;
  for (std::uint32_t channel = 0; channel < channels_.size() && listed < max_listed; ++channel)
    if (const std::uint32_t count = waiting(channel); count > 0) {
      text += fmt::format("\n  {}: {} packets wait for room", channels_.name(channel), count);
      ++listed;
    }
  return text;
}

} // namespace thalweg::simulate::packet
