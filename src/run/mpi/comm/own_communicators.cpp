// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/comm/own_communicators.hpp"

#include "base/assertion.hpp"
#include "base/of_process.hpp"
#include "job/mpi/shadow_communicator.hpp"
#include "mpi/abi/library_api.hpp"
#include "mpi/state/process_state.hpp"
#include "mpi/state/runtime.hpp"
#include "mpi/wait/polling.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace thalweg::mpi {

namespace {

using job::ShadowCommunicator;

// Libraries have so many contexts at a time, MPICH 2,048, and the program's communicators need most of them.
constexpr int shadows_max = own_family == Family::openmpi ? 4096 : 128;

// In MPICH and its kin, a communicator that was given no error handler follows MPI_COMM_SELF's and
// MPI_COMM_WORLD's, whatever they become. The library does not tell that from MPI_ERRORS_ARE_FATAL, and takes
// nothing that gives it back. So shadows are made over a communicator of our own, which returns errors: the
// world's shadow. Others give each communicator a handler.
constexpr bool handlers_follow = own_family != Family::openmpi;

struct Shadows {
  std::shared_ptr<ShadowCommunicator> base;
  std::mutex mutex;
  std::vector<int> tags; // in use, guarded by the mutex
};

std::shared_ptr<ShadowCommunicator>& base() {
  return of_process<Shadows>().base;
}

// The name of a creation over the base, in use in this process as long as it lives. Threads make shadows of
// several communicators at a time, which the library tells apart by these alone.
class CreationTag {
public:
  explicit CreationTag(int tag) : tag_(tag) {
    const std::lock_guard lock(mutex());
    is_free_ = std::ranges::find(used(), tag_) == used().end();
    if (is_free_)
      used().push_back(tag_);
  }
  ~CreationTag() {
    const std::lock_guard lock(mutex());
    if (is_free_)
      std::erase(used(), tag_);
  }
  CreationTag(const CreationTag&) = delete;
  CreationTag& operator=(const CreationTag&) = delete;

  int tag() const { return tag_; }
  bool is_free() const { return is_free_; }

private:
  static std::mutex& mutex() { return of_process<Shadows>().mutex; }
  static std::vector<int>& used() { return of_process<Shadows>().tags; }

  int tag_;
  bool is_free_ = false;
};

// One of the tags that every library has.
int tag_of(std::uint64_t seed) {
  return static_cast<int>((seed * 0x9E3779B97F4A7C15U) >> 49);
}

struct ShadowAgreement {
  bool has_room; // on all ranks
  bool is_free;  // all have the same tag, free on each
  int seed;      // for the next try: the same on all ranks, and of few other communicators
};

// Asked on the program's communicator, which its own call has just made, or all of its ranks are in a
// blocking call on.
std::optional<ShadowAgreement> agree(MPI_Comm comm, const CreationTag& tag, int seed) {
  const int has_room = process.counts.open_shadows.load(std::memory_order_relaxed) < shadows_max ? 1 : 0;
  const std::array<int, 5> mine{has_room, tag.is_free() ? 1 : 0, tag.tag(), -tag.tag(), seed};
  std::array<int, 5> all{};
  MPI_Request request = MPI_REQUEST_NULL;
  if (native.Iallreduce(mine.data(), all.data(), 5, MPI_INT, MPI_MIN, comm, &request) != MPI_SUCCESS ||
      poll_request(&request, MPI_STATUS_IGNORE) != MPI_SUCCESS)
    return std::nullopt;
  return ShadowAgreement{all[0] != 0, all[1] != 0 && all[2] == -all[3], all[4]};
}

std::shared_ptr<ShadowCommunicator> make(MPI_Comm comm, int tag) {
  if (!handlers_follow)
    return ShadowCommunicator::make(library_api(), comm);
  if (comm == runtime.world.communicator)
    return base();
  return base() ? ShadowCommunicator::make_over(library_api(), base()->handle(), comm, tag) : nullptr;
}

} // namespace

void open_shadow_base() {
  if (handlers_follow && runtime.world.size > 1)
    base() = ShadowCommunicator::make_as_it_is(library_api(), runtime.world.communicator);
}

void close_shadow_base() {
  base().reset();
}

Shadow make_shadow(MPI_Comm comm, std::uint64_t id) {
  for (auto seed = static_cast<int>(id >> 33);;) {
    const CreationTag tag(tag_of(static_cast<std::uint64_t>(seed)));
    const std::optional<ShadowAgreement> agreed = agree(comm, tag, seed);
    if (!agreed || !agreed->has_room)
      return {nullptr, "one of too many communicators at a time"};
    if (!agreed->is_free) { // another thread is at it by that name, on some rank
      seed = agreed->seed ^ (agreed->seed << 1 & 0x7FFFFFFF) ^ 1;
      continue;
    }
    std::shared_ptr<ShadowCommunicator> made = make(comm, tag.tag());
    if (!made)
      return {nullptr, "its duplicate could not be made"};
    process.counts.open_shadows.fetch_add(1, std::memory_order_relaxed);
    return {std::move(made), nullptr};
  }
}

void drop_shadow(std::shared_ptr<ShadowCommunicator> shadow) {
  THALWEG_ASSERT(light, !shadow || process.counts.open_shadows.load(std::memory_order_relaxed) > 0);
  if (shadow)
    process.counts.open_shadows.fetch_sub(1, std::memory_order_relaxed);
  shadow.reset();
}

namespace {

struct OwnCommunicator {
  std::shared_ptr<job::ShadowCommunicator> shadow;
  std::mutex asking;
};

std::shared_ptr<job::ShadowCommunicator>& kept() {
  return of_process<OwnCommunicator>().shadow;
}

bool is_taken(MPI_Comm comm) {
  int between_groups = 0;
  return native.Comm_test_inter(comm, &between_groups) == MPI_SUCCESS;
}

// For this time MPI_COMM_WORLD and MPI_COMM_SELF return errors: which of them is told, versions differ in.
bool is_taken_quietly(MPI_Comm comm) {
  if (!runtime.world.is_begun)
    return is_taken(comm);
  const std::lock_guard lock(of_process<OwnCommunicator>().asking);
  const job::ErrorsReturned of_world(library_api(), MPI_COMM_WORLD);
  const job::ErrorsReturned of_self(library_api(), MPI_COMM_SELF);
  return is_taken(comm);
}

// In MPICH and its kin, four bits of a handle say what it is of. A handle of something else is told to
// MPI_COMM_SELF's and MPI_COMM_WORLD's error handlers, whatever call meets it.
bool is_communicator_handle(MPI_Comm comm) {
  constexpr std::uintptr_t communicator = 1;
  return ((std::uintptr_t)(comm) >> 26 & 0xF) == communicator;
}

} // namespace

void open_own_communicator() {
  kept() = job::ShadowCommunicator::make_as_it_is(library_api(), MPI_COMM_SELF);
}

void close_own_communicator() {
  kept().reset();
}

MPI_Comm own_communicator() {
  return kept() ? kept()->handle() : MPI_COMM_NULL;
}

bool is_communicator(MPI_Comm comm) {
  if constexpr (own_family == Family::openmpi)
    return is_taken_quietly(comm);
  const MPI_Comm own = own_communicator();
  int relation = MPI_UNEQUAL;
  return own == MPI_COMM_NULL
             ? is_taken(comm)
             : is_communicator_handle(comm) && native.Comm_compare(own, comm, &relation) == MPI_SUCCESS;
}

} // namespace thalweg::mpi
