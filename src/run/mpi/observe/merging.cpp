// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/merging.hpp"

#include "mpi/observe/slice_rows.hpp"

#include <algorithm>
#include <cmath>

namespace thalweg::mpi::observe {

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
           const std::function<void(const MatchedCall&)>& account) {
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
      account({participants[index].world_rank, &call, waited, participants[last].world_rank});
    }
  }
}

namespace {

void add_call(CallProfile& total, const CallProfile& call) {
  total.calls += call.calls;
  total.bytes += call.bytes;
  total.blocks += call.blocks;
  total.ns += call.ns;
  total.cpu_ns += call.cpu_ns;
  total.max_call_ns = std::max(total.max_call_ns, call.max_call_ns);
  total.in_progress_ns = std::max(total.in_progress_ns, call.in_progress_ns);
  total.in_flight_ns += call.in_flight_ns;
  total.exposed_ns += call.exposed_ns;
  for (const auto& [ending, calls] : call.endings) {
    total.endings[ending] += calls;
  }
  for (const auto& [index, calls] : call.durations)
    total.durations[index] += calls;
  for (const auto& [index, size] : call.sizes) {
    SizeCount& sum = total.sizes[index];
    sum.calls += size.calls;
    sum.bytes += size.bytes;
  }
}

void add_rank(SiteProfile& site, int rank, const CallProfile& call) {
  site.min_rank_ns = site.callers == 0 ? call.ns : std::min(site.min_rank_ns, call.ns);
  site.max_rank_ns = std::max(site.max_rank_ns, call.ns);
  ++site.callers;
  add_call(site.total, call);
  if (call.in_progress_ns > 0) {
    site.in_progress_ns[rank] = call.in_progress_ns;
  }
}

// Clocks of one kind of processor differ by less.
constexpr double equal_clocks = 0.01;

} // namespace

Merger::Merger(SourceOf source_of, TrafficRows rows) : source_of_(source_of) {
  profile_.traffic = TrafficMatrix(rows);
}

const Source& Merger::source(const Location& location) {
  const auto [entry, fresh] = sources_.try_emplace({location.module, location.address, location.function});
  if (fresh) {
    entry->second = source_of_(location);
  }
  return entry->second;
}

std::size_t Merger::site_of(const CallProfile& call) {
  const Source& found = source(call.location);
  const bool has_line = found.text.find(':') != std::string::npos;
  const SiteKey key{call.function, call.location.module,
                    has_line ? found.text : std::to_string(call.location.address), call.phase, call.ranks};
  const auto [entry, fresh] = index_.try_emplace(key, profile_.sites.size());
  if (fresh) {
    SiteProfile& site = profile_.sites.emplace_back();
    site.total.function = call.function;
    site.total.location = call.location;
    site.total.phase = call.phase;
    site.total.ranks = call.ranks;
    site.total.is_own = call.is_own;
    site.source = found.text;
    site.file = found.file;
    site.line = found.line;
    site.within = found.within;
  }
  return entry->second;
}

void Merger::add(RankProfile rank) {
  if (profile_.ranks.empty())
    profile_.ns_per_tick = rank.ns_per_tick;
  profile_.wall_ns = std::max(profile_.wall_ns, rank.wall_ns);
  const double ratio = profile_.ns_per_tick / rank.ns_per_tick;
  std::vector<Row>& rows = rows_.emplace_back();
  std::map<std::size_t, CallProfile> of_rank; // by site: a rank may have several rows of one
  for (CallProfile& call : rank.calls) {
    if (std::abs(ratio - 1) > equal_clocks)
      call.durations = scaled(call.durations, ratio);
    const std::size_t site = site_of(call);
    add_call(of_rank[site], call);
    rows.push_back({site, call.ns});
    (call.is_own ? rank.times.own_ns : rank.times.mpi_ns) += call.ns;
  }
  for (const auto& [site, total] : of_rank) {
    add_rank(profile_.sites[site], rank.rank, total);
  }
  for (const SentTo& sent : rank.sent)
    rank.times.sent_bytes += sent.is_read ? 0 : static_cast<double>(sent.bytes);
  profile_.traffic.add(rank.rank, rank.node, rank.sent);
  place_of_rank_[rank.rank] = profile_.ranks.size();
  rank.calls = {};
  rank.sent = {};
  profile_.ranks.push_back(std::move(rank));
}

void Merger::match_samples() {
  std::map<std::uint64_t, std::vector<Participant>> communicators;
  for (const RankProfile& rank : profile_.ranks) {
    for (const SampledCommunicator& samples : rank.samples) {
      communicators[samples.id].push_back({rank.rank, &samples});
    }
  }
  SliceGrid grid(profile_.ranks);
  for (const auto& [id, participants] : communicators) {
    match(participants, [&](const MatchedCall& matched) {
      const std::size_t place = place_of_rank_[matched.world_rank];
      const double ns = matched.call->exit_ns - matched.call->enter_ns;
      Row& row = rows_[place][matched.call->row];
      row.sampled_ns += ns;
      row.waiting_ns += matched.waiting_ns;
      Waiting& waiting = profile_.sites[row.site].waiting;
      waiting.sampled_ns += ns;
      waiting.waiting_ns += matched.waiting_ns;
      waiting.caused_ns[matched.last_rank] += matched.waiting_ns;
      grid.add(place, matched.call->enter_ns, ns, matched.waiting_ns);
    });
  }
  profile_.slices = grid.finish();
}

void Merger::add_times() {
  for (std::size_t place = 0; place < rows_.size(); ++place) {
    RankTimes& times = profile_.ranks[place].times;
    for (const Row& row : rows_[place]) {
      if (row.sampled_ns <= 0)
        continue;
      const double waiting = row.ns * std::min(1.0, row.waiting_ns / row.sampled_ns);
      times.waiting_ns += waiting;
      times.transfer_ns += row.ns - waiting;
    }
  }
}

void Merger::sort_sites() {
  std::ranges::stable_sort(profile_.sites, std::greater(),
                           [](const SiteProfile& site) { return site.total.ns; });
  const auto own = std::ranges::stable_partition(profile_.sites,
                                                 [](const SiteProfile& site) { return !site.total.is_own; });
  profile_.own_sites.assign(own.begin(), own.end());
  profile_.sites.erase(own.begin(), own.end());
}

Profile Merger::finish() {
  match_samples();
  add_times();
  sort_sites();
  for (RankProfile& rank : profile_.ranks) {
    rank.samples = {};
    rank.slices = {};
  }
  return std::move(profile_);
}

Profile merge(std::vector<RankProfile> ranks, SourceOf source_of, TrafficRows rows) {
  Merger merger(source_of, rows);
  for (RankProfile& rank : ranks)
    merger.add(std::move(rank));
  return merger.finish();
}

} // namespace thalweg::mpi::observe
