#include <algorithm>

#include <fmt/format.h>

#include "mpi/observe/exchange_gain.hpp"
#include "mpi/observe/learned_lines.hpp"
#include "mpi/observe/output.hpp"
#include "mpi/observe/stream_gain.hpp"
#include "mpi/observe/stream_reports.hpp"
#include "mpi/observe/texts.hpp"

namespace thalweg::mpi::observe {

namespace {

// Of "solve.cpp:42 (name)" the name goes first, as C++'s are long. What has no line keeps its end.
std::string clipped(const std::string& site, std::size_t width) {
  if (site.size() <= width) {
    return site;
  }
  const std::string place = site.substr(0, site.find(" ("));
  if (place.find(':') != std::string::npos && place.size() <= width) {
    return place;
  }
  return ".." + site.substr(site.size() - width + 2);
}

std::string straggler(const Waiting& waiting) {
  const auto worst = std::max_element(waiting.caused_ns.begin(), waiting.caused_ns.end(),
                                      [](const auto& a, const auto& b) { return a.second < b.second; });
  if (worst == waiting.caused_ns.end() || waiting.waiting_ns <= 0) {
    return "";
  }
  return fmt::format("{} ({})", worst->first, percent_text(worst->second / waiting.waiting_ns));
}

std::string strategies(const Endings& endings) {
  std::string text;
  for (const auto& [ending, calls] : endings) {
    if (text.find(ending.first) == std::string::npos) {
      text += text.empty() ? ending.first : "," + ending.first;
    }
  }
  return text;
}

std::string passed_on(const Profile& profile) {
  std::map<std::string, std::uint64_t> reasons;
  for (const SiteProfile& site : profile.sites) {
    for (const auto& [ending, calls] : site.total.endings) {
      if (!ending.second.empty()) {
        reasons[ending.second] += calls;
      }
    }
  }
  std::string text;
  for (const auto& [reason, calls] : reasons) {
    text += fmt::format("{}{} ({} calls)", text.empty() ? "" : "; ", reason, calls);
  }
  return text;
}

} // namespace

std::string summary(const RunDescription& run, const Profile& profile, std::size_t limit) {
  double all_wall_ns = 0;
  for (const RankProfile& rank : profile.ranks) {
    all_wall_ns += rank.wall_ns;
  }
  all_wall_ns = std::max(all_wall_ns, 1.0);
  double mpi_ns = 0;
  double mpi_cpu_ns = 0;
  for (const SiteProfile& site : profile.sites) {
    mpi_ns += site.total.ns;
    mpi_cpu_ns += site.total.cpu_ns;
  }
  std::string text =
      fmt::format("thalweg: {} ranks on {} node{}, {}; {} from init to finalize, {} in MPI "
                  "({} of it on a core)\nthalweg: {}\n",
                  profile.ranks.size(), run.node_count, run.node_count == 1 ? "" : "s", run.library,
                  duration_text(profile.wall_ns), percent_text(mpi_ns / all_wall_ns),
                  percent_text(mpi_ns > 0 ? mpi_cpu_ns / mpi_ns : 0), run.wait_reason);
  for (const std::string& note :
       {run.tuning, run.network, run.shared_memory, run.network_device, run.last_on_devices_line,
        run.device_memory, run.placing_line, run.pattern_line, run.trace_line}) {
    text += note.empty() ? "" : fmt::format("thalweg: {}\n", note);
  }
  text += fmt::format("{:<22} {:<32} {:>5} {:>9} {:>8} {:>6} {:>8} {:>7} {:>8} {:>10} {:>5}  {}\n",
                      "function", "call site", "ranks", "calls", "bytes", "time", "mean", "waiting",
                      "transfer", "last rank", "CPU", "ran on");
  std::size_t shown = 0;
  for (const SiteProfile& site : profile.sites) {
    if (shown++ == limit) {
      text += fmt::format("... and {} more call sites\n", profile.sites.size() - limit);
      break;
    }
    const CallProfile& total = site.total;
    const auto calls = static_cast<double>(std::max<std::uint64_t>(total.calls, 1));
    const bool matched = site.waiting.sampled_ns > 0;
    text += fmt::format(
        "{:<22} {:<32} {:>5} {:>9} {:>8} {:>6} {:>8} {:>7} {:>8} {:>10} {:>5}  {}\n", total.function,
        clipped(site.source, 32), total.ranks == 0 ? "" : std::to_string(total.ranks), total.calls,
        bytes_text(static_cast<double>(total.bytes) / calls), percent_text(total.ns / all_wall_ns),
        duration_text(total.ns / calls), matched ? percent_text(site.waiting.share()) : "",
        matched ? percent_text(1 - site.waiting.share()) : "", straggler(site.waiting),
        percent_text(total.ns > 0 ? total.cpu_ns / total.ns : 0), strategies(total.endings));
  }
  if (const std::string reasons = passed_on(profile); !reasons.empty()) {
    text += fmt::format("passed on to the library: {}\n", reasons);
  }
  text += learned_lines(run.learned);
  text += stream_report_lines(run.streams);
  text += stream_lines(profile);
  text += exchange_lines(profile);
  return text;
}

} // namespace thalweg::mpi::observe
