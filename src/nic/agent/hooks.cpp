// SPDX-License-Identifier: BSD-3-Clause
#include "nic/agent/hooks.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"

#include <algorithm>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>

namespace thalweg::nic {

namespace {

// Names that came with Linux 6.6, for headers that are older.
constexpr auto tcx_ingress = static_cast<bpf_attach_type>(46);
constexpr auto tcx_egress = static_cast<bpf_attach_type>(47);
// Of clsact's filters, so that an agent finds what one before it has left.
constexpr std::uint32_t filter_handle = 1;
constexpr std::uint32_t filter_priority = 7747;

[[noreturn]] void refuse_hook(const char* what, int error, const char* remedy) {
  throw Error(fmt::format("{}: {}", what, std::strerror(error)), remedy, thalweg_error_system);
}

bpf_tc_opts filter(int program) {
  bpf_tc_opts options{};
  options.sz = sizeof options;
  options.prog_fd = program < 0 ? 0 : program;
  options.flags = program < 0 ? 0 : BPF_TC_F_REPLACE;
  options.handle = filter_handle;
  options.priority = filter_priority;
  return options;
}

bpf_tc_hook hook_of(int device, bpf_tc_attach_point point) {
  bpf_tc_hook hook{};
  hook.sz = sizeof hook;
  hook.ifindex = device;
  hook.attach_point = point;
  return hook;
}

} // namespace

std::vector<Hooks::Attachment> Hooks::attachments(const std::vector<int>& devices) {
  std::vector<Attachment> all;
  for (const int device : devices) {
    if (device == devices.front())
      all.push_back({device, false});
    all.push_back({device, true});
  }
  return all;
}

bool Hooks::link(Attachment& one) const {
  one.link =
      bpf_link_create(program(one), one.device, one.is_for_arrivals ? tcx_ingress : tcx_egress, nullptr);
  return one.link >= 0;
}

bool Hooks::attach_links(std::vector<Attachment> all) {
  for (Attachment& one : all) {
    if (link(one))
      continue;
    const int error = errno;
    for (const Attachment& made : all)
      if (made.link >= 0)
        close(made.link);
    errno = error;
    return false;
  }
  attached_ = std::move(all);
  kind_ = Hook::tcx;
  return true;
}

int Hooks::put_filter(const Attachment& one) const {
  bpf_tc_hook both = hook_of(one.device, static_cast<bpf_tc_attach_point>(BPF_TC_INGRESS | BPF_TC_EGRESS));
  if (const int made = bpf_tc_hook_create(&both); made < 0 && made != -EEXIST)
    return made;
  const bpf_tc_hook at = hook_of(one.device, one.is_for_arrivals ? BPF_TC_INGRESS : BPF_TC_EGRESS);
  bpf_tc_opts options = filter(program(one));
  return bpf_tc_attach(&at, &options);
}

void Hooks::take_filter(const Attachment& one) {
  const bpf_tc_hook at = hook_of(one.device, one.is_for_arrivals ? BPF_TC_INGRESS : BPF_TC_EGRESS);
  const bpf_tc_opts options = filter(-1);
  bpf_tc_detach(&at, &options);
}

void Hooks::attach(const std::vector<int>& devices, Hook hook) {
  THALWEG_ASSERT(light, attached_.empty() && !devices.empty());
  const std::vector<Attachment> all = attachments(devices);
  for (const Attachment& one : all)
    take_filter(one);
  if (hook != Hook::clsact && attach_links(all))
    return;
  if (hook == Hook::tcx)
    refuse_hook("the kernel has no tcx hooks", errno, "Linux 6.6 has them; --hook clsact does without");
  kind_ = Hook::clsact;
  for (const Attachment& one : all) {
    if (const int code = put_filter(one); code < 0)
      refuse_hook("the device takes no filter", -code, "ask for CAP_NET_ADMIN, or another --device");
    attached_.push_back(one);
  }
}

void Hooks::follow(const std::vector<int>& devices) {
  std::erase_if(attached_, [&](const Attachment& one) {
    const bool is_gone = std::ranges::find(devices, one.device) == devices.end();
    if (is_gone && one.link >= 0)
      close(one.link);
    return is_gone;
  });
  for (Attachment one : attachments(devices)) {
    const bool is_known = std::ranges::any_of(attached_, [&](const Attachment& known) {
      return known.device == one.device && known.is_for_arrivals == one.is_for_arrivals;
    });
    if (!is_known && (kind_ == Hook::tcx ? link(one) : put_filter(one) >= 0))
      attached_.push_back(one);
  }
}

void Hooks::detach() {
  for (const Attachment& one : attached_) {
    if (one.link >= 0)
      close(one.link);
    else
      take_filter(one);
  }
  attached_.clear();
}

} // namespace thalweg::nic
