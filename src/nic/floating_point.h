/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * Arithmetic of IEEE 754 numbers in integers, as programs in the kernel have no other: sums and products,
 * rounded to the nearest, ties to even, with subnormal numbers, infinities and what is no number. The results
 * are the processor's to the last bit. Of two that are no numbers the first comes out, as in the engine.
 *
 * It is restricted C for the kernel's verifier: no loops. `THALWEG_NIC_FUNCTION` is a function that the
 * verifier looks at once, not at each call.
 */

#include <linux/types.h>

#define THALWEG_NIC_INLINE static inline __attribute__((always_inline))
#ifdef __bpf__
#define THALWEG_NIC_FUNCTION __attribute__((noinline))
#else
#define THALWEG_NIC_FUNCTION static inline
#endif

#define THALWEG_NIC_SIGN (1ULL << 63)
#define THALWEG_NIC_HIDDEN (1ULL << 52)
#define THALWEG_NIC_INFINITY (0x7ffULL << 52)
#define THALWEG_NIC_QUIET (1ULL << 51)
#define THALWEG_NIC_INVALID (THALWEG_NIC_SIGN | THALWEG_NIC_INFINITY | THALWEG_NIC_QUIET)

/* Mantissas are worked on with their highest bit at 62: so many bits are below a double's. */
enum thalweg_nic_rounding { THALWEG_NIC_GUARD = 10 };

THALWEG_NIC_INLINE int thalweg_nic_is_nan(__u64 number) {
  return (number & ~THALWEG_NIC_SIGN) > THALWEG_NIC_INFINITY;
}

/* How many bits above the highest one are 0, of a number that is not 0. Without branches, as each would
 * double what the verifier has to look at. */
THALWEG_NIC_INLINE __u32 thalweg_nic_leading_zeros(__u64 bits) {
  __u64 zeros = 0;
  __u64 shift = (((bits >> 32) - 1) >> 63) << 5;
  bits <<= shift;
  zeros += shift;
  shift = (((bits >> 48) - 1) >> 63) << 4;
  bits <<= shift;
  zeros += shift;
  shift = (((bits >> 56) - 1) >> 63) << 3;
  bits <<= shift;
  zeros += shift;
  shift = (((bits >> 60) - 1) >> 63) << 2;
  bits <<= shift;
  zeros += shift;
  shift = (((bits >> 62) - 1) >> 63) << 1;
  bits <<= shift;
  zeros += shift;
  return (__u32)(zeros + (((bits >> 63) - 1) >> 63));
}

/* Shifts to the right; the lowest bit says whether any bit that is lost was set. */
THALWEG_NIC_INLINE __u64 thalweg_nic_shift_right(__u64 bits, __u64 by) {
  if (by == 0)
    return bits;
  if (by > 63)
    return bits != 0;
  return bits >> by | ((bits << (64 - by)) != 0);
}

/* The double of a mantissa whose highest bit is at 62, or lower where the exponent is 1, the least one. */
THALWEG_NIC_INLINE __u64 thalweg_nic_round(__u64 sign, __u64 exponent, __u64 mantissa) {
  const __u64 half = (1ULL << (THALWEG_NIC_GUARD - 1)) - 1;
  __u64 bits = (mantissa + half + (mantissa >> THALWEG_NIC_GUARD & 1)) >> THALWEG_NIC_GUARD;
  /* The hidden bit counts the exponent up by one, and by two where rounding has carried. */
  bits += (exponent - 1) << 52;
  return sign | (bits < THALWEG_NIC_INFINITY ? bits : THALWEG_NIC_INFINITY);
}

THALWEG_NIC_INLINE __u64 thalweg_nic_exponent(__u64 number) {
  return number >> 52 & 0x7ff;
}

/* With the hidden bit, which subnormal numbers do not have. */
THALWEG_NIC_INLINE __u64 thalweg_nic_mantissa(__u64 number) {
  const __u64 bits = number & (THALWEG_NIC_HIDDEN - 1);
  return thalweg_nic_exponent(number) == 0 ? bits : bits | THALWEG_NIC_HIDDEN;
}

THALWEG_NIC_FUNCTION __u64 thalweg_nic_add(__u64 a, __u64 b) {
  const int subtracts = ((a ^ b) & THALWEG_NIC_SIGN) != 0;
  if (thalweg_nic_is_nan(a))
    return a | THALWEG_NIC_QUIET;
  if (thalweg_nic_is_nan(b))
    return b | THALWEG_NIC_QUIET;
  if ((a & ~THALWEG_NIC_SIGN) < (b & ~THALWEG_NIC_SIGN)) {
    const __u64 larger = b;
    b = a;
    a = larger;
  }
  if ((a & ~THALWEG_NIC_SIGN) == THALWEG_NIC_INFINITY)
    return subtracts && (b & ~THALWEG_NIC_SIGN) == THALWEG_NIC_INFINITY ? THALWEG_NIC_INVALID : a;
  const __u64 lower = thalweg_nic_exponent(b);
  __u64 exponent = thalweg_nic_exponent(a);
  __u64 mantissa = thalweg_nic_mantissa(a) << THALWEG_NIC_GUARD;
  __u64 other = thalweg_nic_mantissa(b) << THALWEG_NIC_GUARD;
  exponent += exponent == 0;
  other = thalweg_nic_shift_right(other, exponent - lower - (lower == 0));
  if (!subtracts) {
    mantissa += other;
    if (mantissa >> 63) {
      mantissa = mantissa >> 1 | (mantissa & 1);
      ++exponent;
    }
    return thalweg_nic_round(a & THALWEG_NIC_SIGN, exponent, mantissa);
  }
  mantissa -= other;
  if (mantissa == 0)
    return 0;
  __u64 shift = thalweg_nic_leading_zeros(mantissa) - 1;
  shift = shift < exponent ? shift : exponent - 1;
  return thalweg_nic_round(a & THALWEG_NIC_SIGN, exponent - shift, mantissa << (shift & 63));
}

/* The upper half of the product of two numbers; the lowest bit says whether any bit of the lower is set. */
THALWEG_NIC_INLINE __u64 thalweg_nic_upper_product(__u64 a, __u64 b) {
  const __u64 low = 0xffffffffULL;
  const __u64 lowest = (a & low) * (b & low);
  const __u64 first = (a >> 32) * (b & low);
  const __u64 second = (a & low) * (b >> 32);
  const __u64 middle = (lowest >> 32) + (first & low) + (second & low);
  const __u64 lower = (middle << 32) | (lowest & low);
  return ((a >> 32) * (b >> 32) + (first >> 32) + (second >> 32) + (middle >> 32)) | (lower != 0);
}

THALWEG_NIC_FUNCTION __u64 thalweg_nic_multiply(__u64 a, __u64 b) {
  const __u64 sign = (a ^ b) & THALWEG_NIC_SIGN;
  if (thalweg_nic_is_nan(a))
    return a | THALWEG_NIC_QUIET;
  if (thalweg_nic_is_nan(b))
    return b | THALWEG_NIC_QUIET;
  a &= ~THALWEG_NIC_SIGN;
  b &= ~THALWEG_NIC_SIGN;
  if (a == THALWEG_NIC_INFINITY || b == THALWEG_NIC_INFINITY)
    return a == 0 || b == 0 ? THALWEG_NIC_INVALID : sign | THALWEG_NIC_INFINITY;
  if (a == 0 || b == 0)
    return sign;
  const __u64 zeros = thalweg_nic_leading_zeros(thalweg_nic_mantissa(a));
  const __u64 zeros_of_b = thalweg_nic_leading_zeros(thalweg_nic_mantissa(b));
  /* Exponents of subnormal numbers are 1, and less by what their mantissas are shifted. */
  __s64 exponent = (__s64)(thalweg_nic_exponent(a) + thalweg_nic_exponent(b)) - 1023;
  exponent += (thalweg_nic_exponent(a) == 0) + (thalweg_nic_exponent(b) == 0) + 22;
  exponent -= (__s64)(zeros + zeros_of_b);
  __u64 mantissa = thalweg_nic_upper_product(thalweg_nic_mantissa(a) << ((zeros - 1) & 63),
                                             thalweg_nic_mantissa(b) << (zeros_of_b & 63));
  if (mantissa >> 62)
    ++exponent;
  else
    mantissa <<= 1;
  if (exponent >= 2047)
    return sign | THALWEG_NIC_INFINITY;
  if (exponent < 1) {
    mantissa = thalweg_nic_shift_right(mantissa, (__u64)(1 - exponent));
    exponent = 1;
  }
  return thalweg_nic_round(sign, (__u64)exponent, mantissa);
}

/* A float's bits as a double's: exactly that number. */
THALWEG_NIC_INLINE __u64 thalweg_nic_widen(__u64 number) {
  const __u64 sign = (number >> 31 & 1) << 63;
  const __u64 exponent = number >> 23 & 0xff;
  const __u64 mantissa = number & ((1ULL << 23) - 1);
  if (exponent == 0xff)
    return sign | THALWEG_NIC_INFINITY | mantissa << 29;
  if (exponent != 0)
    return sign | (exponent + 1023 - 127) << 52 | mantissa << 29;
  if (mantissa == 0)
    return sign;
  const __u64 zeros = thalweg_nic_leading_zeros(mantissa); /* 41 where only the highest bit is missing */
  return sign | (1023 - 127 + 41 - zeros) << 52 |
         ((mantissa << ((zeros - 11) & 63)) & (THALWEG_NIC_HIDDEN - 1));
}

/* The float that is nearest to a double. That of the sum or product of two floats is theirs: a double has
 * more than twice their bits, so rounding twice rounds as once (Figueroa 1995). */
THALWEG_NIC_INLINE __u64 thalweg_nic_narrow(__u64 number) {
  const __u64 sign = (number >> 63) << 31;
  const __u64 infinity = 0xffULL << 23;
  const __u64 exponent = thalweg_nic_exponent(number);
  __u64 mantissa = thalweg_nic_mantissa(number) << THALWEG_NIC_GUARD;
  const __u64 min_exponent = 1023 - 127 + 1; /* those below are of subnormal floats, or of nothing */
  __u64 own_exponent = exponent;
  if (thalweg_nic_is_nan(number))
    return sign | infinity | (number >> 29 & ((1ULL << 23) - 1)) | 1ULL << 22;
  if (exponent < min_exponent) {
    mantissa = thalweg_nic_shift_right(mantissa, min_exponent - exponent);
    own_exponent = min_exponent;
  }
  const __u64 half = (1ULL << 38) - 1;
  const __u64 bits = ((mantissa + half + (mantissa >> 39 & 1)) >> 39) + ((own_exponent - min_exponent) << 23);
  return sign | (bits < infinity ? bits : infinity);
}
