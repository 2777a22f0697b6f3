// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/document_parts.hpp"

#include "mpi/observe/gains.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

namespace thalweg::mpi::observe {

using nlohmann::ordered_json;

namespace {

constexpr std::size_t max_extreme_ranks = 32;
constexpr std::size_t max_named_ranks = 128; // of a call site
constexpr std::size_t max_traffic_entries = 20'000;

// The ranks with the largest figures, in the order of ranks.
std::vector<std::pair<int, double>> heaviest(const std::map<int, double>& by_rank) {
  std::vector<std::pair<int, double>> ranks(by_rank.begin(), by_rank.end());
  std::erase_if(ranks, [](const auto& rank) { return rank.second <= 0; });
  if (ranks.size() > max_named_ranks) {
    std::ranges::nth_element(ranks, ranks.begin() + max_named_ranks, std::greater(),
                             &std::pair<int, double>::second);
    ranks.resize(max_named_ranks);
    std::ranges::sort(ranks);
  }
  return ranks;
}

ordered_json rank_document(const RankProfile& rank) {
  ordered_json result{{"rank", rank.rank},
                      {"node", rank.node},
                      {"host", rank.host},
                      {"pid", rank.pid},
                      {"wall_ns", rank.wall_ns},
                      {"mpi_ns", rank.times.mpi_ns},
                      {"waiting_ns", rank.times.waiting_ns},
                      {"transfer_ns", rank.times.transfer_ns},
                      {"sent_bytes", rank.times.sent_bytes}};
  if (rank.times.own_ns > 0)
    result["own_ns"] = rank.times.own_ns;
  return result;
}

// How long others waited for each rank, at all call sites.
std::map<int, double> caused_by_rank(const Profile& profile) {
  std::map<int, double> caused;
  for (const SiteProfile& site : profile.sites)
    for (const auto& [rank, ns] : site.waiting.caused_ns)
      caused[rank] += ns;
  return caused;
}

struct RankGroup {
  const RankProfile* first = nullptr;
  int last = 0;
  int ranks = 0;
  double wall_ns = 0;
  RankTimes times{};
  double mpi_ns_min = 0;
  double mpi_ns_max = 0;
  int latest_rank = -1;
  double caused_ns = 0;

  void add(const RankProfile& rank, double caused);
  ordered_json document(int node) const;
};

void RankGroup::add(const RankProfile& rank, double caused) {
  if (first == nullptr)
    first = &rank;
  last = rank.rank;
  mpi_ns_min = ranks == 0 ? rank.times.mpi_ns : std::min(mpi_ns_min, rank.times.mpi_ns);
  mpi_ns_max = std::max(mpi_ns_max, rank.times.mpi_ns);
  ++ranks;
  wall_ns += rank.wall_ns;
  times.mpi_ns += rank.times.mpi_ns;
  times.waiting_ns += rank.times.waiting_ns;
  times.transfer_ns += rank.times.transfer_ns;
  if (caused > caused_ns) {
    caused_ns = caused;
    latest_rank = rank.rank;
  }
}

ordered_json RankGroup::document(int node) const {
  return {{"first", first->rank},
          {"last", last},
          {"node", node},
          {"host", first->host},
          {"ranks", ranks},
          {"wall_ns", wall_ns / ranks},
          {"mpi_ns", times.mpi_ns / ranks},
          {"mpi_ns_min", mpi_ns_min},
          {"mpi_ns_max", mpi_ns_max},
          {"waiting_ns", times.waiting_ns / ranks},
          {"transfer_ns", times.transfer_ns / ranks},
          {"latest_rank", latest_rank}};
}

ordered_json endings_document(const Endings& endings) {
  ordered_json list = ordered_json::array();
  for (const auto& [ending, calls] : endings) {
    ordered_json entry{{"strategy", ending.first}, {"calls", calls}};
    if (!ending.second.empty()) {
      entry["passed_on_because"] = ending.second;
    }
    list.push_back(entry);
  }
  return list;
}

ordered_json durations_document(const CallProfile& total, double ns_per_tick) {
  ordered_json histogram = ordered_json::array();
  for (const auto& [index, calls] : total.durations)
    histogram.push_back({static_cast<double>(duration_class_begin(index)) * ns_per_tick, calls});
  const auto at = [&](double share) {
    return std::min(quantile(total.durations, share) * ns_per_tick, total.max_call_ns);
  };
  return {{"p50_ns", at(0.5)}, {"p95_ns", at(0.95)}, {"max_ns", total.max_call_ns}, {"histogram", histogram}};
}

ordered_json sizes_document(const SizeCounts& sizes) {
  ordered_json list = ordered_json::array();
  for (const auto& [index, size] : sizes)
    list.push_back({size_class_begin(index), size.calls, size.bytes});
  return list;
}

ordered_json last_document(const Waiting& waiting) {
  ordered_json list = ordered_json::array();
  for (const auto& [rank, caused_ns] : heaviest(waiting.caused_ns))
    list.push_back({{"rank", rank}, {"others_waited_ns", caused_ns}});
  return list;
}

ordered_json site_document(const SiteProfile& site, std::size_t id, double ns_per_tick,
                           const SharesOfExchange& shares_of) {
  const CallProfile& total = site.total;
  ordered_json result{{"id", id},
                      {"function", total.function},
                      {"source", site.source},
                      {"file", site.file},
                      {"line", site.line},
                      {"within", site.within},
                      {"own", total.is_own},
                      {"module", total.location.module},
                      {"address", fmt::format("{:#x}", total.location.address)},
                      {"phase", total.phase},
                      {"communicator_ranks", total.ranks},
                      {"callers", site.callers},
                      {"calls", total.calls},
                      {"bytes", total.bytes},
                      {"time_ns", total.ns},
                      {"time_ns_least_rank", site.min_rank_ns},
                      {"time_ns_most_rank", site.max_rank_ns},
                      {"longest_call_ns", total.max_call_ns},
                      {"cpu_ns", total.cpu_ns},
                      {"ran_on", endings_document(total.endings)},
                      {"durations", durations_document(total, ns_per_tick)},
                      {"sizes", sizes_document(total.sizes)}};
  if (total.in_flight_ns > 0)
    result["hidden"] = {{"in_flight_ns", total.in_flight_ns}, {"exposed_ns", total.exposed_ns}};
  if (site.waiting.sampled_ns > 0) {
    result["sampled_ns"] = site.waiting.sampled_ns;
    result["waiting_share"] = site.waiting.share();
    result["transfer_share"] = 1 - site.waiting.share();
    result["last_ranks"] = last_document(site.waiting);
  }
  for (const auto& [rank, ns] : heaviest(site.in_progress_ns))
    result["in_progress"].push_back({{"rank", rank}, {"since_ns", ns}});
  if (const auto gain = stream_gain(site)) {
    result["stream"] = {
        {"message_ns", gain->message_ns}, {"item_ns", gain->item_ns}, {"saved_ns", gain->saved_ns}};
  }
  if (const auto gain = exchange_gain(site, shares_of)) {
    result["exchange"] = {{"blocks_a_call", gain->blocks}, {"block_bytes", gain->block_bytes},
                          {"call_ns", gain->call_ns},      {"use", gain->use},
                          {"use_ns", gain->use_ns},        {"stream_ns", gain->stream_ns},
                          {"saved_ns", gain->saved_ns}};
  }
  return result;
}

ordered_json rounded(const std::vector<double>& times) {
  ordered_json list = ordered_json::array();
  for (const double ns : times)
    list.push_back(std::llround(ns));
  return list;
}

} // namespace

ordered_json ranks_document(const Profile& profile) {
  std::vector<const RankProfile*> shown;
  for (const RankProfile& rank : profile.ranks)
    shown.push_back(&rank);
  if (shown.size() > max_single_ranks) {
    std::ranges::stable_sort(shown, {}, [](const RankProfile* rank) { return rank->times.mpi_ns; });
    shown.erase(shown.begin() + max_extreme_ranks, shown.end() - max_extreme_ranks);
    std::ranges::sort(shown, {}, &RankProfile::rank);
  }
  ordered_json list = ordered_json::array();
  for (const RankProfile* const rank : shown)
    list.push_back(rank_document(*rank));
  return list;
}

ordered_json rank_groups_document(const Profile& profile) {
  ordered_json list = ordered_json::array();
  if (profile.ranks.size() <= max_single_ranks)
    return list;
  const std::map<int, double> caused = caused_by_rank(profile);
  std::map<int, RankGroup> groups;
  for (const RankProfile& rank : profile.ranks) {
    const auto own = caused.find(rank.rank);
    groups[rank.node].add(rank, own == caused.end() ? 0 : own->second);
  }
  for (const auto& [node, group] : groups)
    list.push_back(group.document(node));
  return list;
}

ordered_json slices_document(const SliceRows& slices) {
  if (slices.rows.empty())
    return nullptr;
  ordered_json rows = ordered_json::array();
  for (const SliceRow& row : slices.rows)
    rows.push_back({{"first", row.first},
                    {"last", row.last},
                    {"mpi_ns", rounded(row.mpi_ns)},
                    {"waiting_ns", rounded(row.waiting_ns)}});
  return {{"begin_ns", 0}, {"width_ns", slices.width_ns}, {"rows", rows}};
}

ordered_json traffic_document(const TrafficMatrix& traffic) {
  const TrafficRows& rows = traffic.rows();
  if (rows.size == 0)
    return nullptr;
  double kept_bytes = 0;
  ordered_json entries = ordered_json::array();
  for (const TrafficSum& sum : traffic.heaviest(max_traffic_entries)) {
    entries.push_back({sum.from, sum.to, sum.bytes, sum.messages});
    kept_bytes += static_cast<double>(sum.bytes);
  }
  const double total = traffic.total_bytes();
  ordered_json result{{"by", rows.by_node ? "node" : "rank"},
                      {"size", rows.size},
                      {"entries", entries},
                      {"total_bytes", total},
                      {"kept_share", total > 0 ? std::min(1.0, kept_bytes / total) : 1.0}};
  if (rows.by_node)
    result["groups"] = traffic.groups();
  return result;
}

ordered_json picks_document(const std::vector<PickProfile>& picks, const Profile& profile) {
  const auto number = [](double seconds) {
    return seconds > 0 ? ordered_json(1e9 * seconds) : ordered_json();
  };
  ordered_json list = ordered_json::array();
  for (const PickProfile& pick : picks) {
    ordered_json alternatives = ordered_json::array();
    for (const PickAlternative& one : pick.alternatives)
      alternatives.push_back({{"strategy", one.strategy},
                              {"time_ns", number(one.seconds)},
                              {"predicted_ns", number(one.predicted_seconds)}});
    list.push_back({{"call", call_index(pick, profile)},
                    {"operation", pick.operation},
                    {"bytes", pick.bytes},
                    {"ranks", pick.ranks},
                    {"strategy", pick.strategy},
                    {"source", pick.source},
                    {"time_ns", number(pick.seconds)},
                    {"predicted_ns", number(pick.predicted_seconds)},
                    {"alternatives", alternatives}});
  }
  return list;
}

ordered_json calls_document(const Profile& profile) {
  ordered_json list = ordered_json::array();
  for (const std::vector<SiteProfile>* const sites : {&profile.sites, &profile.own_sites})
    for (const SiteProfile& site : *sites)
      list.push_back(site_document(site, list.size(), profile.ns_per_tick, profile.shares_of_exchange));
  return list;
}

} // namespace thalweg::mpi::observe
