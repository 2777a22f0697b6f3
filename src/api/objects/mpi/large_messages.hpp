// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Messages that are too large for a stream's buffers. A short one along the stream announces each.
//
// On the same node the receiver copies the message from where it was written (process_vm_readv), and says so.
// So it comes while its sender computes, who has to do nothing for it. Where the kernel refuses that, and
// between nodes, MPI sends it from where it was written to where it is run. Those of a rank are announced and
// answered in the order in which they are sent, so one tag is enough.

#include "job/library/mpi_library.hpp"
#include "objects/message_queue.hpp"

#include <cstdint>
#include <deque>
#include <functional>

namespace thalweg::objects {

/// What is told of a large message.
struct LargeAnnouncement {
  std::uint64_t bytes = 0;
  std::uint64_t address = 0; ///< in the sender's memory; 0: MPI brings it
  std::uint64_t proof_address = 0;
  std::uint64_t proof = 0; ///< what stands there: the process is the sender, and no other of that number
  std::int64_t process = 0;
};

class LargeMessages {
public:
  /// `arrived` takes each one, of so many bytes, which its memory may exceed.
  LargeMessages(MPI_Comm communicator, std::function<void(MessageMemory, std::size_t bytes)> arrived);
  /// What the library may still send or write keeps its memory, and what others may still copy.
  ~LargeMessages();
  LargeMessages(const LargeMessages&) = delete;
  LargeMessages& operator=(const LargeMessages&) = delete;

  /// `is_near`: the receiver shares memory with this rank. Gives what it is to be told.
  LargeAnnouncement send(std::uint32_t rank, MessageMemory memory, std::size_t bytes, bool is_near);
  /// True: it was copied. False: MPI brings it. The sender is to be told which, if there is an address.
  bool announced(std::uint32_t source, const LargeAnnouncement& message);
  /// The receiver says of the oldest message that it was offered whether it has copied it.
  void answered(std::uint32_t rank, bool is_copied);
  /// Looks what has come to its end.
  void progress();
  /// MPI has some.
  bool are_any() const { return !transfers_.empty(); }

private:
  struct Transfer {
    MessageMemory memory;
    std::size_t bytes = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    bool is_arrival = false;
    bool has_ended = false;
  };
  struct Offer {
    std::uint32_t rank = 0;
    MessageMemory memory;
    std::size_t bytes = 0;
  };
  Transfer& add(MessageMemory memory, std::size_t bytes, bool is_arrival);
  void send_by_mpi(std::uint32_t rank, MessageMemory memory, std::size_t bytes);

  MPI_Comm communicator_;
  std::function<void(MessageMemory, std::size_t)> arrived_;
  std::deque<Transfer> transfers_; ///< in the order of their announcements
  std::deque<Offer> offers_;       ///< the same
  std::uint64_t proof_;
};

} // namespace thalweg::objects
