// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/waiting.hpp"

#include <algorithm>

namespace thalweg::mpi::observe {

namespace {

// Walks the participants' samples, which are in order of calls, side by side.
class SideBySide {
public:
  explicit SideBySide(std::span<const Participant> participants)
      : participants_(participants), positions_(participants.size(), 0) {}

  // Moves to the next call that all participants have; false when there is none.
  bool next() {
    std::uint64_t call = started_ ? call_ + 1 : 0;
    started_ = true;
    for (std::size_t agreeing = 0, index = 0; agreeing < participants_.size();
         index = (index + 1) % positions_.size()) {
      const std::vector<SampledCall>& calls = participants_[index].samples->calls;
      std::size_t& position = positions_[index];
      while (position < calls.size() && calls[position].call < call) {
        ++position;
      }
      if (position == calls.size()) {
        return false;
      }
      agreeing = calls[position].call == call ? agreeing + 1 : 1;
      call = calls[position].call;
    }
    call_ = call;
    return true;
  }

  const SampledCall& of(std::size_t index) const {
    return participants_[index].samples->calls[positions_[index]];
  }

private:
  std::span<const Participant> participants_;
  std::vector<std::size_t> positions_;
  std::uint64_t call_ = 0;
  bool started_ = false;
};

} // namespace

void match(std::span<const Participant> participants,
           const std::function<Waiting&(int, std::uint32_t)>& account) {
  if (participants.empty() || static_cast<int>(participants.size()) != participants.front().samples->size) {
    return;
  }
  SideBySide calls(participants);
  while (calls.next()) {
    std::size_t last = 0;
    for (std::size_t index = 1; index < participants.size(); ++index) {
      if (calls.of(index).enter_ns > calls.of(last).enter_ns) {
        last = index;
      }
    }
    const double last_arrival = calls.of(last).enter_ns;
    for (std::size_t index = 0; index < participants.size(); ++index) {
      const SampledCall& call = calls.of(index);
      const double waited = std::max(0.0, std::min(last_arrival, call.exit_ns) - call.enter_ns);
      Waiting& waiting = account(participants[index].world_rank, call.row);
      waiting.sampled_ns += call.exit_ns - call.enter_ns;
      waiting.waiting_ns += waited;
      waiting.caused_ns[participants[last].world_rank] += waited;
    }
  }
}

} // namespace thalweg::mpi::observe
