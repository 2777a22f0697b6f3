#include "stream/stream_set.hpp"

namespace thalweg::streams {

bool StreamSet::progress(const Member* awaited) {
  bool moved = false;
  const bool waits = awaited != nullptr;
  for (Member* stream : streams_)
    moved |= stream->take_in(0, waits && stream != awaited);
  for (Member* stream : streams_)
    stream->advance();
  return moved;
}

bool StreamSet::progress_from(Member& stream, std::uint32_t dimension) {
  bool moved = stream.take_in(dimension, true);
  for (auto later = std::ranges::find(streams_, &stream) + 1; later < streams_.end(); ++later)
    moved |= (*later)->take_in(0, true);
  for (Member* ending : streams_)
    ending->advance();
  return moved;
}

Member* StreamSet::enter(Member* stream) {
  Member* const outer = handling_;
  leave(stream);
  return outer;
}

void StreamSet::leave(Member* outer) {
  handling_ = outer;
  for (Member* stream : streams_)
    stream->defer(outer != nullptr && stream != outer);
}

} // namespace thalweg::streams
