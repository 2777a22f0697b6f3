#include "stream/stream_set.hpp"

#include "stream/item_stream.hpp"

#include <algorithm>

namespace thalweg::streams {

bool StreamSet::progress(const ItemStream* awaited) {
  bool moved = false;
  const bool waits = awaited != nullptr;
  for (ItemStream* stream : streams_)
    moved |= stream->take_in(0, waits && stream != awaited);
  for (ItemStream* stream : streams_)
    stream->advance();
  return moved;
}

bool StreamSet::progress_from(ItemStream& stream, std::uint32_t dimension) {
  bool moved = stream.take_in(dimension, true);
  for (auto later = std::ranges::find(streams_, &stream) + 1; later < streams_.end(); ++later)
    moved |= (*later)->take_in(0, true);
  for (ItemStream* ending : streams_)
    ending->advance();
  return moved;
}

ItemStream* StreamSet::enter(ItemStream* stream) {
  ItemStream* const outer = handling_;
  leave(stream);
  return outer;
}

void StreamSet::leave(ItemStream* outer) {
  handling_ = outer;
  for (ItemStream* stream : streams_)
    stream->defer(outer != nullptr && stream != outer);
}

bool StreamSet::runs_handler() const {
  return std::ranges::any_of(streams_, [](const ItemStream* stream) { return stream->runs_handler(); });
}

} // namespace thalweg::streams
