/* SPDX-License-Identifier: BSD-3-Clause */

// Which functions of an instrumented interposer (-finstrument-functions) one thread enters between
// begin_walk() and end_walk(), each once, in the order in which it is first entered. Preloaded before the
// interposer.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { FUNCTIONS_MAX = 1 << 14 };

static void* entered[FUNCTIONS_MAX]; // in order
static int entered_count;
static void* known[2 * FUNCTIONS_MAX]; // a hash table of them
static _Thread_local bool recording;

static bool is_new(void* function) {
  for (uint32_t at = (uint32_t)((uintptr_t)function * 2654435761U >> 7U);; ++at) {
    void** const entry = &known[at % (2 * FUNCTIONS_MAX)];
    if (*entry == function)
      return false;
    if (*entry == NULL) {
      *entry = function;
      return true;
    }
  }
}

void __cyg_profile_func_enter(void* function, void* caller);
void __cyg_profile_func_exit(void* function, void* caller);

void __cyg_profile_func_enter(void* function, void* caller) {
  (void)caller;
  if (recording && entered_count < FUNCTIONS_MAX && is_new(function))
    entered[entered_count++] = function;
}

void __cyg_profile_func_exit(void* function, void* caller) {
  (void)function;
  (void)caller;
}

void begin_walk(void) {
  recording = true;
}

// Writes a line for each function: the module that it is in, and its address there.
void end_walk(const char* path) {
  recording = false;
  FILE* const file = fopen(path, "w");
  if (file == NULL)
    return;
  for (int i = 0; i < entered_count; ++i) {
    Dl_info module;
    if (dladdr(entered[i], &module) != 0)
      fprintf(file, "%s 0x%zx\n", module.dli_fname, (size_t)((char*)entered[i] - (char*)module.dli_fbase));
  }
  fclose(file);
}
