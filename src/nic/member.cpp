#include "nic/member.hpp"

#include "core/error.hpp"

#include <algorithm>

namespace thalweg::nic {

namespace {

// Ranks that share cores are given theirs back some milliseconds later, so it takes more than those to be
// lost.
constexpr std::uint64_t first_patience_ns = 5'000'000;
constexpr std::uint64_t longest_patience_ns = 160'000'000;

} // namespace

void Member::barrier(const wait::Policy& policy) {
  const std::uint32_t epoch = ++epoch_;
  card_->start(epoch);
  std::uint64_t patience_ns = first_patience_ns;
  std::uint64_t due_ns = 0; // not known before the first look in vain, as clocks take time
  const auto look = [&] {
    if (card_->has_ended(epoch))
      return wait::Look::reached;
    const std::uint64_t now_ns = wait::System::now_ns();
    if (due_ns == 0)
      due_ns = now_ns + patience_ns;
    if (now_ns < due_ns)
      return wait::Look::nothing;
    if (const std::string loss = card_->loss(); !loss.empty())
      throw Error(loss, "have it started again before the next job: thalweg nic serve", thalweg_error_system);
    card_->start(epoch);
    patience_ns = std::min(2 * patience_ns, longest_patience_ns);
    due_ns = now_ns + patience_ns;
    return wait::Look::nothing;
  };
  wait::until(policy, look);
}

} // namespace thalweg::nic
