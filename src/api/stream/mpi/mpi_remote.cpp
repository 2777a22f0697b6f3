// SPDX-License-Identifier: BSD-3-Clause
#include "stream/mpi/mpi_remote.hpp"

#include "base/assertion.hpp"
#include "job/library/mpi_library.hpp"
#include "stream/plan.hpp"
#include "transport/mpi/mpi_transport.hpp"
#include "wait/system.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

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
  THALWEG_ASSERT(normal, requests_[receive] == api_.request_null); // nothing else writes there
  receives_[receive].has_come = false;
  check(api_.irecv(receives_[receive].slot().wire(), static_cast<int>(sizeof(SlotHead) + slot_bytes_),
                   api_.byte, MPI_ANY_SOURCE, tag_of(receive / posted), communicator_, &requests_[receive]),
        "MPI_Irecv");
}

void MpiRemote::send(Slot& slot, Rank to) {
  THALWEG_ASSERT(normal, to >= 0 && static_cast<std::size_t>(to) < counts_.sent.size());
  THALWEG_ASSERT(normal, slot.head.bytes <= slot_bytes_ && slot.head.phase <= 1);
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
  THALWEG_ASSERT(normal, kind_of(dimension, phase) < first_.size());
  const Receive& first = receives_[first_of(kind_of(dimension, phase))];
  return first.has_come ? &first.slot() : nullptr;
}

void MpiRemote::release(Slot& slot) {
  const std::size_t kind = kind_of(slot.head.dimension, slot.head.phase);
  const std::size_t receive = first_of(kind);
  THALWEG_ASSERT(normal, &receives_[receive].slot() == &slot && receives_[receive].has_come);
  first_[kind] = (first_[kind] + 1) % posted;
  post(receive);
}

void MpiRemote::drain() {
  progress();
  for (std::size_t index = 0; index < receives_.size(); ++index)
    if (receives_[index].has_come)
      post(index);
}

namespace {

// Where ranks have a core each, that is plenty; elsewhere a yield may take longer.
constexpr std::uint64_t patience_of_free_ns = 1'000'000;
// Others come to MPI's end too, or have freed their part; but nobody waits for ever for one that never does.
constexpr std::uint64_t patience_of_end_ns = 2'000'000'000;

class LastMessages {
public:
  explicit LastMessages(Remains remains) : remains_(std::move(remains)) {
    THALWEG_ASSERT(light, remains_.communicator && remains_.memory && remains_.counts && remains_.remote);
    is_known_ = PMPI_Ireduce_scatter_block(remains_.counts->sent.data(), &to_receive_, 1, MPI_UINT64_T,
                                           MPI_SUM, remains_.communicator->handle(), &asking_) == MPI_SUCCESS;
  }

  /// Have all messages come, and gone? Where ranks could not tell each other, nobody knows.
  bool is_over() {
    int is_agreed = 0;
    remains_.remote->drain();
    return is_known_ && PMPI_Test(&asking_, &is_agreed, MPI_STATUS_IGNORE) == MPI_SUCCESS && is_agreed != 0 &&
           remains_.counts->received == to_receive_ && !remains_.remote->has_sends();
  }

private:
  Remains remains_;
  std::uint64_t to_receive_ = 0;
  MPI_Request asking_ = MPI_REQUEST_NULL;
  bool is_known_ = false;
};

/// Those that are there when MPI ends stay until the process ends.
std::vector<std::unique_ptr<LastMessages>>& endings() {
  static auto& all = *new std::vector<std::unique_ptr<LastMessages>>;
  return all;
}

void look_for(std::uint64_t patience_ns) {
  const std::uint64_t begin_ns = wait::System::now_ns();
  for (look_after_remains(); !endings().empty() && wait::System::now_ns() - begin_ns < patience_ns;
       look_after_remains())
    wait::System::yield();
}

/// MPI calls it at the beginning of its end, when it still works.
int look_for_the_last_time(MPI_Comm, int, void*, void*) {
  look_for(patience_of_end_ns);
  return MPI_SUCCESS;
}

void look_when_mpi_ends() {
  static bool will_look = false;
  int key = MPI_KEYVAL_INVALID;
  if (std::exchange(will_look, true) ||
      PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, look_for_the_last_time, &key, nullptr) != MPI_SUCCESS)
    return;
  PMPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
  PMPI_Comm_free_keyval(&key);
}

} // namespace

void leave_behind(Remains remains) {
  endings().push_back(std::make_unique<LastMessages>(std::move(remains)));
  look_for(patience_of_free_ns);
  if (!endings().empty())
    look_when_mpi_ends();
}

void look_after_remains() {
  std::erase_if(endings(), [](const std::unique_ptr<LastMessages>& one) { return one->is_over(); });
}

} // namespace thalweg::streams
