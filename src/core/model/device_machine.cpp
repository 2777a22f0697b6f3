// SPDX-License-Identifier: BSD-3-Clause
#include "model/device_machine.hpp"

#include <limits>

namespace thalweg::model {

using machine::Level;
using machine::LevelCosts;
using machine::MessageCost;

namespace {

MessageCost free_message(std::int64_t bytes_max) {
  MessageCost cost;
  cost.bytes_max = bytes_max;
  return cost;
}

} // namespace

machine::Machine device_machine(const machine::Machine& machine) {
  machine::Machine cards;
  cards.network = machine.network;
  cards.cores = std::numeric_limits<std::int32_t>::max();
  cards.levels.push_back({.level = Level::node, .ranges = {free_message(INT64_MAX)}});
  LevelCosts& network = cards.levels.emplace_back(machine.at(Level::network));
  network.level = Level::network;
  network.pairs = 1;
  for (MessageCost& cost : network.ranges) {
    const machine::Figure gap_per_byte = cost.gap_per_byte;
    cost = free_message(cost.bytes_max);
    cost.latency = machine.device.hop;
    cost.gap_per_byte = gap_per_byte;
  }
  return cards;
}

} // namespace thalweg::model
