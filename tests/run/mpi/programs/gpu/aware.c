/* SPDX-License-Identifier: BSD-3-Clause */
// An MPI library that knows a GPU's memory, made of one that does not: to be preloaded behind the interposer.
//
// "Device" memory is host memory that nobody may read or write. Some calls of the library open it while they
// run; whoever else touches it dies.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { DEVICE_BYTES = 1 << 20 };

static char* memory;

char* fake_gpu_memory(void) {
  if (memory == NULL)
    memory = mmap(NULL, DEVICE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

void fake_device_open(int open) {
  if (memory != NULL && mprotect(memory, DEVICE_BYTES, open ? PROT_READ | PROT_WRITE : PROT_NONE) != 0)
    abort();
}

int fake_device_has(const char* address) {
  return memory != NULL && address >= memory && address < memory + DEVICE_BYTES;
}

#define AWARE(name, parameters, arguments)                                                                   \
  int PMPI_##name parameters {                                                                               \
    int(*library) parameters;                                                                                \
    *(void**)&library = dlsym(RTLD_NEXT, "PMPI_" #name);                                                     \
    fake_device_open(1);                                                                                     \
    const int code = library arguments;                                                                      \
    fake_device_open(0);                                                                                     \
    return code;                                                                                             \
  }                                                                                                          \
  int MPI_##name parameters __attribute__((alias("PMPI_" #name)));

AWARE(Pack, (const void* in, int count, MPI_Datatype type, void* out, int size, int* at, MPI_Comm comm),
      (in, count, type, out, size, at, comm))
AWARE(Unpack, (const void* in, int size, int* at, void* out, int count, MPI_Datatype type, MPI_Comm comm),
      (in, size, at, out, count, type, comm))
AWARE(Bcast, (void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm),
      (buffer, count, type, root, comm))
AWARE(Allreduce, (const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
      (in, out, count, type, op, comm))
AWARE(Allgather,
      (const void* in, int sent, MPI_Datatype send_type, void* out, int received, MPI_Datatype receive_type,
       MPI_Comm comm),
      (in, sent, send_type, out, received, receive_type, comm))
