// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/bindings.hpp"

#include <cstring>
#include <unwind.h>

#include "mpi/observe/modules.hpp"

namespace thalweg::mpi::observe {

namespace {

bool is_binding(const void* address) {
  const std::string path = module_of(address).path;
  const std::string file = path.substr(path.rfind('/') + 1);
  for (const char* name : {"libmpi_mpifh", "libmpi_usempi", "libmpi_cxx", "libmpichfort", "libmpichcxx",
                           "libmpifort", "libmpicxx", "libmpi_mpichfort"}) {
    if (file.starts_with(name)) {
      return true;
    }
  }
  return false;
}

struct Search {
  const CallSite& site;
  bool inside_binding = false;
  std::ptrdiff_t distance = 0;
};

// The canonical frame address that a frame is visited with is its callee's: the return address lies right
// below it.
_Unwind_Reason_Code visit(_Unwind_Context* context, void* argument) {
  auto& search = *static_cast<Search*>(argument);
  const auto* address = reinterpret_cast<const void*>(_Unwind_GetIP(context));
  if (!search.inside_binding) {
    search.inside_binding = address == search.site.return_address;
    return _URC_NO_REASON;
  }
  if (is_binding(address)) {
    return _URC_NO_REASON;
  }
  const auto* slot = reinterpret_cast<const char*>(_Unwind_GetCFA(context)) - sizeof(void*);
  const void* stored = nullptr;
  std::memcpy(&stored, slot, sizeof stored);
  if (stored == address) {
    search.distance = slot - search.site.frame;
  }
  return _URC_NORMAL_STOP;
}

} // namespace

CachedCaller find_caller(const CallSite& site) {
  if (calls_for_python(module_of(site.return_address).path)) {
    return {site.return_address, CachedCaller::in_python};
  }
  if (!is_binding(site.return_address)) {
    return {site.return_address, 0};
  }
#if defined(__x86_64__)
  Search search{site};
  _Unwind_Backtrace(visit, &search);
  return {site.return_address, search.distance};
#else
  return {site.return_address, 0}; // return addresses are in registers there
#endif
}

const CachedCaller* remember_caller(const CallSite& site, std::size_t place) {
  CachedCaller* const places = &PerThread<CachedCallers>::own()[place];
  places[1] = places[0];
  places[0] = find_caller(site);
  return places;
}

} // namespace thalweg::mpi::observe
