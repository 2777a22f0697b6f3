#pragma once

#include "engine/operator.hpp"
#include "job/mpi/predefined_operators.hpp"
#include "job/storage.hpp"
#include "transport/mpi/mpi_api.hpp"

namespace thalweg::job {

/// An MPI operator on elements of one datatype: arithmetic of our own where it is such, else through
/// MPI_Reduce_local. Failures are thrown as transport::MpiError.
class MpiOperator final : public engine::Operator {
public:
  MpiOperator() = default;
  MpiOperator(const transport::MpiApi& api, const PredefinedOperators& predefined, MPI_Op op,
              MPI_Datatype type, std::int64_t element_bytes);

  bool commutes() const { return commutes_; }
  /// Has the program's own operator thrown, since this thread asked last? Whoever catches an exception so
  /// tells the program's from ours.
  static bool was_left_by_exception();

  void combine(std::byte* source, const std::byte* own, std::byte* target, std::int64_t bytes,
               schedule::Side source_stands, bool spent) override;

private:
  void reduce(const std::byte* source, std::byte* target, std::int64_t elements) const;

  const transport::MpiApi* api_ = nullptr;
  MPI_Op op_{};
  MPI_Datatype type_{};
  std::int64_t element_bytes_ = 1;
  bool commutes_ = true;
  ReductionOfNumbers own_;
  Storage spare_;
};

} // namespace thalweg::job
