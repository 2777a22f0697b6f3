/* SPDX-License-Identifier: BSD-3-Clause */
// What a process has of CUDA for who asks where memory is: libcuda.so.1 with one function.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

enum { MEMORY_TYPE = 2, DEVICE = 2, SUCCESS = 0, INVALID_VALUE = 1 };

int cuPointerGetAttribute(void* data, int attribute, uintptr_t address) {
  int (*has)(const char*);
  *(void**)&has = dlsym(RTLD_DEFAULT, "fake_device_has");
  if (has == 0 || attribute != MEMORY_TYPE || !has((const char*)address))
    return INVALID_VALUE;
  *(unsigned*)data = DEVICE;
  return SUCCESS;
}
