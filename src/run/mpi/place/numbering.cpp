// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/place/numbering.hpp"

#include "base/assertion.hpp"
#include "job/mpi/agreement.hpp"
#include "mpi/abi/library_api.hpp"
#include "mpi/state/runtime.hpp"
#include "place/rank_order.hpp"

#include <algorithm>
#include <exception>
#include <fmt/format.h>

namespace thalweg::mpi {

namespace {

place::Slots found_order(CommunicatorState& communicator, std::vector<pattern::Edge> edges) {
  try {
    const job::RankGroup& group = communicator.group();
    pattern::Pattern pattern{communicator.size, {}};
    pattern.phases.push_back({"topology", 1, {communicator.size, std::move(edges)}});
    const machine::Allocation allocation =
        place::job_allocation(group.places().in_network, *group.nodes(), group.node_count());
    place::SureOrder order = place::sure_order(pattern, allocation);
    if (runtime.settings.verbose)
      log_line(fmt::format("ranks of a topology {}: {}", order.slot_of.empty() ? "stay" : "renumbered",
                           order.why));
    return order.slot_of;
  } catch (const std::exception& error) {
    log_line(error.what());
    return {};
  }
}

job::Agreement agreement_of(CommunicatorState& communicator) {
  const MPI_Comm shadow = communicator.group().communicator();
  return {library_api(),
          shadow,
          job::all_ranks(communicator.size),
          communicator.rank,
          job::agreement_tag(library_api(), shadow),
          communicator.channels()->policy()};
}

} // namespace

bool may_reorder(MPI_Comm comm, int reorder) {
  if (reorder == 0 || !runtime.settings.reorder || !runtime.world.agreed)
    return false;
  CommunicatorState* const communicator = find_communicator(comm);
  return communicator != nullptr && communicator->agreed && !communicator->inter && communicator->size > 2 &&
         communicator->group().node_count() > 1 && open_channels_now(*communicator);
}

std::vector<int> gathered(MPI_Comm comm, const std::vector<int>& own) {
  return agreement_of(*find_communicator(comm)).gather(own);
}

place::Slots agreed_order(MPI_Comm comm, const std::optional<std::vector<pattern::Edge>>& edges) {
  CommunicatorState& communicator = *find_communicator(comm);
  place::Slots order;
  if (communicator.rank == 0 && edges && !edges->empty())
    order = found_order(communicator, *edges);
  const bool moves = !order.empty();
  THALWEG_ASSERT(light, order.empty() || order.size() == static_cast<std::size_t>(communicator.size));
  order.resize(static_cast<std::size_t>(communicator.size) + 1);
  order.back() = moves ? 1 : 0;
  agreement_of(communicator).broadcast(order.data(), order.size() * sizeof order.front());
  const bool moved = order.back() != 0;
  order.pop_back();
  return moved ? order : place::Slots{};
}

MPI_Comm in_order(MPI_Comm comm, const place::Slots& order) {
  const auto own = std::ranges::find(order, find_communicator(comm)->rank);
  THALWEG_ASSERT(light, own != order.end());
  MPI_Comm made = MPI_COMM_NULL;
  native.Comm_split(comm, 0, static_cast<int>(own - order.begin()), &made);
  return made;
}

} // namespace thalweg::mpi
