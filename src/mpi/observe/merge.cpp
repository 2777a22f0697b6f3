#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "mpi/observe/profile.hpp"
#include "mpi/observe/waiting.hpp"

namespace thalweg::mpi::observe {

namespace {

using SiteKey = std::tuple<std::string, std::string, std::uint64_t, int, int>;

void add(SiteProfile& site, const CallProfile& call) {
  CallProfile& total = site.total;
  site.min_rank_ns = site.callers == 0 ? call.ns : std::min(site.min_rank_ns, call.ns);
  site.max_rank_ns = std::max(site.max_rank_ns, call.ns);
  ++site.callers;
  total.calls += call.calls;
  total.bytes += call.bytes;
  total.blocks += call.blocks;
  total.ns += call.ns;
  total.cpu_ns += call.cpu_ns;
  total.max_call_ns = std::max(total.max_call_ns, call.max_call_ns);
  for (const auto& [ending, calls] : call.endings) {
    total.endings[ending] += calls;
  }
}

} // namespace

Profile merge(std::vector<RankProfile> ranks) {
  Profile profile;
  std::map<SiteKey, std::size_t> index;
  std::unordered_map<int, std::vector<std::size_t>> site_of_row; // by rank
  std::map<std::uint64_t, std::vector<Participant>> communicators;
  for (const RankProfile& rank : ranks) {
    profile.wall_ns = std::max(profile.wall_ns, rank.wall_ns);
    for (const CallProfile& call : rank.calls) {
      const SiteKey key{call.function, call.module, call.address, call.phase, call.ranks};
      const auto [entry, fresh] = index.try_emplace(key, profile.sites.size());
      if (fresh) {
        CallProfile total;
        std::tie(total.function, total.module, total.address, total.phase, total.ranks) = key;
        profile.sites.push_back({total, {}, 0, 0, 0, {}});
      }
      add(profile.sites[entry->second], call);
      site_of_row[rank.rank].push_back(entry->second);
    }
    for (const SampledCommunicator& samples : rank.samples) {
      communicators[samples.id].push_back({rank.rank, &samples});
    }
  }
  for (const auto& [id, participants] : communicators) {
    match(participants, [&](int rank, std::uint32_t row) -> Waiting& {
      return profile.sites[site_of_row[rank][row]].waiting;
    });
  }
  std::stable_sort(profile.sites.begin(), profile.sites.end(),
                   [](const SiteProfile& a, const SiteProfile& b) { return a.total.ns > b.total.ns; });
  for (RankProfile& rank : ranks) {
    rank.samples.clear();
  }
  profile.ranks = std::move(ranks);
  return profile;
}

} // namespace thalweg::mpi::observe
