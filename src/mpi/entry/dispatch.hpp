#pragma once

#include "mpi/call/collective_call.hpp"

namespace thalweg::mpi {

struct CallArrays;
struct FastPathEntry;

// Makes a collective call of the program: on our engine when it takes it, by the library otherwise, yielding
// where cores are short; and records it. Returns MPI's error code.
int dispatch(const CollectiveCall& call) noexcept;

// Makes a known call of our engine again, on other buffers, and gives MPI's error code; false where it cannot
// be known for these.
bool repeat(const FastPathEntry& known, const void* sendbuf, void* recvbuf, const CallArrays& arrays,
            int& code) noexcept;

} // namespace thalweg::mpi
