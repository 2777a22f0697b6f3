// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Groups on network devices are looked after in all calls of MPI: a rank that has got its result may be in
// any of them when others, whose devices are lost, need it.

#include <memory>

#include "mpi/offload/nic_group.hpp"

namespace thalweg::mpi {

// Has the group made where nobody waits for it. Then until it is over: where devices cannot run its calls or
// are lost, or once nobody else holds it, and all ranks have got all.
void watch_nics(std::shared_ptr<NicGroup> group);

// Before the end of MPI: waits until all groups are over.
void close_nics();

} // namespace thalweg::mpi
