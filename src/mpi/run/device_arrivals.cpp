#include "mpi/run/device_arrivals.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace thalweg::mpi {

namespace {

struct Waits {
  std::uint64_t calls = 0;
  std::uint64_t waited_us = 0;
};
using WaitsByRank = std::map<int, Waits>;

struct Known {
  std::mutex mutex;
  std::map<std::string, WaitsByRank> functions;
};

Known& known() {
  static Known instance;
  return instance;
}

std::string line_of(const std::string& function, const WaitsByRank& ranks) {
  std::uint64_t calls = 0;
  for (const auto& [rank, waits] : ranks)
    calls += waits.calls;
  const auto max = std::ranges::max_element(ranks, {}, [](const auto& entry) { return entry.second.calls; });
  const Waits& waits = max->second;
  return fmt::format("rank {} to {} of {} {}, {:.1f} us behind the first", max->first, waits.calls, calls,
                     function, static_cast<double>(waits.waited_us) / static_cast<double>(waits.calls));
}

} // namespace

void note_last_on_devices(const char* function, int rank, std::uint32_t waited_us) {
  const std::scoped_lock lock(known().mutex);
  Waits& waits = known().functions[function][rank];
  ++waits.calls;
  waits.waited_us += waited_us;
}

std::string last_on_devices() {
  const std::scoped_lock lock(known().mutex);
  nlohmann::ordered_json found = nlohmann::ordered_json::array();
  for (const auto& [function, ranks] : known().functions)
    for (const auto& [rank, waits] : ranks)
      found.push_back({{"function", function},
                       {"rank", rank},
                       {"calls", waits.calls},
                       {"first_waited_us", waits.waited_us}});
  return found.empty() ? "" : found.dump();
}

std::string last_on_devices_line() {
  const std::scoped_lock lock(known().mutex);
  std::string text;
  for (const auto& [function, ranks] : known().functions)
    text += (text.empty() ? "last on network devices: " : "; ") + line_of(function, ranks);
  return text;
}

} // namespace thalweg::mpi
