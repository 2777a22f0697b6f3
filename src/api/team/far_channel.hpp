// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Messages about the memory of ranks that cannot be reached. Each begins with a head. A short body comes with
// it, and its receiver copies it to its place (eager). A long one follows as a message of its own, which is
// received where it belongs (rendezvous).

#include "base/rank.hpp"
#include "job/mpi/shadow_communicator.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace thalweg::teams {

enum class FarKind : std::uint8_t {
  put,
  get,
  update, ///< an atomic operation
  reply,  ///< of the last two
  report, ///< there is nothing but the head
};

/// Fields that a kind does not need are 0. Ranks of a team run the same library.
struct FarHead {
  static constexpr std::uint32_t no_memory = UINT32_MAX;

  FarKind kind = FarKind::put;
  std::uint8_t how = 0; ///< a thalweg_signal_kind, or a thalweg_atomic_kind
  std::uint8_t is_indexed = 0;
  std::uint8_t wants_reply = 0;
  std::uint8_t wants_report = 0;    ///< at once: the sender waits until it has landed, or is about to
  std::uint8_t has_long_body = 0;   ///< a message of its own follows
  std::uint32_t memory = no_memory; ///< the allocation's number
  std::uint32_t signal = no_memory; ///< the same of its signal
  std::uint64_t number = 0;         ///< of the operation, or of the request that is answered
  std::uint64_t landed = 0;         ///< so many operations of the receiver have, one after the other
  std::uint64_t offset = 0;
  std::uint64_t block_bytes = 0;
  std::uint64_t blocks = 1;
  std::int64_t stride = 0;
  std::uint64_t signal_offset = 0;
  std::uint64_t value = 0;
  std::uint64_t compare = 0;
  std::uint64_t body_bytes = 0;
};

/// Who is told of messages.
class FarReceiver {
public:
  virtual ~FarReceiver() = default;
  /// A message has begun, of which a long body follows: where that belongs, or nullptr.
  virtual std::byte* place_for(const FarHead& head, Rank from) = 0;
  /// All of a message is there.
  virtual void take(const FarHead& head, Rank from, std::span<const std::byte> body) = 0;
};

class FarChannel {
public:
  /// The longest short body that any rank sends.
  static constexpr std::size_t max_short_bytes = 32768;

  /// Nobody else uses `tag` there. Bodies of more than `short_bytes` are long; ranks may differ in that.
  FarChannel(const transport::MpiApi& api, std::shared_ptr<job::ShadowCommunicator> shadow, int tag,
             std::size_t short_bytes);
  /// Nothing is under way.
  ~FarChannel();
  FarChannel(const FarChannel&) = delete;
  FarChannel& operator=(const FarChannel&) = delete;

  /// Is a body of so many bytes long?
  bool is_long(std::size_t bytes) const { return bytes > short_bytes_; }
  /// Sends a message; its body has head.body_bytes. Gives its number.
  std::uint64_t send(Rank to, FarHead head, std::span<const std::byte> body);
  /// The same with a body that is kept until it is sent.
  void send(Rank to, const FarHead& head, std::vector<std::byte> body);
  /// May the body be changed, and has the library no more of it? Short ones may at once.
  bool is_sent(std::uint64_t number) const;
  bool has_sent_all() const { return requests_.empty(); }

  /// Makes progress without waiting. Did anything move?
  bool progress(FarReceiver& receiver);

private:
  static constexpr std::size_t max_message_bytes = max_short_bytes + sizeof(FarHead);
  static constexpr int max_messages = 64; ///< that a look takes in

  /// What belongs to a request of the library.
  struct UnderWay {
    std::uint64_t number = 0; ///< of sends
    std::vector<std::byte> kept = {};
    std::function<void()> then = {}; ///< of receives
  };

  void begin_send(Rank to, std::span<const std::byte> message, UnderWay&& what);
  void receive_body(const FarHead& head, Rank from, FarReceiver& receiver);
  bool finish_some();
  bool receive_one(FarReceiver& receiver);

  const transport::MpiApi& api_;
  std::shared_ptr<job::ShadowCommunicator> shadow_;
  int tag_;
  std::size_t short_bytes_;
  std::uint64_t sent_ = 0;
  std::vector<MPI_Request> requests_;
  std::vector<UnderWay> under_way_; ///< of each of them
  std::vector<int> finished_;
  std::vector<std::byte> message_; ///< the one that is taken in
};

} // namespace thalweg::teams
