# SPDX-License-Identifier: BSD-3-Clause

# thalweg_release_program(<target>): it is built for `make test-all` only, and its tests run there only.
add_custom_target(release_programs)
function(thalweg_release_program target)
  set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
  add_dependencies(release_programs ${target})
endfunction()
