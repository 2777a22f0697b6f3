// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/operator.hpp"
#include "job/mpi/predefined_operators.hpp"
#include "job/storage.hpp"
#include "transport/mpi/mpi_api.hpp"

#include <exception>

namespace thalweg::job {

/// An MPI operator on elements of one datatype: arithmetic of our own where it is such, else through
/// MPI_Reduce_local.
///
/// What an operator throws, and its failures (as transport::MpiError), are kept until the schedule has come
/// to its end: ranks that left it in the middle would leave messages of it behind for the next one.
class MpiOperator final : public engine::Operator {
public:
  MpiOperator() = default;
  MpiOperator(const transport::MpiApi& api, const PredefinedOperators& predefined, MPI_Op op,
              MPI_Datatype type, std::int64_t element_bytes);

  bool commutes() const { return commutes_; }
  /// Behind each run: throws what the operator has failed with in it.
  void finish() {
    if (failure_ != nullptr) [[unlikely]]
      fail();
  }
  /// Has the program's own operator thrown, since this thread asked last? Whoever catches an exception so
  /// tells the program's from ours.
  static bool was_left_by_exception();

  void combine(std::byte* source, const std::byte* own, std::byte* target, std::int64_t bytes,
               schedule::Side source_stands, bool spent) override;

private:
  void reduce(const std::byte* source, std::byte* target, std::int64_t elements);
  [[noreturn]] void fail();

  const transport::MpiApi* api_ = nullptr;
  MPI_Op op_{};
  MPI_Datatype type_{};
  std::int64_t element_bytes_ = 1;
  bool commutes_ = true;
  ReductionOfNumbers own_;
  Storage spare_;
  std::exception_ptr failure_; // the first one; nothing is combined any more then
  bool is_failure_of_program_ = false;
};

} // namespace thalweg::job
