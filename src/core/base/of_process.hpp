// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What lives as long as the process. Nothing of it is destroyed: libraries and programs may call while the
// process ends, when objects with destructors have gone in an order that nobody chose.

#include <pthread.h>
#include <string>

namespace thalweg {

/// The process's one object of its type. The first call makes it; calls are safe in all threads.
template <typename Object>
Object& of_process() {
  static auto* const object = new Object;
  return *object;
}

/// A copy of the text for good. Equal texts are kept once.
const char* kept_text(std::string text);

/// Memory of each thread, behind one pointer: the static block of thread-local variables has to fit into
/// every stack, and the smallest that a program may ask for are short. Read `here()`, which is one that
/// nobody has written to until this thread calls `own()`. Freed when the thread ends.
template <typename Value>
class PerThread {
public:
  static const Value& here() { return *current; }

  static Value& own() {
    if (current == &unwritten) [[unlikely]]
      make();
    return *current;
  }

private:
  static inline constinit Value unwritten{};
  static inline constinit thread_local Value* current = &unwritten;

  [[gnu::noinline]] static void make() {
    static const Key key;
    current = new Value{}; // zeros, as what nobody has written to
    key.keep(current);
  }

  struct Key {
    pthread_key_t id{};
    bool exists;
    Key() : exists(pthread_key_create(&id, free_at_end) == 0) {}
    void keep(Value* value) const {
      if (exists) // else it outlives its thread
        pthread_setspecific(id, value);
    }
  };
  static void free_at_end(void* value) {
    current = &unwritten;
    delete static_cast<Value*>(value);
  }
};

} // namespace thalweg
