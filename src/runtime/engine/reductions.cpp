// SPDX-License-Identifier: BSD-3-Clause
#include "engine/reductions.hpp"

#include <cstring>

// Each loop is compiled for several processors, and the loader takes the widest that this one has. Sanitizers
// are not ready when it does so.
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__SANITIZE_THREAD__) &&                        \
    !defined(__SANITIZE_ADDRESS__)
#define FOR_EACH_PROCESSOR __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define FOR_EACH_PROCESSOR
#endif
#define INSIDE_OF_LOOPS static inline __attribute__((always_inline))

namespace thalweg::engine {

namespace {

// What overflows does so modulo 2^n, as unsigned numbers do; short ones would become int.
template <typename T, bool integral = std::is_integral_v<T>>
struct Wide {
  using type = T;
};
template <typename T>
struct Wide<T, true> {
  using type = std::conditional_t<(sizeof(T) < sizeof(unsigned)), unsigned, std::make_unsigned_t<T>>;
};

/// What is added to or multiplied with `a`: where `a` is no number it is `a` itself. Else processors would
/// take either of two such, and compilers may exchange the operands, in one part of a loop and not in
/// another.
template <typename T>
INSIDE_OF_LOOPS T partner(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a != a ? a : b;
  else
    return b;
}

struct Sum {
  template <typename T>
  INSIDE_OF_LOOPS T of(T a, T b) {
    b = partner(a, b);
    using W = typename Wide<T>::type;
    return static_cast<T>(static_cast<W>(a) + static_cast<W>(b));
  }
};

struct Product {
  template <typename T>
  INSIDE_OF_LOOPS T of(T a, T b) {
    b = partner(a, b);
    using W = typename Wide<T>::type;
    return static_cast<T>(static_cast<W>(a) * static_cast<W>(b));
  }
};

struct Minimum {
  template <typename T>
  INSIDE_OF_LOOPS T of(T a, T b) {
    return a < b ? a : b;
  }
};

struct Maximum {
  template <typename T>
  INSIDE_OF_LOOPS T of(T a, T b) {
    return a > b ? a : b;
  }
};

struct BitwiseAnd {
  template <typename T>
  INSIDE_OF_LOOPS T of(T a, T b) {
    return static_cast<T>(a & b);
  }
};

struct BitwiseOr {
  template <typename T>
  INSIDE_OF_LOOPS T of(T a, T b) {
    return static_cast<T>(a | b);
  }
};

struct BitwiseXor {
  template <typename T>
  INSIDE_OF_LOOPS T of(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};

template <typename Operation, typename T>
FOR_EACH_PROCESSOR void reduce(const std::byte* left, const std::byte* right, std::byte* target,
                               std::size_t numbers) {
#pragma GCC ivdep // where an operand is the target, each number is read before it is written
  for (std::size_t i = 0; i < numbers; ++i) {
    T a;
    T b;
    std::memcpy(&a, left + i * sizeof(T), sizeof(T));
    std::memcpy(&b, right + i * sizeof(T), sizeof(T));
    b = Operation::of(a, b);
    std::memcpy(target + i * sizeof(T), &b, sizeof(T));
  }
}

template <typename Operation>
Reduction of_integers(Number number) {
  switch (number) {
  case Number::int8:
    return &reduce<Operation, std::int8_t>;
  case Number::int16:
    return &reduce<Operation, std::int16_t>;
  case Number::int32:
    return &reduce<Operation, std::int32_t>;
  case Number::int64:
    return &reduce<Operation, std::int64_t>;
  case Number::uint8:
    return &reduce<Operation, std::uint8_t>;
  case Number::uint16:
    return &reduce<Operation, std::uint16_t>;
  case Number::uint32:
    return &reduce<Operation, std::uint32_t>;
  case Number::uint64:
    return &reduce<Operation, std::uint64_t>;
  case Number::float32:
  case Number::float64:
    break;
  }
  return nullptr;
}

template <typename Operation>
Reduction of_numbers(Number number) {
  if (number == Number::float32)
    return &reduce<Operation, float>;
  if (number == Number::float64)
    return &reduce<Operation, double>;
  return of_integers<Operation>(number);
}

} // namespace

Reduction reduction(Arithmetic arithmetic, Number number) {
  switch (arithmetic) {
  case Arithmetic::sum:
    return of_numbers<Sum>(number);
  case Arithmetic::product:
    return of_numbers<Product>(number);
  case Arithmetic::minimum:
    return of_numbers<Minimum>(number);
  case Arithmetic::maximum:
    return of_numbers<Maximum>(number);
  case Arithmetic::bitwise_and:
    return of_integers<BitwiseAnd>(number);
  case Arithmetic::bitwise_or:
    return of_integers<BitwiseOr>(number);
  case Arithmetic::bitwise_xor:
    return of_integers<BitwiseXor>(number);
  }
  return nullptr;
}

} // namespace thalweg::engine
