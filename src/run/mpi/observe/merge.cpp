// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "mpi/observe/profile.hpp"
#include "mpi/observe/waiting.hpp"

namespace thalweg::mpi::observe {

namespace {

using SiteKey = std::tuple<std::string, std::string, std::string, int, int>;

void add(CallProfile& total, const CallProfile& call) {
  total.calls += call.calls;
  total.bytes += call.bytes;
  total.blocks += call.blocks;
  total.ns += call.ns;
  total.cpu_ns += call.cpu_ns;
  total.max_call_ns = std::max(total.max_call_ns, call.max_call_ns);
  total.in_progress_ns = std::max(total.in_progress_ns, call.in_progress_ns);
  for (const auto& [ending, calls] : call.endings) {
    total.endings[ending] += calls;
  }
}

void add(SiteProfile& site, int rank, const CallProfile& call) {
  site.min_rank_ns = site.callers == 0 ? call.ns : std::min(site.min_rank_ns, call.ns);
  site.max_rank_ns = std::max(site.max_rank_ns, call.ns);
  ++site.callers;
  add(site.total, call);
  if (call.in_progress_ns > 0) {
    site.in_progress_ns[rank] = call.in_progress_ns;
  }
}

// Finds the site of a row, and makes it where it is the first.
class Sites {
public:
  Sites(std::vector<SiteProfile>& sites, SourceOf source_of) : sites_(sites), source_of_(source_of) {}

  std::size_t of(const CallProfile& call) {
    const std::string& source = cached_source(call.location);
    const bool has_line = source.find(':') != std::string::npos;
    const SiteKey key{call.function, call.location.module,
                      has_line ? source : std::to_string(call.location.address), call.phase, call.ranks};
    const auto [entry, fresh] = index_.try_emplace(key, sites_.size());
    if (fresh) {
      CallProfile total;
      total.function = call.function;
      total.location = call.location;
      total.phase = call.phase;
      total.ranks = call.ranks;
      sites_.push_back({total, source, 0, 0, 0, {}});
    }
    return entry->second;
  }

private:
  const std::string& cached_source(const Location& location) {
    const auto [entry, fresh] = sources_.try_emplace({location.module, location.address, location.function});
    if (fresh) {
      entry->second = source_of_(location);
    }
    return entry->second;
  }

  std::vector<SiteProfile>& sites_;
  SourceOf source_of_;
  std::map<SiteKey, std::size_t> index_;
  std::map<std::tuple<std::string, std::uint64_t, std::string>, std::string> sources_;
};

} // namespace

Profile merge(std::vector<RankProfile> ranks, SourceOf source_of) {
  Profile profile;
  Sites sites(profile.sites, source_of);
  std::unordered_map<int, std::vector<std::size_t>> site_of_row; // by rank
  std::map<std::uint64_t, std::vector<Participant>> communicators;
  for (const RankProfile& rank : ranks) {
    profile.wall_ns = std::max(profile.wall_ns, rank.wall_ns);
    std::map<std::size_t, CallProfile> of_rank; // by site: a rank may have several rows of one
    for (const CallProfile& call : rank.calls) {
      const std::size_t site = sites.of(call);
      add(of_rank[site], call);
      site_of_row[rank.rank].push_back(site);
    }
    for (const auto& [site, total] : of_rank) {
      add(profile.sites[site], rank.rank, total);
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
