// SPDX-License-Identifier: BSD-3-Clause
#include "transport/mpi/communicator_group.hpp"

#include <numeric>
#include <vector>

namespace thalweg::transport {

namespace {

// MPICH 5.0 gives a grid or graph of fewer ranks than its parent the parent's group, in which the grid's own
// ranks come first. A communicator that is made of this group hangs.
void leave_out_others(const MpiApi& api, MPI_Comm communicator, MPI_Group& group) {
  int ranks = 0;
  if (api.comm_size(communicator, &ranks) != MPI_SUCCESS)
    return;
  std::vector<int> own(static_cast<std::size_t>(ranks));
  std::iota(own.begin(), own.end(), 0);
  MPI_Group all = group;
  if (api.group_incl(all, ranks, own.data(), &group) == MPI_SUCCESS)
    api.group_free(&all);
}

} // namespace

CommunicatorGroup::CommunicatorGroup(const MpiApi& api, MPI_Comm communicator)
    : api_(api), is_known_(api.comm_group(communicator, &group_) == MPI_SUCCESS) {
  if (is_known_)
    leave_out_others(api, communicator, group_);
}

CommunicatorGroup::~CommunicatorGroup() {
  if (is_known_)
    api_.group_free(&group_);
}

} // namespace thalweg::transport
