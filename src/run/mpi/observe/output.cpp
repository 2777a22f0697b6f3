// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/output.hpp"

#include "mpi/observe/document_parts.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>

namespace thalweg::mpi::observe {

using nlohmann::ordered_json;

namespace {

// What thalweg_fingerprint() tells, by lines.
constexpr const char* fingerprint_names[] = {"processor", "cores",     "quota", "kernel",
                                             "mpi",       "transport", "nodes", "ranks_per_node"};

ordered_json fingerprint_document(const std::vector<std::string>& values) {
  ordered_json list = ordered_json::array();
  for (std::size_t index = 0; index < std::min(values.size(), std::size(fingerprint_names)); ++index)
    list.push_back({{"name", fingerprint_names[index]}, {"value", values[index]}});
  return list;
}

ordered_json missing_document(const std::vector<MissingRanks>& missing) {
  ordered_json list = ordered_json::array();
  for (const MissingRanks& one : missing)
    list.push_back({{"host", one.host},
                    {"ranks", ranks_text(one.ranks)},
                    {"count", one.ranks.size()},
                    {"part", one.part}});
  return list;
}

} // namespace

std::string document(const RunDescription& run, const Profile& profile) {
  const ordered_json all{
      {"format", "thalweg-report"},
      {"version", 2},
      {"thalweg", {{"version", run.facts.version}}},
      {"start_time", run.facts.start_time},
      {"user", run.facts.user},
      {"folder", run.facts.folder},
      {"job", {{"manager", run.facts.manager}, {"id", run.facts.id}, {"name", run.facts.name}}},
      {"thread_level", run.facts.thread_level},
      {"command", run.command},
      {"mpi", {{"library", run.library}, {"path", run.library_path}, {"family", run.family}}},
      {"wait", {{"yields", run.yields}, {"reason", run.wait_reason}}},
      {"tuning", run.tuning},
      {"shared_memory", run.shared_memory},
      {"network", run.network},
      {"nic", run.nic},
      {"last_on_nics",
       run.last_on_nics.empty() ? ordered_json::array() : ordered_json::parse(run.last_on_nics)},
      {"gpu_memory", run.gpu_memory},
      {"fingerprint", fingerprint_document(run.fingerprint)},
      {"learned", run.learned.empty() ? ordered_json::array() : ordered_json::parse(run.learned)},
      {"streams", run.streams.empty() ? ordered_json::array() : ordered_json::parse(run.streams)},
      {"pattern", run.pattern.empty() ? ordered_json() : ordered_json::parse(run.pattern)},
      {"placing", run.placing.empty() ? ordered_json() : ordered_json::parse(run.placing)},
      {"settings", run.settings},
      {"precedence",
       {{"rule", "calls that run natively follow the user's own settings of the MPI library; a strategy that "
                 "THALWEG_USE "
                 "names runs in their place"},
        {"user_settings", run.user_settings}}},
      {"method",
       {{"time", "every call, but one in 32 at sites whose calls take under 2 us"},
        {"cpu", "thread CPU clock around calls that are drawn, one in about a millisecond at each site"},
        {"durations", "of the calls that are timed, each standing for those before it that are not"},
        {"slices", "time of the calls that are timed, likewise; waiting as in sampled calls of that time"},
        {"traffic", "messages of the program's own; with --record also what collectives send"},
        {"hidden", "nonblocking collectives that are timed, from their start to the end of their wait"},
        {"waiting", "sampled calls of all ranks matched by their index on the communicator"},
        {"stream",
         "processor time of the sending calls alone, less 2 ns and 0.35 ns a byte for each as an item"},
        {"exchange",
         "time of the calls without waiting for late ranks, less that in the proportion of messages"}}},
      {"ended_by", run.cause.empty() ? "MPI_Finalize" : run.cause},
      {"ranks_without_report",
       run.cause.empty() ? 0 : run.rank_count - static_cast<int>(profile.ranks.size())},
      {"missing", missing_document(run.missing)},
      {"nodes", run.node_count},
      {"wall_ns", profile.wall_ns},
      {"ranks", ranks_document(profile)},
      {"rank_groups", rank_groups_document(profile)},
      {"slices", slices_document(profile.slices)},
      {"traffic", traffic_document(profile.traffic)},
      {"picks", picks_document(picks_of({run.learned, run.tuned, run.use}, profile), profile)},
      {"calls", calls_document(profile)}};
  return all.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string cannot_be_written(const std::string& path, int error) {
  const char* remedy = "name a file that you may write with --report or THALWEG_REPORT";
  if (error == ENOENT || error == ENOTDIR)
    remedy = "name a file in a folder that exists with --report or THALWEG_REPORT";
  else if (error == ENOSPC || error == EDQUOT)
    remedy = "free some space there, or name a file elsewhere with --report or THALWEG_REPORT";
  return fmt::format("the report '{}' cannot be written: {}; {}", path, std::strerror(error), remedy);
}

std::string log_cannot_be_written(const std::string& folder, const std::string& why) {
  return fmt::format(
      "the job's log cannot be written in {}: {}; let users write there, or unset THALWEG_LOGS", folder, why);
}

} // namespace thalweg::mpi::observe
