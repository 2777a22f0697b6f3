#include "mpi/runner/arithmetic.hpp"

#include <optional>

namespace thalweg::mpi {

namespace {

using engine::Arithmetic;
using engine::Number;

std::optional<Arithmetic> arithmetic_of(MPI_Op op) {
  if (op == MPI_SUM)
    return Arithmetic::sum;
  if (op == MPI_PROD)
    return Arithmetic::product;
  if (op == MPI_MIN)
    return Arithmetic::minimum;
  if (op == MPI_MAX)
    return Arithmetic::maximum;
  if (op == MPI_BAND)
    return Arithmetic::bitwise_and;
  if (op == MPI_BOR)
    return Arithmetic::bitwise_or;
  if (op == MPI_BXOR)
    return Arithmetic::bitwise_xor;
  return std::nullopt;
}

constexpr Number signed_of(std::size_t bytes) {
  return bytes == 1 ? Number::int8 : bytes == 2 ? Number::int16 : bytes == 4 ? Number::int32 : Number::int64;
}

constexpr Number unsigned_of(std::size_t bytes) {
  return bytes == 1   ? Number::uint8
         : bytes == 2 ? Number::uint16
         : bytes == 4 ? Number::uint32
                      : Number::uint64;
}

// Those of C that programs use; MPI_Reduce_local knows all.
std::optional<Number> number_of(MPI_Datatype type) {
  if (type == MPI_DOUBLE)
    return Number::float64;
  if (type == MPI_FLOAT)
    return Number::float32;
  if (type == MPI_INT || type == MPI_INT32_T)
    return Number::int32;
  if (type == MPI_LONG)
    return signed_of(sizeof(long));
  if (type == MPI_LONG_LONG || type == MPI_INT64_T)
    return Number::int64;
  if (type == MPI_UNSIGNED || type == MPI_UINT32_T)
    return Number::uint32;
  if (type == MPI_UNSIGNED_LONG)
    return unsigned_of(sizeof(unsigned long));
  if (type == MPI_UNSIGNED_LONG_LONG || type == MPI_UINT64_T)
    return Number::uint64;
  if (type == MPI_SHORT || type == MPI_INT16_T)
    return Number::int16;
  if (type == MPI_UNSIGNED_SHORT || type == MPI_UINT16_T)
    return Number::uint16;
  if (type == MPI_SIGNED_CHAR || type == MPI_INT8_T)
    return Number::int8;
  if (type == MPI_UNSIGNED_CHAR || type == MPI_UINT8_T)
    return Number::uint8;
  return std::nullopt;
}

bool is_bitwise(Arithmetic arithmetic) {
  return arithmetic >= Arithmetic::bitwise_and;
}

} // namespace

engine::Reduction reduction_of(MPI_Op op, MPI_Datatype type) {
  const auto arithmetic = arithmetic_of(op);
  if (!arithmetic)
    return nullptr;
  if (type == MPI_BYTE) // has bits, but no order
    return is_bitwise(*arithmetic) ? engine::reduction(*arithmetic, Number::uint8) : nullptr;
  const auto number = number_of(type);
  return number ? engine::reduction(*arithmetic, *number) : nullptr;
}

} // namespace thalweg::mpi
