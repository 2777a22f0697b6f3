// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Puts, gets and atomic operations on symmetric memory that cannot be reached. They are messages, which the
// owner of the memory takes in.
//
// Messages from one rank to another arrive in their order, so that short ones land in it. Bodies of long ones
// come later, and fences wait for these. Every message tells its receiver how many of its operations have
// landed here, one after the other. An owner that has nothing to send says so by itself: at once where the
// other one waits for that, else when nothing more comes, if anybody takes care of the team until then.

#include "machine/machine.hpp"
#include "team/far_channel.hpp"
#include "team/far_landings.hpp"
#include "team/operations.hpp"
#include "team/transfer.hpp"

#include <cstddef>
#include <cstdint>
#include <map>

namespace thalweg::teams {

/// Up to which length a put goes with its head, as one or several messages that its owner copies from: by the
/// machine's figures that is cheaper than a message of its own, which waits until its owner is ready.
std::size_t eager_bytes(const machine::Machine& machine);

/// Replies that this rank waits for: data of gets, and words.
class FarReplies {
public:
  /// Numbers a question, whose answer goes there.
  FarOperationPointer await(FarHead& head, std::byte* data, const Blocks& here);
  /// Where the body of a reply may be received; nullptr where it goes to several places.
  std::byte* place_for(const FarHead& head) const;
  void take(const FarHead& head, std::span<const std::byte> body);
  bool have_all() const { return awaited_.empty(); }

private:
  struct Awaited {
    std::byte* data;
    Blocks here;
    FarOperationPointer operation;
  };

  std::map<std::uint64_t, Awaited> awaited_; ///< by number
  std::uint64_t asked_ = 0;
};

class FarMemory final : public Companion, private FarReceiver {
public:
  /// All outlive it. Puts of up to `eager_bytes` are eager (team/far_channel.hpp).
  FarMemory(const job::Group& group, const SymmetricMemory& memory, Operations& operations,
            std::size_t eager_bytes);
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
  /// Waits until all has landed.
  void quiet();
  /// Something is expected: looks are frequent.
  void expect() { looks_in_vain_ = 0; }
  /// Returns when the library has no more of what was sent.
  void finish_sends();

  /// Takes in what has come, without waiting; now and then only, where nothing has come for a while. Did
  /// anything move?
  bool progress() override;
  void ask_for_reports() override;
  bool have_all_landed() const override { return landings_.have_all() && replies_.have_all(); }

private:
  std::byte* place_for(const FarHead& head, Rank from) override;
  void take(const FarHead& head, Rank from, std::span<const std::byte> body) override;
  void take_put(const FarHead& head, std::span<const std::byte> body);
  void answer_get(const FarHead& head, Rank from, std::span<const std::byte> body);
  void take_update(const FarHead& head, Rank from);
  void come(const FarHead& head, Rank from);
  template <typename Body>
  std::uint64_t send(Rank to, FarHead& head, Body body);
  void report_landed(bool has_time);

  FarOperationPointer send_update(const Atomic& atomic, bool is_awaited);
  std::uint64_t send_put(const Transfer& put, bool is_awaited);
  std::uint64_t send_block(const Transfer& put, bool is_awaited);
  std::uint64_t send_in_parts(const Transfer& put, bool is_awaited);
  void number(FarHead& head, Rank to, bool is_awaited);
  void wait_for_room(Rank to);

  const SymmetricMemory& memory_;
  Operations& operations_;
  FarChannel channel_;
  std::size_t eager_bytes_;
  FarLandings landings_;
  FarReplies replies_;
  std::uint32_t looks_in_vain_ = 0;
  bool is_attended_;               ///< somebody looks while the program is in no call of a team
  std::uint32_t hurried_puts_ = 0; ///< of which reports are wanted at once
};

} // namespace thalweg::teams
