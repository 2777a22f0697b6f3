#include "nic/placing.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>

namespace thalweg::nic {

namespace {

enum class Kind : std::uint16_t { question = 0x5150, answer = 0x4150 };

// In the sender's order of bytes. Where the reader's is another one, the kind is none.
struct Head {
  Kind kind;
  std::uint16_t version = THALWEG_NIC_VERSION;
};
struct Question {
  Head head{Kind::question};
  std::uint32_t user;
  thalweg_nic_group group;
  std::int32_t ranks[THALWEG_NIC_CONTRIBUTORS];
};
struct Answer {
  Head head{Kind::answer};
  std::uint32_t group;
  std::uint64_t key;
  char reason[sizeof(thalweg_nic_reply::reason)];
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
  const Head expected = message.head;
  if (datagram.size() != sizeof message)
    return false;
  std::memcpy(&message, datagram.data(), sizeof message);
  return message.head.kind == expected.kind && message.head.version == expected.version;
}

} // namespace

std::vector<std::byte> write_placing(const Placing& placing) {
  Question question{{Kind::question}, placing.user, placing.group, {}};
  std::ranges::copy(placing.ranks, question.ranks);
  return bytes_of(question);
}

std::vector<std::byte> write_placed(const Placed& placed) {
  Answer answer{{Kind::answer}, placed.group, placed.key, {}};
  placed.reason.copy(answer.reason, sizeof answer.reason - 1);
  return bytes_of(answer);
}

std::optional<Placing> read_placing(std::span<const std::byte> datagram) {
  Question question{};
  if (!read(datagram, question))
    return std::nullopt;
  Placing placing{question.user, question.group, {}};
  std::ranges::copy(question.ranks, placing.ranks);
  return placing;
}

std::optional<Placed> read_placed(std::span<const std::byte> datagram) {
  Answer answer{};
  if (!read(datagram, answer))
    return std::nullopt;
  std::string reason(answer.reason, strnlen(answer.reason, sizeof answer.reason));
  // A terminal is to show it.
  std::ranges::replace_if(
      reason, [](char letter) { return std::isprint(static_cast<unsigned char>(letter)) == 0; }, '?');
  return Placed{answer.group, answer.key, std::move(reason)};
}

} // namespace thalweg::nic
