// SPDX-License-Identifier: BSD-3-Clause
#include "job/mpi/predefined_operators.hpp"

#include <algorithm>
#include <optional>

namespace thalweg::job {

namespace {

using engine::Arithmetic;
using engine::Number;

bool is_bitwise(Arithmetic arithmetic) {
  return arithmetic >= Arithmetic::bitwise_and;
}

std::int64_t bytes_of(Number number) {
  switch (number) {
  case Number::int8:
  case Number::uint8:
    return 1;
  case Number::int16:
  case Number::uint16:
    return 2;
  case Number::int32:
  case Number::uint32:
  case Number::float32:
    return 4;
  case Number::int64:
  case Number::uint64:
  case Number::float64:
    break;
  }
  return 8;
}

template <typename Key, typename Value>
std::optional<Value> found_in(const std::vector<std::pair<Key, Value>>& table, Key key) {
  const auto found = std::ranges::find(table, key, &std::pair<Key, Value>::first);
  return found == table.end() ? std::nullopt : std::optional(found->second);
}

bool is_signed(Number number) {
  return number <= Number::int64;
}

bool is_whole(Number number) {
  return number <= Number::uint64;
}

Number of_other_sign(Number number) {
  const auto bytes = static_cast<std::size_t>(bytes_of(number));
  return is_signed(number) ? detail::unsigned_of(bytes) : detail::signed_of(bytes);
}

} // namespace

void PredefinedOperators::order_as_library(const transport::MpiApi& api) {
  const auto maximum =
      std::ranges::find(operators, Arithmetic::maximum, [](auto& entry) { return entry.second; });
  for (auto& [type, number] : types) {
    if (!is_whole(number))
      continue;
    const std::int64_t zero = 0;
    std::int64_t larger = -1; // with all bits set, of numbers without a sign the largest
    if (api.reduce_local(&zero, &larger, 1, type, maximum->first) == MPI_SUCCESS &&
        is_signed(number) != (larger != -1))
      number = of_other_sign(number);
  }
}

ReductionOfNumbers PredefinedOperators::reduction(MPI_Op op, MPI_Datatype type,
                                                  std::int64_t element_bytes) const {
  const std::optional<Arithmetic> arithmetic = found_in(operators, op);
  if (!arithmetic)
    return {};
  if (type == byte)
    return is_bitwise(*arithmetic) ? ReductionOfNumbers{engine::reduction(*arithmetic, Number::uint8), 1}
                                   : ReductionOfNumbers{};
  std::optional<Number> number = found_in(types, type);
  if (!number)
    number = found_in(real_types, type);
  std::int64_t numbers = 1;
  if (!number && arithmetic == Arithmetic::sum) {
    number = found_in(complex_types, type);
    numbers = 2;
  }
  if (!number || element_bytes != numbers * bytes_of(*number))
    return {};
  return {engine::reduction(*arithmetic, *number), bytes_of(*number)};
}

} // namespace thalweg::job
