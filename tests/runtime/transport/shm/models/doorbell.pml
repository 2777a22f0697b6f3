/* SPDX-License-Identifier: BSD-3-Clause */
/* The doorbell (src/runtime/transport/shm/doorbell.hpp) as a model for Spin: can a rank sleep for ever while a message
 * is there?
 *
 * Processors keep their stores in a buffer for a while before others see them (total store order, x86; weaker
 * processors get fences from the same code). A sender's store of a message stays in its buffer until the
 * processor drains it, a fence demands it, or an atomic addition does. Sleeps do not end by themselves here,
 * though they do in the code.
 *
 * -DNO_FENCE leaves out the sender's fence and -DNO_SECOND_LOOK the sleeper's second poll: Spin must then find
 * the sleep without end, or the model would prove nothing.
 */
#define SENDERS 2
#define MESSAGES 2

byte sent[SENDERS];      /* what has reached memory */
byte buffered[SENDERS];  /* what is in the sender's store buffer; 0: nothing */
byte wake_ups, sleepers;
bool asleep;

proctype StoreBuffer(byte s) {
end:
  do
  :: atomic { buffered[s] != 0 -> sent[s] = buffered[s]; buffered[s] = 0 }
  od
}

proctype Sender(byte s) {
  byte number = 1;
  do
  :: number <= MESSAGES ->
     buffered[s] == 0; /* the buffer has one place */
     buffered[s] = number;
#ifndef NO_FENCE
     buffered[s] == 0; /* atomic_thread_fence */
#endif
     if
     :: sleepers != 0 ->
        atomic { buffered[s] == 0 -> wake_ups++ }
        asleep = false /* FUTEX_WAKE */
     :: else
     fi;
     number++
  :: else -> break
  od
}

proctype Receiver() {
  byte taken[SENDERS];
  byte seen;
  bool found;
  do
  :: taken[0] < sent[0] -> taken[0]++
  :: taken[1] < sent[1] -> taken[1]++
  :: taken[0] == MESSAGES && taken[1] == MESSAGES -> break
  :: taken[0] == sent[0] && taken[1] == sent[1] && !(taken[0] == MESSAGES && taken[1] == MESSAGES) ->
     sleepers++;
     seen = wake_ups;
#ifdef NO_SECOND_LOOK
     found = false;
#else
     found = taken[0] < sent[0];
     found = found || taken[1] < sent[1];
#endif
     if
     :: found
     :: else ->
        atomic { /* FUTEX_WAIT compares and sleeps in one */
          if
          :: wake_ups == seen -> asleep = true
          :: else
          fi
        }
        !asleep
     fi;
     sleepers--
  od
}

init {
  byte s;
  atomic {
    for (s : 0 .. SENDERS - 1) {
      run StoreBuffer(s);
      run Sender(s)
    }
    run Receiver()
  }
}
