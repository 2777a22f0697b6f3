// SPDX-License-Identifier: BSD-3-Clause
#include "job/mpi/operator.hpp"

#include "base/assertion.hpp"
#include "transport/mpi/mpi_transport.hpp"

#include <algorithm>
#include <cstring>
#include <cxxabi.h>
#include <optional>
#include <utility>

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
  THALWEG_ASSERT(normal, bytes % element_bytes_ == 0 && source != target);
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
