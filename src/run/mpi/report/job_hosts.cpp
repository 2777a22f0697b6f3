// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/report/job_hosts.hpp"

#include "job/mpi/agreement.hpp"
#include "job/placement.hpp"
#include "job/waiting.hpp"
#include "mpi/abi/library_api.hpp"
#include "mpi/state/runtime.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace thalweg::mpi {

namespace {

// Half a path would lead elsewhere.
template <std::size_t size>
void put(std::array<char, size>& place, const std::string& text) {
  if (text.size() < size)
    std::memcpy(place.data(), text.data(), text.size());
}

struct HostWords {
  std::array<char, 256> name{};
  std::array<char, 512> part{};
};

// The first rank of each node.
std::vector<Rank> first_ranks(const job::Placement& placement) {
  std::vector<Rank> first(static_cast<std::size_t>(placement.node_count), -1);
  for (std::size_t rank = 0; rank < placement.nodes.size(); ++rank)
    if (Rank& known = first[static_cast<std::size_t>(placement.nodes[rank])]; known < 0)
      known = static_cast<Rank>(rank);
  return first;
}

} // namespace

observe::JobMap agree_on_hosts(const std::string& part) {
  const job::Placement& placement = runtime.world.placement;
  if (!runtime.world.agreed || placement.node_count < 2)
    return {};
  std::vector<Rank> first = first_ranks(placement);
  const auto own = std::ranges::find(first, static_cast<Rank>(runtime.world.rank));
  if (own == first.end())
    return {};
  HostWords words;
  put(words.name, job::host_name());
  put(words.part, part);
  const transport::MpiApi& api = library_api();
  const auto place = static_cast<Rank>(own - first.begin());
  const job::Agreement hosts(api, runtime.world.communicator, std::move(first), place,
                             job::agreement_tag(api, runtime.world.communicator), job::wait_policy({}, true));
  observe::JobMap map;
  for (const HostWords& one : hosts.allgather(words))
    map.hosts.push_back({one.name.data(), one.part.data()});
  map.nodes = placement.nodes;
  return map;
}

} // namespace thalweg::mpi
