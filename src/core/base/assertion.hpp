// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a function relies on, checked where the build asks for it. The levels are KaMinPar's:
//
//   0  nothing is checked: builds that users get (with NDEBUG)
//   1  light: constant time, once a call or more seldom
//   2  normal: constant time, anywhere; builds without NDEBUG
//   3  heavy: whatever it costs; sanitizers' builds and the interposers of `make checked`
//
// CMake's variable of the same name as the macro sets the level. What users can get wrong is no assertion but
// an Error.

#include <cstdio>
#include <cstdlib>

#ifndef THALWEG_ASSERT_LEVEL
#ifdef NDEBUG
#define THALWEG_ASSERT_LEVEL 0
#else
#define THALWEG_ASSERT_LEVEL 2
#endif
#endif

namespace thalweg::assertion {

inline constexpr int light = 1;
inline constexpr int normal = 2;
inline constexpr int heavy = 3;

/// The process ends here: a rank that goes on with a broken promise breaks others.
[[noreturn]] inline void fail(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "thalweg: %s:%d: %s does not hold; please report this\n", file, line, condition);
  std::abort();
}

} // namespace thalweg::assertion

/// A macro, so that nothing is evaluated below its level, and the text of the condition can be told.
#define THALWEG_ASSERT(level, condition)                                                                     \
  do {                                                                                                       \
    if (THALWEG_ASSERT_LEVEL >= ::thalweg::assertion::level && !(condition))                                 \
      ::thalweg::assertion::fail(__FILE__, __LINE__, #condition);                                            \
  } while (false)
