// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/job_log.hpp"

#include "base/files.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace thalweg::mpi::observe {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t max_sites = 10;
constexpr std::size_t max_late_ranks = 3;
constexpr std::size_t max_words = 8;
constexpr std::size_t max_letters = 200;

std::vector<std::string> shortened(const std::vector<std::string>& words) {
  std::vector<std::string> result(
      words.begin(), words.begin() + static_cast<std::ptrdiff_t>(std::min(words.size(), max_words)));
  for (std::string& word : result)
    word.resize(std::min(word.size(), max_letters));
  return result;
}

std::string time_text(std::uint64_t since_epoch_ns, const char* format, bool local) {
  const auto seconds = static_cast<std::time_t>(since_epoch_ns / 1'000'000'000U);
  std::tm parts{};
  if (local)
    localtime_r(&seconds, &parts);
  else
    gmtime_r(&seconds, &parts);
  std::array<char, 4096> text{};
  return {text.data(), std::strftime(text.data(), text.size(), format, &parts)};
}

double waiting_ns(const SiteProfile& site) {
  return site.total.ns * site.waiting.share();
}

// The time of collectives that the library ran, without waiting: what a tuned file may shorten.
double untuned_ns(const SiteProfile& site) {
  std::uint64_t all = 0;
  std::uint64_t native = 0;
  for (const auto& [ending, calls] : site.total.endings) {
    all += calls;
    native += ending.first == "native" ? calls : 0;
  }
  const double share = all == 0 ? 0.0 : static_cast<double>(native) / static_cast<double>(all);
  return (site.total.ns - waiting_ns(site)) * share;
}

ordered_json site_of(const SiteProfile& site) {
  std::string source = site.source;
  source.resize(std::min(source.size(), max_letters));
  return {{"function", site.total.function},
          {"source", source},
          {"ranks", site.total.ranks},
          {"calls", site.total.calls},
          {"bytes", site.total.bytes},
          {"time_ns", std::round(site.total.ns)},
          {"waiting_ns", std::round(waiting_ns(site))},
          {"untuned_ns", std::round(untuned_ns(site))}};
}

ordered_json late_ranks(const Profile& profile) {
  std::map<int, double> caused;
  for (const SiteProfile& site : profile.sites)
    for (const auto& [rank, ns] : site.waiting.caused_ns)
      caused[rank] += ns;
  std::vector<std::pair<int, double>> ranks(caused.begin(), caused.end());
  std::ranges::stable_sort(ranks, std::greater{}, &std::pair<int, double>::second);
  ranks.resize(std::min(ranks.size(), max_late_ranks));
  ordered_json result = ordered_json::array();
  for (const auto& [rank, ns] : ranks)
    if (ns > 0)
      result.push_back({rank, std::round(ns)});
  return result;
}

std::string last_part(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

} // namespace

std::string job_document(const RunDescription& run, const Profile& profile) {
  double rank_ns = 0;
  for (const RankProfile& rank : profile.ranks)
    rank_ns += rank.wall_ns;
  double mpi_ns = 0;
  double waiting = 0;
  double untuned = 0;
  ordered_json sites = ordered_json::array();
  for (const SiteProfile& site : profile.sites) {
    mpi_ns += site.total.ns;
    waiting += waiting_ns(site);
    untuned += untuned_ns(site);
    if (sites.size() < max_sites)
      sites.push_back(site_of(site));
  }
  const ordered_json all{
      {"format", "thalweg-job"},
      {"version", 1},
      {"start_time", time_text(run.began_ns, "%Y-%m-%dT%H:%M:%SZ", false)},
      {"user", run.facts.user},
      {"job", {{"manager", run.facts.manager}, {"id", run.facts.id}}},
      {"command", shortened(run.command)},
      {"mpi", run.library},
      {"ranks", run.cause.empty() ? profile.ranks.size() : static_cast<std::size_t>(run.rank_count)},
      {"ranks_seen", profile.ranks.size()},
      {"nodes", run.node_count},
      {"host", profile.ranks.empty() ? "" : profile.ranks.front().host},
      {"ended_by", run.cause.empty() ? "MPI_Finalize" : run.cause},
      {"wall_ns", std::round(profile.wall_ns)},
      {"rank_ns", std::round(rank_ns)},
      {"mpi_ns", std::round(mpi_ns)},
      {"waiting_ns", std::round(waiting)},
      {"untuned_ns", std::round(untuned)},
      {"late_ranks", late_ranks(profile)},
      {"calls", sites}};
  return all.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::error_code write_job_document(const std::string& folder, const RunDescription& run,
                                   const Profile& profile) {
  const std::string place = time_text(run.began_ns, folder.c_str(), true);
  std::error_code error;
  std::filesystem::create_directories(place, error);
  if (place.empty() || error)
    return place.empty() ? std::make_error_code(std::errc::invalid_argument) : error;
  const RankProfile first = profile.ranks.empty() ? RankProfile{} : profile.ranks.front();
  std::string program = run.command.empty() ? "" : last_part(run.command.front());
  program.resize(std::min<std::size_t>(program.size(), 64));
  const std::string name =
      fmt::format("{}-{:09}-{}-{}-{}.json", time_text(run.began_ns, "%Y%m%dT%H%M%S", true),
                  run.began_ns % 1'000'000'000U, program, first.host, first.pid);
  return write_file(fmt::format("{}/{}", place, name), job_document(run, profile));
}

} // namespace thalweg::mpi::observe
