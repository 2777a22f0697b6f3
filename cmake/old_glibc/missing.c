/* SPDX-License-Identifier: BSD-3-Clause */
/* What newer C libraries have, and headers or GCC's libraries want, in terms of what old ones have. Hidden:
 * each library that is linked with it has its own, and nobody else sees it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#pragma GCC visibility push(hidden)

/* 2.33: until then these were inline functions. On 64-bit systems the kernel's structure is the library's. */
int hidden_fstatat(int folder, const char* path, struct stat* status, int flags) __asm__("fstatat");
int hidden_fstatat(int folder, const char* path, struct stat* status, int flags) {
  return (int)syscall(SYS_newfstatat, folder, path, status, flags);
}
int hidden_stat(const char* path, struct stat* status) __asm__("stat");
int hidden_stat(const char* path, struct stat* status) {
  return hidden_fstatat(AT_FDCWD, path, status, 0);
}
int hidden_lstat(const char* path, struct stat* status) __asm__("lstat");
int hidden_lstat(const char* path, struct stat* status) {
  return hidden_fstatat(AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}
int hidden_fstat(int file, struct stat* status) __asm__("fstat");
int hidden_fstat(int file, struct stat* status) {
  return (int)syscall(SYS_fstat, file, status);
}
extern __typeof(hidden_fstatat) hidden_fstatat64 __asm__("fstatat64") __attribute__((alias("fstatat")));
extern __typeof(hidden_stat) hidden_stat64 __asm__("stat64") __attribute__((alias("stat")));
extern __typeof(hidden_lstat) hidden_lstat64 __asm__("lstat64") __attribute__((alias("lstat")));
extern __typeof(hidden_fstat) hidden_fstat64 __asm__("fstat64") __attribute__((alias("fstat")));

/* 2.36 */
uint32_t hidden_arc4random(void) __asm__("arc4random");
uint32_t hidden_arc4random(void) {
  uint32_t number;
  while (getrandom(&number, sizeof number, 0) != sizeof number)
    if (errno != EINTR)
      abort();
  return number;
}

/* 2.32: shared_ptr leaves atomic operations out where it is true. Nobody keeps it up to date here. */
char hidden_single_threaded __asm__("__libc_single_threaded") = 0;

#ifdef DLFO_EH_SEGMENT_TYPE
/* 2.35: the unwinder's way to an object's table, as it went before. */
struct search {
  ElfW(Addr) address;
  struct dl_find_object* found;
};

static int look_into(struct dl_phdr_info* object, size_t size, void* argument) {
  struct search* search = argument;
  ElfW(Addr) table = 0;
  int is_here = 0;
  (void)size;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)* part = &object->dlpi_phdr[i];
    const ElfW(Addr) begin = object->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_GNU_EH_FRAME)
      table = begin;
    if (part->p_type != PT_LOAD || search->address < begin || search->address >= begin + part->p_memsz)
      continue;
    is_here = 1;
    search->found->dlfo_map_start = (void*)begin;
    search->found->dlfo_map_end = (void*)(begin + part->p_memsz);
  }
  if (!is_here || table == 0)
    return 0;
  search->found->dlfo_eh_frame = (void*)table;
  return 1;
}

int hidden_find_object(void* address, struct dl_find_object* found) __asm__("_dl_find_object");
int hidden_find_object(void* address, struct dl_find_object* found) {
  struct search search = {(ElfW(Addr))address, found};
  memset(found, 0, sizeof *found);
  return dl_iterate_phdr(look_into, &search) == 1 ? 0 : -1;
}
#endif
