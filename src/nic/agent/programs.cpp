// SPDX-License-Identifier: BSD-3-Clause
#include "nic/agent/programs.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"
#include "nic/agent/limits.hpp"
#include "nic/agent/operators.hpp"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <unistd.h>
#include <utility>
#include <vector>

namespace thalweg::nic {

namespace {

// As the programs have them.
struct Owner {
  std::uint32_t index;
  std::uint32_t contributor;
  std::uint32_t user;
};
struct Allowance {
  std::uint64_t next_ns;
  std::uint64_t interval_ns;
};
struct NextHops {
  std::uint64_t hardware[THALWEG_NIC_CONTRIBUTORS];
  std::uint64_t own[THALWEG_NIC_CONTRIBUTORS];
  std::uint32_t device[THALWEG_NIC_CONTRIBUTORS];
};
struct Settings {
  std::uint32_t address;
  std::uint32_t device;
  std::uint32_t routes;
};
struct GuardedState {
  std::uint32_t lock;
  std::uint32_t unused;
  union {
    thalweg_nic_state state;
    thalweg_nic_relay relay;
  };
};

[[noreturn]] void refuse(const std::string& what, int error, const char* remedy) {
  throw Error(fmt::format("{}: {}", what, std::strerror(error)), remedy, thalweg_error_system);
}

int make_array(const char* name, std::size_t value_bytes, std::size_t entries, std::uint32_t flags) {
  bpf_map_create_opts options{};
  options.sz = sizeof options;
  options.map_flags = flags | BPF_F_INNER_MAP;
  const int made =
      bpf_map_create(BPF_MAP_TYPE_ARRAY, name, sizeof(std::uint32_t), static_cast<std::uint32_t>(value_bytes),
                     static_cast<std::uint32_t>(entries), &options);
  if (made < 0)
    refuse("the kernel makes no memory for a group", -made, "look at the agent's limits of memory");
  return made;
}

} // namespace

struct Programs::Loaded {
  Operators operators;
  LoadedObject object;
  std::optional<Hooks> hooks{};
  Settings settings{};

  Loaded(const std::string& file, const std::string& folder)
      : operators(folder), object(load_programs(file, operators)) {}

  int map(const char* name) const { return bpf_object__find_map_fd_by_name(object.get(), name); }

  int program(const char* name) const {
    return bpf_program__fd(bpf_object__find_program_by_name(object.get(), name));
  }

  void put(const char* name, const void* key, const void* value) const {
    if (const int code = bpf_map_update_elem(map(name), key, value, BPF_ANY); code < 0)
      refuse(fmt::format("the kernel does not take an entry of {}", name), -code, "start the agent anew");
  }

  void put_settings() const {
    constexpr std::uint32_t only = 0;
    put("own", &only, &settings);
  }

  // The map of maps holds it.
  void put_array(const char* name, std::uint32_t index, int array) const {
    const int code = bpf_map_update_elem(map(name), &index, &array, BPF_ANY);
    close(array);
    if (code < 0)
      refuse(fmt::format("the kernel does not take an entry of {}", name), -code, "start the agent anew");
  }
};

Programs::Programs(const std::string& object, const Device& device, Hook hook, const std::string& operators,
                   const std::function<void()>& before_attaching)
    : loaded_(std::make_unique<Loaded>(object, operators)) {
  const std::vector<int> devices = device.numbers();
  if (devices.empty())
    refuse(fmt::format("there is no device {}", device.name()), errno,
           "name one with --device; ip link lists them");
  loaded_->settings = {device.address(), static_cast<std::uint32_t>(devices.front()),
                       device.is_router() ? 1U : 0U};
  loaded_->put_settings();
  loaded_->hooks.emplace(loaded_->program("leaving"), loaded_->program("arriving"));
  before_attaching();
  loaded_->hooks->attach(devices, hook);
}

std::string Programs::try_operators(const std::string& object, const std::string& operators) {
  return Loaded(object, operators).operators.describe();
}

Programs::~Programs() = default;

Hook Programs::hook() const {
  return loaded_->hooks->kind();
}

const Operators& Programs::operators() const {
  return loaded_->operators;
}

// A device that has gone and come again has another number.
void Programs::follow(const Device& device) const {
  const std::vector<int> devices = device.numbers();
  if (devices.empty())
    return;
  loaded_->hooks->follow(devices);
  const auto own = static_cast<std::uint32_t>(devices.front());
  if (std::exchange(loaded_->settings.device, own) != own)
    loaded_->put_settings();
}

void Programs::detach() {
  loaded_->hooks->detach();
}

int Programs::make_page(const thalweg_nic_group& group) const {
  return make_array("thalweg_page", THALWEG_NIC_PAGE_BYTES, thalweg_nic_pages(&group), BPF_F_MMAPABLE);
}

int Programs::make_doorbell() const {
  const int doorbell =
      bpf_map_create(BPF_MAP_TYPE_RINGBUF, "doorbell", 0, 0, THALWEG_NIC_DOORBELL_BYTES, nullptr);
  if (doorbell < 0)
    refuse("the kernel makes no doorbell for a group", -doorbell, "look at the agent's limits of memory");
  return doorbell;
}

void Programs::add(std::uint32_t index, const thalweg_nic_group& wanted, int page, int doorbell) const {
  THALWEG_ASSERT(light, index < max_groups && page >= 0 && doorbell >= 0);
  thalweg_nic_group group = wanted;
  group.operator_slot = operators().slot_of(group.operator_digest);
  GuardedState empty{};
  if (group.segment_bytes != 0)
    thalweg_nic_begin(&empty.relay, 1);
  const NextHops nowhere{};
  loaded_->put("states", &index, &empty);
  loaded_->put("hops", &index, &nowhere);
  loaded_->put("groups", &index, &group);
  loaded_->put("pages", &index, &page);
  loaded_->put("doorbells", &index, &doorbell);
  loaded_->put_array("cells", index,
                     make_array("thalweg_cells", sizeof(thalweg_nic_content),
                                std::size_t{THALWEG_NIC_WINDOW} * group.contributors, 0));
  if (group.width != 0)
    loaded_->put_array("inboxes", index,
                       make_array("thalweg_inboxes", sizeof(thalweg_nic_inbox), group.locals, 0));
  loaded_->put("index_of_group", &group.id, &index);
}

void Programs::remove(std::uint32_t index, std::uint32_t id) const {
  bpf_map_delete_elem(loaded_->map("index_of_group"), &id);
  bpf_map_delete_elem(loaded_->map("pages"), &index);
  bpf_map_delete_elem(loaded_->map("doorbells"), &index);
  bpf_map_delete_elem(loaded_->map("cells"), &index);
  bpf_map_delete_elem(loaded_->map("inboxes"), &index);
}

void Programs::set_owner(std::uint64_t cookie, std::uint32_t index, std::uint32_t contributor,
                         std::uint32_t user) const {
  THALWEG_ASSERT(light, cookie != 0 && index < max_groups && contributor < THALWEG_NIC_CONTRIBUTORS);
  const Owner owner{index, contributor, user};
  loaded_->put("owners", &cookie, &owner);
}

// What a user has started lately goes on counting.
void Programs::set_allowance(std::uint32_t user, std::uint32_t starts_per_second) const {
  const Allowance allowance{0, starts_per_second == 0 ? 0 : 1'000'000'000 / starts_per_second};
  bpf_map_update_elem(loaded_->map("allowances"), &user, &allowance, BPF_NOEXIST);
}

void Programs::remove_owner(std::uint64_t cookie) const {
  bpf_map_delete_elem(loaded_->map("owners"), &cookie);
}

namespace {

template <typename Key, typename Value>
std::map<Key, Value> entries_of(int map) {
  std::map<Key, Value> found;
  Key key{};
  for (bool is_first = true; bpf_map_get_next_key(map, is_first ? nullptr : &key, &key) == 0;
       is_first = false)
    bpf_map_lookup_elem(map, &key, &found[key]);
  return found;
}

} // namespace

void Programs::retain(const std::set<std::uint32_t>& ids, const std::set<std::uint64_t>& cookies) const {
  for (const auto& [id, index] : entries_of<std::uint32_t, std::uint32_t>(loaded_->map("index_of_group")))
    if (!ids.contains(id))
      remove(index, id);
  for (const auto& [cookie, owner] : entries_of<std::uint64_t, Owner>(loaded_->map("owners")))
    if (!cookies.contains(cookie))
      remove_owner(cookie);
}

thalweg_nic_state Programs::state(std::uint32_t index) const {
  GuardedState found{};
  bpf_map_lookup_elem_flags(loaded_->map("states"), &index, &found, BPF_F_LOCK);
  return found.state;
}

thalweg_nic_relay Programs::relay(std::uint32_t index) const {
  GuardedState found{};
  bpf_map_lookup_elem_flags(loaded_->map("states"), &index, &found, BPF_F_LOCK);
  return found.relay;
}

Programs::Counts Programs::counts() const {
  const std::uint32_t zero = 0;
  const int processors = libbpf_num_possible_cpus();
  std::vector<Counts> all(processors > 0 ? static_cast<std::size_t>(processors) : 1);
  Counts sum;
  if (bpf_map_lookup_elem(loaded_->map("counters"), &zero, all.data()) < 0)
    return sum;
  for (const Counts& one : all) {
    sum.starts += one.starts;
    sum.ups += one.ups;
    sum.downs += one.downs;
    sum.refused += one.refused;
    sum.held_back += one.held_back;
  }
  return sum;
}

} // namespace thalweg::nic
