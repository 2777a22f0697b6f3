/* SPDX-License-Identifier: BSD-3-Clause */
/* Where main is called. Since 2.34 the C library calls a program's constructors by itself, and what a program
 * starts with does not bring a function for it; older libraries want one. */
typedef int main_function(int, char**, char**);
typedef void init_function(int, char**, char**);

extern void _init(void) __attribute__((visibility("hidden")));
extern init_function* __init_array_start[] __attribute__((visibility("hidden")));
extern init_function* __init_array_end[] __attribute__((visibility("hidden")));

int library_start(main_function*, int, char**, init_function*, void (*)(void), void (*)(void), void*);
#ifdef __x86_64__
__asm__(".symver library_start, __libc_start_main@GLIBC_2.2.5");
#else
__asm__(".symver library_start, __libc_start_main@GLIBC_2.17");
#endif

static void construct(int count, char** words, char** environment) {
  _init();
  for (init_function** one = __init_array_start; one != __init_array_end; ++one)
    (*one)(count, words, environment);
}

int start(main_function*, int, char**, init_function*, void (*)(void), void (*)(void),
          void*) __asm__("__libc_start_main") __attribute__((visibility("hidden")));
int start(main_function* call, int count, char** words, init_function* init, void (*fini)(void),
          void (*end)(void), void* stack) {
  return library_start(call, count, words, init ? init : construct, fini, end, stack);
}
