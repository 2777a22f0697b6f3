#include "mpi/run/device_words.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "mpi/abi/library_api.hpp"
#include "nic/exact_sum.hpp"

namespace thalweg::mpi {

namespace {

using engine::Arithmetic;
using engine::Number;

static_assert(static_cast<int>(Arithmetic::product) == THALWEG_NIC_PRODUCT &&
              static_cast<int>(Arithmetic::minimum) == THALWEG_NIC_MINIMUM &&
              static_cast<int>(Arithmetic::maximum) == THALWEG_NIC_MAXIMUM &&
              static_cast<int>(Arithmetic::bitwise_and) == THALWEG_NIC_AND &&
              static_cast<int>(Arithmetic::bitwise_or) == THALWEG_NIC_OR &&
              static_cast<int>(Arithmetic::bitwise_xor) == THALWEG_NIC_XOR);
static_assert(nic::exact_sum_words <= THALWEG_NIC_WORDS);

// Calls `visit` with a number of the type.
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
    return visit(std::uint32_t{});
  case Number::uint64:
    return visit(std::uint64_t{});
  case Number::float32:
  case Number::float64:
    return;
  }
}

// Devices compare signed numbers: those without a sign that need all bits are moved down by half their range.
std::uint64_t order_offset(Arithmetic arithmetic, Number number) {
  const bool compares = arithmetic == Arithmetic::minimum || arithmetic == Arithmetic::maximum;
  return compares && number == Number::uint64 ? std::uint64_t{1} << 63 : 0;
}

} // namespace

std::optional<DeviceWords> DeviceWords::of(const CollectiveCall& call) {
  DeviceWords words;
  if (call.function->operation == Operation::barrier)
    return words;
  if (call.function->operation != Operation::allreduce || call.recvcount < 1 ||
      call.recvcount > THALWEG_NIC_WORDS)
    return std::nullopt;
  const job::PredefinedOperators& known = library_operators();
  const auto arithmetic = std::ranges::find(known.operators, call.op, &std::pair<MPI_Op, Arithmetic>::first);
  const auto number = std::ranges::find(known.types, call.recvtype, &std::pair<MPI_Datatype, Number>::first);
  if (arithmetic == known.operators.end() || number == known.types.end())
    return std::nullopt;
  words.arithmetic_ = arithmetic->second;
  words.number_ = number->second;
  words.numbers_ = static_cast<std::size_t>(call.recvcount);
  const bool is_exact_sum =
      words.number_ == Number::float64 && words.arithmetic_ == Arithmetic::sum && words.numbers_ == 1;
  if (!is_exact_sum && (words.number_ == Number::float64 || words.number_ == Number::float32))
    return std::nullopt;
  return words;
}

thalweg_nic_content DeviceWords::contribution(const CollectiveCall& call) const {
  thalweg_nic_content content{};
  content.operation = static_cast<std::uint32_t>(arithmetic_);
  if (numbers_ == 0)
    return content;
  const void* const input = is_in_place(call) ? call.recvbuf : call.sendbuf;
  if (number_ == Number::float64) {
    double value = 0;
    std::memcpy(&value, input, sizeof value);
    content.count = THALWEG_NIC_WORDS;
    std::array<std::uint64_t, nic::exact_sum_words> words{};
    nic::to_exact_sum(value, words);
    std::ranges::copy(words, content.words);
    return content;
  }
  content.count = numbers_ <= THALWEG_NIC_FEW ? THALWEG_NIC_FEW : THALWEG_NIC_WORDS;
  const std::uint64_t offset = order_offset(arithmetic_, number_);
  with_integer(number_, [&](auto value) {
    for (std::size_t i = 0; i < numbers_; ++i) {
      std::memcpy(&value, static_cast<const std::byte*>(input) + i * sizeof value, sizeof value);
      content.words[i] = static_cast<std::uint64_t>(value) ^ offset;
    }
  });
  return content;
}

void DeviceWords::deliver(const thalweg_nic_content& result, const CollectiveCall& call) const {
  if (numbers_ == 0)
    return;
  if (number_ == Number::float64) {
    std::array<std::uint64_t, nic::exact_sum_words> words{};
    std::copy_n(result.words, words.size(), words.begin());
    const double value = nic::from_exact_sum(words);
    std::memcpy(call.recvbuf, &value, sizeof value);
    return;
  }
  const std::uint64_t offset = order_offset(arithmetic_, number_);
  with_integer(number_, [&](auto value) {
    for (std::size_t i = 0; i < numbers_; ++i) {
      value = static_cast<decltype(value)>(result.words[i] ^ offset);
      std::memcpy(static_cast<std::byte*>(call.recvbuf) + i * sizeof value, &value, sizeof value);
    }
  });
}

} // namespace thalweg::mpi
