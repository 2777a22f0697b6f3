#include "objects/linked/associations.hpp"

#include "core/error.hpp"
#include "job/linked/group_knowledge.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>

namespace thalweg::objects {

namespace {
constexpr std::string_view automatic = "auto";
}

std::uint16_t Associations::add(std::uint16_t array, std::string_view strategy) {
  scheduler_.must_not_run("a message makes an association");
  const job::Group& group = scheduler_.group();
  const bool may_try = job::may_learn();
  const std::string text = fmt::format("{} {} {}", array, strategy, may_try);
  const auto hashes =
      group.agreement(group.channels().policy()).allgather(std::uint64_t{std::hash<std::string>()(text)});
  const auto other = std::ranges::find_if(hashes, [&](std::uint64_t one) { return one != hashes.front(); });
  if (other != hashes.end())
    throw Error(fmt::format("ranks 0 and {} make different associations", other - hashes.begin()),
                "make them in the same order, of the same array, with the same strategy and THALWEG_LEARN",
                thalweg_error_mismatch);
  const bool is_automatic = strategy == automatic;
  const Combining wanted = is_automatic ? Combining::direct : parse_combining(strategy);
  const auto number = static_cast<std::uint16_t>(all_.size());
  const auto elements = [this, array]() -> std::size_t {
    const auto& of = scheduler_.arrays()[array];
    return of ? of->anchored(of->context) : 0;
  };
  const auto send = [this, number](Rank to, std::span<const std::span<const char>> pieces) {
    scheduler_.send_combined(to, number, pieces);
  };
  const auto deliver = [this](std::span<const char> prefix, std::span<const char> common) {
    scheduler_.deliver(prefix, common);
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
  return number;
}

std::optional<BracketChoice> Associations::choice_of(bool may_try) const {
  const job::Group& group = scheduler_.group();
  if (group.ranks() == 1)
    return std::nullopt;
  const auto level = group.node_count() > 1 ? machine::Level::network : machine::Level::node;
  return BracketChoice(job::agree_on_knowledge(group).machine.machine, level, group.ranks(), may_try);
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
  const job::Group& group = scheduler_.group();
  const double seconds = scheduler_.running_seconds() - period_began_seconds_;
  for (std::size_t number = 0; number < all_.size(); ++number) {
    auto& association = all_[number];
    if (!association || !association->choice)
      continue;
    auto& [array, bracket, choice, is_explained] = *association;
    RankPeriod own = bracket.take_period();
    own.seconds = seconds;
    choice->decide(period_of(group.agreement(group.channels().policy()).allgather(own)));
    const auto& of = scheduler_.arrays()[array];
    const std::string text =
        fmt::format("association {} of {}: {}", number, of ? of->type : "", choice->explanation());
    remark(number, text);
    if (choice->current() == bracket.combining() && is_explained)
      continue;
    bracket.use(choice->current());
    is_explained = true;
    notes_.add(text);
  }
}

void Associations::remark(std::size_t number, const std::string& text) {
  remarks_.resize(std::max(remarks_.size(), number + 1));
  remarks_[number] = text;
  scheduler_.set_remarks(fmt::format("{}", fmt::join(remarks_, "\n")));
}

} // namespace thalweg::objects
