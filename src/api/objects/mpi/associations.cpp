// SPDX-License-Identifier: BSD-3-Clause
#include "objects/mpi/associations.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"
#include "base/random.hpp"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <limits>

namespace thalweg::objects {

namespace {
constexpr std::string_view automatic = "auto";
}

// All make the same association, and their brackets have the same bit.
std::uint32_t Associations::agree_on_bit(std::string_view strategy, std::uint16_t array, bool may_try,
                                         std::uint32_t unused) const {
  struct Proposal {
    std::uint64_t hash;
    std::uint64_t unused;
  };
  control::Control& ranks = scheduler_.control();
  const std::string text = fmt::format("{} {} {}", array, strategy, may_try);
  const auto proposals = ranks.run(ranks.allgather(Proposal{text_hash(text), unused}));
  const auto other =
      std::ranges::find_if(proposals, [&](const Proposal& one) { return one.hash != proposals[0].hash; });
  if (other != proposals.end())
    throw Error(fmt::format("ranks 0 and {} make different associations", other - proposals.begin()),
                "make them in the same order, of the same array, with the same strategy and THALWEG_LEARN",
                thalweg_error_mismatch);
  std::uint64_t of_all = unused;
  for (const Proposal& one : proposals)
    of_all &= one.unused;
  if (of_all == 0)
    throw Error("an array has 32 associations",
                "end some on all ranks, and call finish() or fence() after that");
  return std::uint32_t{1} << std::countr_zero(of_all);
}

std::uint16_t Associations::add(std::uint16_t array, std::string_view strategy, std::uint32_t unused,
                                std::uint32_t& bit) {
  scheduler_.must_not_run("a message makes an association");
  const job::Group& group = scheduler_.group();
  const bool may_try = job::may_learn();
  const std::uint32_t agreed = agree_on_bit(strategy, array, may_try, unused);
  if (all_.size() > std::numeric_limits<std::uint16_t>::max())
    throw Error("too many associations were made", "keep associations instead of making them anew");
  const bool is_automatic = strategy == automatic;
  const BracketStrategy wanted = is_automatic ? BracketStrategy::direct : parse_combining(strategy);
  const auto number = static_cast<std::uint16_t>(all_.size());
  const auto elements = [this, array]() -> std::size_t {
    const auto& of = scheduler_.arrays()[array];
    return of ? of->anchored(of->context) : 0;
  };
  const auto send = [this, number](Rank to, std::span<const std::span<const char>> pieces) {
    scheduler_.messages().send_combined(to, number, pieces);
  };
  const auto deliver = [this](std::span<const char> prefix, std::span<const char> common) {
    scheduler_.queues().of(false).put(prefix, common);
  };
  all_.emplace_back(
      Association{array,
                  Bracket(wanted, group.ranks(), group.rank(),
                          {send, elements, deliver, scheduler_.view().max_bytes - sizeof(thalweg_message)}),
                  is_automatic ? choice_of(may_try) : std::nullopt});
  all_.back()->bracket.begin_epoch(epoch_, false);
  remark(number,
         fmt::format("association {} of {}: {}, {}", number, scheduler_.arrays()[array]->type,
                     to_text(wanted), is_automatic ? "until a fence chooses" : "as the program says"));
  THALWEG_ASSERT(normal, std::has_single_bit(agreed) && (agreed & unused) != 0);
  bit = agreed;
  return number;
}

Associations::~Associations() {
  for (const auto& one : all_)
    if (one)
      note_results(*one);
  if (knowledge_)
    job::keep_found(scheduler_.group(), "a program with objects",
                    {.machine = knowledge_->fingerprint, .picks = {}, .brackets = std::move(found_)});
}

void Associations::note_results(const Association& association) {
  if (!association.choice)
    return;
  for (const FoundStrategy& one : association.choice->results())
    found_.push_back({.ranks = scheduler_.group().ranks(),
                      .messages = static_cast<std::int64_t>(one.messages),
                      .message_bytes = static_cast<std::int64_t>(one.message_bytes),
                      .is_multicast = one.is_multicast,
                      .use = std::string(to_text(one.combining)),
                      .seconds = one.seconds});
}

void Associations::drop_ended() {
  for (auto& one : all_)
    if (one && one->has_ended) {
      note_results(*one);
      one.reset();
    }
}

// A strategy that this version does not know is passed over, as other entries of the file may be good.
std::vector<FoundStrategy> Associations::found_before() const {
  std::vector<FoundStrategy> found;
  for (const tune::BracketPick& pick : knowledge_->brackets)
    if (const auto combining = find_combining(pick.use);
        combining && pick.ranks == scheduler_.group().ranks())
      found.push_back({static_cast<double>(pick.messages), static_cast<double>(pick.message_bytes),
                       pick.is_multicast, *combining, pick.seconds});
  return found;
}

std::optional<BracketChoice> Associations::choice_of(bool may_try) {
  const job::Group& group = scheduler_.group();
  if (group.ranks() == 1)
    return std::nullopt;
  if (!knowledge_)
    knowledge_ = job::agree_on_knowledge(group);
  const auto level = group.node_count() > 1 ? machine::Level::network : machine::Level::node;
  return BracketChoice(knowledge_->machine.machine, level, group.ranks(),
                       {.may_try = may_try, .found = found_before()});
}

std::size_t Associations::take(std::uint16_t entry, const char* combined, std::size_t bytes) {
  return entry < all_.size() && all_[entry] ? all_[entry]->bracket.take(combined, bytes) : 0;
}

std::uint64_t Associations::held() const {
  std::uint64_t bytes = 0;
  for (const auto& one : all_)
    bytes += one ? one->bracket.held() : 0;
  return bytes;
}

void Associations::begin_epoch(bool sends) {
  ++epoch_;
  for (auto& one : all_)
    if (one)
      one->bracket.begin_epoch(epoch_, sends);
}

void Associations::switch_strategies() {
  control::Control& ranks = scheduler_.control();
  const double seconds = scheduler_.running_seconds() - period_began_seconds_;
  std::vector<BracketTurns::Member> members;
  for (std::size_t number = 0; number < all_.size(); ++number) {
    auto& association = all_[number];
    if (!association || !association->choice)
      continue;
    RankPeriod own = association->bracket.take_period();
    own.seconds = seconds;
    members.push_back({number, &*association->choice, period_of(ranks.run(ranks.allgather(own)))});
  }
  turns_.decide(members, have_moved_);
  for (const BracketTurns::Member& member : members)
    use_choice(member.number);
}

void Associations::use_choice(std::size_t number) {
  THALWEG_ASSERT(normal, number < all_.size() && all_[number] && all_[number]->choice);
  auto& association = *all_[number];
  const BracketChoice& choice = *association.choice;
  const auto& of = scheduler_.arrays()[association.array];
  const std::string text =
      fmt::format("association {} of {}: {}", number, of ? of->type : "", choice.explanation());
  remark(number, text);
  if (choice.current() == association.bracket.combining() && association.is_explained)
    return;
  association.bracket.use(choice.current());
  association.is_explained = true;
  notes_.add(text);
}

void Associations::remark(std::size_t number, const std::string& text) {
  remarks_.resize(std::max(remarks_.size(), number + 1));
  remarks_[number] = text;
  scheduler_.messages().set_remarks(fmt::format("{}", fmt::join(remarks_, "\n")));
}

} // namespace thalweg::objects
