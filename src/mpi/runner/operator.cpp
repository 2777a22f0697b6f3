#include "mpi/runner/operator.hpp"

#include <algorithm>
#include <climits>
#include <cstring>

#include "transport/mpi/mpi_transport.hpp"

namespace thalweg::mpi {

void MpiOperator::combine(std::byte* source, const std::byte* own, std::byte* target, std::int64_t bytes,
                          schedule::Side source_stands, bool spent) {
  const std::int64_t elements = bytes / element_bytes_;
  const auto length = static_cast<std::size_t>(bytes);
  if (arithmetic_ != nullptr) {
    arithmetic_(source, own, target, static_cast<std::size_t>(elements));
    return;
  }
  // MPI_Reduce_local leaves its result in the right operand's place.
  if (source_stands == schedule::Side::left || commutes_) {
    if (own != target)
      std::memcpy(target, own, length);
    reduce(source, target, elements);
    return;
  }
  std::byte* right = source;
  if (!spent) {
    right = spare_.grow(length);
    std::memcpy(right, source, length);
  }
  reduce(own, right, elements);
  std::memcpy(target, right, length);
}

void MpiOperator::reduce(const std::byte* source, std::byte* target, std::int64_t elements) const {
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
