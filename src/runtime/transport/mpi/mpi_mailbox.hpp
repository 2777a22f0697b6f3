// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/mailbox.hpp"
#include "transport/mpi/mpi_api.hpp"

#include <map>

namespace thalweg::transport {

/// A mailbox of MPI's synchronous sends, and looks for messages of any rank. Failures are MpiError.
class MpiMailbox final : public Mailbox {
public:
  /// `communicator` outlives it, and must return errors. Nobody else uses `tag` there.
  MpiMailbox(const MpiApi& api, MPI_Comm communicator, int tag)
      : api_(api), communicator_(communicator), tag_(tag) {}

  std::uint64_t send(Rank to, std::span<const std::byte> bytes) override;
  bool was_received(std::uint64_t number) override;
  bool receive(std::vector<std::byte>& message) override;

private:
  struct Sending {
    std::vector<std::byte> bytes;
    MPI_Request request;
  };

  const MpiApi& api_;
  MPI_Comm communicator_;
  int tag_;
  std::uint64_t sent_ = 0;
  std::map<std::uint64_t, Sending> sending_; ///< by number
};

} // namespace thalweg::transport
