// SPDX-License-Identifier: BSD-3-Clause
#include "balancer/finder.hpp"

#include "balance/flow.hpp"
#include "base/arithmetic.hpp"
#include "base/assertion.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <tuple>

namespace thalweg::balancing {

namespace {

/// What ranks have too much of, and what they lack; or their loads and speeds.
struct Both {
  Tasks first = 0;
  Tasks second = 0;
};

Both added(const Both& a, const Both& b) {
  return {a.first + b.first, a.second + b.second};
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

/// Orders this rank's part of what was found, and writes it as the interface does.
std::vector<thalweg_transfer> own_messages(Flow flow, Rank own) {
  std::erase_if(flow, [&](const Transfer& transfer) { return transfer.from != own && transfer.to != own; });
  std::ranges::sort(flow, {}, [&](const Transfer& transfer) {
    return std::tuple(transfer.from != own, transfer.from, transfer.to);
  });
  std::vector<thalweg_transfer> result;
  for (const Transfer& transfer : flow)
    result.push_back(transfer.from == own ? thalweg_transfer{transfer.to, transfer.tasks}
                                          : thalweg_transfer{transfer.from, -transfer.tasks});
  return result;
}

Tasks load_of(const Report& report, const Summary& all) {
  return report.is_weighted ? units_of(report.weight, all.load, weight_units) : report.tasks;
}

Tasks speed_of(const Report& report, const Summary& all) {
  return all.are_alike() ? 0 : units_of(report.speed, all.speed, speed_units);
}

/// What a unit of the flow weighs.
double unit_of(const Report& report, const Summary& all) {
  return report.is_weighted ? all.load / static_cast<double>(weight_units) : 1;
}

/// The alias form can ask a rank for more than it has where targets are not alike.
Service able(const Settings& settings, const Summary& all) {
  return all.are_alike() && settings.spread == Spread::even ? settings.service : Service::sweep;
}

} // namespace

Finder::Finder(control::Control& control, const machine::LevelCosts& messages, std::int32_t gathered_ranks)
    : control_(control), messages_(messages), gathers_(control.ranks() <= gathered_ranks) {}

control::Task<OwnFlow> Finder::find(Report report, Settings settings) const {
  if (!gathers_)
    co_return co_await by_prefix_sums(report, settings);
  const std::vector<Report> reports = co_await control_.allgather(report);
  co_return among_all(reports, settings);
}

OwnFlow Finder::among_all(const std::vector<Report>& reports, const Settings& settings) const {
  const std::vector<Rank>& order = control_.order();
  THALWEG_ASSERT(light, reports.size() == order.size());
  Summary all;
  for (std::size_t position = 0; position < order.size(); ++position)
    all = combined(all, summary_of(reports[position], order[position]));
  must_be_right(all);
  OwnFlow found{{}, verdict_of(all, settings.terms, messages_), unit_of(reports.front(), all)};
  if (!found.verdict.is_worth)
    return found;
  std::vector<Tasks> loads(order.size());
  std::vector<Tasks> speeds(all.are_alike() ? 0 : order.size());
  for (std::size_t position = 0; position < order.size(); ++position) {
    const auto rank = static_cast<std::size_t>(order[position]);
    THALWEG_ASSERT(normal, rank < loads.size());
    loads[rank] = load_of(reports[position], all);
    if (!speeds.empty())
      speeds[rank] = speed_of(reports[position], all);
  }
  const Line line = line_of(loads, targets(loads, order, settings.spread, speeds), order);
  found.transfers = own_messages(served(able(settings, all), line.slice()), rank());
  return found;
}

control::Task<OwnFlow> Finder::by_prefix_sums(Report report, Settings settings) const {
  const Summary all = co_await control_.allreduce(summary_of(report, rank()), combined);
  must_be_right(all);
  OwnFlow found{{}, verdict_of(all, settings.terms, messages_), unit_of(report, all)};
  if (!found.verdict.is_worth)
    co_return found;
  const Tasks load = load_of(report, all);
  const Tasks speed = speed_of(report, all);
  Both total{all.tasks, 0};
  if (report.is_weighted || !all.are_alike()) { // rounding makes other sums
    total = co_await control_.allreduce(Both{load, speed}, added);
  }
  const Rule rule(settings.spread, total.first, all.ranks, total.second);
  const control::Prefix<Tasks> counted =
      co_await control_.prefix(rule.counted(load, speed), Tasks{0}, std::plus{});
  const Tasks excess = load - rule.target(load, control_.position(), counted.before, counted.all, speed);
  const control::Prefix<Both> line =
      co_await control_.prefix(Both{std::max<Tasks>(excess, 0), std::max<Tasks>(-excess, 0)}, Both{}, added);
  THALWEG_ASSERT(light, line.all.first == line.all.second); // nothing is lost or made
  if (line.all.first == 0)
    co_return found;
  const Line part =
      co_await slice_of_line(excess, excess > 0 ? line.before.first : line.before.second, line.all.first);
  const Last last{part.surpluses.empty() ? Stretch{} : part.surpluses.back(),
                  part.deficits.empty() ? Stretch{} : part.deficits.back()};
  const Last before = co_await control_.exscan(last, Last{}, later);
  std::vector<std::pair<std::int32_t, Transfer>> messages;
  for (const Transfer& transfer :
       served(able(settings, all), {before.surplus, before.deficit, part.surpluses, part.deficits}))
    for (const Rank end : {transfer.from, transfer.to})
      messages.emplace_back(control_.position_of(end), transfer);
  Flow own = co_await control_.exchange_sparse(std::move(messages));
  found.transfers = own_messages(std::move(own), rank());
  co_return found;
}

control::Task<Line> Finder::slice_of_line(Tasks excess, Tasks begin, Tasks length) const {
  THALWEG_ASSERT(light, length > 0 && begin >= 0 && begin + std::abs(excess) <= length);
  std::vector<std::pair<std::int32_t, Entry>> registered;
  const auto ranks = static_cast<Tasks>(control_.order().size());
  if (excess != 0)
    registered.emplace_back(static_cast<std::int32_t>(begin / ceil_divide(length, ranks)),
                            Entry{{rank(), begin, std::abs(excess)}, excess > 0});
  const std::vector<Entry> entries = co_await control_.exchange_sparse(std::move(registered));
  Line line;
  for (const Entry& entry : entries)
    (entry.is_surplus ? line.surpluses : line.deficits).push_back(entry.stretch);
  std::ranges::sort(line.surpluses, {}, &Stretch::begin);
  std::ranges::sort(line.deficits, {}, &Stretch::begin);
  co_return line;
}

} // namespace thalweg::balancing
