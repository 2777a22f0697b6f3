// SPDX-License-Identifier: BSD-3-Clause
#include "base/units.hpp"
#include "mpi/observe/gains.hpp"
#include "mpi/observe/next_step.hpp"
#include "mpi/observe/output.hpp"
#include "mpi/observe/reasons.hpp"
#include "mpi/observe/stream_reports.hpp"
#include "mpi/observe/summary_table.hpp"
#include "mpi/observe/texts.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace thalweg::mpi::observe {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t max_lines = 10;

double measured(const ordered_json& entry, const std::string& candidate) {
  for (const ordered_json& trial : entry.at("trials"))
    if (trial.at("candidate") == candidate)
      return trial.value("measured_s", 0.0);
  return 0;
}

std::size_t tried(const ordered_json& entry) {
  return static_cast<std::size_t>(std::ranges::count_if(
      entry.at("trials"), [](const ordered_json& trial) { return trial.contains("measured_s"); }));
}

std::string line(const ordered_json& entry) {
  const auto use = entry.at("use").get<std::string>();
  const double native = measured(entry, "native");
  const double pick = measured(entry, use);
  const std::string gain = use == "native" || pick <= 0 || native <= 0
                               ? ""
                               : fmt::format(", {:.2f} times as fast as the library's", native / pick);
  const double time = std::max(entry.at("time_s").get<double>(), 1e-12);
  return fmt::format(
      "learned: {} of {}, {} ranks: {}{}; {}; {} of {} candidates tried, for {:.1f}% of its time\n",
      entry.at("call").get<std::string>(), format_bytes(entry.at("bytes").get<std::int64_t>()),
      entry.at("ranks").get<int>(), use == "native" ? "library" : use, gain,
      entry.at("state").get<std::string>(), tried(entry), entry.at("trials").size(),
      100 * entry.at("spent_s").get<double>() / time);
}

// What was learned (the JSON array of learn/learned_entry.hpp), a line for each kind of call that took
// longest.
std::string learned_lines(const std::string& learned) {
  if (learned.empty())
    return "";
  std::vector<ordered_json> entries = ordered_json::parse(learned);
  std::ranges::stable_sort(entries, std::greater(),
                           [](const ordered_json& entry) { return entry.at("time_s").get<double>(); });
  std::string text;
  for (std::size_t i = 0; i < std::min(entries.size(), max_lines); ++i)
    text += line(entries[i]);
  if (entries.size() > max_lines)
    text += fmt::format("... and {} more kinds of calls learned about\n", entries.size() - max_lines);
  return text;
}

// How much of nonblocking collectives went on beside the program's own work, for the call sites that held
// ranks up longest nonetheless. Their table row has the time of the start alone.
std::string hidden_lines(const Profile& profile) {
  constexpr std::size_t max_sites = 3;
  constexpr double min_exposed_share = 0.005; // of all ranks' time
  std::vector<const CallProfile*> calls;
  std::map<const CallProfile*, const std::string*> places;
  for (const SiteProfile& site : profile.sites) {
    if (site.total.in_flight_ns > 0 && site.total.exposed_ns >= min_exposed_share * all_wall_ns(profile)) {
      calls.push_back(&site.total);
      places[&site.total] = &site.source;
    }
  }
  std::ranges::stable_sort(calls, std::greater(), &CallProfile::exposed_ns);
  calls.resize(std::min(calls.size(), max_sites));
  std::string text;
  for (const CallProfile* call : calls)
    text += fmt::format("hidden: {} of the {} that {} at {} was in flight; {} held ranks up\n",
                        percent_text(std::max(0.0, 1 - call->exposed_ns / call->in_flight_ns)),
                        duration_text(call->in_flight_ns), call->function, *places[call],
                        duration_text(call->exposed_ns));
  return text;
}

// Why the library ran calls, but for those that nothing was chosen for.
std::string passed_on(const Profile& profile) {
  std::map<std::string, std::uint64_t> reasons;
  for (const SiteProfile& site : profile.sites) {
    for (const auto& [ending, calls] : site.total.endings) {
      if (!ending.second.empty() && ending.second != nothing_chosen) {
        reasons[ending.second] += calls;
      }
    }
  }
  std::string text;
  for (const auto& [reason, calls] : reasons) {
    text += fmt::format("{}{} ({} call{})", text.empty() ? "" : "; ", reason, calls, calls == 1 ? "" : "s");
  }
  return text;
}

// "3.58 s, 98% in MPI. 8 ranks share 2 cores: waiting yields".
std::string verdict(const RunDescription& run, const Profile& profile) {
  double mpi_ns = 0;
  for (const SiteProfile& site : profile.sites)
    mpi_ns += site.total.ns;
  const double share = std::min(1.0, mpi_ns / std::max(all_wall_ns(profile), 1.0));
  return fmt::format("{}{}, {} in MPI{}", duration_text(profile.wall_ns),
                     run.cause.empty() ? "" : " from init until " + run.cause, percent_text(share),
                     run.yields ? ". " + run.wait_reason.substr(0, run.wait_reason.find(", ")) : "");
}

// "4 of 8 ranks on 2 nodes, MPICH 4.0.2, from init to finalize".
std::string job_line(const RunDescription& run, const Profile& profile) {
  const std::size_t ranks = profile.ranks.size();
  const bool lacks_some = !run.cause.empty() && ranks < static_cast<std::size_t>(run.rank_count);
  const std::size_t all = lacks_some ? static_cast<std::size_t>(run.rank_count) : ranks;
  return fmt::format("{}{} rank{} on {} node{}, {}{}", lacks_some ? fmt::format("{} of ", ranks) : "", all,
                     all == 1 ? "" : "s", run.node_count, run.node_count == 1 ? "" : "s", run.library,
                     run.cause.empty() ? ", from init to finalize" : "");
}

// Where ranks were when the job ended without MPI_Finalize, the longest calls first.
std::string calls_in_progress(const Profile& profile, std::size_t limit) {
  struct Call {
    const SiteProfile* site;
    std::string ranks;
    std::size_t count = 0;
    double longest_ns = 0;
  };
  std::vector<Call> calls;
  for (const SiteProfile& site : profile.sites) {
    Call call{&site, {}};
    for (const auto& [rank, ns] : site.in_progress_ns) {
      constexpr std::size_t max_named = 8;
      if (++call.count <= max_named) {
        call.ranks += fmt::format("{}{}", call.ranks.empty() ? "" : ", ", rank);
      } else if (call.count == max_named + 1) {
        call.ranks += ", ...";
      }
      call.longest_ns = std::max(call.longest_ns, ns);
    }
    if (call.count > 0) {
      calls.push_back(std::move(call));
    }
  }
  std::ranges::sort(calls, std::greater(), &Call::longest_ns);
  std::string text;
  for (const Call& call : calls) {
    if (limit-- == 0) {
      break;
    }
    text += fmt::format("in {} at {} when the job ended, for {}: rank{} {}\n", call.site->total.function,
                        call.site->source, duration_text(call.longest_ns), call.count == 1 ? "" : "s",
                        call.ranks);
  }
  return text;
}

// Who was in no call while others were: perhaps it ended first, and they waited for it.
std::string ranks_outside(const Profile& profile) {
  constexpr std::size_t max_named = 8;
  std::set<int> inside;
  for (const std::vector<SiteProfile>* sites : {&profile.sites, &profile.own_sites})
    for (const SiteProfile& site : *sites)
      for (const auto& [rank, ns] : site.in_progress_ns)
        inside.insert(rank);
  const std::size_t outside = profile.ranks.size() - inside.size();
  if (inside.empty() || outside == 0 || outside > max_named)
    return "";
  std::string text;
  for (const RankProfile& rank : profile.ranks)
    if (!inside.contains(rank.rank))
      text += fmt::format("{}rank {} on {}", text.empty() ? "" : ", ", rank.rank, rank.host);
  return fmt::format("outside of MPI when the job ended: {}\n", text);
}

} // namespace

std::string summary(const RunDescription& run, const Profile& profile, const SummaryForm& form) {
  std::string head;
  for (const std::string& note :
       {verdict(run, profile), job_line(run, profile), missing_line(run.missing),
        run.yields ? "" : run.wait_reason, run.tuning, run.network, run.shared_memory, run.nic,
        run.last_on_nics_line, run.gpu_memory, run.placing_line, run.pattern_line, run.trace_line}) {
    head += note.empty() ? "" : fmt::format("thalweg: {}\n", note);
  }
  std::string rest = calls_in_progress(profile, max_lines) + ranks_outside(profile);
  if (const std::string reasons = passed_on(profile); !reasons.empty()) {
    rest += fmt::format("passed on to the library: {}\n", reasons);
  }
  rest += hidden_lines(profile);
  rest += latest_rank_line(profile);
  rest += learned_lines(run.learned);
  rest += stream_report_lines(run.streams);
  rest += stream_lines(profile);
  rest += exchange_lines(profile);
  // What is to be pasted is not broken, and the table fits by itself.
  return wrapped(head, form.columns) + call_site_table(profile, form) + wrapped(rest, form.columns) +
         next_line(profile, form);
}

} // namespace thalweg::mpi::observe
