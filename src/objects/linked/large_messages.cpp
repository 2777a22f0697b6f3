#include "objects/linked/large_messages.hpp"

#include "job/linked/linked_library.hpp"

#include <climits>

namespace thalweg::objects {

namespace {

constexpr int tag = 0;

int count_of(std::size_t bytes) {
  if (bytes > INT_MAX)
    throw Error(fmt::format("a call with arguments of {} B", bytes), "send them as several calls");
  return static_cast<int>(bytes);
}

} // namespace

LargeMessages::~LargeMessages() {
  progress();
  for (Transfer& open : transfers_)
    if (!open.has_ended)
      (void)open.memory.release();
}

LargeMessages::Transfer& LargeMessages::add(MessageMemory memory, std::size_t bytes, bool is_arrival) {
  return transfers_.emplace_back(
      Transfer{.memory = std::move(memory), .bytes = bytes, .is_arrival = is_arrival});
}

void LargeMessages::send(std::uint32_t rank, MessageMemory memory, std::size_t bytes) {
  Transfer& made = add(std::move(memory), bytes, false);
  job::must(job::linked_api().isend(made.memory.get(), count_of(bytes), MPI_BYTE, static_cast<int>(rank), tag,
                                    communicator_, &made.request),
            "MPI_Isend");
}

void LargeMessages::announced(std::uint32_t source, std::size_t bytes) {
  Transfer& made = add(message_memory(aligned(bytes)), bytes, true);
  job::must(job::linked_api().irecv(made.memory.get(), count_of(bytes), MPI_BYTE, static_cast<int>(source),
                                    tag, communicator_, &made.request),
            "MPI_Irecv");
}

void LargeMessages::progress() {
  for (std::size_t i = 0; i < transfers_.size(); ++i) {
    Transfer& open = transfers_[i];
    if (open.has_ended)
      continue;
    int ended = 0;
    job::must(job::linked_api().test(&open.request, &ended, MPI_STATUS_IGNORE), "MPI_Test");
    open.has_ended = ended != 0;
    if (open.has_ended && open.is_arrival)
      arrived_(std::move(open.memory), open.bytes);
  }
  while (!transfers_.empty() && transfers_.front().has_ended)
    transfers_.pop_front();
}

} // namespace thalweg::objects
