#pragma once

// Messages that are too large for a stream's buffers: MPI sends them from where they were written to where
// they are run. A short one along the stream announces each. Those of a rank are announced in the order in
// which they are sent, so one tag is enough.

#include "objects/message_queue.hpp"

#include "job/linked/mpi_calls.hpp"
#include <cstdint>
#include <deque>
#include <functional>

namespace thalweg::objects {

class LargeMessages {
public:
  /// `arrived` takes each one, of so many bytes, which its memory may exceed.
  LargeMessages(MPI_Comm communicator, std::function<void(MessageMemory, std::size_t bytes)> arrived)
      : communicator_(communicator), arrived_(std::move(arrived)) {}
  /// What the library may still send or write keeps its memory.
  ~LargeMessages();
  LargeMessages(const LargeMessages&) = delete;
  LargeMessages& operator=(const LargeMessages&) = delete;

  void send(std::uint32_t rank, MessageMemory memory, std::size_t bytes);
  void announced(std::uint32_t source, std::size_t bytes);
  /// Looks what has come to its end.
  void progress();
  bool are_any() const { return !transfers_.empty(); }

private:
  struct Transfer {
    MessageMemory memory;
    std::size_t bytes = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    bool is_arrival = false;
    bool has_ended = false;
  };
  Transfer& add(MessageMemory memory, std::size_t bytes, bool is_arrival);

  MPI_Comm communicator_;
  std::function<void(MessageMemory, std::size_t)> arrived_;
  std::deque<Transfer> transfers_; // in the order of their announcements
};

} // namespace thalweg::objects
