#include "nic/agent/registry.hpp"

#include <ranges>

// What a group's watch sees of its card.

namespace thalweg::nic {

namespace {

// A broadcast as if it were gathered: a rank has arrived when it asks for the message or has taken it, and a
// card below when it asks or has it. It has ended when all have it.
thalweg_nic_state as_gathered(const thalweg_nic_relay& relay, const thalweg_nic_group& view,
                              const thalweg_nic_page& page) {
  thalweg_nic_state state{};
  for (const auto& message : relay.messages) {
    const std::uint32_t place = message.epoch % THALWEG_NIC_WINDOW;
    thalweg_nic_slot& slot = state.slots[place];
    std::uint64_t taken = 0;
    for (std::uint32_t local = 0; local < view.locals; ++local)
      if (__atomic_load_n(&page.taken[place][local], __ATOMIC_RELAXED) == message.epoch)
        taken |= std::uint64_t{1} << local;
    slot.epoch = message.epoch;
    slot.arrived = message.asked | (message.acknowledged & thalweg_nic_below(&view)) | taken;
    slot.finished = static_cast<std::uint32_t>(thalweg_nic_is_passed_on(&view, &message) != 0 &&
                                               (taken | (message.acknowledged & thalweg_nic_below(&view))) ==
                                                   thalweg_nic_all(&view));
    state.ended[place] = slot.finished != 0 ? slot.epoch : slot.epoch - THALWEG_NIC_WINDOW;
  }
  return state;
}

} // namespace

void Registry::look(std::uint32_t index, Group& group, Clock::time_point now) const {
  group.watch.look(group.view.segment_bytes == 0
                       ? programs_.state(index)
                       : as_gathered(programs_.relay(index), group.view, *group.page),
                   now);
}

} // namespace thalweg::nic
