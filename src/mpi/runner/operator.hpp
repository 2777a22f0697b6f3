#pragma once

#include "engine/operator.hpp"
#include "mpi/runner/arithmetic.hpp"
#include "mpi/runner/buffer_side.hpp"

namespace thalweg::mpi {

// An MPI operator on elements of one datatype: arithmetic of our own where it is such, else through
// MPI_Reduce_local. Failures are thrown as transport::MpiError.
class MpiOperator final : public engine::Operator {
public:
  void set(MPI_Op op, MPI_Datatype type, std::int64_t element_bytes, bool commutes) {
    op_ = op;
    type_ = type;
    element_bytes_ = element_bytes;
    commutes_ = commutes;
    arithmetic_ = reduction_of(op, type);
  }

  void combine(std::byte* source, const std::byte* own, std::byte* target, std::int64_t bytes,
               schedule::Side source_stands, bool spent) override;

private:
  void reduce(const std::byte* source, std::byte* target, std::int64_t elements) const;

  MPI_Op op_{};
  MPI_Datatype type_{};
  std::int64_t element_bytes_ = 1;
  bool commutes_ = true;
  engine::Reduction arithmetic_ = nullptr;
  Storage spare_;
};

} // namespace thalweg::mpi
