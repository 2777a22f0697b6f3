#include "balance/linked/balancer.hpp"

#include "balance/targets.hpp"
#include "core/arithmetic.hpp"
#include "core/error.hpp"
#include "job/linked/communicator.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <tuple>

namespace thalweg::balance {

namespace {

constexpr int stretches_tag = 1;
constexpr int transfers_tag = 2;
constexpr Tasks refused = -1;

/// The sum of loads, or `refused` where one or the sum is.
Tasks added(Tasks a, Tasks b) {
  return a < 0 || b < 0 || a > tasks_max - b ? refused : a + b;
}

/// The last stretches of each kind; size 0 where there is none.
struct Last {
  Stretch surplus;
  Stretch deficit;
};

Last later(const Last& first, const Last& second) {
  return {second.surplus.size > 0 ? second.surplus : first.surplus,
          second.deficit.size > 0 ? second.deficit : first.deficit};
}

struct Entry {
  Stretch stretch;
  bool is_surplus = false;
};

/// Orders this rank's part of what slices have found, and writes it as the interface does.
std::vector<thalweg_transfer> own_messages(Flow flow, Rank own) {
  std::ranges::sort(flow, {}, [&](const Transfer& transfer) {
    return std::tuple(transfer.from != own, transfer.from, transfer.to);
  });
  std::vector<thalweg_transfer> result;
  for (const Transfer& transfer : flow)
    result.push_back(transfer.from == own ? thalweg_transfer{transfer.to, transfer.tasks}
                                          : thalweg_transfer{transfer.from, -transfer.tasks});
  return result;
}

} // namespace

Balancer::Balancer(MPI_Comm communicator)
    : group_(job::duplicate(communicator, "balancer"), nullptr, false), exchange_(group_) {}

Line Balancer::slice_of_line(Tasks excess, const Both& before, Tasks length) const {
  std::vector<std::pair<Rank, Entry>> registered;
  if (excess != 0) {
    const Entry own{{group_.rank(), excess > 0 ? before.surplus : before.deficit, std::abs(excess)},
                    excess > 0};
    registered.emplace_back(static_cast<Rank>(own.stretch.begin / ceil_divide(length, group_.ranks())), own);
  }
  Line line;
  for (const Entry& entry :
       exchange_.deliver(std::span<const std::pair<Rank, Entry>>(registered), stretches_tag))
    (entry.is_surplus ? line.surpluses : line.deficits).push_back(entry.stretch);
  std::ranges::sort(line.surpluses, {}, &Stretch::begin);
  std::ranges::sort(line.deficits, {}, &Stretch::begin);
  return line;
}

const std::vector<thalweg_transfer>& Balancer::flow(Service service, Tasks load) {
  transfers_.clear();
  const Tasks tasks = exchange_.prefix(load, Tasks{0}, added).all;
  if (tasks == refused)
    throw Error(
        fmt::format("a rank has fewer than 0 tasks, or all have over {} together (here {})", tasks_max, load),
        "give loads from 0, in a larger unit if need be");
  const Rule rule(Spread::even, tasks, group_.ranks());
  const Prefix<Tasks> counted = exchange_.prefix(rule.counted(load), Tasks{0}, std::plus{});
  const Tasks excess = load - rule.target(load, group_.rank(), counted.before, counted.all);
  const Prefix<Both> line = exchange_.prefix(Both{std::max<Tasks>(excess, 0), std::max<Tasks>(-excess, 0)},
                                             Both{}, [](const Both& a, const Both& b) {
                                               return Both{a.surplus + b.surplus, a.deficit + b.deficit};
                                             });
  if (line.all.surplus == 0)
    return transfers_;
  const Line part = slice_of_line(excess, line.before, line.all.surplus);
  const Last last{part.surpluses.empty() ? Stretch{} : part.surpluses.back(),
                  part.deficits.empty() ? Stretch{} : part.deficits.back()};
  const Last before = exchange_.prefix(last, Last{}, later).before;
  std::vector<std::pair<Rank, Transfer>> found;
  for (const Transfer& transfer :
       served(service, {before.surplus, before.deficit, part.surpluses, part.deficits})) {
    found.emplace_back(transfer.from, transfer);
    found.emplace_back(transfer.to, transfer);
  }
  transfers_ = own_messages(
      exchange_.deliver(std::span<const std::pair<Rank, Transfer>>(found), transfers_tag), group_.rank());
  return transfers_;
}

} // namespace thalweg::balance
