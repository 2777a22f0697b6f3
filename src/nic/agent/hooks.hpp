// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Where the card's programs are in the kernel: at the hooks of network devices.
//
// tcx hooks (Linux 6.6) end with the processes that hold them, whatever ends these. On older kernels the
// programs are filters of a clsact qdisc: they end with a regular end of the agent, with the next agent, or
// with the device.

#include <vector>

namespace thalweg::nic {

enum class Hook { best, tcx, clsact };

class Hooks {
public:
  /// Descriptors of the programs for what leaves and what arrives, which the caller keeps open.
  Hooks(int leaving, int arriving) : leaving_(leaving), arriving_(arriving) {}
  ~Hooks() { detach(); }
  Hooks(const Hooks&) = delete;
  Hooks& operator=(const Hooks&) = delete;

  /// Puts them on devices, by number: the first one has the card's address. What an agent that crashed has
  /// left there is taken away. Throws Error where the kernel refuses.
  void attach(const std::vector<int>& devices, Hook hook);
  /// The devices are these now: those that are new get the programs too, where the kernel lets them.
  void follow(const std::vector<int>& devices);
  /// Takes them away, also for the process that this one was made by.
  void detach();
  Hook kind() const { return kind_; }

private:
  /// A switch's other devices are ports: what it passes on leaves through them, and is no start.
  struct Attachment {
    int device = 0;
    bool is_for_arrivals = false;
    int link = -1; ///< of tcx
  };
  static std::vector<Attachment> attachments(const std::vector<int>& devices);
  int program(const Attachment& one) const { return one.is_for_arrivals ? arriving_ : leaving_; }
  bool link(Attachment& one) const;
  bool attach_links(std::vector<Attachment> all);
  /// Gives the kernel's answer, negative where it refuses.
  int put_filter(const Attachment& one) const;
  static void take_filter(const Attachment& one);

  int leaving_;
  int arriving_;
  Hook kind_ = Hook::best;
  std::vector<Attachment> attached_{};
};

} // namespace thalweg::nic
