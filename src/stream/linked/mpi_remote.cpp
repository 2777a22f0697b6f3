#include "stream/linked/mpi_remote.hpp"

#include "transport/mpi/mpi_transport.hpp"

#include <cstdlib>
#include <new>

namespace thalweg::streams {

namespace {

constexpr std::size_t posted = 4; // receives of a dimension and phase

void check(int code, const char* call) {
  if (code != MPI_SUCCESS)
    throw transport::MpiError(call, code);
}

} // namespace

void MpiRemote::Free::operator()(std::byte* memory) const {
  std::free(memory);
}

MpiRemote::MpiRemote(const transport::MpiApi& api, MPI_Comm communicator, std::uint32_t dimensions,
                     std::size_t slot_bytes)
    : api_(api), communicator_(communicator), slot_bytes_(slot_bytes), receives_(2 * dimensions) {
  for (std::size_t pool = 0; pool < receives_.size(); ++pool) {
    Receives& receives = receives_[pool];
    receives.requests.assign(posted, api_.request_null);
    for (std::size_t index = 0; index < posted; ++index) {
      receives.memory.emplace_back(
          static_cast<std::byte*>(std::aligned_alloc(alignof(Slot), sizeof(Slot) + slot_bytes)));
      if (receives.memory.back() == nullptr)
        throw std::bad_alloc();
      new (receives.memory.back().get()) Slot;
      post(receives, index, static_cast<int>(pool));
    }
  }
}

MpiRemote::~MpiRemote() {
  int has_ended = 0;
  api_.finalized(&has_ended);
  if (has_ended != 0)
    return;
  for (Receives& receives : receives_)
    for (MPI_Request& request : receives.requests)
      if (request != api_.request_null) {
        api_.cancel(&request);
        // A receive that is canceled ends at once, or has met its message.
        api_.waitall(1, &request, MPI_STATUSES_IGNORE);
      }
}

void MpiRemote::post(Receives& receives, std::size_t index, int tag) {
  Slot& slot = receives.slot(index);
  check(api_.irecv(slot.wire(), static_cast<int>(sizeof(SlotHead) + slot_bytes_), api_.byte, MPI_ANY_SOURCE,
                   tag, communicator_, &receives.requests[index]),
        "MPI_Irecv");
}

void MpiRemote::send(Slot& slot, Rank to) {
  requests_.push_back(api_.request_null);
  sent_.push_back(&slot);
  check(api_.isend(slot.wire(), static_cast<int>(slot.wire_bytes()), api_.byte, to,
                   tag_of(slot.head.dimension, slot.head.phase), communicator_, &requests_.back()),
        "MPI_Isend");
}

void MpiRemote::complete_sends() {
  if (sent_.empty())
    return;
  int count = 0;
  completed_.resize(sent_.size());
  check(api_.testsome(static_cast<int>(sent_.size()), requests_.data(), &count, completed_.data(),
                      MPI_STATUSES_IGNORE),
        "MPI_Testsome");
  if (count <= 0)
    return;
  for (int index = 0; index < count; ++index) {
    Slot*& slot = sent_[static_cast<std::size_t>(completed_[static_cast<std::size_t>(index)])];
    slot->is_free.store(1, std::memory_order_release);
    slot = nullptr;
  }
  std::erase(sent_, nullptr);
  std::erase(requests_, api_.request_null);
}

Slot* MpiRemote::receive(std::uint32_t dimension, std::uint32_t phase) {
  Receives& receives = receives_of(dimension, phase);
  int has_come = 0;
  check(api_.test(&receives.requests[receives.first], &has_come, MPI_STATUS_IGNORE), "MPI_Test");
  return has_come != 0 ? &receives.slot(receives.first) : nullptr;
}

void MpiRemote::release(Slot& slot) {
  Receives& receives = receives_of(slot.head.dimension, slot.head.phase);
  const std::size_t index = receives.first;
  receives.first = (index + 1) % posted;
  post(receives, index, tag_of(slot.head.dimension, slot.head.phase));
}

} // namespace thalweg::streams
