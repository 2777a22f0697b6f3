// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Messages as MPI point-to-point on a communicator of our own. Compiled once for each family of MPI
// libraries.

#include "base/error.hpp"
#include "transport/batch.hpp"
#include "transport/mpi/mpi_api.hpp"

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

} // namespace thalweg::transport
