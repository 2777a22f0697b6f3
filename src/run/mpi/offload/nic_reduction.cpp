// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/offload/nic_reduction.hpp"

#include "mpi/abi/library_api.hpp"
#include "mpi/abi/native.hpp"
#include "mpi/call/operators.hpp"
#include "mpi/run/call_binding.hpp"
#include "nic/packet.h"
#include "strategies/host_tree.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace thalweg::mpi {

namespace {

using engine::Arithmetic;
using engine::Number;

static_assert(static_cast<int>(Arithmetic::sum) == THALWEG_NIC_SUM &&
              static_cast<int>(Arithmetic::product) == THALWEG_NIC_PRODUCT &&
              static_cast<int>(Arithmetic::minimum) == THALWEG_NIC_MINIMUM &&
              static_cast<int>(Arithmetic::maximum) == THALWEG_NIC_MAXIMUM &&
              static_cast<int>(Arithmetic::bitwise_and) == THALWEG_NIC_AND &&
              static_cast<int>(Arithmetic::bitwise_or) == THALWEG_NIC_OR &&
              static_cast<int>(Arithmetic::bitwise_xor) == THALWEG_NIC_XOR);

// Calls `visit` with an integer of the type. Floating-point numbers are their bits.
template <typename Visit>
void with_integer(Number number, Visit visit) {
  switch (number) {
  case Number::int8:
    return visit(std::int8_t{});
  case Number::int16:
    return visit(std::int16_t{});
  case Number::int32:
    return visit(std::int32_t{});
  case Number::int64:
    return visit(std::int64_t{});
  case Number::uint8:
    return visit(std::uint8_t{});
  case Number::uint16:
    return visit(std::uint16_t{});
  case Number::uint32:
  case Number::float32:
    return visit(std::uint32_t{});
  case Number::uint64:
  case Number::float64:
    return visit(std::uint64_t{});
  }
}

std::size_t bytes_of_number(Number number) {
  std::size_t bytes = 0;
  with_integer(number, [&](auto value) { bytes = sizeof value; });
  return bytes;
}

std::uint32_t kind_of(Number number) {
  return number == Number::float64   ? THALWEG_NIC_DOUBLE
         : number == Number::float32 ? THALWEG_NIC_FLOAT
                                     : THALWEG_NIC_INTEGER;
}

template <typename Value>
NicNumbers located(Number number) {
  struct Pair {
    Value value;
    int where;
  };
  return {number, sizeof(Pair), true, offsetof(Pair, where)};
}

std::optional<NicNumbers> numbers_of(MPI_Datatype type) {
  const job::PredefinedOperators& known = library_operators();
  const auto found = std::ranges::find(known.types, type, &std::pair<MPI_Datatype, Number>::first);
  if (found != known.types.end())
    return NicNumbers{.number = found->second, .stride = bytes_of_number(found->second)};
  if (type == MPI_BYTE)
    return NicNumbers{.number = Number::uint8, .stride = 1};
  if (type == MPI_DOUBLE_INT)
    return located<double>(Number::float64);
  if (type == MPI_FLOAT_INT)
    return located<float>(Number::float32);
  if (type == MPI_2INT)
    return located<int>(job::detail::signed_of(sizeof(int)));
  if (type == MPI_LONG_INT)
    return located<long>(job::detail::signed_of(sizeof(long)));
  if (type == MPI_SHORT_INT)
    return located<short>(job::detail::signed_of(sizeof(short)));
  return std::nullopt;
}

std::optional<Arithmetic> arithmetic_of(MPI_Op op, MPI_Datatype type, const NicNumbers& numbers) {
  if (numbers.is_located) {
    if (op == MPI_MINLOC)
      return Arithmetic::minimum;
    return op == MPI_MAXLOC ? std::optional(Arithmetic::maximum) : std::nullopt;
  }
  const job::PredefinedOperators& known = library_operators();
  const auto found = std::ranges::find(known.operators, op, &std::pair<MPI_Op, Arithmetic>::first);
  if (found == known.operators.end())
    return std::nullopt;
  const bool has_bits_alone = type == MPI_BYTE;
  const bool has_no_bits = kind_of(numbers.number) != THALWEG_NIC_INTEGER;
  const bool asks_for_bits = found->second >= Arithmetic::bitwise_and;
  if (asks_for_bits ? has_no_bits : has_bits_alone)
    return std::nullopt;
  return found->second;
}

// Devices compare signed numbers: those without a sign that need all bits are moved down by half their range.
std::uint64_t order_offset(std::uint32_t operation, Number number) {
  const bool compares = (operation & 7) == THALWEG_NIC_MINIMUM || (operation & 7) == THALWEG_NIC_MAXIMUM;
  return compares && number == Number::uint64 ? THALWEG_NIC_SIGN : 0;
}

} // namespace

std::optional<NicWords> NicWords::of(const CollectiveCall& call, int rank, const char*& why_not) {
  NicWords words;
  const Operation operation = call.function->operation;
  if (operation == Operation::barrier)
    return words;
  why_not = "a datatype or operator that cards do not combine";
  const std::optional<NicNumbers> numbers = numbers_of(call.recvtype);
  if (!numbers)
    return std::nullopt;
  const std::optional<Arithmetic> arithmetic = arithmetic_of(call.op, call.recvtype, *numbers);
  if (!arithmetic)
    return std::nullopt;
  words.numbers_ = *numbers;
  words.operation_ = (kind_of(numbers->number) + (numbers->is_located ? THALWEG_NIC_LOCATED : 0)) * 8 +
                     static_cast<std::uint32_t>(*arithmetic);
  words.count_ = call.recvcount < 1 ? 0 : static_cast<std::size_t>(call.recvcount);
  constexpr std::size_t rows_max = THALWEG_NIC_WINDOW;
  static_assert(rows_max * THALWEG_NIC_WORDS == 256 && rows_max * THALWEG_NIC_ROW == 1024);
  static_assert(rows_max * THALWEG_NIC_WORDS * sizeof(double) == strategies::device_reduction_bytes);
  why_not =
      words.row_words() == THALWEG_NIC_ROW ? "no or of more than 1024 words" : "no or of more than 256 words";
  if (words.count_ == 0 || words.count_ > rows_max * words.row_words() / words.words_each())
    return std::nullopt;
  words.is_wanted_ = operation != Operation::reduce || rank == call.root;
  return words;
}

std::size_t NicWords::row_words() const {
  return operation_ == THALWEG_NIC_INTEGER * 8 + THALWEG_NIC_SUM ? THALWEG_NIC_ROW : THALWEG_NIC_WORDS;
}

std::size_t NicWords::rows() const {
  const std::size_t numbers = row_words() / words_each();
  return count_ == 0 ? 1 : (count_ + numbers - 1) / numbers;
}

NicWords::Row NicWords::numbers_of_row(std::size_t row) const {
  const std::size_t in_row = row_words() / words_each();
  return {row * in_row, std::min(count_ - row * in_row, in_row)};
}

void NicWords::contribute(const CollectiveCall& call, std::size_t row, thalweg_nic_content& content) const {
  if (count_ == 0)
    return;
  const auto [first, count] = numbers_of_row(row);
  content.operation = operation_;
  content.count =
      static_cast<std::uint16_t>(thalweg_nic_length(static_cast<std::uint32_t>(count * words_each())));
  const auto* input = static_cast<const std::byte*>(is_in_place(call) ? call.recvbuf : call.sendbuf) +
                      first * numbers_.stride;
  const std::uint64_t offset = order_offset(operation_, numbers_.number);
  auto* word = content.words;
  with_integer(numbers_.number, [&](auto value) {
    for (std::size_t i = 0; i < count; ++i, input += numbers_.stride) {
      std::memcpy(&value, input, sizeof value);
      *word++ = static_cast<std::uint64_t>(value) ^ offset;
      if (!numbers_.is_located)
        continue;
      int where = 0;
      std::memcpy(&where, input + numbers_.where, sizeof where);
      *word++ = static_cast<std::uint64_t>(where);
    }
  });
}

void NicWords::deliver(const thalweg_nic_content& result, std::size_t row, const CollectiveCall& call) const {
  const auto [first, count] = numbers_of_row(row);
  auto* output = static_cast<std::byte*>(call.recvbuf) + first * numbers_.stride;
  const std::uint64_t offset = order_offset(operation_, numbers_.number);
  const auto* word = result.words;
  with_integer(numbers_.number, [&](auto value) {
    for (std::size_t i = 0; i < count; ++i, output += numbers_.stride) {
      value = static_cast<decltype(value)>(*word++ ^ offset);
      std::memcpy(output, &value, sizeof value);
      if (!numbers_.is_located)
        continue;
      const auto where = static_cast<int>(*word++);
      std::memcpy(output + numbers_.where, &where, sizeof where);
    }
  });
}

std::unique_ptr<NicOperation> NicElements::of(const CollectiveCall& call, int rank, const char*& why_not) {
  const std::string* const name = name_of_operator(call.op);
  if (name == nullptr || !is_commutative(call.op)) // of the latter the engine says why
    return nullptr;
  // Elements that reach outside of their extent do not come here.
  const TypeShape shape = shape_of(call.recvtype);
  why_not = "a named operator on elements with gaps, or of more than 256 bytes";
  constexpr std::int64_t max_bytes = THALWEG_NIC_WORDS * sizeof(std::uint64_t);
  if (shape.size != shape.extent || shape.size < 1 || shape.size > max_bytes)
    return nullptr;
  const auto bytes = static_cast<std::size_t>(shape.size);
  const std::size_t words = (bytes + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
  const GroupOperator combiner{*name, static_cast<std::uint32_t>(words)};
  const std::size_t max_count = rows_max * (THALWEG_NIC_WORDS / combiner.words);
  why_not = "a named operator on no or more elements than eight packets have";
  if (call.recvcount < 1 || static_cast<std::size_t>(call.recvcount) > max_count)
    return nullptr;
  const bool is_wanted = call.function->operation != Operation::reduce || rank == call.root;
  return std::unique_ptr<NicOperation>(new NicElements(call, combiner, bytes, is_wanted));
}

NicElements::NicElements(const CollectiveCall& call, const GroupOperator& combiner, std::size_t bytes,
                         bool is_wanted)
    : NicGathering(function_name(call), is_wanted), call_(call), combiner_(combiner), bytes_(bytes),
      count_(static_cast<std::size_t>(call.recvcount)) {}

std::size_t NicElements::count_of(std::size_t row) const {
  return std::min(count_ - row * in_row(), in_row());
}

void NicElements::contribute(std::size_t row, thalweg_nic_content& content) {
  const std::size_t count = count_of(row);
  content.operation = THALWEG_NIC_ELEMENT * 8;
  content.count =
      static_cast<std::uint16_t>(thalweg_nic_length(static_cast<std::uint32_t>(count * combiner_.words)));
  const auto* from = static_cast<const std::byte*>(is_in_place(call_) ? call_.recvbuf : call_.sendbuf) +
                     row * in_row() * bytes_;
  for (std::size_t i = 0; i < count; ++i)
    std::memcpy(content.words + i * combiner_.words, from + i * bytes_, bytes_);
}

// The library tells an error to the communicator of its choice.
nic::ElementOperator NicElements::element_operator() {
  return {.combine =
              [this](const thalweg_nic_word* from, thalweg_nic_word* into) {
                native.Reduce_local(from, into, 1, call_.recvtype, call_.op);
              },
          .words = combiner_.words};
}

void NicElements::deliver(std::size_t row, const thalweg_nic_content& result) {
  auto* to = static_cast<std::byte*>(call_.recvbuf) + row * in_row() * bytes_;
  for (std::size_t i = 0; i < count_of(row); ++i)
    std::memcpy(to + i * bytes_, result.words + i * combiner_.words, bytes_);
}

} // namespace thalweg::mpi
