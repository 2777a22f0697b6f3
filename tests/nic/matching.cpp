// SPDX-License-Identifier: BSD-3-Clause

// What an inbox matches, beside lists that are searched from their beginning: MPI's rules as they are
// written.

#include "nic/inbox.h"

#include <algorithm>
#include <array>
#include <deque>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <random>
#include <vector>

namespace {

struct Message {
  std::uint32_t source = 0;
  std::uint32_t tag = 0;
  std::uint32_t sequence = 0;
  bool operator==(const Message&) const = default;
};

struct Receive {
  std::uint32_t number = 0;
  std::uint32_t source = 0;
  std::uint32_t tag = 0;
};

bool fits(const Receive& receive, const Message& message) {
  return (receive.source == THALWEG_NIC_ANY_SOURCE || receive.source == message.source) &&
         (receive.tag == THALWEG_NIC_ANY_TAG || receive.tag == message.tag);
}

struct Oracle {
  std::deque<Message> messages;
  std::deque<Receive> receives;

  std::optional<Receive> arrive(const Message& message) {
    const auto found =
        std::ranges::find_if(receives, [&](const Receive& receive) { return fits(receive, message); });
    if (found == receives.end()) {
      messages.push_back(message);
      return std::nullopt;
    }
    const Receive receive = *found;
    receives.erase(found);
    return receive;
  }
  std::optional<Message> post(const Receive& receive) {
    const auto found =
        std::ranges::find_if(messages, [&](const Message& message) { return fits(receive, message); });
    if (found == messages.end()) {
      receives.push_back(receive);
      return std::nullopt;
    }
    const Message message = *found;
    messages.erase(found);
    return message;
  }
};

constexpr std::uint16_t width = 16;

thalweg_nic_group group_of(std::uint32_t ranks) {
  thalweg_nic_group group{};
  group.contributors = static_cast<std::uint16_t>(ranks);
  group.width = width;
  return group;
}

class Inbox {
public:
  Inbox(std::uint32_t ranks, std::uint32_t first) : group_(group_of(ranks)) {
    inbox_->posted = first;
    std::ranges::fill(inbox_->accepted, first);
    std::ranges::fill(inbox_->begun, first);
  }

  std::uint32_t accepted(std::uint32_t source) const { return inbox_->accepted[source]; }
  std::uint32_t posted() const { return inbox_->posted; }
  std::optional<thalweg_nic_match> arrive(const Message& message) {
    thalweg_nic_match match{};
    const std::uint32_t place = thalweg_nic_offer_message(&group_, inbox_.get(), message.source,
                                                          message.sequence, released_[message.source]);
    EXPECT_NE(place, 0U);
    const bool is = thalweg_nic_accept(inbox_.get(), place, message.source, message.sequence, message.tag,
                                       message.sequence % 1000, &match) != 0;
    return is ? taken(match) : std::nullopt;
  }
  std::optional<thalweg_nic_match> post(const Receive& receive) {
    thalweg_nic_match match{};
    const bool is =
        thalweg_nic_match_receive(inbox_.get(), receive.number, receive.source, receive.tag, &match) != 0;
    return is ? taken(match) : std::nullopt;
  }

private:
  std::optional<thalweg_nic_match> taken(const thalweg_nic_match& match) {
    released_[match.source] ^= 1U << (match.place - 1) % width;
    return match;
  }

  std::array<std::uint32_t, THALWEG_NIC_CONTRIBUTORS> released_{};
  thalweg_nic_group group_;
  std::unique_ptr<thalweg_nic_inbox> inbox_ = std::make_unique<thalweg_nic_inbox>();
};

Message message_of(const thalweg_nic_match& match) {
  EXPECT_EQ(match.bytes, match.sequence % 1000);
  return {match.source, match.tag, match.sequence};
}

// Some phases have more messages, some more receives.
void play(std::uint64_t seed, std::uint32_t first) {
  std::mt19937_64 random(seed);
  const auto ranks = static_cast<std::uint32_t>(seed % 3 == 0 ? 64 : 2 + random() % 8);
  const auto tags = static_cast<std::uint32_t>(1 + random() % (seed % 2 == 0 ? 4 : 4000));
  Inbox inbox(ranks, first);
  Oracle oracle;
  std::vector<std::uint32_t> waiting(ranks); // messages, by source: a channel has so many cells
  for (int step = 0; step < 4000; ++step) {
    const auto source = static_cast<std::uint32_t>(random() % ranks);
    const auto tag = static_cast<std::uint32_t>(random() % tags);
    const bool wants_message = random() % 8 < (step / 500 % 2 == 0 ? 6U : 2U);
    if (wants_message && waiting[source] < width) {
      const Message message{source, tag, inbox.accepted(source)};
      const auto expected = oracle.arrive(message);
      const auto found = inbox.arrive(message);
      ASSERT_EQ(found.has_value(), expected.has_value());
      waiting[source] += found ? 0 : 1;
      if (found) {
        EXPECT_EQ(found->receive, expected->number);
        EXPECT_EQ(message_of(*found), message);
      }
    } else if (!wants_message && oracle.receives.size() < THALWEG_NIC_RECEIVES) {
      const Receive receive{inbox.posted() + 1, random() % 2 == 0 ? THALWEG_NIC_ANY_SOURCE : source,
                            random() % 2 == 0 ? THALWEG_NIC_ANY_TAG : tag};
      if (std::ranges::any_of(oracle.receives, [&](const Receive& one) {
            return one.number % THALWEG_NIC_RECEIVES == receive.number % THALWEG_NIC_RECEIVES;
          }))
        continue;
      const auto expected = oracle.post(receive);
      const auto found = inbox.post(receive);
      ASSERT_EQ(found.has_value(), expected.has_value());
      EXPECT_FALSE(inbox.post(receive)); // again
      if (found) {
        EXPECT_EQ(found->receive, receive.number);
        EXPECT_EQ(message_of(*found), *expected);
        --waiting[expected->source];
      }
    }
  }
}

TEST(NicMatching, GivesWhatMpisRulesGive) {
  for (std::uint64_t seed = 1; seed <= 40 && !testing::Test::HasFailure(); ++seed)
    play(seed, seed % 2 == 0 ? 0 : 0xffffff00U); // numbers go round
}

TEST(NicMatching, AFullInboxEmptiesInTheOrderOfArrival) {
  constexpr std::uint32_t ranks = THALWEG_NIC_RECORDS / width;
  Inbox inbox(ranks, 0);
  std::vector<Message> sent;
  for (std::uint32_t number = 0; number < THALWEG_NIC_RECORDS; ++number) {
    sent.push_back({number % ranks, number, inbox.accepted(number % ranks)});
    EXPECT_FALSE(inbox.arrive(sent.back()));
  }
  for (std::uint32_t number = 1; number <= THALWEG_NIC_RECORDS; ++number)
    EXPECT_EQ(message_of(inbox.post({number, THALWEG_NIC_ANY_SOURCE, THALWEG_NIC_ANY_TAG}).value()),
              sent[number - 1]);
  EXPECT_FALSE(inbox.post({THALWEG_NIC_RECORDS + 1, THALWEG_NIC_ANY_SOURCE, THALWEG_NIC_ANY_TAG}));
}

TEST(NicMatching, NeighboringTagsAreSpreadOverAllBuckets) {
  std::vector<std::uint32_t> found(THALWEG_NIC_BUCKETS);
  for (std::uint32_t tag = 0; tag < 4 * THALWEG_NIC_BUCKETS; ++tag)
    ++found[thalweg_nic_bucket(tag)];
  EXPECT_LE(*std::ranges::max_element(found), 8U);
}

TEST(NicMatching, AnOlderAnswerDoesNotUndoWhatASenderKnows) {
  const std::uint64_t known = thalweg_nic_credit(0, 7, 1);
  EXPECT_EQ(thalweg_nic_credit(known, 6, 0), known);
  EXPECT_EQ(thalweg_nic_credit(known, 7, 0), known);
  EXPECT_EQ(thalweg_nic_credit(known, 8, 0), std::uint64_t{8} << 32);
  EXPECT_EQ(thalweg_nic_credit(std::uint64_t{0xffffffffU} << 32, 0, 1), 1U);
}

} // namespace
