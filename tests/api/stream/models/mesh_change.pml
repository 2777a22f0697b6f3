/* SPDX-License-Identifier: BSD-3-Clause */
/* Going from one mesh to another between two phases (src/api/stream/mpi/stream_job.cpp, src/api/stream/phase_end.cpp)
 * as a model for Spin: is nothing lost in memory that is renewed, and do all phases end?
 *
 * Three ranks and two meshes, each with memory of its own. A rank's part of it has the mailboxes that others write
 * to, and the slots that it has sent, which others read. In a phase rank 0 sends an item or none to each other one,
 * and all send a mark to all. When a rank has all marks, everybody is in this mesh, so it renews its part of the mesh
 * that was left. Then it says in a slot that it has them: the quiescence check. When it has read what all say, its
 * phase has ended. After each phase all stay or go to the other mesh, as they have agreed.
 *
 * -DAT_ONCE renews a part when its rank leaves it, -DLATE when the rank leaves the next mesh. Spin must then find an
 * error.
 */
#define RANKS 3
#define PHASES 3
#define NONE 2 /* no mesh */

#define at(mesh, owner, other) (((mesh) * RANKS + (owner)) * RANKS + (other))

/* In the owner's part, by the other rank: items and marks in mailboxes, what the owner says in slots. */
bit item[2 * RANKS * RANKS];
bit mark[2 * RANKS * RANKS];
bit said[2 * RANKS * RANKS];

byte unhandled[RANKS]; /* items on their way to a rank */
bit goes[PHASES];      /* to the other mesh, behind this phase: agreed on */

inline renew(mesh_left) {
  atomic {
    for (other : 0 .. RANKS - 1) {
      item[at(mesh_left, me, other)] = 0;
      mark[at(mesh_left, me, other)] = 0;
      said[at(mesh_left, me, other)] = 0;
    }
    mesh_left = NONE
  }
}

proctype Rank(byte me) {
  byte phase, other;
  byte mesh = 0;
  byte left = NONE;
  for (phase : 0 .. PHASES - 1) {
    for (other : 0 .. RANKS - 1) {
      if
      :: me == 0 && other != me -> item[at(mesh, other, me)] = 1; unhandled[other]++
      :: true
      fi;
      mark[at(mesh, other, me)] = 1
    }
    for (other : 0 .. RANKS - 1) {
      mark[at(mesh, me, other)] -> /* what was sent before it is there too */
      atomic {
        mark[at(mesh, me, other)] = 0;
        if
        :: item[at(mesh, me, other)] -> item[at(mesh, me, other)] = 0; unhandled[me]--
        :: else
        fi
      }
    }
#if !defined(LATE) && !defined(AT_ONCE)
    if
    :: left != NONE -> renew(left)
    :: else
    fi;
#endif
    atomic {
      for (other : 0 .. RANKS - 1) {
        said[at(mesh, me, other)] = 1
      }
    }
    for (other : 0 .. RANKS - 1) {
      said[at(mesh, other, me)] -> said[at(mesh, other, me)] = 0
    }
    assert(unhandled[me] == 0 || phase < PHASES - 1); /* others may be a phase ahead */
    if
    :: goes[phase] ->
#ifdef LATE
      if
      :: left != NONE -> renew(left)
      :: else
      fi;
#endif
      left = mesh;
      mesh = 1 - mesh;
#ifdef AT_ONCE
      renew(left)
#endif
    :: else
    fi
  }
}

init {
  byte phase;
  for (phase : 0 .. PHASES - 1) {
    if
    :: goes[phase] = 0
    :: goes[phase] = 1
    fi
  }
  atomic {
    run Rank(0); run Rank(1); run Rank(2)
  }
}
