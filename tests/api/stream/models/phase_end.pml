/* SPDX-License-Identifier: BSD-3-Clause */
/* How a phase ends (src/api/stream/phase_end.hpp, phase_end.cpp) as a model
 * for Spin: has everything been handled when a rank ends its phase, is nothing of the next phase handled before,
 * and do all phases end?
 *
 * Three ranks on a direct mesh. -DMESH: four on a 2x2 mesh, where items travel along dimension 0 and then along
 * dimension 1. -DHOLE: three on that mesh. Each pair of ranks has a channel for each dimension; the code's queues
 * keep more of an order. A slot with a mark is here its items and then the mark, and slots never run out. Ranks
 * send up to ITEMS items in the first phase, and up to NEXT_ITEMS in each later one. Handlers may send each one of
 * the first phase on, HOPS times. No handler fails.
 *
 * A mark that is first in its channel is counted at once, or there would be too many states. When it is counted
 * makes a difference only to what a mark of the same dimension says: so that may know of it or not.
 *
 * A quiescence check is a step into it and one out of it, for which all have to be in it. Which messages do that
 * does not matter here.
 *
 * Ranks know phases modulo 2, and no waves. The model has both in full beside, only to assert what is promised.
 *
 * -DNO_MARK does not wait for one of the senders' marks, -DNO_ACTIVITY ends a phase after its first wave,
 * -DNO_ANSWER ends it after its first quiescence check, -DNO_MEETING ends a quiescence check before all are in it,
 * -DNO_HOLD handles at once what comes for the next phase. With -DMESH, -DNO_ORDER closes dimension 1 before the
 * marks of dimension 0 have come, and -DNO_SPREADING lets marks say only what the sender itself did. Spin must
 * then find an error.
 */
#ifdef MESH
#define PHASES 2
#define ITEMS 1
#else
#define PHASES 3
#define ITEMS 2
#endif
#define NEXT_ITEMS 1
#define HOPS 1
#define DEPTH 4 /* of a channel: enough, which is asserted */

/* A link is a coordinate in a dimension. It leads to the rank that has it, and brings what that rank sends. */
#if defined(MESH) || defined(HOLE)
#define DIMENSIONS 2
#define LINKS 4
#define first_hop(rank) ((rank) % 2 != _pid % 2 -> (rank) % 2 : second_hop(rank))
#define second_hop(rank) (2 + (rank) / 2)
#else
#define RANKS 3
#define DIMENSIONS 1
#define LINKS 3
#define first_hop(rank) (rank)
#define second_hop(rank) (rank)
#define peer(link) (link)
#define link_back(link) _pid
#define is_none(link) false
#define dimension_of(rank, link) 0
#define senders(dimension) RANKS
#endif
#ifdef MESH
#define RANKS 4
#define peer(link) ((link) < 2 -> _pid - _pid % 2 + (link) : _pid % 2 + 2 * ((link) - 2))
#define link_back(link) ((link) < 2 -> _pid % 2 : 2 + _pid / 2)
#define is_none(link) ((link) == _pid % 2)
#define dimension_of(rank, link) ((link) / 2)
#define senders(dimension) ((dimension) + 1) /* the rank itself in the last dimension only */
#endif
#ifdef HOLE
/* Rank 2 hands to rank 1 what would go to rank 3. It arrives where rank 3 would send along dimension 1. */
#define RANKS 3
#define peer(link) ((link) < 2 -> (link) : _pid % 2 + 2 * ((link) - 2))
#define link_back(link) ((link) < 2 -> (_pid == 2 -> 3 : _pid) : 2 + _pid / 2)
#define is_none(link) ((link) == _pid % 2 || (_pid == 1 && (link) == 3))
#define dimension_of(rank, link) ((link) < 2 || ((rank) == 1 && (link) == 3) -> 0 : 1)
#define senders(dimension) ((dimension) == 0 -> (_pid == 2 -> 0 : _pid + 1) : (_pid == 1 -> 1 : 2))
#endif
#define LAST (DIMENSIONS - 1)

/* By receiver and link. A mark's fields: phase modulo 2, true, nothing, whether it says that something was active,
 * and the wave of the phase. An item's: phase modulo 2, false, destination, hops left, and in full
 * the phase. */
chan arriving[RANKS * LINKS] = [DEPTH] of { bit, bit, byte, byte, byte };

typedef Rank {
  byte phase;
  byte waves;                /* of the phase, that have ended */
  bool is_finishing, is_checking, has_sent;
  bool was_active;           /* had sent when the wave began */
  byte closing;              /* the link that is closed next */
  byte marks[DIMENSIONS];    /* of the wave, by dimension */
  bool activity[DIMENSIONS]; /* whether one of these marks says so */
}
Rank ranks[RANKS];
#define own ranks[_pid]

/* The quiescence check that is open: how many are in it, how many have left, whether one of them has sent. */
byte checking, left;
bool has_any_sent;

byte sent[PHASES];      /* items of a phase, without those by handlers */
byte unhandled[PHASES]; /* with them */
#define max_sent (own.phase == 0 -> ITEMS : NEXT_ITEMS)
#define max_hops (own.phase == 0 -> HOPS : 0)

#ifdef NO_MARK
#define has_marks(dimension) (own.marks[dimension] >= senders(dimension) - 1)
#else
#define has_marks(dimension) (own.marks[dimension] == senders(dimension))
#endif

#ifdef NO_ORDER
#define may_close(dimension) true
#else
#define may_close(dimension) ((dimension) == 0 || has_marks(0))
#endif

/* What a mark of the dimension has to say, and what else it may know. */
#ifdef NO_SPREADING
#define has_to_say(dimension) own.was_active
#define may_know(dimension) false
#else
#define has_to_say(dimension) (own.was_active || ((dimension) > 0 && own.activity[0]))
#define may_know(dimension) (own.activity[dimension] || own.activity[LAST])
#endif

/* Of use within a step. */
hidden byte at, to, hop, receiver, back;
hidden byte what, more, in_full; /* what was taken */
hidden byte is_active; /* no bit may be hidden */

inline post(link, is_mark, wave_or_rank, active_or_hops, full_number) {
  receiver = peer(link);
  back = link_back(link);
  assert(nfull(arriving[receiver * LINKS + back]));
  arriving[receiver * LINKS + back] ! own.phase % 2, is_mark, wave_or_rank, active_or_hops, full_number
}

/* Those that are first in what comes along the link. */
inline count_marks(rank, link) {
  do
  :: arriving[rank * LINKS + link] ? [eval(ranks[rank].phase % 2), true, _, _, _] ->
     arriving[rank * LINKS + link] ? _, _, what, more, in_full;
     assert(in_full == ranks[rank].waves); /* never of a later wave */
     what = dimension_of(rank, link);
     ranks[rank].marks[what]++;
     ranks[rank].activity[what] = ranks[rank].activity[what] || more
  :: else -> break
  od
}

inline send(hops) {
  own.has_sent = true;
  unhandled[own.phase]++;
  select(to : 0 .. RANKS - 1);
  hop = first_hop(to);
  post(hop, false, to, hops, own.phase)
}

inline skip_none() {
  if
  :: own.closing < LINKS && is_none(own.closing) -> own.closing++
  :: else
  fi
}

inline begin_wave() {
  own.was_active = own.has_sent;
  own.has_sent = false;
  own.closing = 0;
  skip_none()
}

inline close() {
  at = dimension_of(_pid, own.closing);
  is_active = has_to_say(at);
  if
  :: true
  :: !is_active && may_know(at) -> is_active = true
  fi;
  post(own.closing, true, 0, is_active, own.waves);
  count_marks(receiver, back);
  own.closing++;
  skip_none()
}

inline end_wave() {
#ifdef NO_ACTIVITY
  is_active = false;
#else
  is_active = own.was_active || own.activity[0] || own.activity[LAST];
#endif
  own.marks[0] = 0;
  own.marks[LAST] = 0;
  own.activity[0] = false;
  own.activity[LAST] = false;
  own.was_active = false;
  own.waves++;
  assert(own.waves <= max_sent * (1 + max_hops) + 1); /* so waves do not go on for ever */
  if
  :: is_active ->
     own.is_checking = true;
     assert(left == 0);
     checking++;
#ifndef NO_ANSWER
     has_any_sent = has_any_sent || own.has_sent
#endif
  :: else -> end_phase()
  fi
}

#ifdef NO_MEETING
#define may_leave true
#else
#define may_leave (checking == RANKS)
#endif

inline end_check() {
  own.is_checking = false;
  is_active = has_any_sent;
  left++;
  if
  :: left == RANKS -> left = 0; checking = 0; has_any_sent = false
  :: else
  fi;
  if
  :: is_active -> begin_wave()
  :: else -> own.has_sent = false; end_phase()
  fi
}

inline end_phase() {
  assert(unhandled[own.phase] == 0); /* by any rank: nothing is under way */
  sent[own.phase] = 0; /* no longer looked at, which saves states */
  own.is_finishing = false;
  own.closing = 0;
  own.waves = 0;
  own.phase++;
  at = 0;
  do
  :: at < LINKS -> count_marks(_pid, at); at++
  :: else -> break
  od
}

inline handle(link) {
  if
  :: what != _pid ->
     hop = second_hop(what);
     post(hop, false, what, more, in_full)
  :: else ->
     assert(in_full == own.phase); /* it is not of the next one */
     unhandled[in_full]--;
     if
     :: more > 0 -> more--; send(more)
     :: true
     fi
  fi;
  count_marks(_pid, link)
}

#ifdef NO_HOLD
#define its_phase _
#else
#define its_phase eval(own.phase % 2)
#endif
#define take(link) arriving[_pid * LINKS + link] ? its_phase, false, what, more, in_full -> handle(link)

#define can_close (own.is_finishing && !own.is_checking)

active [RANKS] proctype Main() {
  do
  :: atomic { own.phase < PHASES && !own.is_finishing && sent[own.phase % PHASES] < max_sent ->
       sent[own.phase]++;
       send(max_hops)
     }
  :: atomic { own.phase < PHASES && !own.is_finishing -> own.is_finishing = true; begin_wave() }
  :: atomic { own.is_checking && may_leave -> end_check() }
  :: atomic { can_close && own.closing < LINKS && may_close(dimension_of(_pid, own.closing)) -> close() }
  :: atomic { can_close && own.closing == LINKS && has_marks(0) && has_marks(LAST) -> end_wave() }
  :: atomic { take(0) }
  :: atomic { take(1) }
  :: atomic { take(2) }
#if LINKS > 3
  :: atomic { take(3) }
#endif
  :: own.phase == PHASES -> break
  od
}
