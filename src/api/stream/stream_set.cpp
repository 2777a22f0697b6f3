// SPDX-License-Identifier: BSD-3-Clause
#include "stream/stream_set.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"

namespace thalweg::streams {

bool StreamSet::progress(const Member* awaited) {
  bool moved = false;
  const bool waits = awaited != nullptr;
  for (Member* stream : streams_)
    moved |= stream->take_in(0, stream != awaited);
  for (Member* stream : streams_)
    stream->advance();
  // Whoever waits for one stream's phase has items of others: somebody may need them to get there as well.
  constexpr std::uint32_t looks_a_clock = 32;
  if (!waits || ++looks_ % looks_a_clock == 0)
    for (Member* stream : streams_)
      moved |= stream->look_at_clock();
  return moved;
}

bool StreamSet::progress_from(Member& stream, std::uint32_t dimension) {
  THALWEG_ASSERT(normal, std::ranges::find(streams_, &stream) != streams_.end());
  bool moved = stream.take_in(dimension, true);
  for (auto later = std::ranges::find(streams_, &stream) + 1; later < streams_.end(); ++later)
    moved |= (*later)->take_in(0, true);
  for (Member* ending : streams_)
    ending->advance();
  return moved;
}

void StreamSet::must_not_be_nested() const {
  if (is_nested())
    throw Error("a handler ends the phase", "call finish where no handler runs");
}

Member* StreamSet::enter(Member* stream) {
  THALWEG_ASSERT(normal, stream != nullptr);
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
