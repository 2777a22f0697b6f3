/* SPDX-License-Identifier: BSD-3-Clause */
/* Barriers of three cards (src/nic/protocol.h) as a model for Spin: can a rank leave one before all have entered it,
 * or wait for ever?
 *
 * A root has two cards below, each card a rank. The window is one epoch. Packets are lost, doubled and overtaken, some
 * times each. Ranks that wait start again only when nothing else moves, and as often as packets are lost: who is not
 * released then waits for ever.
 *
 * -DNO_ANSWER, -DNO_REPEAT, -DNO_NEWER and -DNO_APART leave out the rules of those names: Spin must then find a rank
 * that waits for ever, or the model would prove nothing.
 */
#define CARDS 3
#define EPOCHS 3
#define LOSSES 2
#define DOUBLES 2
#define AT(card, epoch) ((card) * (EPOCHS + 1) + (epoch))
#define ALL(card) ((card) == 0 -> 7 : 1)

byte started[CARDS], left[CARDS]; /* by rank */
byte retries = LOSSES;
byte epoch_of[CARDS], arrived[CARDS], end_of[CARDS];
bit finished[CARDS];
bit start[12], up[12], down[12]; /* packets under way, by card and epoch */
byte losses = LOSSES, doubles = DOUBLES;
byte c, e;

#ifdef NO_APART
#define HAS_ENDED(card, epoch) (epoch_of[card] == (epoch) && finished[card])
#else
#define HAS_ENDED(card, epoch) (end_of[card] == (epoch))
#endif

inline finish(card) {
  finished[card] = 1;
  end_of[card] = epoch_of[card];
  assert(started[0] >= epoch_of[card] && started[1] >= epoch_of[card] && started[2] >= epoch_of[card])
}

/* `number`: 0 is the card's own rank. */
inline arrive(card, number, epoch) {
  if
  :: HAS_ENDED(card, epoch) ->
#ifndef NO_ANSWER
     if
     :: number != 0 -> down[AT(number, epoch)] = 1
     :: else
     fi
#else
     skip
#endif
  :: !HAS_ENDED(card, epoch) && epoch_of[card] != epoch && arrived[card] != 0 && !finished[card]
#ifndef NO_NEWER
  :: !HAS_ENDED(card, epoch) && arrived[card] != 0 && finished[card] && epoch < epoch_of[card]
#endif
  :: else ->
     if
     :: epoch_of[card] != epoch -> epoch_of[card] = epoch; arrived[card] = 0; finished[card] = 0
     :: else
     fi;
     if
     :: card != 0 && arrived[card] == 0 -> up[AT(card, epoch)] = 1
#ifndef NO_REPEAT
     :: card != 0 && arrived[card] != 0 -> up[AT(card, epoch)] = 1
#endif
     :: else
     fi;
     arrived[card] = arrived[card] | (1 << number);
     if
     :: card == 0 && arrived[card] == ALL(card) ->
        finish(card);
        down[AT(1, epoch)] = 1;
        down[AT(2, epoch)] = 1
     :: else
     fi
  fi
}

inline release(card, epoch) {
  if
  :: epoch_of[card] == epoch && !finished[card] && arrived[card] == ALL(card) -> finish(card)
  :: else
  fi
}

/* A packet comes, comes and will come again, or is lost. */
inline take(packet) {
  if
  :: packet = 0
  :: doubles > 0 -> doubles--
  fi
}

inline choose() {
  select (c : 0 .. CARDS - 1);
  select (e : 1 .. EPOCHS)
}

proctype Rank(byte me) {
  do
  :: left[me] == EPOCHS -> break
  :: atomic { left[me] < EPOCHS && started[me] == left[me] ->
       started[me]++;
       start[AT(me, started[me])] = 1 }
  :: atomic { started[me] > left[me] && end_of[me] == started[me] -> left[me]++ }
  od
}

#define ANY(packets) \
  (packets[1] || packets[2] || packets[3] || packets[5] || packets[6] || packets[7] || packets[9] || packets[10] || \
   packets[11])

inline again(rank) {
  if
  :: started[rank] > left[rank] -> start[AT(rank, started[rank])] = 1
  :: else
  fi
}

proctype Network() {
end:
  do
  :: atomic { ANY(start) || ANY(up) || ANY(down) ->
       choose();
       if
       :: start[AT(c, e)] -> take(start[AT(c, e)]); arrive(c, 0, e)
       :: start[AT(c, e)] && losses > 0 -> losses--; start[AT(c, e)] = 0
       :: up[AT(c, e)] -> take(up[AT(c, e)]); arrive(0, c, e)
       :: up[AT(c, e)] && losses > 0 -> losses--; up[AT(c, e)] = 0
       :: down[AT(c, e)] -> take(down[AT(c, e)]); release(c, e)
       :: down[AT(c, e)] && losses > 0 -> losses--; down[AT(c, e)] = 0
       :: !start[AT(c, e)] && !up[AT(c, e)] && !down[AT(c, e)]
       fi;
       c = 0;
       e = 0 }
  :: atomic { timeout && retries > 0 ->
       retries--;
       again(0);
       again(1);
       again(2) }
  od
}

init {
  atomic {
    run Rank(0);
    run Rank(1);
    run Rank(2);
    run Network()
  }
}
