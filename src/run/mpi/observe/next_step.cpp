// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/next_step.hpp"

#include "mpi/observe/gains.hpp"
#include "mpi/observe/reasons.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <map>
#include <string_view>

namespace thalweg::mpi::observe {

namespace {

constexpr double min_share = 0.02;       // of all ranks' time: less is not worth a command
constexpr double min_late_share = 0.05;  // likewise, of a call site's waiting
constexpr std::size_t longest_sites = 5; // whose latest ranks are compared

// As `thalweg tune` tunes them (python/thalweg/trials/cases.py): blocking and nonblocking, and the latter
// alone.
constexpr std::array<std::string_view, 11> tunable_calls{
    "alltoall", "allgather", "bcast", "allreduce", "reduce_scatter_block", "barrier", "reduce",
    "gather",   "scatter",   "scan",  "exscan"};
constexpr std::array<std::string_view, 4> nonblocking_calls{"alltoallv", "neighbor_allgather",
                                                            "neighbor_alltoall", "neighbor_alltoallv"};

double waiting_ns(const SiteProfile& site) {
  return site.total.ns * site.waiting.share();
}

bool is_known_to_tuner(std::string_view function) {
  constexpr std::string_view prefix = "MPI_";
  if (!function.starts_with(prefix))
    return false;
  std::string name(function.substr(prefix.size()));
  if (name.ends_with("_c"))
    name.resize(name.size() - 2);
  std::ranges::transform(name, name.begin(), [](unsigned char letter) { return std::tolower(letter); });
  if (std::ranges::find(tunable_calls, name) != tunable_calls.end())
    return true;
  name.erase(0, name.starts_with('i') ? 1 : name.size());
  return std::ranges::find(tunable_calls, name) != tunable_calls.end() ||
         std::ranges::find(nonblocking_calls, name) != nonblocking_calls.end();
}

// Whether tuning may find something better: a collective that nothing was chosen for, of all ranks or of
// groups that they form.
bool is_tunable(const SiteProfile& site, std::size_t ranks) {
  const int own = site.total.ranks;
  const bool is_of_groups = own > 1 && static_cast<int>(ranks) % own == 0;
  return is_of_groups && is_known_to_tuner(site.total.function) &&
         site.total.endings.contains({"native", nothing_chosen});
}

// What a better choice may save: the transfer, or what nonblocking calls exposed until the end of their wait.
double tunable_ns_of(const SiteProfile& site) {
  return std::max(site.total.ns - waiting_ns(site), site.total.in_flight_ns > 0 ? site.total.exposed_ns : 0);
}

// A file's name as a word for the shell.
std::string quoted(const std::string& path) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:@%/";
  if (path.find_first_not_of(plain) == std::string::npos)
    return path;
  std::string word = "'";
  for (const char letter : path)
    word += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return word + "'";
}

} // namespace

std::string latest_rank_line(const Profile& profile) {
  std::map<int, std::size_t> last;
  std::size_t sites = 0;
  for (const SiteProfile& site : profile.sites) {
    if (sites == longest_sites)
      break;
    if (site.waiting.caused_ns.empty() || waiting_ns(site) < min_late_share * all_wall_ns(profile))
      continue;
    ++sites;
    const auto worst = std::ranges::max_element(
        site.waiting.caused_ns, [](const auto& a, const auto& b) { return a.second < b.second; });
    ++last[worst->first];
  }
  const auto latest =
      std::ranges::max_element(last, [](const auto& a, const auto& b) { return a.second < b.second; });
  if (latest == last.end() || 2 * latest->second <= sites)
    return "";
  const std::string of = latest->second < sites ? fmt::format("{} of ", latest->second) : "";
  const std::string calls = sites == 1 ? "" : fmt::format("in {}the {} calls ", of, sites);
  return fmt::format("rank {} was last {}where ranks waited longest: look at its work\n", latest->first,
                     calls);
}

std::string next_line(const Profile& profile, const SummaryForm& form) {
  double mpi_ns = 0;
  double tunable_ns = 0;
  for (const SiteProfile& site : profile.sites) {
    mpi_ns += site.total.ns;
    if (is_tunable(site, profile.ranks.size()))
      tunable_ns += tunable_ns_of(site);
  }
  // Several requests may have been waited for at once, and each is exposed then.
  tunable_ns = std::min(tunable_ns, mpi_ns);
  const double enough_ns = min_share * all_wall_ns(profile);
  if (mpi_ns <= enough_ns)
    return "";
  if (form.report.empty())
    return fmt::format("next: {}\n", form.keeping.empty() ? "thalweg run --html run.html ..." : form.keeping);
  if (tunable_ns <= enough_ns)
    return fmt::format("next: thalweg report {}\n", quoted(form.report));
  // As python/thalweg/tune/promise.py has it; 60 seconds are the search's usual budget.
  return fmt::format("next: thalweg tune --for {}  # about 1 min, may save up to {:.0f} % of the run\n",
                     quoted(form.report), 100 * tunable_ns / all_wall_ns(profile));
}

} // namespace thalweg::mpi::observe
