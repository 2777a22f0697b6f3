#pragma once

// The streams of a process. Who waits for a slot of one lets the others go on, in an order in which nobody
// waits in a circle.
//
// What a sender sends in its next phase is left where it is, so that he is held up, until this rank's phase
// has ended too. That is one more thing to wait for, and this rank may be in a wait for something else. Then
// it is copied away.
//
// Resources are the slots of (stream, dimension), ordered by stream, then by dimension. What arrives along a
// dimension needs slots of later dimensions of its own stream only, and handlers never wait. So who waits for
// a slot takes in what arrives in its own class and in later ones: the last class can always be taken in,
// hence its slots come free, and so on down.

#include <cstdint>
#include <vector>

namespace thalweg::streams {

class ItemStream;

class StreamSet {
public:
  void add(ItemStream& stream) { streams_.push_back(&stream); }
  void remove(ItemStream& stream) { std::erase(streams_, &stream); }

  /// Takes in what has arrived in all classes, and lets phases come to their ends. Was there anything?
  /// `awaited`: the stream whose phase the caller waits for, or null.
  bool progress(const ItemStream* awaited);
  /// The same in the classes from this one on, whose slots the caller waits for.
  bool progress_from(ItemStream& stream, std::uint32_t dimension);
  /// A handler of some stream runs.
  bool runs_handler() const;

  /// Something is being taken in.
  bool is_nested() const { return handling_ != nullptr; }
  /// `stream` begins to handle what has arrived; gives who did so before, for leave().
  ItemStream* enter(ItemStream* stream);
  void leave(ItemStream* outer);

private:
  std::vector<ItemStream*> streams_; // in the order of their making
  ItemStream* handling_ = nullptr;
};

} // namespace thalweg::streams
