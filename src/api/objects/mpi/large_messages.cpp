// SPDX-License-Identifier: BSD-3-Clause
#include "objects/mpi/large_messages.hpp"

#include "base/assertion.hpp"
#include "job/library/mpi_library.hpp"
#include "wait/system.hpp"

#include <algorithm>
#include <climits>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

namespace thalweg::objects {

namespace {

constexpr int tag = 0;

int count_of(std::size_t bytes) {
  if (bytes > INT_MAX)
    throw Error(fmt::format("a call with arguments of {} B", bytes), "send them as several calls");
  return static_cast<int>(bytes);
}

// Where the kernel lets only a process's ancestors read its memory (Yama), it may say that all of the user's
// may. Elsewhere the call is refused, and nobody needs it.
void allow_copies() {
#if defined(PR_SET_PTRACER)
  ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
#endif
}

// False: the kernel refuses it, or another process has that number here.
bool copy_from(const LargeAnnouncement& message, char* to) {
  std::uint64_t proof = 0;
  for (std::uint64_t done = 0; done < message.bytes;) {
    const iovec into[2] = {{&proof, sizeof proof}, {to + done, message.bytes - done}};
    const iovec from[2] = {{reinterpret_cast<void*>(message.proof_address), sizeof proof},
                           {reinterpret_cast<void*>(message.address + done), message.bytes - done}};
    const ssize_t copied = ::process_vm_readv(static_cast<pid_t>(message.process), into, 2, from, 2, 0);
    if (copied <= static_cast<ssize_t>(sizeof proof) || proof != message.proof)
      return false;
    done += static_cast<std::uint64_t>(copied) - sizeof proof;
  }
  return true;
}

} // namespace

LargeMessages::LargeMessages(MPI_Comm communicator, std::function<void(MessageMemory, std::size_t)> arrived)
    : communicator_(communicator), arrived_(std::move(arrived)),
      proof_(wait::System::now_ns() << 20U ^ static_cast<std::uint64_t>(::getpid())) {
  allow_copies();
}

LargeMessages::~LargeMessages() {
  progress();
  for (Transfer& open : transfers_)
    if (!open.has_ended)
      (void)open.memory.release();
  for (Offer& open : offers_)
    (void)open.memory.release();
}

LargeMessages::Transfer& LargeMessages::add(MessageMemory memory, std::size_t bytes, bool is_arrival) {
  return transfers_.emplace_back(
      Transfer{.memory = std::move(memory), .bytes = bytes, .is_arrival = is_arrival});
}

void LargeMessages::send_by_mpi(std::uint32_t rank, MessageMemory memory, std::size_t bytes) {
  Transfer& made = add(std::move(memory), bytes, false);
  job::must(job::library_api().isend(made.memory.get(), count_of(bytes), MPI_BYTE, static_cast<int>(rank),
                                     tag, communicator_, &made.request),
            "MPI_Isend");
}

LargeAnnouncement LargeMessages::send(std::uint32_t rank, MessageMemory memory, std::size_t bytes,
                                      bool is_near) {
  THALWEG_ASSERT(normal, memory != nullptr && bytes > 0);
  count_of(bytes); // also where it is copied, so that what is refused does not depend on the kernel
  if (!is_near) {
    send_by_mpi(rank, std::move(memory), bytes);
    return {.bytes = bytes};
  }
  const Offer& made = offers_.emplace_back(Offer{rank, std::move(memory), bytes});
  return {.bytes = bytes,
          .address = reinterpret_cast<std::uintptr_t>(made.memory.get()),
          .proof_address = reinterpret_cast<std::uintptr_t>(&proof_),
          .proof = proof_,
          .process = ::getpid()};
}

bool LargeMessages::announced(std::uint32_t source, const LargeAnnouncement& message) {
  MessageMemory memory = message_memory(aligned(message.bytes));
  if (message.address != 0 && copy_from(message, memory.get())) {
    arrived_(std::move(memory), message.bytes);
    return true;
  }
  Transfer& made = add(std::move(memory), message.bytes, true);
  job::must(job::library_api().irecv(made.memory.get(), count_of(message.bytes), MPI_BYTE,
                                     static_cast<int>(source), tag, communicator_, &made.request),
            "MPI_Irecv");
  return false;
}

void LargeMessages::answered(std::uint32_t rank, bool is_copied) {
  const auto offer = std::ranges::find(offers_, rank, &Offer::rank);
  if (offer == offers_.end())
    return;
  THALWEG_ASSERT(normal, offer->memory != nullptr);
  Offer oldest = std::move(*offer);
  offers_.erase(offer);
  if (!is_copied)
    send_by_mpi(rank, std::move(oldest.memory), oldest.bytes);
}

void LargeMessages::progress() {
  for (std::size_t i = 0; i < transfers_.size(); ++i) {
    Transfer& open = transfers_[i];
    if (open.has_ended)
      continue;
    int ended = 0;
    job::must(job::library_api().test(&open.request, &ended, MPI_STATUS_IGNORE), "MPI_Test");
    open.has_ended = ended != 0;
    if (open.has_ended && open.is_arrival)
      arrived_(std::move(open.memory), open.bytes);
  }
  while (!transfers_.empty() && transfers_.front().has_ended)
    transfers_.pop_front();
}

} // namespace thalweg::objects
