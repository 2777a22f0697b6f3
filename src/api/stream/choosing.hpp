// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Who says between two phases which mesh a stream goes on with.

#include "stream/mesh.hpp"
#include "stream/phase_seen.hpp"

namespace thalweg::streams {

/// All ranks' ones come to the same results, from what the ranks have agreed on.
class Choosing {
public:
  virtual ~Choosing() = default;

  /// Do the ranks tell each other what they have seen, when this phase ends?
  virtual bool is_due() const = 0;
  /// A phase that was due has ended, and all ranks have seen this. The mesh to go on with; null: the one that
  /// is in use. It lives until the next one is given, and
  /// the one of before is gone.
  virtual const Mesh* decide(const PhaseSeen& seen) = 0;
  /// All ranks have begun to end a phase in the mesh in use.
  virtual void everybody_is_here() {}
  /// An active phase has ended.
  virtual void phase_ended() = 0;
};

} // namespace thalweg::streams
