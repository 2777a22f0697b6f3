#pragma once

// Learning on one communicator: its lessons by kind of call, and the fences between their rounds.

#include <array>
#include <map>
#include <memory>
#include <unordered_map>

#include "mpi/call/call_words.hpp"
#include "mpi/learn/fence.hpp"
#include "mpi/learn/lesson.hpp"

namespace thalweg::mpi {

class CommunicatorLearning : public RunnerState {
public:
  explicit CommunicatorLearning(CommunicatorState& communicator);
  ~CommunicatorLearning() override;

  // What the call is to run, or null where nothing is learned of such calls.
  const Choice* choose(const CollectiveCall& call);
  // After the call, where choose() has said that it is measured.
  void measured(const CollectiveCall& call, bool refused);

  // Completes what is under way, before the communicator or MPI ends.
  void finish();
  // Calls `visit(lesson)` for all.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& [key, stream] : streams_)
      for (const auto& [traffic, lesson] : stream.lessons)
        visit(*lesson);
  }
  CommunicatorState& communicator() const { return communicator_; }

private:
  // Calls of one kind. Those of private sizes have a lesson for each class of traffic that was agreed upon.
  struct Stream {
    std::map<pattern::TrafficClass, std::unique_ptr<Lesson>> lessons;
    Lesson* current = nullptr;
    Fence fence;
    double fence_seconds = 0; // of the last one
  };

  // A call by its words, and where it belongs: the short way for programs that make the same few calls.
  struct RecentCall {
    const CollectiveForm* form = nullptr;
    CallWords words;
    Stream* stream = nullptr; // null: nothing is learned of it
    std::int64_t bytes = 0;
  };

  const RecentCall& find(const CollectiveCall& call);
  Stream* stream_of(const Kind& kind);
  Lesson& lesson_of(Stream& stream, const Kind& kind, pattern::TrafficClass traffic, std::int64_t bytes);
  void open_round(Stream& stream);
  void close_round(Stream& stream);
  bool is_ready(); // for fences; made so when first needed
  void measure_clock();
  void order_candidates(Lesson& lesson);

  CommunicatorState& communicator_;
  tune::Purse purse_;
  std::unordered_map<std::uint32_t, Stream> streams_;
  std::array<RecentCall, 8> recent_;
  RecentCall unlike_any_;       // of calls that their words do not tell
  Stream* measuring_ = nullptr; // the call under way
  bool ready_ = false;
  bool stopped_ = false;
  double clock_offset_seconds_ = 0;
};

} // namespace thalweg::mpi
