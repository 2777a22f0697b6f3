// SPDX-License-Identifier: BSD-3-Clause
#include "job/mpi/rank_group.hpp"

#include "base/assertion.hpp"
#include "strategies/order.hpp"

#include <utility>
#include <vector>

namespace thalweg::job {

RankGroup::RankGroup(Rank rank, GroupPlaces places) : rank_(rank), places_(std::move(places)) {
  THALWEG_ASSERT(light, places_.nodes != nullptr && rank_ >= 0 && rank_ < ranks());
  THALWEG_ASSERT(light, places_.sockets == nullptr || places_.sockets->size() == places_.nodes->size());
  THALWEG_ASSERT(light, places_.leaves == nullptr || places_.leaves->size() == places_.nodes->size());
}

const std::shared_ptr<const schedule::RankOrders>& RankGroup::orders() {
  if (!has_orders_) {
    const std::vector<std::int32_t> unknown;
    orders_ = strategies::rank_orders(*places_.nodes, places_.sockets ? *places_.sockets : unknown,
                                      places_.in_network);
    has_orders_ = true;
  }
  return orders_;
}

void RankGroup::put_places_into(schedule::Problem& problem) const {
  THALWEG_ASSERT(light, problem.ranks == ranks());
  problem.nodes = places_.nodes;
  problem.sockets = places_.sockets;
  problem.leaves = places_.leaves;
}

void RankGroup::open(const transport::MpiApi& api, std::shared_ptr<ShadowCommunicator> shadow,
                     const ChannelOptions& options) {
  THALWEG_ASSERT(light, !is_open() && shadow != nullptr);
  shadow_ = std::move(shadow);
  channels_ = std::make_unique<Channels>(api, shadow_, rank_, *places_.nodes, options);
}

std::shared_ptr<ShadowCommunicator> RankGroup::close() {
  channels_.reset();
  return std::exchange(shadow_, nullptr);
}

} // namespace thalweg::job
