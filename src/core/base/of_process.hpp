// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What lives as long as the process. Nothing of it is destroyed: libraries and programs may call while the
// process ends, when objects with destructors have gone in an order that nobody chose.

#include <string>

namespace thalweg {

/// The process's one object of its type. The first call makes it; calls are safe in all threads.
template <class Object>
Object& of_process() {
  static auto* const object = new Object;
  return *object;
}

/// A copy of the text for good. Equal texts are kept once.
const char* kept_text(std::string text);

} // namespace thalweg
