#include "mpi/report/report.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <unistd.h>
#include <unordered_map>

#include <fmt/format.h>

#include "core/files.hpp"
#include "mpi/choose/tuning.hpp"
#include "mpi/comm/clocks.hpp"
#include "mpi/comm/communicators.hpp"
#include "mpi/comm/gathering.hpp"
#include "mpi/observe/call_table.hpp"
#include "mpi/observe/locations.hpp"
#include "mpi/observe/output.hpp"
#include "mpi/observe/profile.hpp"
#include "mpi/observe/stream_reports.hpp"
#include "mpi/report/kept_streams.hpp"
#include "mpi/run/device_arrivals.hpp"
#include "mpi/state/runtime.hpp"
#include "mpi/state/user_settings.hpp"

namespace thalweg::mpi {

namespace {

using observe::CallProfile;
using observe::CallRow;
using observe::RankProfile;

CallProfile describe_row(const CallRow& row, double ns_per_tick) {
  CallProfile call;
  const observe::Location location = observe::locate(row.key.site);
  call.function = function_names[row.key.function];
  call.module = location.module;
  call.address = location.address;
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
  if (row.sampled_ticks > 0) {
    call.cpu_ns = call.ns * static_cast<double>(row.sampled_cpu_ns) /
                  (static_cast<double>(row.sampled_ticks) * ns_per_tick);
  }
  for (const observe::Ending& ending : row.endings) {
    call.endings[{ending.strategy, ending.reason == nullptr ? "" : ending.reason}] += ending.calls;
  }
  return call;
}

RankProfile own_profile() {
  RankProfile profile;
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  profile.rank = runtime.world_rank;
  profile.node =
      runtime.placement.nodes.empty() ? 0 : runtime.placement.nodes[static_cast<std::size_t>(profile.rank)];
  profile.host = host.data();
  profile.pid = getpid();
  profile.wall_ns = static_cast<double>(observe::monotonic_ns() - runtime.start_ns);
  runtime.tick_scale.finish();
  const double ns_per_tick = runtime.tick_scale.ns_per_tick();
  std::unordered_map<const CallRow*, std::uint32_t> index;
  for (const observe::CallTable* table : observe::all_call_tables()) {
    for (const auto& row : table->rows()) {
      index[row.get()] = static_cast<std::uint32_t>(profile.calls.size());
      profile.calls.push_back(describe_row(*row, ns_per_tick));
    }
  }
  for (const CommunicatorSamples& communicator : all_samples()) {
    if (communicator.size < 2) {
      continue;
    }
    observe::SampledCommunicator samples{communicator.id, communicator.size, {}};
    for (const observe::Sample& sample : communicator.samples->samples()) {
      samples.calls.push_back({sample.call, runtime.tick_scale.monotonic_ns_at(sample.enter_ticks),
                               runtime.tick_scale.monotonic_ns_at(sample.exit_ticks), index[sample.row]});
    }
    profile.samples.push_back(std::move(samples));
  }
  profile.streams = take_stream_reports();
  return profile;
}

std::vector<RankProfile> gather(const RankProfile& mine) {
  std::vector<RankProfile> profiles;
  for (const std::vector<std::uint8_t>& bytes : gather_bytes(observe::pack(mine)))
    profiles.push_back(observe::unpack(bytes.data(), bytes.size()));
  return profiles;
}

void shift(RankProfile& rank, double offset_ns) {
  for (observe::SampledCommunicator& communicator : rank.samples) {
    for (observe::SampledCall& call : communicator.calls) {
      call.enter_ns += offset_ns;
      call.exit_ns += offset_ns;
    }
  }
}

std::vector<std::string> lines_of(const std::string& text, char end) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t stop = std::min(text.find(end, begin), text.size());
    lines.push_back(text.substr(begin, stop - begin));
    begin = stop + 1;
  }
  return lines;
}

std::vector<std::string> own_command() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  return lines_of(text, '\0');
}

void write(observe::Profile& profile, const Outcomes& outcomes) {
  for (observe::SiteProfile& site : profile.sites) {
    site.source = observe::describe_source({site.total.module, site.total.address});
  }
  const observe::RunDescription run{own_command(),
                                    runtime.library_version,
                                    library_path(),
                                    family_name(own_family),
                                    runtime.yields,
                                    runtime.wait_reason,
                                    lines_of(runtime.settings_text, '\n'),
                                    user_settings(),
                                    runtime.placement.node_count,
                                    runtime.tuning_reason,
                                    runtime.shared_memory,
                                    runtime.network,
                                    runtime.device_memory,
                                    lines_of(fingerprint_text(), '\n'),
                                    outcomes.learned,
                                    observe::merged_streams(profile.ranks),
                                    outcomes.pattern,
                                    outcomes.pattern_line,
                                    outcomes.trace_line,
                                    runtime.placing_document,
                                    runtime.placing,
                                    runtime.network_device,
                                    last_on_devices(),
                                    last_on_devices_line()};
  if (runtime.settings.summary) {
    const std::string text = observe::summary(run, profile);
    std::fwrite(text.data(), 1, text.size(), stderr);
  }
  const std::string& path = runtime.settings.report;
  const std::error_code error =
      path.empty() ? std::error_code{} : write_file(path, observe::document(run, profile));
  if (error) {
    log_line(fmt::format(
        "the report '{}' cannot be written: {}; set THALWEG_REPORT to a file in a folder that exists", path,
        error.message()));
  }
}

} // namespace

void report(const Outcomes& outcomes) {
  if (!runtime.agreed || !wants_report(runtime.settings)) {
    return;
  }
  constexpr int trials = 20;
  const std::vector<double> offsets =
      clock_offsets_ns(runtime.world, runtime.world_rank, runtime.placement.nodes, 0, trials);
  std::vector<RankProfile> ranks = gather(own_profile());
  if (runtime.world_rank == 0) {
    for (RankProfile& rank : ranks) {
      shift(rank, offsets[static_cast<std::size_t>(rank.node)]);
    }
    observe::Profile profile = observe::merge(std::move(ranks));
    write(profile, outcomes);
  }
}

} // namespace thalweg::mpi
