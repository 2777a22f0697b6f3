// SPDX-License-Identifier: BSD-3-Clause
#include "nic/agent/enrollments.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"
#include "nic/beat.hpp"
#include "nic/readable.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace thalweg::nic {

namespace {

constexpr std::chrono::milliseconds between_questions{50};
constexpr int max_questions = 20; // a second in all
constexpr int idle_ms = 1000;
constexpr std::chrono::seconds spine_remembered{5};
constexpr std::chrono::seconds passed_remembered{2};
constexpr std::size_t max_passed = 1024;

} // namespace

Enrollments::Enrollments(const Aggregation& aggregation, std::uint32_t own, Registry& registry,
                         Neighbors& neighbors, Reply reply)
    : aggregation_(aggregation), own_(own), registry_(registry), neighbors_(neighbors),
      reply_(std::move(reply)) {}

void Enrollments::ask(int connection, std::uint32_t user, const thalweg_nic_request& request) {
  if (request.aggregator == 0 || (request.aggregator != aggregation_.known && request.aggregator != spine_))
    throw Error(
        fmt::format("this host's agent knows of no aggregator at {}", address_text(request.aggregator)),
        "have it started with one: thalweg nic serve --aggregator");
  Question asked{{request.aggregator, user, request.group, {}}, Clock::now(), 0};
  std::ranges::copy(request.ranks, asked.enrollment.ranks);
  asked_[connection] = asked;
  go_on();
}

int Enrollments::go_on() {
  const Clock::time_point now = Clock::now();
  for (auto one = asked_.begin(); one != asked_.end();) {
    const auto current = one++;
    Question& asked = current->second;
    if (now < asked.due)
      continue;
    if (asked.times++ == max_questions) {
      const int connection = current->first;
      const std::string silent = address_text(asked.enrollment.aggregator);
      asked_.erase(current);
      reply_(connection, fmt::format("the aggregator at {} does not answer", silent));
      continue;
    }
    neighbors_.send_once({aggregation_.known, agent_port}, write_enrollment(asked.enrollment));
    asked.due = now + between_questions;
  }
  std::erase_if(passed_, [&](const Forwarding& one) { return now - one.when > passed_remembered; });
  ask_for_spine(now);
  return asked_.empty() ? idle_ms : static_cast<int>(between_questions.count());
}

// It may be started anew with another one, or none.
void Enrollments::ask_for_spine(Clock::time_point now) {
  if (now - spine_heard_ > spine_remembered)
    spine_ = 0;
  if (aggregation_.known == 0 || aggregation_.is_offered || now < spine_due_)
    return;
  neighbors_.send_once({aggregation_.known, agent_port}, write_spine_question());
  spine_due_ = now + std::chrono::milliseconds(idle_ms);
}

// Only agents have the port, so no user of a host with an agent can ask by himself.
bool Enrollments::hear(const Sender& from, std::span<const std::byte> datagram) {
  if (const std::optional<Enrollment> enrollment = read_enrollment(datagram)) {
    if (from.port == agent_port && enrollment->aggregator == own_)
      answer(from, *enrollment);
    else if (from.port == agent_port)
      pass_on(from, *enrollment);
    return true;
  }
  if (const std::optional<EnrollmentAnswer> enrolled = read_enrollment_answer(datagram)) {
    if (from.address == aggregation_.known)
      hear_answer(from, *enrolled);
    return true;
  }
  if (is_spine_question(datagram)) {
    if (from.port == agent_port && aggregation_.is_offered)
      neighbors_.send_once(from, write_spine_answer({aggregation_.known}));
    return true;
  }
  const std::optional<SpineAnswer> above = read_spine_answer(datagram);
  if (above && from.address == aggregation_.known && from.port == agent_port) {
    spine_ = above->spine;
    spine_heard_ = Clock::now();
  }
  return above.has_value();
}

void Enrollments::hear_answer(const Sender& from, const EnrollmentAnswer& enrolled) {
  const auto passed = std::ranges::find_if(passed_, [&](const Forwarding& one) {
    return one.group == enrolled.group && one.key == enrolled.key && enrolled.aggregator == from.address;
  });
  if (passed != passed_.end()) {
    neighbors_.send_once(passed->from, write_enrollment_answer(enrolled));
    passed_.erase(passed);
    return;
  }
  const auto found = std::ranges::find_if(asked_, [&](const auto& entry) {
    const Enrollment& asked = entry.second.enrollment;
    return asked.group.id == enrolled.group && asked.group.key == enrolled.key &&
           asked.aggregator == enrolled.aggregator;
  });
  if (found == asked_.end())
    return;
  const int connection = found->first;
  asked_.erase(found);
  reply_(connection, enrolled.reason);
}

void Enrollments::answer(const Sender& from, const Enrollment& enrollment) {
  EnrollmentAnswer enrolled{own_, enrollment.group.id, enrollment.group.key, {}};
  try {
    if (!aggregation_.is_offered)
      throw Error("the agent there aggregates for nobody", "start it with --aggregate", thalweg_error_system);
    registry_.enroll(from.address, enrollment);
  } catch (const Error& error) {
    enrolled.reason = error.what();
  }
  neighbors_.send_once(from, write_enrollment_answer(enrolled));
}

void Enrollments::pass_on(const Sender& from, const Enrollment& enrollment) {
  if (!aggregation_.is_offered || enrollment.aggregator != aggregation_.known) {
    const std::string reason = fmt::format("{} aggregates below none at {}", address_text(own_),
                                           address_text(enrollment.aggregator));
    neighbors_.send_once(from, write_enrollment_answer({enrollment.aggregator, enrollment.group.id,
                                                        enrollment.group.key, reason}));
    return;
  }
  std::erase_if(passed_, [&](const Forwarding& one) {
    return one.group == enrollment.group.id && one.key == enrollment.group.key;
  });
  if (passed_.size() == max_passed)
    return;
  passed_.push_back({enrollment.group.id, enrollment.group.key, from, Clock::now()});
  neighbors_.send_once({aggregation_.known, agent_port}, write_enrollment(enrollment));
}

} // namespace thalweg::nic
