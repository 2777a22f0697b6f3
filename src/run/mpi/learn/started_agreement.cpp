// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/learn/started_agreement.hpp"

#include "base/assertion.hpp"
#include "control/collective.hpp"
#include "mpi/comm/clocks.hpp"
#include "mpi/run/requests.hpp"
#include "mpi/state/runtime.hpp"
#include "mpi/wait/polling.hpp"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <optional>

namespace thalweg::mpi {

namespace {

// Numbers of which the maximum is wanted, and such of which the sum is, side by side.
struct Figures {
  double largest = 0;
  double sum = 0;
};

Figures combined(const Figures& one, const Figures& other) {
  return {std::max(one.largest, other.largest), one.sum + other.sum};
}

using Combine = Figures (*)(const Figures&, const Figures&);

control::CollectiveCall allreduce(const std::vector<Figures>& own, std::vector<Figures>& all) {
  return {.operation = schedule::Operation::allreduce,
          .element_bytes = sizeof(Figures),
          .elements = static_cast<std::int64_t>(own.size()),
          .input = own.data(),
          .output = all.data()};
}

} // namespace

// What is agreed on, then the votes. A rank may vote once it knows that all ranks have begun: whoever has a
// maximum of all knows it, but a root that has told others its text does not, so ranks meet behind that.
struct StartedAgreement::Exchange {
  Exchange(std::shared_ptr<transport::Transport> transport, std::int32_t tag)
      : endpoint(std::move(transport), {}), first_tag(tag) {}

  enum class Part : std::uint8_t { subject, meeting, votes, done };

  void begin(const control::CollectiveCall& call) {
    has_ended.store(false, std::memory_order_relaxed);
    switch_point.open();
    begin(Part::subject, call);
  }

  // True once all of it is complete.
  bool advance() {
    while (part != Part::done) {
      if (under_way->look() != wait::Look::reached)
        return false;
      if (part == Part::votes) {
        part = Part::done;
        has_ended.store(true, std::memory_order_release);
        switch_point.agree(static_cast<std::uint32_t>(votes[0].largest));
      } else if (part == Part::subject && !text.empty()) {
        begin(Part::meeting, allreduce(own_vote, votes));
      } else {
        own_vote[0].largest = switch_point.vote();
        begin(Part::votes, allreduce(own_vote, votes));
      }
    }
    return true;
  }

  control::Endpoint endpoint;
  std::int32_t first_tag;
  Combine combine = combined;
  control::FunctionOperator<Figures, Combine> combiner{combine};
  std::vector<Figures> own;
  std::vector<Figures> all;
  std::string text;
  std::vector<Figures> own_vote{1};
  std::vector<Figures> votes{1};
  tune::SwitchPoint switch_point;
  std::atomic<bool> has_failed{false};
  std::atomic<bool> has_ended{false};
  Part part = Part::done;
  std::optional<control::Collective> under_way; ///< ends before what it works on

private:
  void begin(Part next, const control::CollectiveCall& call) {
    constexpr std::int32_t tags_of_part = 2;
    part = next;
    under_way.emplace(endpoint, call, &combiner);
    under_way->begin_with({first_tag + tags_of_part * static_cast<std::int32_t>(next), tags_of_part});
  }
};

namespace {

class ExchangeCall final : public BackgroundCall {
public:
  explicit ExchangeCall(std::shared_ptr<StartedAgreement::Exchange> exchange)
      : exchange_(std::move(exchange)) {}

  bool progress() noexcept override {
    try {
      return exchange_->advance();
    } catch (const std::exception& error) {
      log_line(fmt::format("learning of nonblocking calls failed: {}", error.what()));
    }
    exchange_->has_failed.store(true, std::memory_order_release);
    return true;
  }
  void restart() noexcept override {}
  int code() const noexcept override { return MPI_SUCCESS; }

private:
  std::shared_ptr<StartedAgreement::Exchange> exchange_;
};

} // namespace

StartedAgreement::StartedAgreement(std::shared_ptr<transport::Transport> transport, std::int32_t first_tag)
    : exchange_(std::make_shared<Exchange>(std::move(transport), first_tag)) {}

StartedAgreement::~StartedAgreement() {
  if (pending_)
    complete();
}

void StartedAgreement::begin(const std::vector<double>& to_maximize, const std::vector<double>& to_sum) {
  THALWEG_ASSERT(light, !pending_ && !to_maximize.empty());
  seconds_ = -local_seconds();
  std::vector<Figures>& own = exchange_->own;
  own.assign(std::max(to_maximize.size(), to_sum.size()), {});
  for (std::size_t index = 0; index < to_maximize.size(); ++index)
    own[index].largest = to_maximize[index];
  for (std::size_t index = 0; index < to_sum.size(); ++index)
    own[index].sum = to_sum[index];
  exchange_->all.assign(own.size(), {});
  exchange_->text.clear();
  exchange_->begin(allreduce(own, exchange_->all));
  hand_out_exchange();
}

void StartedAgreement::begin(const std::string& text) {
  THALWEG_ASSERT(light, !pending_);
  seconds_ = -local_seconds();
  exchange_->text = text;
  exchange_->text.resize(text_bytes);
  exchange_->begin({.operation = schedule::Operation::broadcast,
                    .elements = static_cast<std::int64_t>(text_bytes),
                    .output = exchange_->text.data()});
  hand_out_exchange();
}

void StartedAgreement::hand_out_exchange() {
  pending_ = true;
  if (hand_out(std::make_unique<ExchangeCall>(exchange_), strategies::Advancing::in_calls, &request_) !=
      MPI_SUCCESS) {
    request_ = MPI_REQUEST_NULL;
    exchange_->has_failed.store(true, std::memory_order_release);
  }
  seconds_ += local_seconds();
}

bool StartedAgreement::holds_at_this_start() {
  using Step = tune::SwitchPoint::Step;
  THALWEG_ASSERT(light, pending_);
  tune::SwitchPoint& point = exchange_->switch_point;
  Step step = point.start();
  if (step == Step::unknown) [[unlikely]] {
    const double begun = local_seconds();
    poll([&](bool& found) {
      step = point.look();
      found = step != Step::unknown || exchange_->has_failed.load(std::memory_order_acquire);
      return MPI_SUCCESS;
    });
    seconds_ += local_seconds() - begun;
  }
  return step == Step::behind;
}

bool StartedAgreement::has_ended() const {
  return exchange_->has_ended.load(std::memory_order_acquire) ||
         exchange_->has_failed.load(std::memory_order_acquire);
}

double StartedAgreement::complete() {
  THALWEG_ASSERT(light, pending_);
  if (request_ != MPI_REQUEST_NULL)
    poll_request(&request_, MPI_STATUS_IGNORE);
  pending_ = false;
  return seconds_;
}

std::vector<double> StartedAgreement::maxima(std::size_t count) const {
  THALWEG_ASSERT(light, !pending_ && count <= exchange_->all.size());
  std::vector<double> row(count);
  std::ranges::transform(exchange_->all.begin(), exchange_->all.begin() + static_cast<std::ptrdiff_t>(count),
                         row.begin(), &Figures::largest);
  return row;
}

std::vector<double> StartedAgreement::sums(std::size_t count) const {
  THALWEG_ASSERT(light, !pending_ && count <= exchange_->all.size());
  std::vector<double> row(count);
  std::ranges::transform(exchange_->all.begin(), exchange_->all.begin() + static_cast<std::ptrdiff_t>(count),
                         row.begin(), &Figures::sum);
  return row;
}

std::string StartedAgreement::text() const {
  THALWEG_ASSERT(light, !pending_);
  return exchange_->text.c_str();
}

} // namespace thalweg::mpi
