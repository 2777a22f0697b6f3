// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The streams of a process. Who waits for a slot of one lets the others go on, in an order in which nobody
// waits in a circle.
//
// Resources are the slots of (stream, dimension), ordered by stream, then by dimension. What arrives along a
// dimension needs slots of later dimensions of its own stream only, and handlers never wait. So who waits for
// a slot takes in what arrives in its own class and in later ones: the last class can always be taken in,
// hence its slots come free, and so on down.
//
// What a sender sends in its next phase is left where it is, so that it is held up, until this rank's phase
// has ended too. That is one more thing to wait for, and this rank may be waiting for something else, in a
// call of ours or by looking again and again. Then it is copied away.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace thalweg::streams {

/// A stream as the others know it.
class Member {
public:
  virtual ~Member() = default;

  /// Takes in what has arrived along the dimensions from this one on. `copies`: what belongs to the next
  /// phase is copied away, for its senders must not be held up now. Was there anything?
  virtual bool take_in(std::uint32_t from_dimension, bool copies) = 0;
  /// Closes links as far as marks have come. Does not wait.
  virtual void advance() = 0;
  /// Whether what is sent now, by another stream's handler, has to wait for the next phase if this one ends.
  virtual void defer(bool on) = 0;
  virtual bool runs_handler() const = 0;
  /// Sends what has waited in links for a period, and takes in what peers have had in theirs for a while. Was
  /// there anything of that?
  virtual bool look_at_clock() = 0;
};

class StreamSet {
public:
  void add(Member& stream) { streams_.push_back(&stream); }
  void remove(Member& stream) { std::erase(streams_, &stream); }

  /// Takes in what has arrived in all classes, and lets phases come to their ends. Was there anything?
  /// `awaited`: the stream whose phase the caller waits for, or null.
  bool progress(const Member* awaited);
  /// The same in the classes from this one on, whose slots the caller waits for.
  bool progress_from(Member& stream, std::uint32_t dimension);
  /// A handler of some stream runs.
  bool runs_handler() const {
    return std::ranges::any_of(streams_, [](const Member* stream) { return stream->runs_handler(); });
  }

  /// Something is being taken in.
  bool is_nested() const { return handling_ != nullptr; }
  /// Throws Error where something is: a handler may not end a phase.
  void must_not_be_nested() const;
  /// `stream` begins to handle what has arrived; gives who did so before, for leave().
  Member* enter(Member* stream);
  void leave(Member* outer);

private:
  std::vector<Member*> streams_; ///< in the order of their making
  Member* handling_ = nullptr;
  std::uint32_t looks_ = 0;
};

/// A stream's place in the set of its process, as long as it lives.
class Membership {
public:
  Membership(std::shared_ptr<StreamSet> set, Member& stream) : set_(std::move(set)), stream_(stream) {
    set_->add(stream_);
  }
  ~Membership() { set_->remove(stream_); }
  Membership(const Membership&) = delete;
  Membership& operator=(const Membership&) = delete;

  StreamSet& set() { return *set_; }
  const StreamSet& set() const { return *set_; }
  /// As StreamSet's.
  Member* enter() { return set_->enter(&stream_); }
  void leave(Member* outer) { set_->leave(outer); }

private:
  std::shared_ptr<StreamSet> set_;
  Member& stream_;
};

} // namespace thalweg::streams
