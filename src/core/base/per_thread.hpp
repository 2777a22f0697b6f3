// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <pthread.h>

namespace thalweg {

/// Memory of each thread, behind one pointer: the static block of thread-local variables has to fit into
/// every stack, and the smallest that a program may ask for are short. Read `here()`, which is one that
/// nobody has written to until this thread calls `own()`. Freed when the thread ends.
template <class Value>
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
