// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/next_step.hpp"

#include "mpi/observe/gains.hpp"
#include "mpi/observe/reasons.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <string_view>

namespace thalweg::mpi::observe {

namespace {

constexpr double min_share = 0.02;       // of all ranks' time: less is not worth a command
constexpr double min_late_share = 0.05;  // likewise, of a call site's waiting
constexpr std::size_t longest_sites = 5; // whose latest ranks are compared

// As `thalweg tune` tunes them (python/thalweg/trials/cases.py).
constexpr std::array<std::string_view, 14> tunable_calls{
    "MPI_Alltoall", "MPI_Allgather", "MPI_Bcast",  "MPI_Allreduce", "MPI_Reduce_scatter_block",
    "MPI_Barrier",  "MPI_Reduce",    "MPI_Gather", "MPI_Scatter",   "MPI_Scan",
    "MPI_Exscan",   "MPI_Ibarrier",  "MPI_Ibcast", "MPI_Iallreduce"};

double waiting_ns(const SiteProfile& site) {
  return site.total.ns * site.waiting.share();
}

// Whether tuning may find something better: a collective of all ranks that nothing was chosen for.
bool is_tunable(const SiteProfile& site, std::size_t ranks) {
  std::string_view function = site.total.function;
  if (function.ends_with("_c"))
    function.remove_suffix(2);
  const bool is_of_all = ranks > 1 && site.total.ranks == static_cast<int>(ranks);
  return is_of_all && std::ranges::find(tunable_calls, function) != tunable_calls.end() &&
         site.total.endings.contains({"native", nothing_chosen});
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
      tunable_ns += site.total.ns - waiting_ns(site);
  }
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
