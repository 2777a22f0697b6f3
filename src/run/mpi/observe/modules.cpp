// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/modules.hpp"

#include <link.h>

namespace thalweg::mpi::observe {

namespace {

struct ModuleSearch {
  std::uint64_t address;
  Module module;
};

int visit(dl_phdr_info* info, std::size_t, void* argument) {
  auto& search = *static_cast<ModuleSearch*>(argument);
  for (int index = 0; index < info->dlpi_phnum; ++index) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[index];
    const std::uint64_t begin = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && search.address >= begin && search.address < begin + segment.p_memsz) {
      search.module = {info->dlpi_name == nullptr ? "" : info->dlpi_name, info->dlpi_addr, true};
      return 1;
    }
  }
  return 0;
}

} // namespace

Module module_of(const void* address) {
  ModuleSearch search{reinterpret_cast<std::uintptr_t>(address), {}};
  dl_iterate_phdr(visit, &search);
  return search.module;
}

} // namespace thalweg::mpi::observe
