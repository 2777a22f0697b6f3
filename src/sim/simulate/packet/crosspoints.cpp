// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/packet/crosspoints.hpp"

#include <bit>

namespace thalweg::simulate::packet {

Crosspoints::Crosspoints(Pool<Packet>& packets, std::span<ChannelLine> lines, Arbitration arbitration,
                         std::uint32_t virtual_channels, std::span<const std::uint32_t> queues)
    : packets_(packets), arbitration_(arbitration), lines_(lines), waiting_(queues.size(), 0) {
  THALWEG_ASSERT(light, lines.size() == queues.size());
  std::uint32_t all_queues = 0;
  std::uint32_t all_words = 0;
  for (std::size_t channel = 0; channel < queues.size(); ++channel) {
    const std::uint32_t count = queues[channel];
    lines[channel].row = {.first_queue = all_queues, .first_word = all_words, .queues = count};
    all_queues += count;
    all_words += (count + word_bits - 1) / word_bits;
  }
  queues_.resize(all_queues);
  words_.assign(all_words, 0);
  if (arbitration == Arbitration::fair)
    fair_turns_ = {queues.size(), virtual_channels};
}

// The first queue from that one on that has something; none behind the last.
std::uint32_t Crosspoints::next_queue(const QueueRow& row, std::uint32_t from) const {
  for (std::uint32_t word = from / word_bits; word * word_bits < row.queues; ++word) {
    std::uint64_t bits = words_[row.first_word + word];
    if (word == from / word_bits)
      bits = bits >> from % word_bits << from % word_bits;
    if (bits != 0)
      return word * word_bits + static_cast<std::uint32_t>(std::countr_zero(bits));
  }
  return none;
}

std::uint32_t Crosspoints::select(std::uint32_t channel, std::uint32_t open) const {
  switch (arbitration_) {
  case Arbitration::fair:
    return fair_turns_.select(channel, open);
  case Arbitration::oldest:
    return select_oldest(lines_[channel].row, open);
  case Arbitration::round_robin:
    break;
  }
  return select_in_turn(lines_[channel].row, open);
}

std::uint32_t Crosspoints::select_in_turn(const QueueRow& row, std::uint32_t open) const {
  const std::uint32_t after = row.served + 1;
  for (std::uint32_t queue = next_queue(row, after); queue != none; queue = next_queue(row, queue + 1))
    if (may_go(row, queue, open))
      return queue;
  for (std::uint32_t queue = next_queue(row, 0); queue < after; queue = next_queue(row, queue + 1))
    if (may_go(row, queue, open))
      return queue;
  return none;
}

std::uint32_t Crosspoints::select_oldest(const QueueRow& row, std::uint32_t open) const {
  std::uint32_t found = none;
  for (std::uint32_t queue = next_queue(row, 0); queue != none; queue = next_queue(row, queue + 1))
    if (may_go(row, queue, open) && (found == none || first(row, queue).came < first(row, found).came))
      found = queue;
  return found;
}

} // namespace thalweg::simulate::packet
