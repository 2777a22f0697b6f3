// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a transport offers: to the engine messages of bytes between numbered ranks, many under way at once,
// and beside them a mailbox for messages that nobody awaits.

#include "base/error.hpp"
#include "base/rank.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace thalweg::transport {

/// Combines bytes that arrive with one's own.
class Combiner {
public:
  virtual ~Combiner() = default;
  /// `bytes` is a multiple of the message's granule. `own` may be the target. What arrived may be overwritten
  /// if `spent`.
  virtual void combine(std::byte* arrived, const std::byte* own, std::byte* target, std::size_t bytes,
                       bool spent) = 0;
  /// Does it call the MPI library, or code of the program? Then only those who look at its batch call it.
  virtual bool calls_library() const { return false; }
};

/// Sends that carry the same bytes of the same memory, so that these may be copied once for all. They are
/// started by one batch before it uses their number again.
struct Multicast {
  std::uint32_t number = 0; ///< from 1 on; 0: the message is none of a multicast
  std::uint32_t members = 0;
};

/// One end of a message. The n-th send to a peer with a tag meets the n-th receive from there with that tag.
struct Message {
  Rank peer = 0;
  std::int32_t tag = 0;
  std::byte* data = nullptr; ///< not written by sends
  std::size_t bytes = 0;
  /// Of receives, where the transport combines: what is done with the bytes, in order; nullptr to copy them.
  Combiner* combiner = nullptr;
  /// What the combiner combines them with; nullptr: what is at `data`.
  const std::byte* own = nullptr;
  /// Bytes that must come together, at both ends alike.
  std::uint32_t granule = 1;
  /// Fewer bytes may come than are awaited; at both ends alike.
  bool at_most = false;
  Multicast multicast = {}; ///< of sends
};

/// A message was longer than the place that was given for it: ranks disagree about the call.
class TruncationError : public Error {
public:
  TruncationError(const std::string& problem, const std::string& remedy)
      : Error(problem, remedy, thalweg_error_mismatch) {}
};

/// A set of messages under way, each known by its id, a small number that the caller gives. Not
/// thread-safe. Failures of the transport are thrown as Error (or a type derived from it); the batch is of no
/// use afterwards.
class Batch {
public:
  virtual ~Batch() = default;

  /// Makes room for ids 0 .. count-1. Called while nothing is under way.
  virtual void reserve(std::size_t count) = 0;
  virtual void start_receive(std::uint32_t id, const Message& message) = 0;
  virtual void start_send(std::uint32_t id, const Message& message) = 0;

  /// A message of a multicast went another way: this batch has one less of its members to expect.
  virtual void pass_over(const Message& /*message*/) {}

  /// Sends what was started and has only been put together so far. Whoever waits does it by itself.
  virtual void flush() {}

  /// Ids of messages that have finished since the last look; makes progress, does not wait. Valid until the
  /// next call.
  virtual std::span<const int> poll() = 0;
  /// The same, but waits until at least one has finished. Only called while something is under way.
  virtual std::span<const int> wait() = 0;
  /// Has everything under way finished? Makes progress, does not wait.
  virtual bool all_finished() = 0;

  /// Of the sends given, in their order, those that can go at once, so that nothing of them is left under
  /// way; returns how many went.
  virtual std::size_t send_at_once(std::span<const Message> /*sends*/) { return 0; }
  /// Receives and sends everything given and returns when all of it has finished; nothing else may be under
  /// way.
  virtual void transfer(std::span<const Message> receives, std::span<const Message> sends) {
    for (std::size_t left = start_all(receives, sends); left > 0;)
      left -= wait().size();
  }

protected:
  /// Starts everything given with ids from 0 on; returns how many.
  std::uint32_t start_all(std::span<const Message> receives, std::span<const Message> sends) {
    reserve(receives.size() + sends.size());
    std::uint32_t id = 0;
    for (const Message& message : receives)
      start_receive(id++, message);
    for (const Message& message : sends)
      start_send(id++, message);
    return id;
  }
};

/// A group of ranks joined by a transport, as one of its members sees it.
class Transport {
public:
  virtual ~Transport() = default;
  virtual Rank rank() const = 0;
  virtual std::int32_t ranks() const = 0;
  /// Tags are 0 .. tag_limit()-1; at least 32768.
  virtual std::int32_t tag_limit() const = 0;
  /// Largest granule of messages that are combined as they arrive; 0 where the transport does not combine.
  virtual std::size_t max_granule() const { return 0; }
  /// Do batches wait by looking, and let others go on meanwhile? Else they wait inside of a library.
  virtual bool waits_by_looking() const { return false; }
  /// May starts of batches and looks at them call the MPI library?
  virtual bool calls_library() const { return true; }
  /// From now on several threads of the process use it and its batches, each batch by one at a time. Nobody
  /// else uses it meanwhile.
  virtual void share_among_threads() {}
  virtual std::unique_ptr<Batch> make_batch() = 0;
  /// What a cache line takes there and back between this rank's core and that of a neighbor on the node, in
  /// ns; 0 where that is not known, as on one of the two. All ranks call this at about the same time, equally
  /// often. It takes some us, and nobody waits for long.
  virtual double look_at_distance_ns() { return 0; }
};

/// A rank's mailbox in a group. Not thread-safe. Failures are thrown as Error.
class Mailbox {
public:
  virtual ~Mailbox() = default;
  /// Starts a message and returns its number. The bytes are copied.
  virtual std::uint64_t send(Rank to, std::span<const std::byte> bytes) = 0;
  /// Was the message received at its end? Once it was, its number is forgotten.
  virtual bool was_received(std::uint64_t number) = 0;
  /// Receives a message that has come; false where none has.
  virtual bool receive(std::vector<std::byte>& message) = 0;
};

} // namespace thalweg::transport
