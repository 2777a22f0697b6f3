// SPDX-License-Identifier: BSD-3-Clause
#include "base/error.hpp"
#include "simulate/goal.hpp"
#include "simulate/program_builder.hpp"

#include <bit>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

namespace thalweg::simulate {

namespace {

/// The names of a rank's operations in a text: an open hash table that is emptied by counting on.
class Labels {
public:
  void clear() {
    ++generation_;
    used_ = 0;
  }

  /// The number kept under a name, or null.
  const std::uint32_t* find(std::string_view name) const {
    for (std::size_t place = hash(name);; ++place) {
      const Entry& entry = entries_[place & mask()];
      if (entry.generation != generation_)
        return nullptr;
      if (entry.name == name)
        return &entry.number;
    }
  }

  /// Keeps a number under a name that is not kept yet, and must stay in memory.
  void add(std::string_view name, std::uint32_t number) {
    if (2 * ++used_ > entries_.size())
      grow();
    place(name, number);
  }

private:
  struct Entry {
    std::string_view name;
    std::uint32_t number = 0;
    std::uint32_t generation = 0;
  };

  static std::size_t hash(std::string_view name) {
    std::uint64_t value = name.size();
    for (const char letter : name)
      value = (value ^ static_cast<unsigned char>(letter)) * 0x9e3779b97f4a7c15U;
    return value >> 20;
  }
  std::size_t mask() const { return entries_.size() - 1; }

  void place(std::string_view name, std::uint32_t number) {
    std::size_t place = hash(name);
    while (entries_[place & mask()].generation == generation_)
      ++place;
    entries_[place & mask()] = {name, number, generation_};
  }

  void grow() {
    std::vector<Entry> old(2 * entries_.size());
    old.swap(entries_);
    for (const Entry& entry : old)
      if (entry.generation == generation_)
        place(entry.name, entry.number);
  }

  std::vector<Entry> entries_ = std::vector<Entry>(64);
  std::size_t used_ = 0;
  std::uint32_t generation_ = 1;
};

constexpr std::int64_t number_max = std::numeric_limits<std::int64_t>::max() / 16;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

class GoalText {
public:
  GoalText(std::string_view text, const std::string& name, const CostBetween& cost)
      : at_(text.data()), end_(text.data() + text.size()), name_(name), cost_(cost) {}

  Program read() {
    skip_lines();
    if (word() != "num_ranks")
      fail("num_ranks is missing", "begin with num_ranks and their number");
    const std::int64_t ranks = number("the number of ranks");
    if (ranks < 1 || ranks >= std::int64_t{1} << 30)
      fail(fmt::format("{} ranks", ranks), "write at least one, and fewer than 2^30");
    builder_.emplace(ranks);
    for (std::int64_t rank = 0; rank < ranks; ++rank)
      read_rank(rank);
    skip_lines();
    if (at_ < end_)
      fail("there is more behind the last rank", "let num_ranks say how many there are");
    return builder_->finish();
  }

private:
  void read_rank(std::int64_t rank) {
    skip_lines();
    if (word() != "rank")
      fail(fmt::format("rank {} is missing", rank), "write all ranks in their order");
    if (const std::int64_t given = number("a rank"); given != rank)
      fail(fmt::format("rank {} where rank {} is due", given, rank), "write all ranks in their order");
    skip_blanks();
    if (!take('{'))
      fail("no { after the rank", "write rank NUMBER {");
    labels_.clear();
    for (skip_lines(); !take('}'); skip_lines())
      read_line();
    builder_->end_rank();
  }

  void read_line() {
    const std::string_view first = word();
    if (!read_operation(first, {})) {
      skip_blanks();
      if (take(':')) {
        if (labels_.find(first) != nullptr)
          fail(fmt::format("the label {:?} is there twice", first), "give each operation its own");
        if (!read_operation(word(), first))
          fail("no operation after the label", "write send, recv or calc");
      } else {
        read_requirement(first);
      }
    }
    skip_blanks();
    if (at_ < end_ && *at_ != '\n' && *at_ != '}')
      fail("the line goes on where it should end", "write one operation or requirement a line");
  }

  bool read_operation(std::string_view verb, std::string_view label) {
    std::uint32_t number = 0;
    if (verb == "send" || verb == "recv")
      number = read_message(verb == "send");
    else if (verb == "calc")
      number = read_calculation();
    else
      return false;
    if (!label.empty())
      labels_.add(label, number);
    return true;
  }

  std::uint32_t read_message(bool is_send) {
    const std::int64_t bytes = number("a number of bytes");
    skip_blanks();
    if (!take('b'))
      fail("no b after the number of bytes", "write 1024b");
    if (word() != (is_send ? "to" : "from"))
      fail("no peer", is_send ? "write send BYTESb to RANK" : "write recv BYTESb from RANK");
    const std::int64_t peer = !is_send && take_any() ? std::int64_t{any} : number("a rank");
    if (peer != std::int64_t{any} && peer >= std::int64_t{builder_->ranks()})
      fail(fmt::format("rank {} of {}", peer, builder_->ranks()), "name a rank that there is");
    std::uint32_t tag = 0;
    Where where;
    for (std::string_view option = word(); !option.empty(); option = word())
      if (option == "tag")
        tag = !is_send && take_any() ? any : static_cast<std::uint32_t>(number("a tag", any - 1));
      else
        read_place(option, where);
    return is_send ? builder_->send(peer, tag,
                                    cost_(bytes, builder_->rank(), static_cast<std::uint32_t>(peer)), where)
                   : builder_->receive(peer, tag, where);
  }

  std::uint32_t read_calculation() {
    const std::int64_t duration = number("nanoseconds", std::int64_t{1} << 50);
    Where where;
    for (std::string_view option = word(); !option.empty(); option = word())
      read_place(option, where);
    return builder_->compute(duration, where);
  }

  void read_place(std::string_view option, Where& where) {
    if (option != "cpu" && option != "nic")
      fail(fmt::format("{:?} is unknown here", option), "write tag, cpu or nic, or end the line");
    (option == "cpu" ? where.cpu : where.nic) = static_cast<std::uint8_t>(number("a number up to 255", 255));
  }

  void read_requirement(std::string_view later) {
    const std::string_view verb = word();
    if (verb != "requires" && verb != "irequires")
      fail(fmt::format("{:?} is no operation", later), "write send, recv, calc, or LABEL requires LABEL");
    const std::string_view earlier = word();
    builder_->require(labeled(later), labeled(earlier), verb == "irequires");
  }

  std::uint32_t labeled(std::string_view label) {
    const std::uint32_t* const number = labels_.find(label);
    if (number == nullptr)
      fail(fmt::format("the label {:?} is not known", label), "write an operation before what requires it");
    return *number;
  }

  // Lines without meaning.
  void skip_lines() {
    for (skip_blanks(); at_ < end_ && *at_ == '\n'; skip_blanks()) {
      ++at_;
      ++line_;
    }
  }

  void skip_blanks() {
    while (at_ < end_) {
      if (*at_ == ' ' || *at_ == '\t' || *at_ == '\r')
        ++at_;
      else if (*at_ == '/' && at_ + 1 < end_ && (at_[1] == '/' || at_[1] == '*'))
        skip_comment();
      else
        return;
    }
  }

  void skip_comment() {
    const bool is_line = at_[1] == '/';
    for (at_ += 2; at_ < end_; ++at_) {
      if (is_line && *at_ == '\n')
        return;
      if (*at_ == '\n')
        ++line_;
      if (!is_line && *at_ == '*' && at_ + 1 < end_ && at_[1] == '/') {
        at_ += 2;
        return;
      }
    }
    if (!is_line)
      fail("a comment has no end", "close it with */");
  }

  std::string_view word() {
    skip_blanks();
    const char* const begin = at_;
    if (at_ < end_ && is_letter(*at_))
      while (at_ < end_ && (is_letter(*at_) || is_digit(*at_) || *at_ == '_'))
        ++at_;
    return {begin, static_cast<std::size_t>(at_ - begin)};
  }

  std::int64_t number(std::string_view what, std::int64_t limit = number_max) {
    skip_blanks();
    if (at_ == end_ || !is_digit(*at_))
      fail(fmt::format("{} is missing", what), "write a number in digits");
    std::int64_t value = 0;
    for (; at_ < end_ && is_digit(*at_); ++at_) {
      value = 10 * value + (*at_ - '0');
      if (value > limit)
        fail(fmt::format("{} beyond {}", what, limit), "write a smaller number");
    }
    return value;
  }

  bool take(char expected) {
    if (at_ == end_ || *at_ != expected)
      return false;
    ++at_;
    return true;
  }

  bool take_any() {
    skip_blanks();
    if (end_ - at_ < 2 || at_[0] != '-' || at_[1] != '1')
      return false;
    at_ += 2;
    return true;
  }

  [[noreturn]] void fail(const std::string& problem, const std::string& remedy) const {
    throw Error(fmt::format("{}:{}: {}", name_, line_, problem), remedy);
  }

  const char* at_;
  const char* end_;
  std::int64_t line_ = 1;
  const std::string& name_;
  const CostBetween& cost_;
  std::optional<ProgramBuilder> builder_;
  Labels labels_;
};

} // namespace

Program read_goal_text(std::string_view text, const std::string& name, const CostBetween& cost) {
  return GoalText(text, name, cost).read();
}

} // namespace thalweg::simulate
