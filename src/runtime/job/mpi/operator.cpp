// SPDX-License-Identifier: BSD-3-Clause
#include "job/mpi/operator.hpp"

#include "base/assertion.hpp"
#include "transport/mpi/mpi_transport.hpp"

#include <algorithm>
#include <cstring>
#include <cxxabi.h>
#include <utility>

namespace thalweg::job {

MpiOperator::MpiOperator(const transport::MpiApi& api, const PredefinedOperators& predefined, MPI_Op op,
                         MPI_Datatype type, std::int64_t element_bytes)
    : api_(&api), op_(op), type_(type), element_bytes_(element_bytes),
      own_(predefined.reduction(op, type, element_bytes)) {
  THALWEG_ASSERT(light, element_bytes > 0);
  int commutes = 1;
  if (const int code = api.op_commutative(op, &commutes); code != MPI_SUCCESS)
    throw transport::MpiError("MPI_Op_commutative", code);
  commutes_ = commutes != 0;
}

// Operators that commute keep their operands' order too: NaNs and the signs of zeros tell it.
void MpiOperator::combine(std::byte* source, const std::byte* own, std::byte* target, std::int64_t bytes,
                          schedule::Side source_stands, bool spent) {
  const bool is_left = source_stands == schedule::Side::left;
  if (own_.reduction != nullptr) {
    own_.reduction(is_left ? source : own, is_left ? own : source, target,
                   static_cast<std::size_t>(bytes / own_.number_bytes));
    return;
  }
  const std::int64_t elements = bytes / element_bytes_;
  // MPI_Reduce_local leaves its result in the right operand's place.
  if (is_left) {
    if (own != target)
      std::memcpy(target, own, static_cast<std::size_t>(bytes));
    reduce(source, target, elements);
    return;
  }
  // A part at a time, which stays in cache.
  constexpr std::int64_t part_bytes = 16384;
  const std::int64_t part = std::max<std::int64_t>(part_bytes / element_bytes_, 1);
  for (std::int64_t done = 0; done < elements; done += part) {
    const std::int64_t count = std::min(part, elements - done);
    const auto length = static_cast<std::size_t>(count * element_bytes_);
    const std::int64_t at = done * element_bytes_;
    std::byte* right = source + at;
    if (!spent) {
      right = spare_.grow(length);
      std::memcpy(right, source + at, length);
    }
    reduce(own + at, right, count);
    std::memcpy(target + at, right, length);
  }
}

namespace {

// Set where the exception that is under way is the program's own.
constinit thread_local bool is_of_program = false;

} // namespace

bool MpiOperator::was_left_by_exception() {
  return std::exchange(is_of_program, false);
}

void MpiOperator::reduce(const std::byte* source, std::byte* target, std::int64_t elements) {
  constexpr std::int64_t at_once = std::int64_t{1} << 30;
  for (std::int64_t done = 0; done < elements && failure_ == nullptr; done += at_once) {
    const auto count = static_cast<int>(std::min(at_once, elements - done));
    try {
      const int code = api_->reduce_local(source + done * element_bytes_, target + done * element_bytes_,
                                          count, type_, op_);
      if (code != MPI_SUCCESS)
        failure_ = std::make_exception_ptr(transport::MpiError("MPI_Reduce_local", code));
    } catch (const abi::__forced_unwind&) {
      is_of_program = true;
      throw; // the thread is canceled
    } catch (...) {
      failure_ = std::current_exception();
      is_failure_of_program_ = true;
    }
  }
}

void MpiOperator::fail() {
  is_of_program = std::exchange(is_failure_of_program_, false);
  std::rethrow_exception(std::exchange(failure_, nullptr));
}

} // namespace thalweg::job
