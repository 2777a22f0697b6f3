#include "nic/agent/placements.hpp"

#include "core/error.hpp"
#include "nic/address.hpp"
#include "nic/beat.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace thalweg::nic {

namespace {

constexpr std::chrono::milliseconds between_questions{50};
constexpr int max_questions = 20; // a second in all
constexpr int idle_ms = 1000;

} // namespace

Placements::Placements(const Aggregation& aggregation, Registry& registry, Neighbors& neighbors, Reply reply)
    : aggregation_(aggregation), registry_(registry), neighbors_(neighbors), reply_(std::move(reply)) {}

void Placements::ask(int connection, std::uint32_t user, const thalweg_nic_request& request) {
  if (aggregation_.known == 0 || request.aggregator != aggregation_.known)
    throw Error(
        fmt::format("this host's agent knows of no aggregator at {}", address_text(request.aggregator)),
        "have it started with one: thalweg nic serve --aggregator");
  Asked asked{{user, request.group, {}}, Clock::now(), 0};
  std::ranges::copy(request.ranks, asked.placing.ranks);
  asked_[connection] = asked;
  go_on();
}

int Placements::go_on() {
  const Clock::time_point now = Clock::now();
  for (auto one = asked_.begin(); one != asked_.end();) {
    const auto current = one++;
    Asked& asked = current->second;
    if (now < asked.due)
      continue;
    if (asked.times++ == max_questions) {
      const int connection = current->first;
      asked_.erase(current);
      reply_(connection,
             fmt::format("the aggregator at {} does not answer", address_text(aggregation_.known)));
      continue;
    }
    neighbors_.send_once({aggregation_.known, agent_port}, write_placing(asked.placing));
    asked.due = now + between_questions;
  }
  return asked_.empty() ? idle_ms : static_cast<int>(between_questions.count());
}

// Only agents have the port, so no user of a host with an agent can ask by himself.
bool Placements::hear(const Sender& from, std::span<const std::byte> datagram) {
  if (const std::optional<Placing> placing = read_placing(datagram)) {
    if (from.port == agent_port)
      answer(from, *placing);
    return true;
  }
  const std::optional<Placed> placed = read_placed(datagram);
  if (!placed)
    return false;
  const auto found = std::ranges::find_if(asked_, [&](const auto& entry) {
    const thalweg_nic_group& group = entry.second.placing.group;
    return group.id == placed->group && group.key == placed->key && from.address == aggregation_.known;
  });
  if (found != asked_.end()) {
    const int connection = found->first;
    asked_.erase(found);
    reply_(connection, placed->reason);
  }
  return true;
}

void Placements::answer(const Sender& from, const Placing& placing) {
  Placed placed{placing.group.id, placing.group.key, {}};
  try {
    if (!aggregation_.is_offered)
      throw Error("the agent there aggregates for nobody", "start it with --aggregate", thalweg_error_system);
    registry_.place(from.address, placing);
  } catch (const Error& error) {
    placed.reason = error.what();
  }
  neighbors_.send_once(from, write_placed(placed));
}

} // namespace thalweg::nic
