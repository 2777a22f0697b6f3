#include "tune/contest.hpp"

#include <algorithm>

namespace thalweg::tune {

namespace {

// Six wins in a row, or nine of ten: together about one in 40 if the two were equal.
constexpr std::size_t pairs_without_loss = 6;
constexpr std::size_t pairs_with_one_loss = 10;
constexpr double far_slower = 1.5;

} // namespace

double median(std::vector<double> values) {
  if (values.empty())
    return 0;
  const std::size_t middle = values.size() / 2;
  std::ranges::sort(values);
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

void Contest::add(double incumbent, double rival) {
  // The clock's grain: what takes no time at all is not faster than itself.
  const double floor = 1e-9;
  ratios_.push_back(std::max(incumbent, floor) / std::max(rival, floor));
  if (ratios_.back() <= 1)
    ++losses_;
}

double Contest::ratio() const {
  return median(ratios_);
}

Verdict Contest::verdict() const {
  if (ratios_.empty())
    return Verdict::open;
  if (losses_ == ratios_.size() && ratio() * far_slower < 1)
    return Verdict::far_off;
  if (losses_ > 1)
    return Verdict::no_gain;
  const std::size_t wanted = losses_ == 0 ? pairs_without_loss : pairs_with_one_loss;
  if (ratios_.size() < wanted)
    return Verdict::open;
  return ratio() >= worth_ ? Verdict::faster : Verdict::no_gain;
}

} // namespace thalweg::tune
