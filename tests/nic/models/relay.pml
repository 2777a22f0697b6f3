/* SPDX-License-Identifier: BSD-3-Clause */
/* Broadcasts of three cards (src/nic/relay.h) as a model for Spin: can a rank get another message than it is to get, or
 * wait for ever?
 *
 * A root has a card below, and that one another; each has a rank. The window is one epoch, a message one segment.
 * Packets are lost, doubled and overtaken, some times each. Only when nothing else moves, ranks that wait ask again, as
 * often as packets are lost. With -DCOMPUTING they do not, and agents ask where a card below lacks a message. That
 * a segment is written once is left to the simulation (tests/nic/relaying.cpp): here it is written at once.
 *
 * -DNO_ROOM, -DNO_IMPLY, -DNO_PROBE and -DNO_REPLY leave out the rules of those names: Spin must then find a wrong
 * message, or a rank that waits for ever, or the model would prove nothing.
 */
#define CARDS 3
#define EPOCHS 2
#define LOSSES 1
#ifdef COMPUTING
#define DOUBLES 1
#else
#define DOUBLES 0 /* there are more packets under way */
#endif
#define SIZE 9
#define AT(card, epoch) ((card) * (EPOCHS + 1) + (epoch))
#define IS_PASSED_ON(card) (have[card] && ((card) == CARDS - 1 || acknowledged[card]))
#define IS_TAKEN(card, epoch) (taken[card] == (epoch) - 1)

byte epoch_of[CARDS], text[CARDS], ended[CARDS], freed[CARDS], taken[CARDS], in_the_way_of[CARDS];
bit have[CARDS], acknowledged[CARDS], wanted[CARDS];
bit down[SIZE], asking[SIZE];   /* segments under way to a card, and those that it is to answer */
bit lacks[SIZE], has_it[SIZE]; /* what a card tells the one above */
bit given[SIZE], asked[SIZE];  /* by ranks to their own card, where nothing is lost */
bit has_put;
byte losses = LOSSES, doubles = DOUBLES, retries = LOSSES;
byte c, e, kind;
bit is_open;

inline report(card, epoch, has) {
  if
  :: card > 0 && has -> has_it[AT(card, epoch)] = 1
  :: card > 0 && !has -> lacks[AT(card, epoch)] = 1
  :: else
  fi
}

inline probe(card) {
#ifndef NO_PROBE
  if
  :: have[card] && !IS_PASSED_ON(card) && epoch_of[card] > 0 -> asking[AT(card + 1, epoch_of[card])] = 1
  :: else
  fi
#else
  skip
#endif
}

inline open(card, epoch) {
  is_open = 0;
  if
  :: !IS_TAKEN(card, epoch) && epoch == taken[card] + 2 -> in_the_way_of[card] = epoch
  :: else
  fi;
  if
  :: epoch_of[card] == epoch -> is_open = 1
#ifndef NO_ROOM
  :: epoch == epoch_of[card] + 1 && !(IS_TAKEN(card, epoch) && IS_PASSED_ON(card)) ->
     wanted[card] = 1;
     probe(card)
  :: epoch == epoch_of[card] + 1 && IS_TAKEN(card, epoch) && IS_PASSED_ON(card) ->
#else
  :: epoch == epoch_of[card] + 1 ->
#endif
     epoch_of[card] = epoch;
     have[card] = 0;
     acknowledged[card] = 0;
     wanted[card] = 0;
     is_open = 1
  :: else
  fi
}

inline offer(card, epoch, asks) {
  open(card, epoch);
  if
  :: is_open && have[card] ->
#ifndef NO_REPLY
     if
     :: asks -> report(card, epoch, 1)
     :: else
     fi
#else
     skip
#endif
  :: is_open && !have[card] ->
     have[card] = 1;
     text[card] = epoch;
     ended[card] = epoch;
     if
     :: card < CARDS - 1 -> down[AT(card + 1, epoch)] = 1
     :: else -> freed[card] = epoch
     fi;
     report(card, epoch, 1)
  :: else
  fi
}

inline acknowledge(card) {
  if
  :: !acknowledged[card] ->
     acknowledged[card] = 1;
     freed[card] = epoch_of[card];
     if
     :: wanted[card] -> report(card, epoch_of[card] + 1, 0)
     :: else
     fi
  :: else
  fi
}

/* The card below says what it has of an epoch. */
inline hear(card, epoch, has) {
#ifndef NO_IMPLY
  if
  :: epoch == epoch_of[card] + 1 && have[card] -> acknowledge(card)
  :: else
  fi;
#endif
  open(card, epoch);
  if
  :: is_open && has && have[card] -> acknowledge(card)
  :: is_open && !has && have[card] -> down[AT(card + 1, epoch)] = 1
  :: is_open && !have[card] -> report(card, epoch, 0)
  :: else
  fi
}

inline ask(card, epoch) {
  open(card, epoch);
  if
  :: is_open && have[card] -> probe(card)
  :: is_open && !have[card] -> report(card, epoch, 0)
  :: else
  fi
}

inline take_message(card) {
  assert(text[card] == taken[card] + 1);
  taken[card]++;
  if
  :: in_the_way_of[card] == taken[card] + 1 -> asked[AT(card, taken[card] + 1)] = 1
  :: else
  fi
}

proctype Rank(byte me) {
  do
  :: taken[me] == EPOCHS -> break
  :: atomic { me == 0 && taken[0] < EPOCHS && !has_put && freed[0] == taken[0] ->
       has_put = 1;
       given[AT(0, taken[0] + 1)] = 1 }
  :: atomic { taken[me] < EPOCHS && ended[me] == taken[me] + 1 ->
       if
       :: me == 0 -> has_put = 0
       :: else
       fi;
       take_message(me) }
  od
}

/* A packet comes, comes and will come again, or is lost: what it was, or nothing. */
inline get(packet, what) {
  if
  :: packet = 0; kind = what
  :: doubles > 0 -> doubles--; kind = what
  :: losses > 0 -> losses--; packet = 0
  fi
}

#define ANY(packets) \
  (packets[1] || packets[2] || packets[4] || packets[5] || packets[7] || packets[8])
#define HERE AT(c, e)

/* Who waits asks, or its agent does. */
inline again(card) {
#ifdef COMPUTING
  if
  :: !IS_PASSED_ON(card) -> asked[AT(card, epoch_of[card])] = 1
  :: else
  fi
#else
  if
  :: taken[card] < EPOCHS -> asked[AT(card, taken[card] + 1)] = 1
  :: else
  fi
#endif
}

proctype Network() {
end:
  do
  :: atomic { ANY(down) || ANY(asking) || ANY(lacks) || ANY(has_it) || ANY(given) || ANY(asked) ->
       select (c : 0 .. CARDS - 1);
       select (e : 1 .. EPOCHS);
       if
       :: down[HERE] -> get(down[HERE], 1)
       :: asking[HERE] -> get(asking[HERE], 2)
       :: given[HERE] -> given[HERE] = 0; kind = 1
       :: lacks[HERE] -> get(lacks[HERE], 3)
       :: has_it[HERE] -> get(has_it[HERE], 4)
       :: asked[HERE] -> asked[HERE] = 0; kind = 5
       :: !down[HERE] && !asking[HERE] && !given[HERE] && !lacks[HERE] && !has_it[HERE] && !asked[HERE]
       fi;
       if
       :: kind == 1 || kind == 2 -> offer(c, e, (kind == 2))
       :: kind == 3 || kind == 4 -> c--; hear(c, e, (kind == 4))
       :: kind == 5 -> ask(c, e)
       :: else
       fi;
       kind = 0;
       c = 0;
       e = 0;
       is_open = 0 }
  :: atomic { timeout && retries > 0 ->
       retries--;
       again(0);
       again(1);
       again(2) }
  od
}

init {
  atomic {
    have[0] = 1; have[1] = 1; have[2] = 1;
    acknowledged[0] = 1; acknowledged[1] = 1; acknowledged[2] = 1;
    run Rank(0);
    run Rank(1);
    run Rank(2);
    run Network()
  }
}
