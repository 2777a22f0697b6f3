#include "objects/linked/associations.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <functional>

namespace thalweg::objects {

std::uint16_t Associations::add(std::uint16_t array, std::string_view strategy) {
  scheduler_.must_not_run("a message makes an association");
  const job::Group& group = scheduler_.group();
  const std::string text = fmt::format("{} {}", array, strategy);
  const auto hashes =
      group.agreement(group.channels().policy()).allgather(std::uint64_t{std::hash<std::string>()(text)});
  const auto other = std::ranges::find_if(hashes, [&](std::uint64_t one) { return one != hashes.front(); });
  if (other != hashes.end())
    throw Error(fmt::format("ranks 0 and {} make different associations", other - hashes.begin()),
                "make them in the same order, of the same array and with the same strategy",
                thalweg_error_mismatch);
  const Combining wanted = parse_combining(strategy);
  const auto number = static_cast<std::uint16_t>(all_.size());
  const auto elements = [this, array]() -> std::size_t {
    const auto& of = scheduler_.arrays()[array];
    return of ? of->anchored(of->context) : 0;
  };
  const auto send = [this, number](Rank to, std::span<const std::span<const char>> pieces) {
    scheduler_.send_combined(to, number, pieces);
  };
  const auto take_out = [this](const char* messages, std::size_t bytes) { deliver(messages, bytes); };
  all_.emplace_back(Bracket(wanted, group.ranks(), group.rank(), {send, take_out, elements}));
  all_.back()->begin_epoch(epoch_, false);
  return number;
}

void Associations::deliver(const char* messages, std::size_t bytes) {
  for (const char *at = messages, *const end = messages + bytes; at < end;) {
    thalweg_message head;
    std::memcpy(&head, at, sizeof head);
    scheduler_.enqueue(head, at + sizeof head);
    at += sizeof head + aligned(head.bytes);
  }
}

void Associations::take(std::uint16_t entry, const char* combined, std::size_t bytes) {
  if (entry < all_.size() && all_[entry])
    all_[entry]->take(combined, bytes);
}

std::uint64_t Associations::held() const {
  std::uint64_t bytes = 0;
  for (const auto& one : all_)
    bytes += one ? one->held() : 0;
  return bytes;
}

void Associations::begin_epoch(bool sends) {
  ++epoch_;
  for (auto& one : all_)
    if (one)
      one->begin_epoch(epoch_, sends);
}

} // namespace thalweg::objects
