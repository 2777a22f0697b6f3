// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/offload/nic_arrivals.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>

namespace thalweg::mpi {

namespace {

using ArrivalsByRank = std::map<int, LastArrivals>;

struct ArrivalTable {
  std::mutex mutex;
  std::map<std::string, ArrivalsByRank> functions;
};

ArrivalTable& known() {
  static ArrivalTable instance;
  return instance;
}

std::string line_of(const std::string& function, const ArrivalsByRank& ranks) {
  std::uint64_t calls = 0;
  for (const auto& [rank, last] : ranks)
    calls += last.calls;
  const auto max =
      std::ranges::max_element(ranks, {}, [](const auto& entry) { return entry.second.calls.load(); });
  const std::uint64_t highest = max->second.calls;
  return fmt::format("rank {} to {} of {} {}, {:.1f} us behind the first", max->first, highest, calls,
                     function, static_cast<double>(max->second.waited_us) / static_cast<double>(highest));
}

} // namespace

LastArrivals& last_arrivals(const char* function, int rank) {
  const std::scoped_lock lock(known().mutex);
  return known().functions[function].try_emplace(rank, function, rank).first->second;
}

std::string last_on_nics() {
  const std::scoped_lock lock(known().mutex);
  nlohmann::ordered_json found = nlohmann::ordered_json::array();
  for (const auto& [function, ranks] : known().functions)
    for (const auto& [rank, last] : ranks)
      found.push_back({{"function", function},
                       {"rank", rank},
                       {"calls", last.calls.load()},
                       {"first_waited_us", last.waited_us.load()}});
  return found.empty() ? "" : found.dump();
}

std::string last_on_nics_line() {
  const std::scoped_lock lock(known().mutex);
  std::string text;
  for (const auto& [function, ranks] : known().functions)
    text += (text.empty() ? "last on network devices: " : "; ") + line_of(function, ranks);
  return text;
}

} // namespace thalweg::mpi
