// SPDX-License-Identifier: BSD-3-Clause
#include "nic/agent_connection.hpp"

#include "base/error.hpp"
#include "fake_agent.hpp"
#include "nic/kernel_group.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <string>
#include <sys/resource.h>
#include <vector>

namespace thalweg::nic {
namespace {

constexpr std::chrono::milliseconds impatient{0};

std::string why_not(const std::function<void()>& call) {
  try {
    call();
    return "no error";
  } catch (const Error& error) {
    return error.what();
  }
}

bool says(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

// What a process may ask its agent, and whether that has answered.
struct Question {
  const char* name;
  void (*ask)(AgentConnection&);
  bool (*look)(AgentConnection&);
};

const std::vector<Question> questions = {
    {"greet", [](AgentConnection& one) { one.greet(); },
     [](AgentConnection& one) { return one.has_greeted(); }},
    {"join", [](AgentConnection& one) { one.join({}, 0, {}); },
     [](AgentConnection& one) { return one.joined().has_value(); }},
    {"enroll", [](AgentConnection& one) { one.enroll(7, {}, {}); },
     [](AgentConnection& one) {
       const std::optional<std::string> answer = one.enrolled();
       if (answer && !answer->empty())
         throw Error(*answer, "");
       return answer.has_value();
     }},
};

void with_each_question(const std::function<void(FakeAgent&, const Question&)>& body) {
  for (const Question& question : questions) {
    const testing::ScopedTrace trace(__FILE__, __LINE__, question.name);
    with_agent([&](FakeAgent& agent) { body(agent, question); });
  }
}

TEST(NicAgentConnection, NothingIsToBeAskedWhereNoAgentIs) {
  with_agent([](FakeAgent& agent) {
    agent.end();
    const std::ptrdiff_t before = open_descriptors();
    EXPECT_TRUE(
        why_not([] { const AgentConnection none; }).starts_with("no agent serves the network device"));
    EXPECT_EQ(AggregatorQuestion().answer(), 0U);
    EXPECT_EQ(open_descriptors(), before);
  });
}

// Both sides are in one thread: all calls return though the agent has done nothing yet.
TEST(NicAgentConnection, NoCallWaitsForTheAgentAtAnyStep) {
  with_each_question([](FakeAgent& agent, const Question& question) {
    AgentConnection connection;
    question.ask(connection);
    EXPECT_FALSE(question.look(connection));
    ASSERT_TRUE(agent.accept());
    EXPECT_FALSE(question.look(connection));
    ASSERT_TRUE(agent.hear());
    EXPECT_FALSE(question.look(connection));
    agent.answer(a_reply(), 3);
    EXPECT_TRUE(question.look(connection));
  });
}

TEST(NicAgentConnection, WhereMoreAskThanItLetsWaitItIsAskedOnceThereIsRoom) {
  with_each_question([](FakeAgent& agent, const Question& question) {
    agent.crowd();
    AgentConnection connection;
    question.ask(connection);
    EXPECT_FALSE(question.look(connection));
    EXPECT_LT(connection.asked(), 0); // there is nothing to sleep for
    agent.disperse();
    EXPECT_FALSE(question.look(connection));
    EXPECT_EQ(connection.asked(), connection.descriptor());
    sleep_unless_answered(connection.asked());
    ASSERT_TRUE(agent.accept());
    ASSERT_TRUE(agent.hear());
    agent.answer(a_reply(), 3);
    EXPECT_TRUE(question.look(connection));
  });
}

TEST(NicAgentConnection, AllThatIsAskedArrives) {
  with_agent([](FakeAgent& agent) {
    AgentConnection connection;
    connection.greet();
    ASSERT_TRUE(agent.accept());
    EXPECT_EQ(agent.hear()->kind, THALWEG_NIC_HELLO);
    agent.answer(a_reply());
    ASSERT_TRUE(connection.has_greeted());
    EXPECT_EQ(connection.address(), 1U);
    EXPECT_EQ(connection.mtu(), 1500U);
    EXPECT_EQ(connection.aggregator(), 7U);
    EXPECT_EQ(connection.spine(), 9U);
    thalweg_nic_group group{};
    group.id = 17;
    connection.join(group, 3, std::vector{5, 6});
    const std::optional<thalweg_nic_request> joining = agent.hear();
    ASSERT_TRUE(joining);
    EXPECT_EQ(joining->kind, THALWEG_NIC_JOIN);
    EXPECT_EQ(joining->group.id, 17U);
    EXPECT_EQ(joining->local, 3U);
    EXPECT_EQ(joining->ranks[1], 6);
    agent.answer(a_reply(), 3);
    EXPECT_TRUE(connection.joined());
    connection.enroll(7, group, {});
    EXPECT_EQ(agent.hear()->aggregator, 7U);
  });
}

TEST(NicAgentConnection, AnAgentThatDoesNotAnswerInTimeIsLeftAloneForAMinute) {
  for (const bool is_crowded : {false, true})
    with_each_question([is_crowded](FakeAgent& agent, const Question& question) {
      if (is_crowded)
        agent.crowd();
      const std::ptrdiff_t before = open_descriptors();
      EXPECT_TRUE(why_not([&] {
                    AgentConnection connection(impatient);
                    question.ask(connection);
                    question.look(connection);
                  }).starts_with("the agent does not answer; have it started anew"));
      EXPECT_TRUE(why_not([&] {
                    const AgentConnection again;
                  }).starts_with("the agent did not answer within the last minute"));
      EXPECT_EQ(AggregatorQuestion().answer(), 0U);
      EXPECT_EQ(open_descriptors(), before);
    });
}

TEST(NicAgentConnection, WhoLooksLateSeesAnAnswerThatCameInTime) {
  with_each_question([](FakeAgent& agent, const Question& question) {
    AgentConnection connection(impatient);
    question.ask(connection);
    ASSERT_TRUE(agent.accept());
    agent.answer(a_reply(), 3);
    EXPECT_TRUE(question.look(connection));
  });
}

TEST(NicAgentConnection, AnswersThatAreTooShortAreNone) {
  with_each_question([](FakeAgent& agent, const Question& question) {
    for (std::size_t bytes = 1; bytes < offsetof(thalweg_nic_reply, aggregator); ++bytes) {
      AgentConnection connection;
      question.ask(connection);
      ASSERT_TRUE(agent.accept());
      agent.answer(std::string(bytes, '\377').data(), bytes, static_cast<int>(bytes % 4));
      EXPECT_TRUE(why_not([&] {
                    question.look(connection);
                  }).starts_with("the agent's answer has " + std::to_string(bytes) + " bytes"));
    }
  });
}

TEST(NicAgentConnection, AgentsOfOtherVersionsAndThoseThatRefuseAreToldOf) {
  with_each_question([](FakeAgent& agent, const Question& question) {
    thalweg_nic_reply old = a_reply();
    old.version = 1;
    std::array<thalweg_nic_reply, 2> longer{a_reply("not \033[2J\nhere"), {}};
    const auto said_to = [&](const void* data, std::size_t bytes) {
      AgentConnection connection;
      question.ask(connection);
      EXPECT_TRUE(agent.accept());
      agent.answer(data, bytes, 2);
      return why_not([&] { question.look(connection); });
    };
    EXPECT_TRUE(says(said_to(&old, sizeof old), "it speaks version 1, not"));
    EXPECT_TRUE(says(said_to(longer.data(), sizeof longer), "not ?[2J?here"));
    EXPECT_TRUE(says(said_to(longer.data(), offsetof(thalweg_nic_reply, aggregator)), "not ?[2J?here"));
  });
}

TEST(NicAgentConnection, AnAgentThatEndsIsToldOfAtEachStep) {
  with_each_question([](FakeAgent& agent, const Question& question) {
    const auto said_after = [&](const std::function<void()>& step) {
      AgentConnection connection;
      question.ask(connection);
      EXPECT_TRUE(agent.accept());
      step();
      agent.hang_up();
      return why_not([&] { question.look(connection); });
    };
    EXPECT_TRUE(said_after([] {}).starts_with("the agent has ended; have it started anew"));
    EXPECT_TRUE(said_after([&] { agent.hear(); }).starts_with("the agent has ended; have it started anew"));
    EXPECT_EQ(said_after([&] {
                agent.hear();
                agent.answer(a_reply(), 3);
              }),
              "no error");
    AgentConnection connection;
    ASSERT_TRUE(agent.accept());
    agent.hang_up();
    EXPECT_TRUE(why_not([&] { question.ask(connection); }).starts_with("the agent does not listen: "));
    agent.crowd();
    AgentConnection late;
    question.ask(late);
    agent.end();
    EXPECT_TRUE(why_not([&] { question.look(late); }).starts_with("no agent serves the network device"));
  });
}

TEST(NicAgentConnection, AGroupHasThreeDescriptorsAndOthersAreClosed) {
  with_each_question([](FakeAgent& agent, const Question& question) {
    const bool joins = question.name == std::string("join");
    for (int given = 0; given < 6; ++given) {
      const std::ptrdiff_t before = open_descriptors();
      {
        AgentConnection connection;
        question.ask(connection);
        ASSERT_TRUE(agent.accept());
        agent.answer(a_reply(), given);
        const std::string said = why_not([&] { EXPECT_TRUE(question.look(connection)); });
        EXPECT_EQ(says(said, "of the group's 3 descriptors"), joins && given != 3) << given << ": " << said;
      }
      agent.hang_up();
      EXPECT_EQ(open_descriptors(), before);
    }
  });
}

// So that the next descriptor is the last one; gives its number.
int fill_gaps() {
  int first = 0;
  for (const auto& one : std::filesystem::directory_iterator("/proc/self/fd"))
    first = std::max(first, 1 + std::stoi(one.path().filename()));
  int next = 0;
  while ((next = dup(STDERR_FILENO)) < first) { // those in between
  }
  close(next);
  return next;
}

TEST(NicAgentConnection, WhereFilesRunOutNoDescriptorIsLost) {
  with_agent([](FakeAgent& agent) {
    for (rlim_t room = 0; room < 4; ++room) {
      AgentConnection connection;
      connection.join({}, 0, {});
      ASSERT_TRUE(agent.accept());
      agent.answer(a_reply(), 3);
      rlimit files{};
      ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &files), 0);
      const rlimit few{static_cast<rlim_t>(fill_gaps()) + room, files.rlim_max};
      const std::ptrdiff_t before = open_descriptors();
      ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
      const std::string said = why_not([&] { connection.joined(); });
      ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &files), 0);
      EXPECT_EQ(says(said, "look at the limit of open files"), room < 3) << room << ": " << said;
      EXPECT_EQ(open_descriptors(), before);
    }
  });
}

TEST(NicAgentConnection, WhatCannotBeUsedOfAGroupIsClosed) {
  with_agent([](FakeAgent& agent) {
    const std::ptrdiff_t before = open_descriptors();
    {
      GroupRequest joining(std::make_unique<AgentConnection>(), {}, 0, {});
      EXPECT_FALSE(joining.look());
      ASSERT_TRUE(agent.accept());
      agent.answer(a_reply(), 3);
      EXPECT_TRUE(says(why_not([&] { joining.look(); }), "the agent's page cannot be mapped"));
    }
    agent.hang_up();
    EXPECT_EQ(open_descriptors(), before);
  });
}

TEST(NicAgentConnection, WhatAProcessAsksAtItsStartIsAnsweredByTheTimeItLooksOrNot) {
  with_agent([](FakeAgent& agent) {
    AggregatorQuestion unanswered;
    EXPECT_FALSE(unanswered.answer());
    EXPECT_FALSE(unanswered.answer_within(std::chrono::milliseconds(1)));
    ASSERT_TRUE(agent.accept());
    agent.answer(a_reply());
    EXPECT_EQ(unanswered.answer(), 7U);
    AggregatorQuestion refused;
    ASSERT_TRUE(agent.accept());
    agent.answer(a_reply("not here"));
    EXPECT_EQ(refused.answer(), 0U);
    AggregatorQuestion ended;
    ASSERT_TRUE(agent.accept());
    agent.hang_up();
    EXPECT_EQ(ended.answer(), 0U);
  });
}

// Agents that do anything in any order.
TEST(NicAgentConnection, WhateverAgentsDoAllCallsReturnAndNothingStaysOpen) {
  with_agent([](FakeAgent& agent) {
    std::mt19937 random(44);
    const auto draw = [&](std::size_t below) {
      return std::uniform_int_distribution<std::size_t>(0, below - 1)(random);
    };
    std::array<thalweg_nic_reply, 2> reply{};
    for (int round = 0; round < 3000; ++round) {
      const std::ptrdiff_t before = open_descriptors();
      bool is_connected = false;
      try {
        AgentConnection connection;
        const Question& question = questions[draw(questions.size())];
        bool has_asked = false;
        for (std::size_t steps = draw(12); steps > 0; --steps) {
          const std::size_t step = draw(6);
          if (step == 0 && !is_connected) {
            is_connected = agent.accept();
          } else if (step == 1 && is_connected) {
            agent.hear();
          } else if (step == 2 && is_connected) {
            reply[0] = a_reply(draw(4) == 0 ? "no" : "");
            reply[0].version += draw(4) == 0 ? 1 : 0;
            agent.answer(reply.data(), draw(3) == 0 ? 1 + draw(sizeof reply) : sizeof reply[0],
                         static_cast<int>(draw(6)));
          } else if (step == 3 && is_connected && draw(4) == 0) {
            agent.hang_up();
            is_connected = false;
          } else if (!has_asked) {
            has_asked = true;
            question.ask(connection);
          } else if (question.look(connection)) {
            has_asked = false;
          }
        }
      } catch (const Error& error) {
        EXPECT_FALSE(error.problem().empty());
      }
      if (is_connected || agent.accept())
        agent.hang_up();
      EXPECT_EQ(open_descriptors(), before);
    }
  });
}

} // namespace
} // namespace thalweg::nic
