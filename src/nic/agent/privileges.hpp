// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace thalweg::nic {

/// Gives up all that an agent needs no longer once its programs are attached: it becomes nobody, and keeps
/// CAP_BPF alone, to make groups' pages and to change the programs' maps; filters of clsact need
/// CAP_NET_ADMIN besides, to be taken away at the end. Throws Error where the kernel refuses.
void drop_privileges(bool keeps_network);

} // namespace thalweg::nic
