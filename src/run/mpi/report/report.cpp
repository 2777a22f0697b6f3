// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/report/report.hpp"

#include "base/files.hpp"
#include "mpi/call/gpu_memory.hpp"
#include "mpi/choose/tuning.hpp"
#include "mpi/comm/clocks.hpp"
#include "mpi/comm/gathering.hpp"
#include "mpi/observe/form.hpp"
#include "mpi/observe/job_log.hpp"
#include "mpi/observe/journal_reader.hpp"
#include "mpi/observe/locations.hpp"
#include "mpi/observe/merging.hpp"
#include "mpi/observe/output.hpp"
#include "mpi/observe/profile.hpp"
#include "mpi/observe/stream_reports.hpp"
#include "mpi/observe/team_calls.hpp"
#include "mpi/offload/nic_arrivals.hpp"
#include "mpi/report/job_hosts.hpp"
#include "mpi/report/own_profile.hpp"
#include "mpi/state/runtime.hpp"
#include "mpi/state/settings.hpp"
#include "mpi/wait/progress_thread.hpp"
#include "mpi/wait/wait_mode.hpp"
#include "tune/prediction.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/ranges.h>
#include <fstream>
#include <iterator>
#include <unistd.h>
#include <utility>

namespace thalweg::mpi {

namespace {

using observe::RankProfile;

void shift(RankProfile& rank, double offset_ns) {
  rank.slices.begin_ns += offset_ns;
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

std::string shared_memory_text(const SharedMemory& memory) {
  if (memory.is_used)
    return "ranks of a node send each other messages through shared memory";
  return memory.was_tried ? "no shared memory: " + memory.why_not : "";
}

const char* thread_level_text() {
  int level = MPI_THREAD_SINGLE;
  if (native.Query_thread(&level) != MPI_SUCCESS)
    return "";
  return level == MPI_THREAD_MULTIPLE     ? "multiple"
         : level == MPI_THREAD_SERIALIZED ? "serialized"
         : level == MPI_THREAD_FUNNELED   ? "funneled"
                                          : "single";
}

std::vector<observe::TunedPick> tuned_picks() {
  std::vector<observe::TunedPick> tuned;
  for (const tune::Pick& pick : runtime.notes.tuned_picks)
    tuned.push_back({pick.call, pick.bytes, pick.ranks, strategies::to_text(pick.use), pick.seconds,
                     pick.native_seconds});
  return tuned;
}

observe::RunDescription describe_run() {
  observe::RunDescription run;
  run.facts = observe::job_facts(runtime.start_ns, runtime.notes.thread_level);
  run.tuned = tuned_picks();
  run.use = runtime.settings.use;
  run.command = own_command();
  run.library = runtime.library_version;
  run.library_path = library_path();
  run.family = family_name(own_family);
  run.yields = runtime.wait.yields;
  run.wait_reason = wait_text(runtime.wait, runtime.world.placement) + progress_thread_text();
  run.settings = lines_of(runtime.notes.settings, '\n');
  run.user_settings = user_settings();
  run.node_count = runtime.world.placement.node_count;
  run.tuning = runtime.notes.tuning;
  run.network = runtime.notes.network;
  run.gpu_memory = gpu_text(runtime.gpu);
  run.fingerprint = lines_of(fingerprint_text(), '\n');
  run.began_ns = runtime.job_began_ns;
  return run;
}

observe::ExchangeShares shares_of_exchange(int ranks, double blocks, double block_bytes) {
  const auto level = runtime.world.placement.node_count > 1 ? machine::Level::network : machine::Level::node;
  const tune::ExchangeShares shares =
      tune::exchange_shares(known_machine(), level, {ranks, blocks, block_bytes});
  return {shares.mesh2d, shares.sparse};
}

void write(const observe::Profile& profile, const Outcomes& outcomes) {
  observe::RunDescription run = describe_run();
  run.shared_memory = shared_memory_text(runtime.notes.shared_memory);
  run.learned = outcomes.learned;
  run.streams = observe::merged_streams(profile.ranks);
  run.pattern = outcomes.pattern;
  run.pattern_line = outcomes.pattern_line;
  run.trace_line = outcomes.trace_line;
  run.placing = runtime.notes.placing_document;
  run.placing_line = runtime.notes.placing;
  run.nic = fmt::format("{}", fmt::join(runtime.notes.nic, "; "));
  run.last_on_nics = last_on_nics();
  run.last_on_nics_line = last_on_nics_line();
  if (runtime.settings.summary) {
    const std::string text = observe::summary(run, profile, observe::form_asked_for(runtime.settings.report));
    std::fwrite(text.data(), 1, text.size(), stderr);
  }
  if (const std::string& folder = runtime.settings.logs; !folder.empty()) {
    const std::error_code error = observe::write_job_document(folder, run, profile);
    if (error)
      log_line(observe::log_cannot_be_written(folder, error.message()));
  }
  const std::string& path = runtime.settings.report;
  const std::error_code error =
      path.empty() ? std::error_code{} : write_file(path, observe::document(run, profile));
  if (error) {
    log_line(observe::cannot_be_written(path, error.value()));
  }
}

void note_reported() {
  observe::journal().close_section();
}

} // namespace

std::optional<GatheredReport> gather_report(const Outcomes& outcomes) {
  if (!runtime.world.agreed || !wants_report(runtime.settings)) {
    return std::nullopt;
  }
  constexpr int trials = 20;
  const std::vector<double> offsets = clock_offsets_ns(runtime.world.communicator, runtime.world.rank,
                                                       runtime.world.placement.nodes, 0, trials);
  observe::Merger merger(observe::find_source,
                         counts_messages(runtime.settings)
                             ? observe::traffic_rows(runtime.world.size, runtime.world.placement.node_count)
                             : observe::TrafficRows{});
  // To add them up looks for source lines: where there is room, that is left for when nobody waits.
  constexpr int max_unmerged = 256;
  std::vector<RankProfile> ranks;
  gather_bytes(observe::pack(own_profile()), [&](const std::vector<std::uint8_t>& bytes) {
    RankProfile rank = observe::unpack(bytes.data(), bytes.size());
    shift(rank, offsets[static_cast<std::size_t>(rank.node)]);
    if (runtime.world.size <= max_unmerged)
      ranks.push_back(std::move(rank));
    else
      merger.add(std::move(rank));
  });
  if (runtime.world.rank != 0) {
    note_reported();
    return std::nullopt;
  }
  return GatheredReport{std::move(merger), std::move(ranks), outcomes};
}

void write_report(GatheredReport report) {
  for (RankProfile& rank : report.ranks)
    report.merger.add(std::move(rank));
  observe::Profile profile = report.merger.finish();
  profile.shares_of_exchange = shares_of_exchange;
  write(profile, report.outcomes);
  note_reported();
}

namespace {

// The command's memory, where it is on this host, else a file.
bool open_journal() {
  const char* const path = std::getenv("THALWEG_JOURNAL");
  if (path != nullptr && observe::journal().open(path))
    return true;
  const char* const folder = std::getenv("THALWEG_JOURNAL_FOLDER");
  return folder != nullptr && observe::journal().open_in(folder);
}

} // namespace

void begin_journal() {
  runtime.notes.thread_level = thread_level_text();
  if (!wants_report(runtime.settings))
    return;
  const bool is_open = open_journal();
  const observe::JobMap hosts = agree_on_hosts(is_open ? observe::journal().path() : "");
  if (!is_open)
    return;
  observe::JournalSection& section = *observe::journal().section();
  section.rank = runtime.world.rank;
  section.ranks = runtime.world.size;
  section.node = node_of(runtime.world.rank);
  section.pid = getpid();
  section.counter_is_steady = observe::counter_is_steady;
  gethostname(section.host, sizeof section.host - 1);
  section.start_ns = runtime.start_ns;
  section.job = runtime.job_began_ns;
  section.tick_scale = runtime.tick_scale;
  observe::journal().note_time();
  std::vector<const char*> functions(std::begin(function_names), std::end(function_names));
  for (std::size_t number = 0; number < observe::team_functions; ++number)
    functions.push_back(observe::team_function_name(number));
  section.description = observe::journal().keep(observe::describe_start(describe_run(), functions, hosts));
  section.state.store(observe::JournalState::running);
}

} // namespace thalweg::mpi
