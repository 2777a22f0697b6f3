// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/picks.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

namespace thalweg::mpi::observe {

namespace {

using nlohmann::ordered_json;

constexpr const char* library = "native";

PickProfile learned_pick(const ordered_json& entry) {
  PickProfile pick;
  pick.operation = entry.at("call");
  pick.bytes = entry.at("bytes");
  pick.ranks = entry.at("ranks");
  pick.strategy = entry.at("use");
  pick.source = "learned";
  for (const ordered_json& trial : entry.at("trials")) {
    const PickAlternative one{trial.at("candidate"), trial.value("measured_s", 0.0),
                              trial.value("predicted_s", 0.0)};
    if (one.strategy == pick.strategy) {
      pick.seconds = one.seconds;
      pick.predicted_seconds = one.predicted_seconds;
    } else {
      pick.alternatives.push_back(one);
    }
  }
  return pick;
}

// "MPI_Iallreduce_c" runs "allreduce".
std::string operation_of(const std::string& function) {
  std::string name = function.substr(function.find('_') + 1);
  if (name.ends_with("_c"))
    name.resize(name.size() - 2);
  std::ranges::transform(name, name.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return name;
}

bool is_of(const SiteProfile& site, const std::string& operation, int ranks) {
  const std::string name = operation_of(site.total.function);
  return site.total.ranks == ranks && (name == operation || name == "i" + operation);
}

bool ran(const SiteProfile& site, const std::string& strategy) {
  return std::ranges::any_of(site.total.endings,
                             [&](const auto& ending) { return ending.first.first == strategy; });
}

double mean_bytes(const SiteProfile& site) {
  return static_cast<double>(site.total.bytes) /
         static_cast<double>(std::max<std::uint64_t>(1, site.total.calls));
}

// Of the file's picks of that strategy the one whose size is the nearest.
const TunedPick* tuned_for(const SiteProfile& site, const std::string& strategy,
                           const std::vector<TunedPick>& tuned) {
  const TunedPick* nearest = nullptr;
  double nearest_distance = std::numeric_limits<double>::infinity();
  for (const TunedPick& pick : tuned) {
    if (pick.strategy != strategy || !is_of(site, pick.operation, pick.ranks))
      continue;
    const double distance =
        std::abs(std::log2(static_cast<double>(pick.bytes) + 1) - std::log2(mean_bytes(site) + 1));
    if (distance < nearest_distance) {
      nearest = &pick;
      nearest_distance = distance;
    }
  }
  return nearest;
}

PickProfile chosen(const SiteProfile& site, const std::string& strategy, const PickSources& sources) {
  if (const TunedPick* const pick = tuned_for(site, strategy, sources.tuned))
    return {pick->operation, pick->bytes,   pick->ranks, pick->strategy,
            "tuning file",   pick->seconds, 0,           {{library, pick->native_seconds}}};
  std::string operation = operation_of(site.total.function);
  if (!site.total.endings.empty() && site.total.function.starts_with("MPI_I"))
    operation.erase(0, 1);
  return {operation,
          static_cast<std::int64_t>(std::llround(mean_bytes(site))),
          site.total.ranks,
          strategy,
          sources.use.empty() ? "rule" : "use",
          0,
          0,
          {}};
}

bool is_known(const std::vector<PickProfile>& picks, const SiteProfile& site, const std::string& strategy) {
  return std::ranges::any_of(picks, [&](const PickProfile& pick) {
    return is_of(site, pick.operation, pick.ranks) &&
           (pick.strategy == strategy || std::ranges::any_of(pick.alternatives, [&](const auto& one) {
              return one.strategy == strategy;
            }));
  });
}

} // namespace

std::vector<PickProfile> picks_of(const PickSources& sources, const Profile& profile) {
  std::vector<PickProfile> picks;
  if (!sources.learned.empty())
    for (const ordered_json& entry : ordered_json::parse(sources.learned))
      picks.push_back(learned_pick(entry));
  for (const SiteProfile& site : profile.sites)
    for (const auto& [ending, calls] : site.total.endings)
      if (ending.first != library && !is_known(picks, site, ending.first))
        picks.push_back(chosen(site, ending.first, sources));
  return picks;
}

int call_index(const PickProfile& pick, const Profile& profile) {
  const auto matches = [&](bool must_have_run) {
    return std::ranges::find_if(profile.sites, [&](const SiteProfile& site) {
      return is_of(site, pick.operation, pick.ranks) && (!must_have_run || ran(site, pick.strategy));
    });
  };
  auto found = matches(true);
  if (found == profile.sites.end())
    found = matches(false);
  return found == profile.sites.end() ? -1 : static_cast<int>(found - profile.sites.begin());
}

} // namespace thalweg::mpi::observe
