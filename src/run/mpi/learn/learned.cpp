// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/learn/learned.hpp"

#include "base/assertion.hpp"
#include "base/of_process.hpp"
#include "mpi/comm/gathering.hpp"
#include "mpi/learn/communicator_learning.hpp"
#include "mpi/learn/learned_entry.hpp"
#include "mpi/state/runtime.hpp"

#include <algorithm>
#include <mutex>
#include <tuple>

namespace thalweg::mpi {

namespace {

// By call, ranks, nodes, bytes and degree: what the communicator with the most such calls has learned.
class Collection {
public:
  void add(LearnedEntry entry) {
    const auto known =
        std::ranges::find_if(entries_, [&](const LearnedEntry& other) { return other.is_same_case(entry); });
    if (known == entries_.end()) {
      entries_.push_back(std::move(entry));
      return;
    }
    const std::uint64_t communicators = known->communicators + entry.communicators;
    if (known->calls < entry.calls)
      *known = std::move(entry);
    known->communicators = communicators;
  }
  std::vector<LearnedEntry> sorted() const {
    std::vector<LearnedEntry> result = entries_;
    std::ranges::sort(result, {}, [](const LearnedEntry& entry) {
      return std::tie(entry.call, entry.ranks, entry.nodes, entry.bytes, entry.degree);
    });
    return result;
  }

private:
  std::vector<LearnedEntry> entries_;
};

struct LearningStore {
  std::mutex mutex;
  Collection collection;
};

LearningStore& kept() {
  return of_process<LearningStore>();
}

std::int32_t rounded_degree(double degree) {
  return degree > 0 ? std::max(1, static_cast<std::int32_t>(degree + 0.5)) : 0;
}

LearnedEntry entry_of(const TuningContext& context, CommunicatorState& communicator) {
  const tune::Learner& learner = context.learner();
  LearnedEntry entry;
  entry.call = context.kind().blocks ? "" : LearnedEntry::nonblocking_mark;
  entry.call += call_name(context.kind().operation);
  entry.ranks = communicator.size;
  entry.nodes = communicator.group().node_count();
  entry.bytes = context.bytes();
  entry.degree = context.degree() < communicator.size - 1 ? rounded_degree(context.degree()) : 0;
  entry.calls = learner.calls();
  entry.state = learner.state();
  entry.searched = learner.has_searched();
  entry.searches = learner.searches();
  entry.use = learner.trials()[learner.incumbent()].text;
  entry.seconds = learner.budget().total_seconds();
  entry.spent_seconds = learner.budget().spent_seconds();
  entry.measured_calls = context.arrivals().calls;
  entry.arrival_skew_seconds = context.arrivals().skew_seconds;
  entry.transfer_seconds = context.arrivals().transfer_seconds;
  entry.trials = learner.trials();
  return entry;
}

void collect(const CommunicatorLearning& learning, Collection& collection) {
  CommunicatorState& communicator = learning.communicator();
  if (communicator.rank == 0)
    learning.for_each([&](const TuningContext& context) {
      if (context.arrivals().calls > 0)
        collection.add(entry_of(context, communicator));
    });
}

} // namespace

void keep_learned(const CommunicatorLearning& learning) {
  LearningStore& all = kept();
  const std::lock_guard lock(all.mutex);
  collect(learning, all.collection);
}

LearningResults gather_learned() {
  Collection own = kept().collection;
  for (CommunicatorState* communicator : living_communicators())
    if (communicator->learning) {
      auto& learning = static_cast<CommunicatorLearning&>(*communicator->learning);
      learning.finish();
      collect(learning, own);
    }
  Collection all;
  for (const std::vector<std::uint8_t>& packed : gather_bytes(pack(own.sorted())))
    for (LearnedEntry& entry : unpack(packed))
      all.add(std::move(entry));
  LearningResults learned;
  const std::vector<LearnedEntry> entries = all.sorted();
  if (entries.empty())
    return learned;
  learned.document = document_of(entries);
  for (const LearnedEntry& entry : entries)
    if (std::optional<tune::Pick> pick = pick_of(entry))
      (entry.is_nonblocking() ? learned.nonblocking : learned.picks).push_back(*std::move(pick));
  return learned;
}

namespace {

// What it has learned outlives its communicator.
class KeptLearning final : public CommunicatorLearning {
public:
  using CommunicatorLearning::CommunicatorLearning;
  ~KeptLearning() override {
    finish();
    keep_learned(*this);
  }
};

} // namespace

Decision learned_choice(const CollectiveCall& call, CommunicatorState& communicator) {
  try {
    if (!communicator.learning)
      communicator.learning = std::make_unique<KeptLearning>(communicator);
    return static_cast<CommunicatorLearning&>(*communicator.learning).choose(call);
  } catch (const std::exception& error) {
    log_line(std::string(function_name(call)) + ": learning failed: " + error.what());
    return {};
  }
}

MeasuredStart learned_call_ended(const CollectiveCall& call, CommunicatorState& communicator, bool refused) {
  THALWEG_ASSERT(light, communicator.is_measured && communicator.learning != nullptr);
  communicator.is_measured = false;
  try {
    return static_cast<CommunicatorLearning&>(*communicator.learning).measured(call, refused);
  } catch (const std::exception& error) {
    log_line(std::string(function_name(call)) + ": learning failed: " + error.what());
  }
  return {};
}

} // namespace thalweg::mpi
