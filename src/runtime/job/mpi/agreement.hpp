// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What some ranks of a communicator tell each other before there is a transport, or besides it.
//
// Messages go along binomial trees of our own, not through the library's collectives. Of those, a nonblocking
// all-gather connects all ranks with all, and over TCP each connection makes every later look for messages
// dearer; Open MPI, once it has run one, looks for more whenever it waits; and blocking ones would keep our
// other operations waiting. Failures of the library are thrown as transport::MpiError.

#include "base/rank.hpp"
#include "transport/mpi/mpi_api.hpp"
#include "wait/policy.hpp"

#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace thalweg::job {

class Agreement {
public:
  /// Among `members`, ranks of the communicator in the same order on all of them; `own` is this process's
  /// place among them. Nobody else uses `tag` there meanwhile.
  Agreement(const transport::MpiApi& api, MPI_Comm communicator, std::vector<Rank> members, Rank own, int tag,
            const wait::Policy& policy);

  std::int32_t count() const { return static_cast<std::int32_t>(members_.size()); }
  Rank own() const { return own_; }
  /// The rank of a member in the communicator.
  Rank rank_of(std::size_t member) const { return members_[member]; }

  /// The first member's bytes, on all of them.
  void broadcast(void* data, std::size_t bytes) const;
  void broadcast(std::string& text) const;
  template <typename Value>
  void broadcast(Value& value) const {
    static_assert(std::is_trivially_copyable_v<Value>);
    broadcast(&value, sizeof value);
  }

  /// Every member's value, by member.
  template <typename Value>
  std::vector<Value> allgather(const Value& own) const {
    static_assert(std::is_trivially_copyable_v<Value>);
    std::vector<Value> all(members_.size());
    allgather(&own, sizeof own, all.data());
    return all;
  }

  /// Every member's values, one after the other by member, on the first one; nothing on the others.
  template <typename Value>
  std::vector<Value> gather(const std::vector<Value>& own) const {
    static_assert(std::is_trivially_copyable_v<Value>);
    const auto* const bytes = reinterpret_cast<const std::byte*>(own.data());
    const std::vector<std::byte> all =
        gather(std::vector<std::byte>(bytes, bytes + own.size() * sizeof(Value)));
    std::vector<Value> values(all.size() / sizeof(Value));
    if (!all.empty())
      std::memcpy(values.data(), all.data(), all.size());
    return values;
  }

private:
  std::vector<std::byte> gather(std::vector<std::byte> own) const;
  void allgather(const void* own, std::size_t bytes, void* all) const;
  void send(const void* data, std::size_t bytes, Rank member) const;
  void receive(void* data, std::size_t bytes, Rank member) const;
  void complete(MPI_Request& request) const;

  const transport::MpiApi& api_;
  MPI_Comm communicator_;
  std::vector<Rank> members_;
  Rank own_;
  int tag_;
  wait::Policy policy_;
};

/// All ranks of a communicator, as members.
std::vector<Rank> all_ranks(std::int32_t ranks);

/// A tag that transports leave alone.
int agreement_tag(const transport::MpiApi& api, MPI_Comm communicator);

/// One that no message ever has, so that whoever looks for it finds nothing.
int unused_tag(const transport::MpiApi& api, MPI_Comm communicator);

/// The mailbox's (transport/transport.hpp). Transports' tags are below it.
int mailbox_tag(const transport::MpiApi& api, MPI_Comm communicator);

} // namespace thalweg::job
