// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Messages as MPI point-to-point on a communicator of our own. Compiled once for each family of MPI
// libraries.

#include "base/error.hpp"
#include "transport/mpi/mpi_api.hpp"
#include "transport/transport.hpp"

#include <map>

namespace thalweg::transport {

/// An MPI call of the transport failed with this code of the library.
class MpiError : public Error {
public:
  MpiError(const char* call, int code);
  int code() const noexcept { return code_; }

private:
  int code_;
};

class MpiTransport final : public Transport {
public:
  /// `communicator` must return errors and carry nobody else's traffic; `tag_limit` is at most its
  /// MPI_TAG_UB + 1.
  MpiTransport(const MpiApi& api, MPI_Comm communicator, Rank rank, std::int32_t ranks,
               std::int32_t tag_limit)
      : api_(api), communicator_(communicator), rank_(rank), ranks_(ranks), tag_limit_(tag_limit) {}

  Rank rank() const override { return rank_; }
  std::int32_t ranks() const override { return ranks_; }
  std::int32_t tag_limit() const override { return tag_limit_; }
  std::unique_ptr<Batch> make_batch() override;

private:
  const MpiApi& api_;
  MPI_Comm communicator_;
  Rank rank_;
  std::int32_t ranks_;
  std::int32_t tag_limit_;
};

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
  struct SynchronousSend {
    std::vector<std::byte> bytes;
    MPI_Request request;
  };

  const MpiApi& api_;
  MPI_Comm communicator_;
  int tag_;
  std::uint64_t sent_ = 0;
  std::map<std::uint64_t, SynchronousSend> sending_; ///< by number
};

} // namespace thalweg::transport
