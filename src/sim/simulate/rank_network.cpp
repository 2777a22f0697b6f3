// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/rank_network.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

namespace thalweg::simulate {

CostTable::CostTable(const Program& program, const RankNetwork* network)
    : program_(program), network_(network) {
  if (network == nullptr)
    return;
  if (program.folded != 0)
    throw Error("one rank stands for all, and has no place in a network", "simulate all ranks");
  if (program.size() > network->nodes.size())
    throw Error(fmt::format("{} ranks, of which {} have a place on {}", program.size(), network->nodes.size(),
                            network->interconnect->name()),
                "choose a larger network, or more ranks on a node");
  const bool has_cables = network->interconnect->vertices() > network->interconnect->nodes();
  if (network->shares_links)
    for (const MessageCost& cost : program.costs)
      on_links_.push_back(cost.on_links(has_cables));
}

} // namespace thalweg::simulate
