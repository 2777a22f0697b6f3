#pragma once

// The associations of a communicator's arrays: each is a call of the program with brackets of its own, and a
// strategy of its own.

#include "objects/bracket.hpp"
#include "objects/linked/held_messages.hpp"
#include "objects/linked/scheduler.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg::objects {

class Associations final : public HeldMessages {
public:
  explicit Associations(Scheduler& scheduler) : scheduler_(scheduler) { scheduler.set_holder(this); }

  /// Collective. Throws Error on all ranks where they do not agree.
  std::uint16_t add(std::uint16_t array, std::string_view strategy);
  void remove(std::uint16_t number) { all_.at(number).reset(); }

  Bracket& bracket(std::uint16_t number) { return *all_.at(number); }

  void take(std::uint16_t entry, const char* combined, std::size_t bytes) override;
  std::uint64_t held() const override;
  void begin_epoch(bool sends) override;

private:
  void deliver(const char* messages, std::size_t bytes);

  Scheduler& scheduler_;
  std::uint32_t epoch_ = 0;
  std::vector<std::optional<Bracket>> all_;
};

} // namespace thalweg::objects
