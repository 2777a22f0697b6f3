#pragma once

#include "mpi/call/collective_call.hpp"

namespace thalweg::mpi {

class RecentCall;

// Makes a collective call of the program: on our engine when it takes it, by the library otherwise, yielding
// where cores are short; and records it. Returns MPI's error code.
int dispatch(const CollectiveCall& call) noexcept;

// Makes a remembered call again, on other buffers; returns MPI's error code.
int repeat(RecentCall& remembered, const void* sendbuf, void* recvbuf) noexcept;

} // namespace thalweg::mpi
