// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// MPI's operators: the predefined ones and their datatypes, which of them are arithmetic of our own, and how
// the engine combines by any of them.

#include "engine/reductions.hpp"
#include "job/buffers.hpp"
#include "transport/mpi/mpi_api.hpp"

#include <exception>
#include <mpi.h>
#include <utility>
#include <vector>

namespace thalweg::job {

/// What an operator does with the elements of a datatype, as rows of numbers.
struct ReductionOfNumbers {
  engine::Reduction reduction = nullptr; ///< none of ours: nullptr
  std::int64_t number_bytes = 1;
};

struct PredefinedOperators {
  std::vector<std::pair<MPI_Op, engine::Arithmetic>> operators;
  std::vector<std::pair<MPI_Datatype, engine::Number>> types;
  MPI_Datatype byte; ///< has bits, but no order
  /// Fortran's real numbers, where they are of these sizes. And complex ones, whose sums are two numbers
  /// each. The library's loops may take one operand of two that are no numbers in one place, the other in
  /// another.
  std::vector<std::pair<MPI_Datatype, engine::Number>> real_types;
  std::vector<std::pair<MPI_Datatype, engine::Number>> complex_types;

  /// Takes whole numbers for signed ones where the library does so, or the other way round: MPICH 4.0 orders
  /// all numbers without a sign as if they had one, Open MPI 4.1 some. Sums and bits are the same either way.
  void order_as_library(const transport::MpiApi& api);

  /// The reduction that an operator is on a datatype whose elements have so many bytes.
  ReductionOfNumbers reduction(MPI_Op op, MPI_Datatype type, std::int64_t element_bytes) const;
};

namespace detail {

constexpr engine::Number signed_of(std::size_t bytes) {
  using engine::Number;
  return bytes == 1 ? Number::int8 : bytes == 2 ? Number::int16 : bytes == 4 ? Number::int32 : Number::int64;
}

constexpr engine::Number unsigned_of(std::size_t bytes) {
  using engine::Number;
  return bytes == 1   ? Number::uint8
         : bytes == 2 ? Number::uint16
         : bytes == 4 ? Number::uint32
                      : Number::uint64;
}

} // namespace detail

/// By MPI's own names, which mean other things inside of the interposer: so this is compiled where they are
/// used. The types are those of C that programs use; MPI_Reduce_local knows all.
static inline PredefinedOperators predefined_operators() {
  using engine::Arithmetic;
  using engine::Number;
  return {.operators = {{MPI_SUM, Arithmetic::sum},
                        {MPI_PROD, Arithmetic::product},
                        {MPI_MIN, Arithmetic::minimum},
                        {MPI_MAX, Arithmetic::maximum},
                        {MPI_BAND, Arithmetic::bitwise_and},
                        {MPI_BOR, Arithmetic::bitwise_or},
                        {MPI_BXOR, Arithmetic::bitwise_xor}},
          .types = {{MPI_DOUBLE, Number::float64},
                    {MPI_FLOAT, Number::float32},
                    {MPI_INT, detail::signed_of(sizeof(int))},
                    {MPI_LONG, detail::signed_of(sizeof(long))},
                    {MPI_LONG_LONG, Number::int64},
                    {MPI_UNSIGNED, detail::unsigned_of(sizeof(unsigned))},
                    {MPI_UNSIGNED_LONG, detail::unsigned_of(sizeof(unsigned long))},
                    {MPI_UNSIGNED_LONG_LONG, Number::uint64},
                    {MPI_SHORT, Number::int16},
                    {MPI_UNSIGNED_SHORT, Number::uint16},
                    {MPI_SIGNED_CHAR, Number::int8},
                    {MPI_UNSIGNED_CHAR, Number::uint8},
                    {MPI_INT8_T, Number::int8},
                    {MPI_INT16_T, Number::int16},
                    {MPI_INT32_T, Number::int32},
                    {MPI_INT64_T, Number::int64},
                    {MPI_UINT8_T, Number::uint8},
                    {MPI_UINT16_T, Number::uint16},
                    {MPI_UINT32_T, Number::uint32},
                    {MPI_UINT64_T, Number::uint64}},
          .byte = MPI_BYTE,
          .real_types = {{MPI_REAL, Number::float32},
                         {MPI_DOUBLE_PRECISION, Number::float64},
                         {MPI_REAL4, Number::float32},
                         {MPI_REAL8, Number::float64}},
          .complex_types = {{MPI_C_FLOAT_COMPLEX, Number::float32},
                            {MPI_C_DOUBLE_COMPLEX, Number::float64},
                            {MPI_CXX_FLOAT_COMPLEX, Number::float32},
                            {MPI_CXX_DOUBLE_COMPLEX, Number::float64},
                            {MPI_COMPLEX, Number::float32},
                            {MPI_DOUBLE_COMPLEX, Number::float64},
                            {MPI_COMPLEX8, Number::float32},
                            {MPI_COMPLEX16, Number::float64}}};
}

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
  bool calls_library() const override { return own_.reduction == nullptr; }

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
  std::exception_ptr failure_; ///< the first one; nothing is combined any more then
  bool is_failure_of_program_ = false;
};

} // namespace thalweg::job
