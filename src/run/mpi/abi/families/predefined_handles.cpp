// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/abi/families/predefined_handles.hpp"

#include "mpi/abi/families/family.hpp"

#if defined(THALWEG_FAMILY_OPENMPI)
#include <dlfcn.h>
#endif

namespace thalweg::mpi {

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

} // namespace thalweg::mpi
