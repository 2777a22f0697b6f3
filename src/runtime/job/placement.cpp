// SPDX-License-Identifier: BSD-3-Clause
#include "job/placement.hpp"

#include "base/assertion.hpp"
#include "base/random.hpp"
#include "topology/node_groups.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <sched.h>
#include <string>
#include <string_view>
#include <unistd.h>
#include <unordered_map>
#include <vector>

namespace thalweg::job {

namespace {

std::size_t read_number(std::string_view& text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

bool take(std::string_view& text, char letter) {
  const bool found = text.starts_with(letter);
  text.remove_prefix(found ? 1 : 0);
  return found;
}

// The kernel's way of writing sets: "0-15,32-47".
std::vector<std::size_t> listed_cores(std::string_view text) {
  constexpr std::size_t max_cores = 1 << 16;
  std::vector<std::size_t> cores;
  do {
    const std::size_t first = read_number(text);
    const std::size_t last = take(text, '-') ? read_number(text) : first;
    for (std::size_t core = first; core <= std::min(last, max_cores); ++core) {
      cores.push_back(core);
    }
  } while (take(text, ','));
  return cores;
}

} // namespace

int socket_of(std::span<const std::size_t> cores, const std::string& folder) {
  if (cores.empty()) {
    return -1;
  }
  const std::string topology = fmt::format("{}/cpu{}/topology/", folder, cores.front());
  int socket = -1;
  std::string fellows;
  if (!(std::ifstream(topology + "physical_package_id") >> socket) ||
      !(std::ifstream(topology + "core_siblings_list") >> fellows)) {
    return -1;
  }
  return std::ranges::includes(listed_cores(fellows), cores) ? socket : -1;
}

namespace {

std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string text;
  return file >> text ? text : host_name();
}

std::vector<std::size_t> allowed_cores() {
  constexpr std::size_t max_cores = 8192;
  std::vector<std::size_t> cores;
  cpu_set_t* set = CPU_ALLOC(max_cores);
  const std::size_t bytes = CPU_ALLOC_SIZE(max_cores);
  if (sched_getaffinity(0, bytes, set) == 0) {
    for (std::size_t core = 0; core < max_cores; ++core) {
      if (CPU_ISSET_S(core, bytes, set)) {
        cores.push_back(core);
      }
    }
  }
  CPU_FREE(set);
  return cores;
}

std::array<std::uint64_t, 4> folded(std::span<const std::size_t> cores) {
  std::array<std::uint64_t, 4> set{};
  for (const std::size_t core : cores) {
    set[core / 64 % set.size()] |= std::uint64_t{1} << core % 64;
  }
  return set;
}

// The tightest cpu.max of this process's control group and its parents; "max 100000" means none.
std::uint32_t quota_centicores() {
  std::ifstream groups("/proc/self/cgroup");
  std::string line;
  std::string path;
  while (std::getline(groups, line)) {
    if (line.starts_with("0::")) {
      path = line.substr(3);
    }
  }
  double lowest = static_cast<double>(UINT32_MAX);
  for (;;) {
    std::ifstream file("/sys/fs/cgroup" + path + "/cpu.max");
    double quota = 0;
    double period = 0;
    if (file >> quota >> period && period > 0) {
      lowest = std::min(lowest, std::max(1.0, quota / period * 100.0));
    }
    if (path.empty() || path == "/") {
      return static_cast<std::uint32_t>(lowest);
    }
    path.erase(path.rfind('/'));
  }
}

struct MachineLoad {
  int ranks = 0;
  std::array<std::uint64_t, 4> cores{};
  std::uint32_t quota_centicores = UINT32_MAX;

  int core_count() const {
    int count = 0;
    for (const std::uint64_t word : cores) {
      count += std::popcount(word);
    }
    return count;
  }
  double available() const { return std::min(static_cast<double>(core_count()), quota_centicores / 100.0); }
};

} // namespace

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

RankPlace this_place() {
  const std::string machine = boot_id();
  const std::vector<std::size_t> cores = allowed_cores();
  return {text_hash(machine), text_hash(machine + host_name()), folded(cores), quota_centicores(),
          socket_of(cores, "/sys/devices/system/cpu")};
}

namespace {

// The agent of a node may not have answered all of its ranks yet.
std::vector<int> leaves_of(std::span<const RankPlace> ranks) {
  std::unordered_map<std::uint64_t, std::uint32_t> of_nodes;
  for (const RankPlace& rank : ranks) {
    if (rank.aggregator != 0 && rank.aggregator != RankPlace::unreported) {
      of_nodes.try_emplace(rank.node, rank.aggregator);
    }
  }
  std::unordered_map<std::uint32_t, int> numbers;
  std::vector<int> leaves;
  for (const RankPlace& rank : ranks) {
    const auto named = of_nodes.find(rank.node);
    if (named == of_nodes.end()) {
      return {};
    }
    leaves.push_back(numbers.try_emplace(named->second, static_cast<int>(numbers.size())).first->second);
  }
  return numbers.size() > 1 ? leaves : std::vector<int>{};
}

} // namespace

Placement place_ranks(std::span<const RankPlace> ranks) {
  Placement placement;
  std::unordered_map<std::uint64_t, int> nodes;
  std::unordered_map<std::uint64_t, std::size_t> machines;
  std::vector<MachineLoad> loads;
  for (const RankPlace& rank : ranks) {
    const auto [node, is_new] = nodes.try_emplace(rank.node, static_cast<int>(nodes.size()));
    if (is_new) {
      placement.node_ids.push_back(rank.node);
    }
    placement.nodes.push_back(node->second);
    const auto [entry, fresh] = machines.try_emplace(rank.machine, loads.size());
    if (fresh) {
      loads.emplace_back();
    }
    MachineLoad& load = loads[entry->second];
    ++load.ranks;
    for (std::size_t word = 0; word < load.cores.size(); ++word) {
      load.cores[word] |= rank.cores[word];
    }
    load.quota_centicores = std::min(load.quota_centicores, rank.quota_centicores);
  }
  placement.node_count = static_cast<int>(nodes.size());
  std::vector<int> sockets;
  for (const RankPlace& rank : ranks) {
    sockets.push_back(rank.socket);
  }
  placement.sockets = topology::sockets_across_nodes(placement.nodes, sockets);
  placement.leaves = leaves_of(ranks);
  THALWEG_ASSERT(light, placement.nodes.size() == ranks.size());
  THALWEG_ASSERT(light, placement.sockets.empty() || placement.sockets.size() == ranks.size());
  if (!ranks.empty()) {
    std::vector<int> on_node(nodes.size());
    for (const int node : placement.nodes) {
      ++on_node[static_cast<std::size_t>(node)];
    }
    placement.min_on_node = *std::ranges::min_element(on_node);
    placement.max_on_node = *std::ranges::max_element(on_node);
    THALWEG_ASSERT(light, placement.min_on_node > 0); // no node is without ranks
    placement.cores = loads.front().core_count();
    placement.quota_centicores = loads.front().quota_centicores;
  }
  for (const MachineLoad& load : loads) {
    if (load.ranks > load.available() && load.available() > 0) {
      placement.oversubscribed = true;
      placement.oversubscribed_ranks = load.ranks;
      placement.oversubscribed_cores = load.available();
      break;
    }
  }
  return placement;
}

NodeMembers node_members(std::span<const int> nodes, Rank rank) {
  THALWEG_ASSERT(light, rank >= 0 && static_cast<std::size_t>(rank) < nodes.size());
  NodeMembers members;
  const int node = nodes[static_cast<std::size_t>(rank)];
  for (Rank other = 0; static_cast<std::size_t>(other) < nodes.size(); ++other) {
    if (other == rank)
      members.own = members.count();
    if (nodes[static_cast<std::size_t>(other)] == node)
      members.ranks.push_back(other);
  }
  return members;
}

std::vector<Rank> numbers_on_node(const NodeMembers& members, std::int32_t group_ranks) {
  std::vector<Rank> numbers(static_cast<std::size_t>(group_ranks), -1);
  THALWEG_ASSERT(light, members.count() <= group_ranks);
  for (Rank member = 0; member < members.count(); ++member)
    numbers[static_cast<std::size_t>(members.ranks[static_cast<std::size_t>(member)])] = member;
  return numbers;
}

} // namespace thalweg::job
