// SPDX-License-Identifier: BSD-3-Clause
#include "nic/enrollment.hpp"

#include "nic/readable.hpp"

#include <algorithm>
#include <cstring>

namespace thalweg::nic {

namespace {

enum class EnrollmentKind : std::uint16_t {
  question = 0x5150,
  answer = 0x4150,
  spine_question = 0x5153,
  spine_answer = 0x4153
};

// In the sender's order of bytes. Where the reader's is another one, the kind is none.
struct EnrollmentHead {
  EnrollmentKind kind;
  std::uint16_t version = THALWEG_NIC_VERSION;
};
struct Question {
  EnrollmentHead head{EnrollmentKind::question};
  std::uint32_t aggregator;
  std::uint32_t user;
  thalweg_nic_group group;
  std::int32_t ranks[THALWEG_NIC_CONTRIBUTORS];
};
struct Answer {
  EnrollmentHead head{EnrollmentKind::answer};
  std::uint32_t aggregator;
  std::uint32_t group;
  std::uint64_t key;
  char reason[sizeof(thalweg_nic_reply::reason)];
};
struct AboveQuestion {
  EnrollmentHead head{EnrollmentKind::spine_question};
};
struct AboveAnswer {
  EnrollmentHead head{EnrollmentKind::spine_answer};
  std::uint32_t spine;
};
static_assert(sizeof(Question) + 28 <= 1280, "it fits where an MTU is the least");

template <typename Message>
std::vector<std::byte> bytes_of(const Message& message) {
  std::vector<std::byte> datagram(sizeof message);
  std::memcpy(datagram.data(), &message, sizeof message);
  return datagram;
}

template <typename Message>
bool read(std::span<const std::byte> datagram, Message& message) {
  const EnrollmentHead expected = message.head;
  if (datagram.size() != sizeof message)
    return false;
  std::memcpy(&message, datagram.data(), sizeof message);
  return message.head.kind == expected.kind && message.head.version == expected.version;
}

} // namespace

std::vector<std::byte> write_enrollment(const Enrollment& enrollment) {
  Question question{{EnrollmentKind::question}, enrollment.aggregator, enrollment.user, enrollment.group, {}};
  std::ranges::copy(enrollment.ranks, question.ranks);
  return bytes_of(question);
}

std::vector<std::byte> write_enrollment_answer(const EnrollmentAnswer& enrolled) {
  Answer answer{{EnrollmentKind::answer}, enrolled.aggregator, enrolled.group, enrolled.key, {}};
  enrolled.reason.copy(answer.reason, sizeof answer.reason - 1);
  return bytes_of(answer);
}

std::vector<std::byte> write_spine_question() {
  return bytes_of(AboveQuestion{});
}

std::vector<std::byte> write_spine_answer(const SpineAnswer& answer) {
  return bytes_of(AboveAnswer{{EnrollmentKind::spine_answer}, answer.spine});
}

std::optional<Enrollment> read_enrollment(std::span<const std::byte> datagram) {
  Question question{};
  if (!read(datagram, question))
    return std::nullopt;
  Enrollment enrollment{question.aggregator, question.user, question.group, {}};
  std::ranges::copy(question.ranks, enrollment.ranks);
  return enrollment;
}

std::optional<EnrollmentAnswer> read_enrollment_answer(std::span<const std::byte> datagram) {
  Answer answer{};
  if (!read(datagram, answer))
    return std::nullopt;
  return EnrollmentAnswer{answer.aggregator, answer.group, answer.key, readable(answer.reason)};
}

bool is_spine_question(std::span<const std::byte> datagram) {
  AboveQuestion question;
  return read(datagram, question);
}

std::optional<SpineAnswer> read_spine_answer(std::span<const std::byte> datagram) {
  AboveAnswer answer{};
  return read(datagram, answer) ? std::optional(SpineAnswer{answer.spine}) : std::nullopt;
}

} // namespace thalweg::nic
