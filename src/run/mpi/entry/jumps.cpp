// SPDX-License-Identifier: BSD-3-Clause

// The C library's jumps (longjmp), which leave calls of ours without their return: an error handler of the
// program, an operator, or a callback of attributes or requests may jump back into the program. These
// functions in front of the C library's end our frames that such a jump leaves, and jump.
//
// Where a jump goes is only in its buffer. A frame's address alone would not do: calls that are made after a
// jump may lie deeper on the stack than the one that was left. The stack pointer in the buffer is disguised,
// by a number that the C library draws for the process. It is found by looking at a buffer of our own.

#include "mpi/state/gate.hpp"

#include <csetjmp>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>

namespace {

using Buffer = __jmp_buf_tag;
using Jump = void (*)(Buffer*, int);

#if defined(__x86_64__)

std::uint64_t hidden_stack_pointer(const Buffer* buffer) {
  const auto word = static_cast<std::uint64_t>(buffer->__jmpbuf[6]);
  return word >> 17U | word << 47U; // the C library has turned it left by 17
}

#define THALWEG_STACK_POINTER(into) asm volatile("mov %%rsp, %0" : "=r"(into))

#elif defined(__aarch64__)

std::uint64_t hidden_stack_pointer(const Buffer* buffer) {
  return static_cast<std::uint64_t>(buffer->__jmpbuf[13]);
}

#define THALWEG_STACK_POINTER(into) asm volatile("mov %0, sp" : "=r"(into))

#else

// Nobody knows where the jump goes: it is taken to leave all of our frames, as nearly all do.
std::uint64_t hidden_stack_pointer(const Buffer*) {
  return ~std::uint64_t{0};
}

#define THALWEG_STACK_POINTER(into) into = 0

#endif

// The number that stack pointers are disguised with.
[[gnu::noinline]] std::uint64_t disguise() {
  std::jmp_buf own;
  if (_setjmp(own) != 0) // never: nobody jumps there
    std::abort();
  std::uint64_t here = 0;
  THALWEG_STACK_POINTER(here);
  return hidden_stack_pointer(own) ^ here;
}

void leave_frames(const Buffer* target) {
  using namespace thalweg::mpi;
  if (this_thread.innermost_frame == nullptr) [[likely]]
    return;
  const std::uint64_t stack_pointer = hidden_stack_pointer(target) ^ disguise();
  leave_frames_below(reinterpret_cast<const void*>(stack_pointer));
}

// Found while the process starts: jumps may come from handlers of signals, where nothing can be looked up.
struct CLibrary {
  Jump jump = nullptr;
  Jump checked_jump = nullptr;
};
constinit CLibrary c_library{};

__attribute__((constructor)) void find_c_library() {
  c_library.jump = reinterpret_cast<Jump>(dlsym(RTLD_NEXT, "siglongjmp")); // one function of several names
  c_library.checked_jump = reinterpret_cast<Jump>(dlsym(RTLD_NEXT, "__longjmp_chk"));
}

[[noreturn]] void jump_on(Jump jump, Buffer* target, int value) {
  leave_frames(target);
  if (jump == nullptr) {
    find_c_library(); // another library's start came before ours
    jump = c_library.jump;
  }
  jump(target, value);
  std::abort();
}

} // namespace

// Under names of their own, for <setjmp.h> declares them, and redirects some.
#define THALWEG_JUMP(name, which)                                                                            \
  extern "C" __attribute__((visibility("default"))) void entry_##name(Buffer* target, int value) asm(#name); \
  void entry_##name(Buffer* target, int value) {                                                             \
    jump_on(c_library.which, target, value);                                                                 \
  }

THALWEG_JUMP(longjmp, jump)
THALWEG_JUMP(_longjmp, jump)
THALWEG_JUMP(siglongjmp, jump)
THALWEG_JUMP(__longjmp_chk, checked_jump)
