#include "team/combining.hpp"

#include "team/mpi_calls.hpp"

#include <climits>
#include <cstring>
#include <optional>
#include <utility>

namespace thalweg::teams {

namespace {

using engine::Arithmetic;
using engine::Number;

std::optional<Arithmetic> arithmetic_of(MPI_Op op) {
  const std::pair<MPI_Op, Arithmetic> known[] = {
      {MPI_SUM, Arithmetic::sum},          {MPI_PROD, Arithmetic::product},
      {MPI_MIN, Arithmetic::minimum},      {MPI_MAX, Arithmetic::maximum},
      {MPI_BAND, Arithmetic::bitwise_and}, {MPI_BOR, Arithmetic::bitwise_or},
      {MPI_BXOR, Arithmetic::bitwise_xor}};
  for (const auto& [handle, arithmetic] : known)
    if (handle == op)
      return arithmetic;
  return std::nullopt;
}

Number signed_of(std::size_t bytes) {
  return bytes == 1 ? Number::int8 : bytes == 2 ? Number::int16 : bytes == 4 ? Number::int32 : Number::int64;
}

Number unsigned_of(std::size_t bytes) {
  return bytes == 1   ? Number::uint8
         : bytes == 2 ? Number::uint16
         : bytes == 4 ? Number::uint32
                      : Number::uint64;
}

std::optional<Number> number_of(MPI_Datatype type) {
  const std::pair<MPI_Datatype, Number> known[] = {{MPI_DOUBLE, Number::float64},
                                                   {MPI_FLOAT, Number::float32},
                                                   {MPI_INT, signed_of(sizeof(int))},
                                                   {MPI_LONG, signed_of(sizeof(long))},
                                                   {MPI_LONG_LONG, Number::int64},
                                                   {MPI_UNSIGNED, unsigned_of(sizeof(unsigned))},
                                                   {MPI_UNSIGNED_LONG, unsigned_of(sizeof(unsigned long))},
                                                   {MPI_UNSIGNED_LONG_LONG, Number::uint64},
                                                   {MPI_INT8_T, Number::int8},
                                                   {MPI_INT16_T, Number::int16},
                                                   {MPI_INT32_T, Number::int32},
                                                   {MPI_INT64_T, Number::int64},
                                                   {MPI_UINT8_T, Number::uint8},
                                                   {MPI_UINT16_T, Number::uint16},
                                                   {MPI_UINT32_T, Number::uint32},
                                                   {MPI_UINT64_T, Number::uint64}};
  for (const auto& [handle, number] : known)
    if (handle == type)
      return number;
  return std::nullopt;
}

engine::Reduction fast_way(MPI_Op op, MPI_Datatype type) {
  const auto arithmetic = arithmetic_of(op);
  const auto number = number_of(type);
  return arithmetic && number ? engine::reduction(*arithmetic, *number) : nullptr;
}

} // namespace

Combining::Combining(MPI_Op op, MPI_Datatype type, std::size_t element_bytes)
    : op_(op), type_(type), element_bytes_(element_bytes), fast_(fast_way(op, type)) {
  int commutes = 1;
  must(MPI_Op_commutative(op, &commutes), "MPI_Op_commutative");
  commutes_ = commutes != 0;
}

void Combining::combine(std::byte* source, const std::byte* own, std::byte* target, std::int64_t bytes,
                        schedule::Side source_stands, bool spent) {
  const auto length = static_cast<std::size_t>(bytes);
  const std::size_t count = length / element_bytes_;
  if (fast_ != nullptr) {
    fast_(source, own, target, count);
    return;
  }
  // MPI_Reduce_local leaves its result in the right operand's place.
  const bool turned = source_stands == schedule::Side::right && !commutes_;
  if (turned && !spent) {
    aside_.assign(source, source + bytes);
    source = aside_.data();
  }
  if (!turned && own != target)
    std::memcpy(target, own, length);
  const std::byte* const left = turned ? own : source;
  std::byte* const right = turned ? source : target;
  constexpr std::size_t most = INT_MAX;
  for (std::size_t done = 0; done < count; done += most) {
    const int part = static_cast<int>(std::min(most, count - done));
    must(MPI_Reduce_local(left + done * element_bytes_, right + done * element_bytes_, part, type_, op_),
         "MPI_Reduce_local");
  }
  if (turned)
    std::memcpy(target, source, length);
}

} // namespace thalweg::teams
