// Source lines from debugging information, in a library of its own so that libdw is loaded only when a report
// is made.

#include <cstdio>
#include <cstring>
#include <map>
#include <string>

#include <elfutils/libdwfl.h>

namespace {

// Looks only at files of this machine: no debug information server is asked while a program ends.
const Dwfl_Callbacks callbacks{dwfl_build_id_find_elf, dwfl_build_id_find_debuginfo,
                               dwfl_offline_section_address, nullptr};

Dwfl_Module* open_module(const char* path) {
  static std::map<std::string, Dwfl_Module*> modules;
  const auto [entry, fresh] = modules.try_emplace(path, nullptr);
  if (fresh) {
    if (Dwfl* dwfl = dwfl_begin(&callbacks)) {
      dwfl_report_begin(dwfl);
      entry->second = dwfl_report_offline(dwfl, path, path, -1);
      dwfl_report_end(dwfl, nullptr, nullptr);
    }
  }
  return entry->second;
}

const char* base_name(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

} // namespace

// Describes the call that returns to `address` of the file `module`; 0 when nothing is known of it.
extern "C" __attribute__((visibility("default"))) int
thalweg_describe_source(const char* module, unsigned long address, char* text, std::size_t size) {
  Dwfl_Module* found = open_module(module);
  GElf_Addr bias = 0;
  if (found == nullptr || dwfl_module_getelf(found, &bias) == nullptr) {
    return 0;
  }
  const GElf_Addr place = address + bias - 1; // inside of the call, not after it
  GElf_Off offset = 0;
  GElf_Sym symbol{};
  const char* name = dwfl_module_addrinfo(found, place, &offset, &symbol, nullptr, nullptr, nullptr);
  if (Dwfl_Line* line = dwfl_module_getsrc(found, place)) {
    int number = 0;
    if (const char* file = dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr)) {
      std::snprintf(text, size, name == nullptr ? "%s:%d" : "%s:%d (%s)", base_name(file), number, name);
      return 1;
    }
  }
  if (name == nullptr) {
    return 0;
  }
  std::snprintf(text, size, "%s+%#lx (%s)", name, static_cast<unsigned long>(offset + 1), base_name(module));
  return 1;
}
