// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Puts, gets and atomic operations on symmetric memory that cannot be reached. They are messages, which the
// owner of the memory takes in.
//
// Messages from one rank to another arrive in their order, so that short ones land in it. Bodies of long ones
// come later, and fences wait for these. An owner tells each rank how many of its operations have landed, one
// after the other, once for all that it has taken in at a look.

#include "team/far_channel.hpp"
#include "team/operations.hpp"
#include "team/transfer.hpp"

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace thalweg::teams {

/// Of a far operation that somebody may wait for.
struct FarOperation {
  bool has_finished = false;
};
using FarOperationPointer = std::shared_ptr<FarOperation>;

class FarMemory final : public Companion, private FarReceiver {
public:
  /// All outlive it.
  FarMemory(const job::Group& group, const SymmetricMemory& memory, Operations& operations);
  ~FarMemory() override;
  FarMemory(const FarMemory&) = delete;
  FarMemory& operator=(const FarMemory&) = delete;

  /// Returns when the data may be changed.
  void put(const Transfer& put);
  /// Has finished when it has landed.
  FarOperationPointer start_put(const Transfer& put);
  FarOperationPointer start_get(const Transfer& get);
  /// Null where nobody wants its result: it lands some time.
  FarOperationPointer start_update(const Atomic& atomic);
  /// The same, to be waited for: has finished when it has landed.
  FarOperationPointer start_update_to_land(const Atomic& atomic);
  void wait(const FarOperation& operation);

  void fence();
  /// Returns when the library has no more of what was sent.
  void finish_sends();

  /// Takes in what has come, without waiting. Did anything move?
  bool look();
  /// The same, now and then where nothing has come for a while.
  bool progress() override;
  bool have_all_landed() const override { return unlanded_ == 0 && awaited_.empty(); }

private:
  /// What this rank has sent to another one.
  struct Outgoing {
    std::uint64_t sent = 0;
    std::uint64_t landed = 0;
    std::uint64_t last_long = 0;
    std::deque<std::pair<std::uint64_t, FarOperationPointer>> awaited; ///< by number
  };
  /// What has come from another one.
  struct Incoming {
    std::uint64_t come = 0;
    std::uint64_t reported = 0;
    std::set<std::uint64_t> pending; ///< their bodies are on the way
    std::uint64_t landed() const { return pending.empty() ? come : *pending.begin() - 1; }
  };
  /// Where a reply goes: data of a get, or a word.
  struct Awaited {
    std::byte* data;
    Blocks here;
    FarOperationPointer operation;
  };

  std::byte* place_for(const FarHead& head, Rank from) override;
  void take(const FarHead& head, Rank from, std::span<const std::byte> body) override;
  void take_put(const FarHead& head, std::span<const std::byte> body);
  void answer_get(const FarHead& head, Rank from, std::span<const std::byte> body);
  void take_update(const FarHead& head, Rank from);
  void take_reply(const FarHead& head, std::span<const std::byte> body);
  void take_landed(Rank from, std::uint64_t number);
  void come(const FarHead& head, Rank from);
  void report_landed();

  std::byte* place_of(std::uint32_t memory, std::uint64_t offset) const;
  std::uint64_t send_put(const Transfer& put);
  Outgoing& number(FarHead& head, Rank to);
  FarOperationPointer await_landing(Outgoing& outgoing);
  FarOperationPointer await_reply(FarHead& head, std::byte* data, const Blocks& here);
  void wait_for_room(Rank to);

  const SymmetricMemory& memory_;
  Operations& operations_;
  FarChannel channel_;
  std::map<Rank, Outgoing> outgoing_;
  std::map<Rank, Incoming> incoming_;
  std::vector<Rank> to_report_;
  std::map<std::uint64_t, Awaited> awaited_; ///< by number
  std::uint64_t asked_ = 0;
  std::uint64_t unlanded_ = 0;
  std::uint32_t looks_in_vain_ = 0;
};

} // namespace thalweg::teams
