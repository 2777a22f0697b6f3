// SPDX-License-Identifier: BSD-3-Clause
#include "stream/mpi/mpi_remote.hpp"

#include "stream/plan.hpp"
#include "transport/mpi/mpi_transport.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

namespace thalweg::streams {

namespace {

constexpr std::size_t posted = receives_of_dimension;

void check(int code, const char* call) {
  if (code != MPI_SUCCESS)
    throw transport::MpiError(call, code);
}

} // namespace

void MpiRemote::Free::operator()(std::byte* memory) const {
  std::free(memory);
}

MpiRemote::MpiRemote(const transport::MpiApi& api, MPI_Comm communicator, MessageCounts& counts,
                     int first_tag, std::uint32_t dimensions, std::size_t slot_bytes)
    : api_(api), communicator_(communicator), counts_(counts), first_tag_(first_tag), slot_bytes_(slot_bytes),
      receives_(2 * dimensions * posted), first_(2 * dimensions),
      requests_(receives_.size(), api.request_null) {
  for (std::size_t index = 0; index < receives_.size(); ++index) {
    receives_[index].memory.reset(
        static_cast<std::byte*>(std::aligned_alloc(alignof(Slot), sizeof(Slot) + slot_bytes)));
    if (receives_[index].memory == nullptr)
      throw std::bad_alloc();
    new (receives_[index].memory.get()) Slot;
    post(index);
  }
}

MpiRemote::~MpiRemote() {
  int has_ended = 0;
  api_.finalized(&has_ended);
  if (has_ended != 0)
    return;
  for (std::size_t index = 0; index < receives_.size(); ++index)
    if (MPI_Request& request = requests_[index]; request != api_.request_null) {
      api_.cancel(&request);
      // A receive that is canceled ends at once, or has met its message.
      api_.waitall(1, &request, MPI_STATUSES_IGNORE);
    }
}

std::size_t MpiRemote::first_of(std::size_t kind) const {
  return kind * posted + first_[kind];
}

void MpiRemote::post(std::size_t receive) {
  receives_[receive].has_come = false;
  check(api_.irecv(receives_[receive].slot().wire(), static_cast<int>(sizeof(SlotHead) + slot_bytes_),
                   api_.byte, MPI_ANY_SOURCE, tag_of(receive / posted), communicator_, &requests_[receive]),
        "MPI_Irecv");
}

void MpiRemote::send(Slot& slot, Rank to) {
  requests_.push_back(api_.request_null);
  sent_.push_back(&slot);
  ++counts_.sent[static_cast<std::size_t>(to)];
  check(api_.isend(slot.wire(), static_cast<int>(slot.wire_bytes()), api_.byte, to,
                   tag_of(kind_of(slot.head.dimension, slot.head.phase)), communicator_, &requests_.back()),
        "MPI_Isend");
}

void MpiRemote::progress() {
  int count = 0;
  completed_.resize(requests_.size());
  check(api_.testsome(static_cast<int>(requests_.size()), requests_.data(), &count, completed_.data(),
                      MPI_STATUSES_IGNORE),
        "MPI_Testsome");
  bool has_sent = false;
  for (int number = 0; number < count; ++number) {
    const auto index = static_cast<std::size_t>(completed_[static_cast<std::size_t>(number)]);
    if (index < receives_.size()) {
      receives_[index].has_come = true;
      ++counts_.received;
      continue;
    }
    std::exchange(sent_[index - receives_.size()], nullptr)->is_free.store(1, std::memory_order_release);
    has_sent = true;
  }
  if (!has_sent)
    return;
  std::erase(sent_, nullptr);
  requests_.erase(std::remove(requests_.begin() + static_cast<std::ptrdiff_t>(receives_.size()),
                              requests_.end(), api_.request_null),
                  requests_.end());
}

Slot* MpiRemote::receive(std::uint32_t dimension, std::uint32_t phase) {
  const Receive& first = receives_[first_of(kind_of(dimension, phase))];
  return first.has_come ? &first.slot() : nullptr;
}

void MpiRemote::release(Slot& slot) {
  const std::size_t kind = kind_of(slot.head.dimension, slot.head.phase);
  const std::size_t receive = first_of(kind);
  first_[kind] = (first_[kind] + 1) % posted;
  post(receive);
}

void MpiRemote::drain() {
  progress();
  for (std::size_t index = 0; index < receives_.size(); ++index)
    if (receives_[index].has_come)
      post(index);
}

} // namespace thalweg::streams
