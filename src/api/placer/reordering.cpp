// SPDX-License-Identifier: BSD-3-Clause
#include "placer/reordering.hpp"

#include "job/library/group_knowledge.hpp"
#include "place/job_allocation.hpp"
#include "place/sure_order.hpp"
#include "placer/given.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string>

namespace thalweg::place {

namespace {

/// Of a rank's row, on its way to the first rank.
struct Sent {
  pattern::Edge edge;
  std::int32_t phase = 0;
};

std::vector<Sent> row_of(Rank rank, std::span<const thalweg_weight> weights) {
  std::vector<Sent> row;
  for (const thalweg_weight& weight : weights)
    if (weight.rank != rank && weight.bytes > 0)
      row.push_back({{rank, weight.rank, weight.bytes, 1}, weight.phase});
  return row;
}

pattern::Pattern pattern_of(std::int32_t ranks, const std::vector<Sent>& rows) {
  std::map<std::int32_t, std::vector<pattern::Edge>> phases;
  for (const Sent& one : rows)
    phases[one.phase].push_back(one.edge);
  pattern::Pattern pattern{ranks, {}};
  for (auto& [phase, edges] : phases)
    pattern.phases.push_back({fmt::format("{}", phase), 1, {ranks, std::move(edges)}});
  return pattern;
}

thalweg_reordering described(const SureOrder& order) {
  thalweg_reordering found{};
  found.is_renumbered = order.slot_of.empty() ? 0 : 1;
  const Metrics& before = order.found.identity;
  const Metrics& after = order.slot_of.empty() ? before : order.found.placed;
  found.hops_per_byte = after.hops_per_byte;
  found.hops_per_byte_before = before.hops_per_byte;
  found.link_bytes = after.phase_link_max;
  found.link_bytes_before = before.phase_link_max;
  fmt::format_to_n(found.reason, sizeof found.reason - 1, "{}", order.why);
  return found;
}

/// What the first rank found, or has failed with.
struct Answer {
  SureOrder order;
  std::string problem;
  std::string remedy;
};

Answer searched(const job::Group& group, const job::KnownNetwork& network, const std::vector<Sent>& rows,
                const Given& given) {
  Answer answer;
  try {
    const pattern::Pattern pattern = pattern_of(group.ranks(), rows);
    const machine::Allocation allocation =
        job_allocation(network.of(group.placement()), *group.nodes(), group.node_count());
    const Options options{.goal = given.goal, .seconds = given.seconds};
    answer.order = sure_order(pattern, allocation, options, given.gain);
  } catch (const Error& error) {
    answer.problem = error.problem();
    answer.remedy = error.remedy();
  } catch (const std::exception& error) {
    answer.problem = error.what();
  }
  return answer;
}

} // namespace

Reordering reorder(const job::Group& group, std::span<const thalweg_weight> weights,
                   const thalweg_reorder_options& options) {
  const job::Agreement everybody = group.agreement(group.channels().policy());
  const Given given = agree_on_given(everybody, weights, options);
  const bool is_apart = group.node_count() > 1;
  job::KnownNetwork network;
  if (is_apart || !given.network.empty() || !given.node_list.empty())
    network = job::agree_on_network(group, {given.network, given.node_list});
  Answer answer;
  if (!is_apart) {
    answer.order.why = "the job is on one node";
  } else {
    const std::vector<Sent> rows = everybody.gather(row_of(group.rank(), weights));
    if (group.rank() == 0)
      answer = searched(group, network, rows, given);
  }
  everybody.broadcast(answer.problem);
  everybody.broadcast(answer.remedy);
  if (!answer.problem.empty())
    throw Error(answer.problem, answer.remedy);
  Reordering result{.new_rank = group.rank(), .found = described(answer.order)};
  everybody.broadcast(result.found);
  if (result.found.is_renumbered == 0)
    return result;
  Slots& old_ranks = answer.order.slot_of;
  old_ranks.resize(static_cast<std::size_t>(group.ranks()));
  everybody.broadcast(old_ranks.data(), old_ranks.size() * sizeof old_ranks.front());
  result.new_rank = static_cast<Rank>(std::ranges::find(old_ranks, group.rank()) - old_ranks.begin());
  return result;
}

} // namespace thalweg::place
