// SPDX-License-Identifier: BSD-3-Clause
#include "placer/reordering.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"
#include "base/random.hpp"
#include "job/library/group_knowledge.hpp"
#include "job/mpi/agreement.hpp"
#include "place/objectives.hpp"
#include "place/rank_order.hpp"
#include "placer/structures.hpp"
#include "thalweg/place.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <span>
#include <string>

namespace thalweg::place {

namespace {

/// With what is usual where nothing was said.
struct ReorderOptions {
  Goal goal;
  double seconds = 0;
  double gain = 0;
  std::string network;
  std::string node_list;
};

/// More need more time than placing can save, and more memory.
constexpr int phases_max = 4096;

enum class Fault : std::uint8_t { none, rank, bytes, phase, options };

/// What a rank tells the others.
struct Report {
  Fault fault = Fault::none;
  std::int32_t to = 0; ///< the first weight that is wrong
  std::int32_t phase = 0;
  double bytes = 0;
  std::uint64_t options = 0; ///< the same where options are
};

/// FNV-1a.
class Hash {
public:
  void add(std::string_view text) { state_ = ended_text_hash(text, state_); }
  void add(double number) {
    auto word = std::bit_cast<std::uint64_t>(number);
    for (int byte = 0; byte < 8; ++byte, word >>= 8)
      state_ = fnv_hash(state_, word & 0xff);
  }
  std::uint64_t result() const { return state_; }

private:
  std::uint64_t state_ = fnv_begin;
};

std::string text_or_none(const char* text) {
  return text == nullptr ? "" : text;
}

ReorderOptions checked(const thalweg_reorder_options& options) {
  const thalweg_reorder_options all = boundary::sized(options);
  if (!std::isfinite(all.seconds) || all.seconds < 0)
    throw Error(fmt::format("a search of {} seconds", all.seconds), "give a number from 0");
  if (!(all.gain >= 0 && all.gain < 1))
    throw Error(fmt::format("a gain of {}", all.gain), "give a part from 0 to below 1");
  return {.goal = all.objective == nullptr ? sure_goal : parse_goal(all.objective),
          .seconds = all.seconds,
          .gain = all.gain,
          .network = text_or_none(all.network),
          .node_list = text_or_none(all.node_list)};
}

std::uint64_t hash_of(const ReorderOptions& given) {
  Hash hash;
  hash.add(name(given.goal));
  hash.add(given.seconds);
  hash.add(given.gain);
  hash.add(given.network);
  hash.add(given.node_list);
  return hash.result();
}

Report report_on(std::span<const thalweg_weight> weights, std::int32_t ranks) {
  for (const thalweg_weight& weight : weights) {
    const Fault fault = weight.rank < 0 || weight.rank >= ranks            ? Fault::rank
                        : !std::isfinite(weight.bytes) || weight.bytes < 0 ? Fault::bytes
                        : weight.phase < 0 || weight.phase >= phases_max   ? Fault::phase
                                                                           : Fault::none;
    if (fault != Fault::none)
      return {.fault = fault, .to = weight.rank, .phase = weight.phase, .bytes = weight.bytes};
  }
  return {};
}

[[noreturn]] void refuse(const Report& report, std::size_t rank, std::size_t ranks) {
  switch (report.fault) {
  case Fault::rank:
    throw Error(fmt::format("rank {} sends to rank {}", rank, report.to),
                fmt::format("name ranks of the communicator, 0 to {}", ranks - 1));
  case Fault::bytes:
    throw Error(fmt::format("rank {} sends {} bytes to rank {}", rank, report.bytes, report.to),
                "give a number from 0");
  case Fault::phase:
    throw Error(fmt::format("rank {} sends to rank {} in phase {}", rank, report.to, report.phase),
                fmt::format("number phases from 0 to {}", phases_max - 1));
  default:
    throw Error(fmt::format("rank {} gave options that cannot be", rank), "see its own message");
  }
}

/// Throws Error on all ranks for weights and options that cannot be, of whichever rank, and for options that
/// are not the same on all. Collective.
ReorderOptions agree_on_options(const job::Agreement& everybody, std::span<const thalweg_weight> weights,
                                const thalweg_reorder_options& options) {
  Report own = report_on(weights, everybody.count());
  ReorderOptions given;
  std::optional<Error> wrong;
  try {
    given = checked(options);
    own.options = hash_of(given);
  } catch (const Error& error) {
    wrong = error;
    own.fault = Fault::options;
  }
  const std::vector<Report> reports = everybody.allgather(own);
  THALWEG_ASSERT(light, reports.size() == static_cast<std::size_t>(everybody.count()));
  if (wrong)
    throw Error(*wrong);
  for (std::size_t rank = 0; rank < reports.size(); ++rank) {
    if (reports[rank].fault != Fault::none)
      refuse(reports[rank], rank, reports.size());
    if (reports[rank].options != own.options)
      throw Error(fmt::format("rank {} gave other options than rank {}", rank, everybody.own()),
                  "give the same on all ranks", thalweg_error_mismatch);
  }
  return given;
}

/// Of a rank's row, on its way to the first rank.
struct PhaseEdge {
  pattern::Edge edge;
  std::int32_t phase = 0;
};

std::vector<PhaseEdge> row_of(Rank rank, std::span<const thalweg_weight> weights) {
  std::vector<PhaseEdge> row;
  for (const thalweg_weight& weight : weights)
    if (weight.rank != rank && weight.bytes > 0)
      row.push_back({{rank, weight.rank, weight.bytes, 1}, weight.phase});
  return row;
}

pattern::Pattern pattern_of(std::int32_t ranks, const std::vector<PhaseEdge>& rows) {
  std::map<std::int32_t, std::vector<pattern::Edge>> phases;
  for (const PhaseEdge& one : rows)
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

Answer searched(const job::Group& group, const job::KnownNetwork& network, const std::vector<PhaseEdge>& rows,
                const ReorderOptions& given) {
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
  const ReorderOptions given = agree_on_options(everybody, weights, options);
  const bool is_apart = group.node_count() > 1;
  job::KnownNetwork network;
  if (is_apart || !given.network.empty() || !given.node_list.empty())
    network = job::agree_on_network(group, {given.network, given.node_list});
  Answer answer;
  if (!is_apart) {
    answer.order.why = "the job is on one node";
  } else {
    const std::vector<PhaseEdge> rows = everybody.gather(row_of(group.rank(), weights));
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
  THALWEG_ASSERT(heavy, std::ranges::is_permutation(old_ranks, job::all_ranks(group.ranks())));
  result.new_rank = static_cast<Rank>(std::ranges::find(old_ranks, group.rank()) - old_ranks.begin());
  return result;
}

} // namespace thalweg::place
