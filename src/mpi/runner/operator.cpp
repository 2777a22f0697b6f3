#include "mpi/runner/operator.hpp"

#include <algorithm>
#include <climits>
#include <cstring>

#include "transport/mpi/mpi_transport.hpp"

namespace thalweg::mpi {

void MpiOperator::combine(std::byte* source, std::byte* target, std::int64_t bytes,
                          schedule::Side source_stands, bool spent) {
  const std::int64_t elements = bytes / element_bytes_;
  if (source_stands == schedule::Side::left || commutes_) {
    reduce(source, target, elements);
    return;
  }
  // MPI_Reduce_local leaves its result in the right operand's place, and here that is the source.
  std::byte* right = source;
  if (!spent) {
    right = spare_.grow(static_cast<std::size_t>(bytes));
    std::memcpy(right, source, static_cast<std::size_t>(bytes));
  }
  reduce(target, right, elements);
  std::memcpy(target, right, static_cast<std::size_t>(bytes));
}

void MpiOperator::reduce(const std::byte* source, std::byte* target, std::int64_t elements) const {
  if (arithmetic_ != nullptr) {
    arithmetic_(source, target, static_cast<std::size_t>(elements));
    return;
  }
  constexpr std::int64_t at_once = std::int64_t{1} << 30;
  for (std::int64_t done = 0; done < elements; done += at_once) {
    const auto count = static_cast<int>(std::min(at_once, elements - done));
    const int code = native.Reduce_local(source + done * element_bytes_, target + done * element_bytes_,
                                         count, type_, op_);
    if (code != MPI_SUCCESS)
      throw transport::MpiError("MPI_Reduce_local", code);
  }
}

} // namespace thalweg::mpi
