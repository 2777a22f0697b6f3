// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/profile.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace thalweg::mpi::observe {

namespace {

using nlohmann::json;

json endings_to_json(const Endings& endings) {
  json list = json::array();
  for (const auto& [ending, calls] : endings) {
    list.push_back({ending.first, ending.second, calls});
  }
  return list;
}

Endings endings_from_json(const json& list) {
  Endings endings;
  for (const json& entry : list) {
    endings[{entry[0].get<std::string>(), entry[1].get<std::string>()}] = entry[2].get<std::uint64_t>();
  }
  return endings;
}

} // namespace

std::vector<std::uint8_t> pack(const RankProfile& profile) {
  json calls = json::array();
  for (const CallProfile& call : profile.calls) {
    calls.push_back({call.function, call.location.module, call.location.address, call.location.function,
                     call.phase, call.ranks, call.calls, call.bytes, call.ns, call.max_call_ns, call.cpu_ns,
                     endings_to_json(call.endings), call.blocks});
  }
  json samples = json::array();
  for (const SampledCommunicator& communicator : profile.samples) {
    json sampled = json::array();
    for (const SampledCall& call : communicator.calls) {
      sampled.push_back({call.call, call.enter_ns, call.exit_ns, call.row});
    }
    samples.push_back({communicator.id, communicator.size, sampled});
  }
  return json::to_msgpack({profile.rank, profile.node, profile.host, profile.pid, profile.wall_ns, calls,
                           samples, profile.streams});
}

RankProfile unpack(const std::uint8_t* data, std::size_t size) {
  const json all = json::from_msgpack(data, data + size);
  RankProfile profile{all[0], all[1], all[2], all[3], all[4], {}, {}, {}};
  for (const json& call : all[5]) {
    profile.calls.push_back({call[0],
                             {call[1], call[2], call[3]},
                             call[4],
                             call[5],
                             call[6],
                             call[7],
                             call[8],
                             call[9],
                             call[10],
                             endings_from_json(call[11]),
                             call[12]});
  }
  for (const json& communicator : all[6]) {
    SampledCommunicator samples{communicator[0], communicator[1], {}};
    for (const json& call : communicator[2]) {
      samples.calls.push_back({call[0], call[1], call[2], call[3]});
    }
    profile.samples.push_back(std::move(samples));
  }
  profile.streams = all[7];
  return profile;
}

namespace {

// Walks the participants' samples, which are in order of calls, side by side.
class SideBySide {
public:
  explicit SideBySide(std::span<const Participant> participants)
      : participants_(participants), positions_(participants.size(), 0) {}

  // Moves to the next call that all participants have; false when there is none.
  bool next() {
    std::uint64_t call = started_ ? call_ + 1 : 0;
    started_ = true;
    for (std::size_t agreeing = 0, index = 0; agreeing < participants_.size();
         index = (index + 1) % positions_.size()) {
      const std::vector<SampledCall>& calls = participants_[index].samples->calls;
      std::size_t& position = positions_[index];
      while (position < calls.size() && calls[position].call < call) {
        ++position;
      }
      if (position == calls.size()) {
        return false;
      }
      agreeing = calls[position].call == call ? agreeing + 1 : 1;
      call = calls[position].call;
    }
    call_ = call;
    return true;
  }

  const SampledCall& of(std::size_t index) const {
    return participants_[index].samples->calls[positions_[index]];
  }

private:
  std::span<const Participant> participants_;
  std::vector<std::size_t> positions_;
  std::uint64_t call_ = 0;
  bool started_ = false;
};

} // namespace

void match(std::span<const Participant> participants,
           const std::function<Waiting&(int, std::uint32_t)>& account) {
  if (participants.empty() || static_cast<int>(participants.size()) != participants.front().samples->size) {
    return;
  }
  SideBySide calls(participants);
  while (calls.next()) {
    std::size_t last = 0;
    for (std::size_t index = 1; index < participants.size(); ++index) {
      if (calls.of(index).enter_ns > calls.of(last).enter_ns) {
        last = index;
      }
    }
    const double last_arrival = calls.of(last).enter_ns;
    for (std::size_t index = 0; index < participants.size(); ++index) {
      const SampledCall& call = calls.of(index);
      const double waited = std::max(0.0, std::min(last_arrival, call.exit_ns) - call.enter_ns);
      Waiting& waiting = account(participants[index].world_rank, call.row);
      waiting.sampled_ns += call.exit_ns - call.enter_ns;
      waiting.waiting_ns += waited;
      waiting.caused_ns[participants[last].world_rank] += waited;
    }
  }
}

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

CallProfile row_profile(const CallRow& row, std::string function, const Location& location,
                        double ns_per_tick) {
  CallProfile call;
  call.function = std::move(function);
  call.location = location;
  call.phase = row.key.phase;
  call.ranks = row.key.ranks;
  call.calls = row.calls;
  call.bytes = row.bytes;
  call.blocks = row.blocks;
  if (row.timed_calls > 0) {
    const double scale = static_cast<double>(row.calls) / static_cast<double>(row.timed_calls);
    call.ns = static_cast<double>(row.timed_ticks) * ns_per_tick * scale;
  }
  call.max_call_ns = static_cast<double>(row.max_call_ticks) * ns_per_tick;
  call.cpu_ns = call.ns * row.cpu_share.share(ns_per_tick);
  return call;
}

} // namespace thalweg::mpi::observe
