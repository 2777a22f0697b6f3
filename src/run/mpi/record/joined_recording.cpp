// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/record/joined_recording.hpp"

#include "base/assertion.hpp"
#include "mpi/observe/locations.hpp"
#include "mpi/observe/texts.hpp"
#include "mpi/observe/traffic_table.hpp"
#include "mpi/record/pattern_store.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <utility>

namespace thalweg::mpi {

namespace {

using nlohmann::json;
using pattern::Recording;
using pattern::Sent;

// Adds the ranks' recordings up.
class JoinedRecording {
public:
  explicit JoinedRecording(std::size_t ranks) {
    recording_.ranks = static_cast<std::int32_t>(ranks);
    recording_.command = program_text();
  }

  void add(std::int32_t rank, const std::vector<std::uint8_t>& packed) {
    const json all = json::from_msgpack(packed);
    std::vector<std::uint32_t> sites;
    std::vector<bool> reads; // what a site counts was sent by the peer
    for (const json& site : all[0]) {
      reads.push_back(site[0] == observe::by_read);
      sites.push_back(
          site_of({reads.back() ? json(observe::by_call) : site[0], site[1], site[2], site[3], site[4]}));
    }
    std::vector<std::size_t> phases;
    for (const json& phase : all[1])
      phases.push_back(phase_of(phase[0], phase[1]));
    for (const json& one : all[2]) {
      THALWEG_ASSERT(light, one[0] < sites.size() && one[1] < phases.size());
      Sent sent{rank, one[2], one[3], one[4], sites[one[0]]};
      if (reads[one[0]])
        std::swap(sent.from, sent.to);
      const auto key = std::tuple(phases[one[1]], sent.from, sent.to, sent.site);
      Sent& sum = sums_.try_emplace(key, Sent{sent.from, sent.to, 0, 0, sent.site}).first->second;
      sum.bytes += sent.bytes;
      sum.messages += sent.messages;
    }
  }
  Recording take() {
    for (const auto& [key, sent] : sums_)
      recording_.phases[std::get<0>(key)].sent.push_back(sent);
    // A phase in which nobody sends says nothing.
    std::erase_if(recording_.phases, [](const auto& one) { return one.sent.empty(); });
    return std::move(recording_);
  }

private:
  using SiteKey = std::tuple<std::string, std::string, std::string, std::uint64_t, std::string>;

  std::uint32_t site_of(const SiteKey& key) {
    const auto [entry, fresh] = sites_.try_emplace(key, static_cast<std::uint32_t>(recording_.sites.size()));
    if (fresh) {
      const auto& [by, function, module, address, place] = key;
      recording_.sites.push_back({by, function, observe::describe_source({module, address, place})});
    }
    return entry->second;
  }
  std::size_t phase_of(int level, std::uint64_t repeats) {
    const auto [entry, fresh] = phases_.try_emplace(level, recording_.phases.size());
    if (fresh)
      recording_.phases.push_back({std::to_string(level), 0, {}});
    std::uint64_t& repeats_max = recording_.phases[entry->second].repeats;
    repeats_max = std::max(repeats_max, repeats);
    return entry->second;
  }

  Recording recording_;
  std::map<SiteKey, std::uint32_t> sites_;
  std::map<int, std::size_t> phases_;
  std::map<std::tuple<std::size_t, std::int32_t, std::int32_t, std::uint32_t>, Sent> sums_;
};

} // namespace

// Sites by (by, function, where the call is), phases by level, and what was sent by indices of both.
std::vector<std::uint8_t> pack_recorded(std::span<const char* const> functions) {
  std::map<std::pair<const observe::CallRow*, const char*>, std::size_t> known;
  json sites = json::array();
  json sent = json::array();
  for (const observe::TrafficTable* table : observe::all_traffic_tables()) {
    for (const observe::TrafficEntry& entry : table->entries()) {
      const observe::CallRow& row = *entry.key.row;
      const auto [site, fresh] = known.try_emplace({&row, entry.key.by}, sites.size());
      if (fresh) {
        const observe::Location location = observe::locate(row.key.site);
        sites.push_back({entry.key.by, functions[row.key.function], location.module, location.address,
                         location.function});
      }
      sent.push_back({site->second, entry.key.phase, entry.key.peer, entry.bytes, entry.messages});
    }
  }
  json phases = json::array();
  for (const observe::PatternPhase& phase : observe::all_pattern_phases())
    phases.push_back({phase.level, phase.repeats});
  return json::to_msgpack({sites, phases, sent});
}

Recording join_recorded(const std::vector<std::vector<std::uint8_t>>& ranks) {
  JoinedRecording joined(ranks.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    joined.add(static_cast<std::int32_t>(rank), ranks[rank]);
  return joined.take();
}

KeptPattern describe_recorded(const Recording& recorded, const std::string& file) {
  json phases = json::array();
  double bytes = 0;
  double messages = 0;
  for (const pattern::RecordedPhase& phase : recorded.phases) {
    const pattern::Pattern one = pattern::pattern_of({recorded.ranks, 0, {}, {}, {phase}});
    const double repeats = one.phases.front().repeats;
    double phase_messages = 0;
    for (const pattern::Edge& edge : one.phases.front().matrix.edges())
      phase_messages += edge.messages * repeats;
    const double phase_bytes = one.phases.front().matrix.bytes() * repeats;
    phases.push_back({{"phase", phase.name},
                      {"repeats", phase.repeats},
                      {"bytes", phase_bytes},
                      {"messages", phase_messages},
                      {"pairs", one.phases.front().matrix.edges().size()}});
    bytes += phase_bytes;
    messages += phase_messages;
  }
  const json document{{"file", file},   {"ranks", recorded.ranks}, {"sites", recorded.sites.size()},
                      {"bytes", bytes}, {"messages", messages},    {"phases", phases}};
  return {document.dump(-1, ' ', false, json::error_handler_t::replace),
          fmt::format("recorded {} in {:.0f} messages, {} phase{}; kept in {}", observe::bytes_text(bytes),
                      messages, recorded.phases.size(), recorded.phases.size() == 1 ? "" : "s", file)};
}

} // namespace thalweg::mpi
