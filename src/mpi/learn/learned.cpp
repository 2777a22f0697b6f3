#include "mpi/learn/learned.hpp"

#include <map>
#include <mutex>

#include <nlohmann/json.hpp>

#include "mpi/comm/gathering.hpp"
#include "mpi/learn/communicator_learning.hpp"

namespace thalweg::mpi {

namespace {

using nlohmann::ordered_json;

// By call, ranks, nodes and bytes: what the communicator with the most such calls has learned.
class Collection {
public:
  void add(ordered_json entry) {
    const auto key = entry.at("call").get<std::string>() + entry.at("ranks").dump() + "," +
                     entry.at("nodes").dump() + "," + entry.at("bytes").dump();
    const auto [place, is_new] = entries_.try_emplace(key, entry);
    if (is_new)
      return;
    ordered_json& known = place->second;
    const auto communicators =
        known.at("communicators").get<std::uint64_t>() + entry.at("communicators").get<std::uint64_t>();
    if (known.at("calls").get<std::uint64_t>() < entry.at("calls").get<std::uint64_t>())
      known = std::move(entry);
    known["communicators"] = communicators;
  }
  ordered_json array() const {
    ordered_json all = ordered_json::array();
    for (const auto& [key, entry] : entries_)
      all.push_back(entry);
    return all;
  }

private:
  std::map<std::string, ordered_json> entries_;
};

struct Kept {
  std::mutex mutex;
  Collection collection;
};

// Never destroyed: communicators may be freed while the process ends.
Kept& kept() {
  static Kept* const instance = new Kept;
  return *instance;
}

std::string_view state_text(const tune::Learner& learner) {
  switch (learner.state()) {
  case tune::Learner::State::counting:
    return "too few calls so far";
  case tune::Learner::State::searching:
    return "searching";
  case tune::Learner::State::confirming:
    return "comparing the pick with native";
  default:
    return "settled";
  }
}

ordered_json entry_of(const Lesson& lesson, CommunicatorState& communicator) {
  const tune::Learner& learner = lesson.learner();
  ordered_json trials = ordered_json::array();
  for (const tune::Trial& trial : learner.trials()) {
    ordered_json entry{{"candidate", trial.text}, {"outcome", trial.outcome}};
    if (trial.predicted > 0)
      entry["predicted_s"] = trial.predicted;
    if (trial.rounds > 0) {
      entry["measured_s"] = trial.seconds;
      entry["rounds"] = trial.rounds;
    }
    trials.push_back(entry);
  }
  return {{"call", call_name(lesson.kind().operation)},
          {"ranks", communicator.size},
          {"nodes", communicator.node_count()},
          {"bytes", lesson.bytes()},
          {"communicators", 1},
          {"calls", learner.calls()},
          {"state", state_text(learner)},
          {"searched", learner.has_searched()},
          {"searches", learner.searches()},
          {"use", learner.trials()[learner.incumbent()].text},
          {"time_s", learner.budget().total_seconds()},
          {"spent_s", learner.budget().spent_seconds()},
          {"measured_calls", lesson.arrivals().calls},
          {"arrival_skew_s", lesson.arrivals().skew_seconds},
          {"transfer_s", lesson.arrivals().transfer_seconds},
          {"trials", trials}};
}

void collect(const CommunicatorLearning& learning, Collection& collection) {
  CommunicatorState& communicator = learning.communicator();
  if (communicator.rank == 0)
    learning.for_each([&](const Lesson& lesson) {
      if (lesson.arrivals().calls > 0)
        collection.add(entry_of(lesson, communicator));
    });
}

const ordered_json& trial_of(const ordered_json& entry, std::string_view candidate) {
  for (const ordered_json& trial : entry.at("trials"))
    if (trial.at("candidate") == candidate)
      return trial;
  return entry.at("trials").front();
}

// A whole search says something of the next run; so does a strategy that has beaten native.
void add_pick(const ordered_json& entry, std::vector<tune::Pick>& picks) {
  const auto use = entry.at("use").get<std::string>();
  const bool searched = entry.at("searched").get<bool>();
  const ordered_json& pick = trial_of(entry, use);
  const ordered_json& native_trial = trial_of(entry, "native");
  if ((!searched && use == "native") || !pick.contains("measured_s") ||
      !native_trial.contains("measured_s") || pick.at("outcome") == tune::began_with)
    return;
  picks.push_back({.call = entry.at("call"),
                   .ranks = entry.at("ranks"),
                   .nodes = entry.at("nodes"),
                   .bytes = entry.at("bytes"),
                   .use = use,
                   .seconds = pick.at("measured_s"),
                   .native_seconds = native_trial.at("measured_s"),
                   .trials = pick.at("rounds"),
                   .source = searched ? std::string(tune::online_source) : "online, unfinished"});
}

} // namespace

void keep_learned(const CommunicatorLearning& learning) {
  Kept& all = kept();
  const std::lock_guard lock(all.mutex);
  collect(learning, all.collection);
}

Learned gather_learned() {
  Collection own = kept().collection;
  for (CommunicatorState* communicator : living_communicators())
    if (communicator->learning) {
      auto& learning = static_cast<CommunicatorLearning&>(*communicator->learning);
      learning.finish();
      collect(learning, own);
    }
  Collection all;
  for (const std::vector<std::uint8_t>& packed : gather_bytes(ordered_json::to_cbor(own.array())))
    for (const ordered_json& entry : ordered_json::from_cbor(packed))
      all.add(entry);
  Learned learned;
  const ordered_json array = all.array();
  if (array.empty())
    return learned;
  learned.document = array.dump();
  for (const ordered_json& entry : array)
    add_pick(entry, learned.picks);
  return learned;
}

} // namespace thalweg::mpi
