// SPDX-License-Identifier: BSD-3-Clause
#include "machine/fingerprint.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fstream>
#include <string_view>
#include <sys/utsname.h>

namespace thalweg::machine {

std::vector<std::string_view> own_settings(Environment environment) {
  const char* const value = environment("THALWEG_OWN_SETTINGS");
  std::string_view left = value == nullptr ? "" : value;
  std::vector<std::string_view> names;
  while (!left.empty()) {
    const std::size_t end = std::min(left.find(','), left.size());
    names.push_back(left.substr(0, end));
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return names;
}

bool is_own_setting(std::string_view name, Environment environment) {
  const std::vector<std::string_view> names = own_settings(environment);
  return std::ranges::find(names, name) != names.end();
}

namespace {

// Settings by which users and batch systems decide how bytes move; what is not set is the library's own
// decision, which its version stands for. THALWEG_NETWORK is for networks that look the same from within: the
// lab's, or partitions'.
constexpr std::array transport_settings{
    "OMPI_MCA_pml",          "OMPI_MCA_btl",  "OMPI_MCA_mtl",         "OMPI_MCA_btl_tcp_if_include",
    "THALWEG_SHARED_MEMORY", "UCX_TLS",       "UCX_NET_DEVICES",      "FI_PROVIDER",
    "FI_TCP_IFACE",          "I_MPI_FABRICS", "MPIR_CVAR_CH4_NETMOD", "THALWEG_NETWORK",
};

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line))
    for (const std::string_view key : {"model name", "CPU part", "cpu\t"})
      if (line.starts_with(key))
        if (const std::size_t colon = line.find(": "); colon != std::string::npos)
          return line.substr(colon + 2);
  return "unknown";
}

std::string kernel_version() {
  utsname names{};
  if (uname(&names) != 0)
    return "unknown";
  const std::string_view release = names.release;
  const std::size_t second_dot = release.find_first_not_of("0123456789", release.find('.') + 1);
  return std::string(release.substr(0, second_dot));
}

// What Thalweg set to start faster changes nothing, nor does a default that somebody has written down.
bool is_deliberate(std::string_view name, std::string_view value, Environment environment) {
  const bool is_default = name == "THALWEG_SHARED_MEMORY" && value == "1";
  return !is_default && !is_own_setting(name, environment);
}

std::string transport(Environment environment) {
  std::string text;
  for (const char* name : transport_settings)
    if (const char* value = environment(name); value != nullptr && is_deliberate(name, value, environment))
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text.empty() ? "default" : text;
}

} // namespace

Fingerprint local_fingerprint(Environment environment) {
  Fingerprint fingerprint;
  fingerprint.processor = processor_name();
  fingerprint.kernel = kernel_version();
  fingerprint.transport = transport(environment);
  return fingerprint;
}

std::string library_name(std::string_view version) {
  // "MPICH Version:\t4.0.2\nMPICH Release…", "Open MPI v4.1.4, package: …", "Intel(R) MPI Library 2021.17 for
  // …"
  const std::string_view line = version.substr(0, version.find_first_of("\n,"));
  constexpr std::string_view label = " Version:";
  const std::size_t word = line.find(label);
  if (word == std::string_view::npos)
    return std::string(line);
  const std::string_view number = line.substr(word + label.size());
  return fmt::format("{} {}", line.substr(0, word),
                     number.substr(std::min(number.size(), number.find_first_not_of(" \t"))));
}

std::string describe(const Fingerprint& f) {
  return fmt::format("{}, {} cores (limit {}), Linux {}, {}, transport {}, {} nodes with {} ranks each",
                     f.processor, f.cores, f.quota, f.kernel, f.mpi, f.transport, f.nodes, f.ranks_per_node);
}

std::string differences(const Fingerprint& wanted, const Fingerprint& found) {
  std::string text;
  const auto compare = [&](std::string_view what, const auto& here, const auto& there) {
    if (here != there)
      text += fmt::format("{}{} {}, not {}", text.empty() ? "" : "; ", what, there, here);
  };
  compare("processor", wanted.processor, found.processor);
  compare("cores", wanted.cores, found.cores);
  compare("limit", wanted.quota, found.quota);
  compare("kernel", wanted.kernel, found.kernel);
  compare("MPI", wanted.mpi, found.mpi);
  compare("transport", wanted.transport, found.transport);
  compare("nodes", wanted.nodes, found.nodes);
  compare("ranks per node", wanted.ranks_per_node, found.ranks_per_node);
  return text;
}

} // namespace thalweg::machine
