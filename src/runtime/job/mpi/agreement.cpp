// SPDX-License-Identifier: BSD-3-Clause
#include "job/mpi/agreement.hpp"

#include "base/assertion.hpp"
#include "transport/mpi/mpi_transport.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>

namespace thalweg::job {

namespace {

void check(const char* call, int code) {
  if (code != MPI_SUCCESS)
    throw transport::MpiError(call, code);
}

// What a member may do before it answers: system calls, and first uses of pages.
constexpr std::uint32_t system_call_us = 200;

// The library counts a message's bytes with an int.
constexpr std::size_t piece_max = std::size_t{1} << 30;

int length_of_piece(std::size_t left) {
  return static_cast<int>(std::min(left, piece_max));
}

} // namespace

Agreement::Agreement(const transport::MpiApi& api, MPI_Comm communicator, std::vector<Rank> members, Rank own,
                     int tag, const wait::Policy& policy)
    : api_(api), communicator_(communicator), members_(std::move(members)), own_(own), tag_(tag),
      policy_(policy) {
  THALWEG_ASSERT(light, own >= 0 && static_cast<std::size_t>(own) < members_.size());
  policy_.polls = 1; // each is a look of the library's
  // Members wait for one that makes a file or maps memory. Who has a core to itself and yields it then loses
  // it for milliseconds on a busy machine, at each step.
  if (policy_.settings.poll_us > 0)
    policy_.settings.poll_us = std::max(policy_.settings.poll_us, system_call_us);
}

void Agreement::complete(MPI_Request& request) const {
  const auto look = [&] {
    int flag = 0;
    check("MPI_Test", api_.test(&request, &flag, MPI_STATUS_IGNORE));
    return flag != 0 ? wait::Look::reached : wait::Look::nothing;
  };
  wait::until(policy_, look);
}

void Agreement::send(const void* data, std::size_t bytes, Rank member) const {
  THALWEG_ASSERT(light, member >= 0 && member < count() && member != own_);
  const Rank to = members_[static_cast<std::size_t>(member)];
  for (std::size_t begin = 0; begin < bytes; begin += piece_max) {
    MPI_Request request = api_.request_null;
    check("MPI_Isend", api_.isend(static_cast<const std::byte*>(data) + begin, length_of_piece(bytes - begin),
                                  api_.byte, to, tag_, communicator_, &request));
    complete(request);
  }
}

void Agreement::receive(void* data, std::size_t bytes, Rank member) const {
  THALWEG_ASSERT(light, member >= 0 && member < count() && member != own_);
  const Rank from = members_[static_cast<std::size_t>(member)];
  for (std::size_t begin = 0; begin < bytes; begin += piece_max) {
    MPI_Request request = api_.request_null;
    check("MPI_Irecv", api_.irecv(static_cast<std::byte*>(data) + begin, length_of_piece(bytes - begin),
                                  api_.byte, from, tag_, communicator_, &request));
    complete(request);
  }
}

// A member's parent is the one without its lowest bit; its children differ from it in one bit below that.
void Agreement::broadcast(void* data, std::size_t bytes) const {
  const std::int32_t members = count();
  const std::int32_t lowest =
      own_ == 0 ? static_cast<std::int32_t>(std::bit_ceil(static_cast<std::uint32_t>(members)))
                : own_ & -own_;
  if (own_ != 0)
    receive(data, bytes, own_ - lowest);
  for (std::int32_t distance = lowest / 2; distance > 0; distance /= 2)
    if (own_ + distance < members)
      send(data, bytes, own_ + distance);
}

void Agreement::broadcast(std::string& text) const {
  auto length = static_cast<std::uint64_t>(text.size());
  broadcast(length);
  text.resize(length);
  if (length > 0)
    broadcast(text.data(), text.size());
}

// A member's subtree are some members from itself on, and their rows lie from its own on.
void Agreement::allgather(const void* own, std::size_t bytes, void* all) const {
  const std::int32_t members = count();
  auto* const rows = static_cast<std::byte*>(all);
  std::byte* const mine = rows + bytes * static_cast<std::size_t>(own_);
  std::memcpy(mine, own, bytes);
  for (std::int32_t distance = 1; distance < members; distance *= 2) {
    if ((own_ & distance) != 0) {
      send(mine, bytes * static_cast<std::size_t>(std::min(distance, members - own_)), own_ - distance);
      break;
    }
    const std::int32_t child = own_ + distance;
    if (child < members)
      receive(mine + bytes * static_cast<std::size_t>(distance),
              bytes * static_cast<std::size_t>(std::min(distance, members - child)), child);
  }
  broadcast(rows, bytes * static_cast<std::size_t>(members));
}

// A member hands its parent what its subtree has: first the length.
std::vector<std::byte> Agreement::gather(std::vector<std::byte> own) const {
  for (std::int32_t distance = 1; distance < count(); distance *= 2) {
    if ((own_ & distance) != 0) {
      const std::uint64_t length = own.size();
      send(&length, sizeof length, own_ - distance);
      if (length > 0)
        send(own.data(), own.size(), own_ - distance);
      return {};
    }
    if (own_ + distance < count()) {
      std::uint64_t length = 0;
      receive(&length, sizeof length, own_ + distance);
      own.resize(own.size() + length);
      if (length > 0)
        receive(own.data() + own.size() - length, length, own_ + distance);
    }
  }
  return own;
}

std::vector<Rank> all_ranks(std::int32_t ranks) {
  std::vector<Rank> all(static_cast<std::size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

int agreement_tag(const transport::MpiApi& api, MPI_Comm communicator) {
  void* value = nullptr;
  int found = 0;
  check("MPI_Comm_get_attr", api.comm_get_attr(communicator, MPI_TAG_UB, static_cast<void*>(&value), &found));
  constexpr int lowest_that_mpi_allows = 32767;
  return found != 0 ? *static_cast<int*>(value) : lowest_that_mpi_allows;
}

int unused_tag(const transport::MpiApi& api, MPI_Comm communicator) {
  return agreement_tag(api, communicator) - 1;
}

int mailbox_tag(const transport::MpiApi& api, MPI_Comm communicator) {
  return unused_tag(api, communicator) - 1;
}

} // namespace thalweg::job
