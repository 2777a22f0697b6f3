// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "contagion/model.hpp"

#include <span>
#include <vector>

namespace thalweg::examples::contagion {

/// The people of a rank.
class People {
public:
  People(Problem const& problem, int rank, int ranks);

  /// Gives each visit of the day to `send`.
  template <typename Send>
  void visit(std::uint32_t day, Send send) const {
    for (Person const& person : people_) {
      Visit visits[visits_a_day];
      plan(person, day, visits);
      for (Visit const& visit : visits)
        send(visit);
    }
  }
  /// In whatever order infections come, the day's first one counts.
  void infect(std::span<Infection const> infections);
  /// Those who were infected today fall ill. Gives how many they are.
  std::uint64_t end_day(std::uint32_t day);
  /// Who was infected by whom, where and when, of all that have ended: a sum, the same for any order.
  std::uint64_t hash() const { return hash_; }

private:
  static constexpr int visits_a_day = 4;
  struct Person {
    std::uint32_t number = 0;
    std::int32_t infected_on = -1; ///< day, or -1
  };
  Health health(Person const& person, std::uint32_t day) const;
  void plan(Person const& person, std::uint32_t day, std::span<Visit, visits_a_day> visits) const;

  Problem problem_;
  std::vector<Person> people_; // by number
  std::vector<Infection> infections_;
  std::uint64_t hash_ = 0;
};

} // namespace thalweg::examples::contagion
