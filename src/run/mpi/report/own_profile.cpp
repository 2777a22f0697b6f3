// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/report/own_profile.hpp"

#include "mpi/abi/native.hpp"
#include "mpi/comm/communicators.hpp"
#include "mpi/observe/call_table.hpp"
#include "mpi/observe/locations.hpp"
#include "mpi/observe/samples.hpp"
#include "mpi/observe/slices.hpp"
#include "mpi/observe/team_calls.hpp"
#include "mpi/observe/traffic_table.hpp"
#include "mpi/report/kept_reports.hpp"
#include "mpi/state/runtime.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <unistd.h>
#include <unordered_map>
#include <utility>

namespace thalweg::mpi {

using observe::CallProfile;
using observe::CallRow;
using observe::RankProfile;

namespace {

const char* function_name(std::uint16_t function) {
  return function < function_count ? function_names[function]
                                   : observe::team_function_name(function - function_count);
}

CallProfile describe_row(const CallRow& row, const observe::Location& location, double ns_per_tick) {
  CallProfile call = observe::row_profile(row, function_name(row.key.function), location, ns_per_tick);
  for (const observe::Ending& ending : row.endings) {
    call.endings[{ending.strategy, ending.reason == nullptr ? "" : ending.reason}] += ending.calls;
  }
  return call;
}

// Whom this process sent to, by rows of the job's matrix.
std::vector<observe::SentTo> own_traffic() {
  const observe::TrafficRows rows =
      observe::traffic_rows(runtime.world.size, runtime.world.placement.node_count);
  std::map<std::pair<int, bool>, observe::SentTo> sums;
  for (const observe::TrafficTable* const table : observe::all_traffic_tables()) {
    for (const observe::TrafficEntry& entry : table->entries()) {
      const bool is_read = entry.key.by == observe::by_read;
      const int row = rows.of(entry.key.peer, node_of(entry.key.peer));
      observe::SentTo& sum =
          sums.try_emplace({row, is_read}, observe::SentTo{row, 0, 0, is_read}).first->second;
      sum.bytes += entry.bytes;
      sum.messages += entry.messages;
    }
  }
  std::vector<observe::SentTo> sent;
  for (const auto& [key, sum] : sums)
    sent.push_back(sum);
  return sent;
}

// A job's samples of one communicator are so many at most, however many ranks it has. All its ranks leave the
// same calls out.
std::size_t samples_kept(int ranks) {
  constexpr std::size_t samples_of_all = std::size_t{1} << 20;
  constexpr std::size_t min_kept = 32;
  return std::max(min_kept, samples_of_all / static_cast<std::size_t>(ranks));
}

} // namespace

int node_of(int rank) {
  return runtime.world.placement.nodes.empty()
             ? 0
             : runtime.world.placement.nodes[static_cast<std::size_t>(rank)];
}

RankProfile own_profile() {
  RankProfile profile;
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  profile.rank = runtime.world.rank;
  profile.node = node_of(profile.rank);
  profile.host = host.data();
  profile.pid = getpid();
  profile.wall_ns = static_cast<double>(observe::monotonic_ns() - runtime.start_ns);
  runtime.tick_scale.finish();
  const double ns_per_tick = runtime.tick_scale.ns_per_tick();
  std::unordered_map<const CallRow*, std::uint32_t> index;
  for (const observe::CallTable* table : observe::all_call_tables()) {
    for (const auto& row : table->rows()) {
      profile.calls.push_back(describe_row(*row, observe::locate(row->key.site), ns_per_tick));
      if (!profile.calls.back().is_own)
        index[row.get()] = static_cast<std::uint32_t>(profile.calls.size() - 1);
    }
    if (table->slices() != nullptr)
      observe::add(profile.slices, observe::run_slices(*table->slices(), runtime.tick_scale));
  }
  const auto add_samples = [&](std::uint64_t id, int ranks, const observe::SampleStore& store) {
    observe::SampledCommunicator samples{id, ranks, {}};
    for (const observe::Sample& sample : observe::thinned(store.samples(), samples_kept(ranks)))
      if (const auto place = index.find(sample.row); place != index.end())
        samples.calls.push_back({sample.call, runtime.tick_scale.monotonic_ns_at(sample.enter_ticks),
                                 runtime.tick_scale.monotonic_ns_at(sample.exit_ticks), place->second});
    profile.samples.push_back(std::move(samples));
  };
  for (const CommunicatorSamples& communicator : all_samples())
    if (communicator.size > 1)
      add_samples(communicator.id, communicator.size, *communicator.samples);
  for (const observe::ObservedTeam* const team : observe::sampled_teams())
    add_samples(team->id, team->ranks, team->samples);
  profile.streams = take_stream_reports();
  profile.ns_per_tick = ns_per_tick;
  profile.sent = own_traffic();
  return profile;
}

} // namespace thalweg::mpi
