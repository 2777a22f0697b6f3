#include "mpi/place/numbering.hpp"

#include <algorithm>
#include <exception>

#include "mpi/state/runtime.hpp"
#include "mpi/wait/polling.hpp"
#include "place/job_allocation.hpp"
#include "place/map.hpp"

namespace thalweg::mpi {

namespace {

constexpr double order_search_s = 0.05;
constexpr place::Goal order_goal{.hop_bytes = 1, .contention = 1};
// Nothing is tried, so what is predicted has to be much.
constexpr double sure_part = 0.8;

place::Slots found_order(CommunicatorState& communicator, std::vector<pattern::Edge> edges) {
  try {
    pattern::Pattern pattern{communicator.size, {}};
    pattern.phases.push_back({"topology", 1, {communicator.size, std::move(edges)}});
    const machine::Allocation allocation =
        place::job_allocation(communicator.node_places(), communicator.nodes(), communicator.node_count());
    const place::Result result =
        place::map(pattern, allocation, {.goal = order_goal, .seconds = order_search_s});
    const bool is_sure = !result.is_identity() &&
                         place::value(order_goal, result.placed, result.identity) < sure_part &&
                         result.placed.hop_bytes <= result.identity.hop_bytes &&
                         result.placed.phase_link_max <= result.identity.phase_link_max;
    return is_sure ? result.slot_of : place::Slots{};
  } catch (const std::exception& error) {
    log_line(error.what());
    return {};
  }
}

} // namespace

bool may_reorder(MPI_Comm comm, int reorder) {
  if (reorder == 0 || !runtime.settings.reorder || !runtime.agreed)
    return false;
  CommunicatorState* const communicator = find_communicator(comm);
  return communicator != nullptr && communicator->agreed && !communicator->inter && communicator->size > 2 &&
         communicator->node_count() > 1;
}

place::Slots agreed_order(MPI_Comm comm, const std::optional<std::vector<pattern::Edge>>& edges) {
  CommunicatorState& communicator = *find_communicator(comm);
  place::Slots order;
  if (communicator.rank == 0 && edges && !edges->empty())
    order = found_order(communicator, *edges);
  const bool moves = !order.empty();
  order.resize(static_cast<std::size_t>(communicator.size) + 1);
  order.back() = moves ? 1 : 0;
  MPI_Request request = MPI_REQUEST_NULL;
  native.Ibcast(order.data(), static_cast<int>(order.size()), MPI_INT, 0, comm, &request);
  poll_request(&request, MPI_STATUS_IGNORE);
  const bool moved = order.back() != 0;
  order.pop_back();
  return moved ? order : place::Slots{};
}

MPI_Comm in_order(MPI_Comm comm, const place::Slots& order) {
  const auto own = std::ranges::find(order, find_communicator(comm)->rank);
  MPI_Comm made = MPI_COMM_NULL;
  native.Comm_split(comm, 0, static_cast<int>(own - order.begin()), &made);
  return made;
}

} // namespace thalweg::mpi
