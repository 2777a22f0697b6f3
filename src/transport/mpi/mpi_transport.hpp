#pragma once

// Messages as MPI point-to-point on a communicator of our own.
//
// Compiled once for each family of MPI libraries. The library's functions and handles come in a table,
// because inside of the interposer the names PMPI_… are our own and predefined handles are only known once
// the library is found.

#include "core/error.hpp"
#include "transport/batch.hpp"

#include <mpi.h>
#include <vector>

namespace thalweg::transport {

struct MpiFunctions {
  decltype(&PMPI_Isend) isend;
  decltype(&PMPI_Irecv) irecv;
  decltype(&PMPI_Send) send;
  decltype(&PMPI_Recv) recv;
  decltype(&PMPI_Sendrecv) sendrecv;
  decltype(&PMPI_Waitall) waitall;
  decltype(&PMPI_Waitsome) waitsome;
  decltype(&PMPI_Testsome) testsome;
  decltype(&PMPI_Testall) testall;
  decltype(&PMPI_Cancel) cancel;
  decltype(&PMPI_Request_free) request_free;
  decltype(&PMPI_Type_contiguous) type_contiguous;
  decltype(&PMPI_Type_create_struct) type_create_struct;
  decltype(&PMPI_Type_commit) type_commit;
  decltype(&PMPI_Type_free) type_free;
  MPI_Datatype byte;
  MPI_Request request_null;
};

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
  /// `communicator` must return errors and carry nobody else's traffic; `tag_limit` is its MPI_TAG_UB + 1.
  MpiTransport(const MpiFunctions& functions, MPI_Comm communicator, Rank rank, std::int32_t ranks,
               std::int32_t tag_limit)
      : functions_(functions), communicator_(communicator), rank_(rank), ranks_(ranks),
        tag_limit_(tag_limit) {}

  Rank rank() const override { return rank_; }
  std::int32_t ranks() const override { return ranks_; }
  std::int32_t tag_limit() const override { return tag_limit_; }
  std::unique_ptr<Batch> make_batch() override;

private:
  const MpiFunctions& functions_;
  MPI_Comm communicator_;
  Rank rank_;
  std::int32_t ranks_;
  std::int32_t tag_limit_;
};

} // namespace thalweg::transport
