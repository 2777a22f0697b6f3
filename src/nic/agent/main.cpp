// SPDX-License-Identifier: BSD-3-Clause

// The agent of a host: thalweg-nic-agent OBJECT DEVICE best|tcx|clsact none|self|ADDRESS|self,ADDRESS GROUPS
// STARTS -|OPERATORS [NETWORK...], of which users have GROUPS groups and STARTS starts a second. Its groups
// may have a card without ranks at that address; or this one is such a card for others, and may have another
// one above it there. DEVICE/all is a router's: all its devices, and the address of that one. In the folder
// OPERATORS are the operators of users. `thalweg nic serve` starts it.
//
// thalweg-nic-agent OBJECT OPERATORS says what would become of these, as JSON.
//
// It alone has privileges. It loads the programs once, and gives each rank that joins a group a page and a
// socket.

#include "base/error.hpp"
#include "nic/agent/process.hpp"
#include "nic/agent/server.hpp"
#include "nic/agent_connection.hpp"

#include <arpa/inet.h>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <optional>
#include <string_view>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

using thalweg::Error;
using thalweg::nic::Hook;
using thalweg::nic::Ledger;
using thalweg::nic::Neighbors;
using thalweg::nic::Operators;
using thalweg::nic::Programs;
using thalweg::nic::Registry;

// As other hosts know this one: by the device's address, or by its own name.
std::string name_of(std::uint32_t address) {
  sockaddr_in own{};
  own.sin_family = AF_INET;
  own.sin_addr.s_addr = address;
  char name[256] = {};
  if (getnameinfo(reinterpret_cast<const sockaddr*>(&own), sizeof own, name, sizeof name, nullptr, 0,
                  NI_NAMEREQD) != 0)
    gethostname(name, sizeof name - 1);
  return name;
}

// An agent that has just been ended may hold the name a moment longer.
bool bind_to(int socket, const thalweg::nic::AgentName& name) {
  constexpr timespec pause{0, 50'000'000};
  for (int attempt = 0; attempt < 40; ++attempt) {
    if (bind(socket, name.address(), thalweg::nic::AgentName::length()) == 0)
      return true;
    if (errno != EADDRINUSE || thalweg::nic::is_to_end())
      return false;
    nanosleep(&pause, nullptr);
  }
  return false;
}

int listening_socket() {
  const int made = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (made < 0 || !bind_to(made, thalweg::nic::AgentName()) ||
      listen(made, thalweg::nic::Server::max_waiting) < 0)
    throw Error(
        fmt::format("@{} cannot be listened at: {}", thalweg::nic::AgentName::text, std::strerror(errno)),
        "one agent serves a host: end the other one first");
  return made;
}

// Each rank of a group has three.
void allow_many_files() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0)
    return;
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

thalweg::nic::Aggregation aggregation_named(std::string_view text) {
  thalweg::nic::Aggregation found{.is_offered = text.starts_with("self")};
  const std::string named(text.starts_with("self,") ? text.substr(5) : text);
  if (named == "none" || named == "self")
    return found;
  in_addr address{};
  if (inet_pton(AF_INET, named.c_str(), &address) != 1)
    throw Error(fmt::format("'{}' is no IPv4 address of an aggregator", named),
                "name the address of a host or switch: --aggregator 10.0.0.250");
  found.known = address.s_addr;
  return found;
}

Hook hook_named(std::string_view name) {
  return name == "tcx" ? Hook::tcx : name == "clsact" ? Hook::clsact : Hook::best;
}

// For those who started it, of whom some read no more than the first line.
void log_what_is_served(const char* device, const Programs& programs) {
  std::string said =
      fmt::format("serving {} through {}\n", device, programs.hook() == Hook::tcx ? "tcx" : "clsact");
  for (const Operators::Entry& one : programs.operators().all()) {
    if (one.slot != 0)
      said += fmt::format("operator {} of {} words, {:016x}\n", one.name, one.words, one.digest);
    else
      std::fprintf(stderr, "thalweg-nic-agent: the operator %s is left out: %s\n", one.name.c_str(),
                   one.objection.c_str());
  }
  std::fputs(said.c_str(), stdout);
  std::fflush(stdout);
}

} // namespace

int main(int count, char** words) {
  if (count < 8 && count != 3) {
    std::fprintf(stderr,
                 "usage: thalweg-nic-agent OBJECT DEVICE best|tcx|clsact none|self|ADDRESS|self,ADDRESS "
                 "GROUPS STARTS -|OPERATORS [NETWORK...]\n"
                 "       thalweg-nic-agent OBJECT OPERATORS\n");
    return 2;
  }
  try {
    if (count == 3) {
      std::puts(Programs::try_operators(words[1], words[2]).c_str());
      return 0;
    }
    const thalweg::nic::Aggregation aggregation = aggregation_named(words[4]);
    thalweg::nic::Limits limits{std::strtoul(words[5], nullptr, 10),
                                static_cast<std::uint32_t>(std::strtoul(words[6], nullptr, 10)),
                                {}};
    for (int i = 8; i < count; ++i)
      limits.networks.push_back(thalweg::nic::read_network(words[i]));
    const int listening = listening_socket(); // first: a second agent must not touch the device
    const thalweg::nic::Device device(words[2]);
    // Before the programs, as what a process that is killed has open is closed in this order, and the kernel
    // takes long for programs: others are to hear at once that it has ended.
    std::optional<Neighbors> neighbors(device.address());
    const std::string operators = std::string_view(words[7]) == "-" ? "" : words[7];
    // Until there is something to take down, a signal ends the process at once, as the kernel proves for
    // seconds.
    Programs programs(words[1], device, hook_named(words[3]), operators, thalweg::nic::handle_ends);
    const std::string name = name_of(device.address());
    allow_many_files();
    thalweg::nic::drop_privileges(programs.hook() == Hook::clsact);
    log_what_is_served(words[2], programs);
    thalweg::nic::keep(
        [&](const Ledger& ledger) {
          Registry registry(programs, *neighbors, device.address(), name, aggregation, limits, ledger);
          thalweg::nic::Server(listening, registry, *neighbors, device, aggregation).serve();
        },
        [&] { programs.detach(); });
    neighbors.reset();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "thalweg-nic-agent: %s\n", error.what());
    return 1;
  }
  return 0;
}
