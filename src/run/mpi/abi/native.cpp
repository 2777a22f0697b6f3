// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/abi/native.hpp"

#include "base/of_process.hpp"
#include "mpi/abi/families/family.hpp"

#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg::mpi {

namespace {

int missing_function() {
  return MPI_ERR_OTHER;
}

const void* base_of(const void* address) {
  Dl_info info{};
  return dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

bool is_ours(const void* address) {
  return base_of(address) == base_of(reinterpret_cast<const void*>(&missing_function));
}

// One place to look symbols up in: a loaded library, or everything after us in the search order.
struct Candidate {
  void* handle = nullptr;
  std::string path;
  Family family = own_family;
};

void* look_up(void* handle, const char* symbol) {
  void* address = dlsym(handle, symbol);
  return address != nullptr && !is_ours(address) ? address : nullptr;
}

// Open MPI 4.1 has the persistent collectives of MPI 4 under the names that they had before.
void* look_up_function(void* handle, std::string_view symbol) {
  void* address = look_up(handle, symbol.data());
  if (address == nullptr) {
    address = look_up(handle, fmt::format("PMPIX{}", symbol.substr(std::string_view("PMPI").size())).c_str());
  }
  return address;
}

bool add_candidate(std::vector<Candidate>& candidates, void* handle) {
  void* init = look_up(handle, "PMPI_Init");
  Dl_info info{};
  if (init == nullptr || dladdr(init, &info) == 0) {
    return false;
  }
  const std::string path = info.dli_fname;
  const std::string_view file = std::string_view(path).substr(path.rfind('/') + 1);
  Family family = Family::mpich;
  if (file.find("_abi") != std::string_view::npos) {
    family = Family::mpiabi;
  } else if (look_up(handle, "ompi_mpi_comm_world") != nullptr) {
    family = Family::openmpi;
  }
  candidates.push_back({handle, path, family});
  return true;
}

int collect_path(dl_phdr_info* info, std::size_t, void* paths) {
  if (info->dlpi_name != nullptr && std::strstr(info->dlpi_name, "mpi") != nullptr) {
    static_cast<std::vector<std::string>*>(paths)->emplace_back(info->dlpi_name);
  }
  return 0;
}

// The library under the interposer, once it is resolved.
Candidate& resolved() {
  return of_process<Candidate>();
}

// Programs that open the library themselves (Python, Julia) keep it out of the global search order.
std::vector<Candidate> find_candidates() {
  std::vector<Candidate> candidates;
  add_candidate(candidates, RTLD_NEXT);
  std::vector<std::string> paths;
  dl_iterate_phdr(collect_path, &paths);
  for (const std::string& path : paths) {
    if (void* handle = dlopen(path.c_str(), RTLD_NOLOAD | RTLD_LAZY)) {
      if (!add_candidate(candidates, handle)) {
        dlclose(handle);
      }
    }
  }
  return candidates;
}

void fill_table(void* handle) {
  void* const missing = reinterpret_cast<void*>(&missing_function);
  std::array<void*, native_count> addresses{};
  for (std::size_t index = 0; index < native_count; ++index) {
    void* address = look_up_function(handle, native_symbols[index]);
    addresses[index] = address != nullptr ? address : missing;
  }
  static_assert(sizeof addresses == sizeof native);
  std::memcpy(&native, addresses.data(), sizeof native);
}

} // namespace

namespace {

// Fills the family's predefined handles from the library's data symbols, where they are such (Open MPI).
#if defined(THALWEG_FAMILY_OPENMPI)
// A program that was linked with the library may hold the data itself (copy relocations), and then the
// library uses the program's copy too: the first in the search order counts, not the first after us.
void resolve_predefined_handles(void* library) {
  for (const predefined::Symbol& symbol : predefined::symbols) {
    void* address = dlsym(RTLD_DEFAULT, symbol.name);
    *symbol.variable = address != nullptr ? address : dlsym(library, symbol.name);
  }
}
#else
void resolve_predefined_handles(void*) {}
#endif

} // namespace

Library resolve_library() {
  const std::vector<Candidate> candidates = find_candidates();
  if (candidates.empty()) {
    return Library::absent;
  }
  const Candidate* chosen = &candidates.front();
  for (const Candidate& candidate : candidates) {
    if (candidate.family == own_family) {
      chosen = &candidate;
      break;
    }
  }
  resolved() = *chosen;
  fill_table(chosen->handle);
  if (chosen->family != own_family) {
    return Library::foreign;
  }
  resolve_predefined_handles(chosen->handle);
  return Library::fits;
}

const char* library_path() {
  return resolved().path.c_str();
}

void* library_symbol(const char* name) {
  return look_up(resolved().handle, name);
}

Family library_family() {
  return resolved().family;
}

bool is_missing_function(const void* function) {
  return function == reinterpret_cast<const void*>(&missing_function);
}

} // namespace thalweg::mpi
