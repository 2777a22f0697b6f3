#pragma once

// Closing marks: how a phase ends.
//
// A rank closes its links dimension by dimension: its last slot to each peer carries a mark, and those of a
// dimension go out when the marks of all senders along the dimensions before have come. Links keep their
// order, so whoever has all marks has all that was sent before them. This is one *wave*.
//
// Handlers may have sent more meanwhile. So marks also say whether anything was sent, or failed, since the
// sender's wave before; as marks spread along all dimensions, all ranks come to the same result. A phase ends
// with the first wave in which nothing was. Then what was sent before the wave before has been handled by the
// beginning of this one, and has led to nothing. (Mattern 1987 does so with counters and two equal waves.)

#include <array>
#include <cstdint>
#include <vector>

namespace thalweg::streams {

class Waves {
public:
  explicit Waves(std::uint32_t dimensions) {
    for (Wave& wave : waves_)
      wave.marks.resize(dimensions);
  }

  /// Modulo 2: a sender is one wave ahead at most, since it has to wait for this rank's marks.
  std::uint8_t number() const { return number_; }

  void begin(bool was_active) { waves_[number_].was_active |= was_active; }
  void mark_arrived(std::uint32_t dimension, std::uint8_t wave, bool was_active) {
    ++waves_[wave].marks[dimension];
    waves_[wave].was_active |= was_active;
  }
  bool has_marks(std::uint32_t dimension, std::uint32_t senders) const {
    return waves_[number_].marks[dimension] == senders;
  }
  /// As far as is known.
  bool was_active() const { return waves_[number_].was_active; }
  /// Everything has come: goes on to the next one. Was anything active?
  bool end() {
    Wave& ended = waves_[number_];
    const bool was_active = ended.was_active;
    ended.was_active = false;
    ended.marks.assign(ended.marks.size(), 0);
    number_ ^= 1;
    return was_active;
  }

private:
  struct Wave {
    std::vector<std::uint32_t> marks; // by dimension
    bool was_active = false;
  };
  std::array<Wave, 2> waves_;
  std::uint8_t number_ = 0;
};

} // namespace thalweg::streams
