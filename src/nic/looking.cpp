// SPDX-License-Identifier: BSD-3-Clause
#include "nic/looking.hpp"

namespace thalweg::nic {

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

StuckEpochs stuck_epochs(const thalweg_nic_state& state, const thalweg_nic_group& view) {
  StuckEpochs found{};
  if (view.has_parent == 0)
    return found;
  for (std::size_t place = 0; place < found.size(); ++place)
    if (state.slots[place].finished == 0 && state.slots[place].arrived == thalweg_nic_all(&view))
      found[place] = state.slots[place].epoch;
  return found;
}

StuckEpochs stuck_epochs(const thalweg_nic_relay& relay, const thalweg_nic_group& view) {
  StuckEpochs found{};
  for (std::size_t place = 0; place < found.size(); ++place)
    if (thalweg_nic_is_passed_on(&view, &relay.messages[place]) == 0)
      found[place] = relay.messages[place].epoch;
  return found;
}

} // namespace thalweg::nic
