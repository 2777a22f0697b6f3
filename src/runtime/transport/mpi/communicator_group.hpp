// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/mpi/mpi_api.hpp"

namespace thalweg::transport {

/// The group of an intracommunicator: as many members as it has ranks, also where the library's own group of
/// it has more.
class CommunicatorGroup {
public:
  CommunicatorGroup(const MpiApi& api, MPI_Comm communicator);
  ~CommunicatorGroup();
  CommunicatorGroup(const CommunicatorGroup&) = delete;
  CommunicatorGroup& operator=(const CommunicatorGroup&) = delete;

  /// Did the library give one?
  bool is_known() const { return is_known_; }
  MPI_Group get() const { return group_; }

private:
  const MpiApi& api_;
  MPI_Group group_{};
  bool is_known_;
};

} // namespace thalweg::transport
