// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/output.hpp"

#include "mpi/observe/gains.hpp"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace thalweg::mpi::observe {

namespace {

using nlohmann::ordered_json;

ordered_json site_document(const SiteProfile& site, const SharesOfExchange& shares_of) {
  const CallProfile& total = site.total;
  ordered_json endings = ordered_json::array();
  for (const auto& [ending, calls] : total.endings) {
    ordered_json entry{{"strategy", ending.first}, {"calls", calls}};
    if (!ending.second.empty()) {
      entry["passed_on_because"] = ending.second;
    }
    endings.push_back(entry);
  }
  ordered_json result{{"function", total.function},
                      {"source", site.source},
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
                      {"ran_on", endings}};
  if (site.waiting.sampled_ns > 0) {
    ordered_json last = ordered_json::array();
    for (const auto& [rank, caused_ns] : site.waiting.caused_ns) {
      if (caused_ns > 0) {
        last.push_back({{"rank", rank}, {"others_waited_ns", caused_ns}});
      }
    }
    result["sampled_ns"] = site.waiting.sampled_ns;
    result["waiting_share"] = site.waiting.share();
    result["transfer_share"] = 1 - site.waiting.share();
    result["last_ranks"] = last;
  }
  for (const auto& [rank, ns] : site.in_progress_ns) {
    result["in_progress"].push_back({{"rank", rank}, {"since_ns", ns}});
  }
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

} // namespace

std::string document(const RunDescription& run, const Profile& profile) {
  ordered_json ranks = ordered_json::array();
  for (const RankProfile& rank : profile.ranks) {
    double mpi_ns = 0;
    for (const CallProfile& call : rank.calls) {
      mpi_ns += call.ns;
    }
    ranks.push_back({{"rank", rank.rank},
                     {"node", rank.node},
                     {"host", rank.host},
                     {"pid", rank.pid},
                     {"wall_ns", rank.wall_ns},
                     {"mpi_ns", mpi_ns}});
  }
  ordered_json sites = ordered_json::array();
  for (const SiteProfile& site : profile.sites) {
    sites.push_back(site_document(site, profile.shares_of_exchange));
  }
  const ordered_json all{
      {"format", "thalweg-report"},
      {"version", 1},
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
      {"fingerprint", run.fingerprint},
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
       {{"time", "every call, but one in eight at sites whose calls take under 2 us"},
        {"cpu",
         "thread CPU clock around one timed call in 64, and around all at sites whose calls take over 50 us"},
        {"waiting", "sampled calls of all ranks matched by their index on the communicator"},
        {"stream",
         "processor time of the sending calls alone, less 2 ns and 0.35 ns a byte for each as an item"},
        {"exchange",
         "time of the calls without waiting for late ranks, less that in the proportion of messages"}}},
      {"ended_by", run.cause.empty() ? "MPI_Finalize" : run.cause},
      {"ranks_without_report", run.cause.empty() ? 0 : run.rank_count - static_cast<int>(ranks.size())},
      {"nodes", run.node_count},
      {"wall_ns", profile.wall_ns},
      {"ranks", ranks},
      {"calls", sites}};
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

} // namespace thalweg::mpi::observe
