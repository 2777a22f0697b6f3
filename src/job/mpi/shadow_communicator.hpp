#pragma once

#include "transport/mpi/mpi_api.hpp"

#include <memory>

namespace thalweg::job {

/// A duplicate of a communicator for our own messages, which no message of the program can meet. It returns
/// errors, and copies no attributes, since copying calls the program's callbacks. It is freed with its last
/// holder, unless MPI has ended by then.
class ShadowCommunicator {
public:
  /// Collective over `parent`; a null pointer where the library cannot make it.
  static std::shared_ptr<ShadowCommunicator> make(const transport::MpiApi& api, MPI_Comm parent);

  /// Takes a communicator that nobody else uses.
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
