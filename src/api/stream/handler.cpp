// SPDX-License-Identifier: BSD-3-Clause
#include "stream/handler.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"

#include <utility>

namespace thalweg::streams {

void Handler::deliver(std::span<const char> items) {
  THALWEG_ASSERT(normal, !items.empty() && !runs());
  delivered_bytes_ += items.size();
  Member* const outer = membership_.enter();
  view_.in_handler = 1;
  functions_.deliver(functions_.context, items.data(), items.size());
  view_.in_handler = 0;
  membership_.leave(outer);
}

// It says itself while it delivers that a handler runs.
void Handler::forward(std::span<const char> items, std::uint32_t dimension) {
  THALWEG_ASSERT(normal, !items.empty());
  Member* const outer = membership_.enter();
  functions_.forward(functions_.context, items.data(), items.size(), dimension);
  membership_.leave(outer);
}

template <typename Work>
void Handler::without_waiting(Work work) {
  Member* const outer = membership_.enter();
  const std::uint32_t was_in_handler = std::exchange(view_.in_handler, 1U);
  work();
  view_.in_handler = was_in_handler;
  membership_.leave(outer);
}

void Handler::release() {
  if (functions_.release != nullptr)
    without_waiting([this] { functions_.release(functions_.context); });
}

void Handler::resend(std::span<const char> items, std::uint32_t odd) {
  without_waiting([&] { functions_.resend(functions_.context, items.data(), items.size(), odd); });
}

void Failure::happened(std::string why) {
  THALWEG_ASSERT(light, own_rank_ >= 0);
  if (is_known())
    return;
  failed_rank_ = own_rank_;
  text_ = std::move(why);
  is_new_ = true;
}

void Failure::learned(Rank rank, std::span<const char> why) {
  THALWEG_ASSERT(normal, rank >= 0);
  if (is_known())
    return;
  failed_rank_ = rank;
  text_.assign(why.data(), why.size());
}

void Failure::end_phase() {
  if (!is_known())
    return;
  const Rank where = std::exchange(failed_rank_, -1);
  const std::string why = std::exchange(text_, {});
  throw Error("a handler failed on rank " + std::to_string(where) + ": " + why,
              "items of this phase are lost: begin it again, or end", thalweg_error_handler);
}

} // namespace thalweg::streams
