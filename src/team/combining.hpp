#pragma once

// MPI's operators as the engine wants them: our own loops for numbers, the library's for everything else.

#include "engine/operator.hpp"
#include "engine/reductions.hpp"

#include <mpi.h>
#include <vector>

namespace thalweg::teams {

class Combining final : public engine::Operator {
public:
  Combining() = default;
  /// Throws Error where the library knows no such combination.
  Combining(MPI_Op op, MPI_Datatype type, std::size_t element_bytes);

  bool commutes() const { return commutes_; }
  void combine(std::byte* source, const std::byte* own, std::byte* target, std::int64_t bytes,
               schedule::Side source_stands, bool spent) override;

private:
  MPI_Op op_ = MPI_OP_NULL;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  std::size_t element_bytes_ = 1;
  bool commutes_ = true;
  engine::Reduction fast_ = nullptr;
  std::vector<std::byte> aside_;
};

} // namespace thalweg::teams
