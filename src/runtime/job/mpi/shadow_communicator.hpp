// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/mpi/mpi_api.hpp"

#include <memory>

namespace thalweg::job {

/// As long as it lives, errors on a communicator of the program's are returned, and its own error handler is
/// not called. On MPICH, one whose errors are fatal stays as it is, since it may have no handler at all.
class ErrorsReturned {
public:
  ErrorsReturned(const transport::MpiApi& api, MPI_Comm communicator);
  ~ErrorsReturned();
  ErrorsReturned(const ErrorsReturned&) = delete;
  ErrorsReturned& operator=(const ErrorsReturned&) = delete;

private:
  const transport::MpiApi& api_;
  MPI_Comm communicator_;
  MPI_Errhandler before_{};
  bool is_read_;
  bool is_changed_;
};

/// A duplicate of a communicator for our own messages, which no message of the program can meet. It returns
/// errors, and copies no attributes, since copying calls the program's callbacks. It is freed with its last
/// holder, unless MPI has ended by then.
class ShadowCommunicator {
public:
  /// Collective over `parent`; a null pointer where the library cannot make it, which its error handler is
  /// not told (but see ErrorsReturned).
  static std::shared_ptr<ShadowCommunicator> make(const transport::MpiApi& api, MPI_Comm parent);

  /// The same of a parent that keeps its error handler, which is told.
  static std::shared_ptr<ShadowCommunicator> make_as_it_is(const transport::MpiApi& api, MPI_Comm parent);

  /// The same over `base`, which has all of the parent's ranks, and whose error handler alone is told.
  /// Creations that are under way at a time differ by their `tag`.
  static std::shared_ptr<ShadowCommunicator> make_over(const transport::MpiApi& api, MPI_Comm base,
                                                       MPI_Comm parent, int tag);

  /// Takes a communicator that nobody else uses; a null pointer for MPI_COMM_NULL.
  static std::shared_ptr<ShadowCommunicator> adopt(const transport::MpiApi& api, MPI_Comm own);

  ~ShadowCommunicator();
  ShadowCommunicator(const ShadowCommunicator&) = delete;
  ShadowCommunicator& operator=(const ShadowCommunicator&) = delete;

  MPI_Comm handle() const { return handle_; }

private:
  ShadowCommunicator(const transport::MpiApi& api, MPI_Comm handle) : api_(api), handle_(handle) {}

  const transport::MpiApi& api_;
  MPI_Comm handle_;
};

} // namespace thalweg::job
