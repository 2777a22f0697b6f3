/* The queue of slots on their way to a rank (src/stream/slot_queue.hpp) as a model for Spin: is every slot taken
 * once, in its sender's order, and does none stay behind?
 *
 * Two senders have two slots each, which they fill again when the owner of the queue has freed them. A slot holds
 * its message's number. Places are the stub's and the slots'; 0 is none. Each access to shared memory is a step, in
 * the program's order. Where the owner finds nothing to take, only a link behind the first place changes that: it
 * waits for this link instead of looking again, and a slot that stays behind is a wait without end.
 *
 * -DEARLY_LINK links a slot behind the last one before it is the last itself, -DNO_STUB hands out the only slot
 * without the stub behind it, -DNO_LOOK puts the stub there without looking whether the slot is the last one,
 * -DNO_RESET leaves in a slot that is filled again what was behind it: Spin must then find an error.
 */
#define SENDERS 2
#define MESSAGES 4
#define STUB 1
#define first_slot(sender) (2 + 2 * (sender))
#define sender_of(slot) ((slot) / 2 - 1)

byte behind[first_slot(SENDERS)], number[first_slot(SENDERS)];
bool is_free[first_slot(SENDERS)] = true;
byte last = STUB;

inline append(place) {
#ifndef NO_RESET
  behind[place] = 0;
#endif
#ifdef EARLY_LINK
  before = last;
  behind[before] = place;
  last = place
#else
  atomic { before = last; last = place }
  behind[before] = place
#endif
}

active [SENDERS] proctype Sender() {
  byte next, slot, before;
  do
  :: next < MESSAGES ->
     atomic { /* the slot is the sender's own */
       if
       :: is_free[first_slot(_pid)] -> slot = first_slot(_pid)
       :: is_free[first_slot(_pid) + 1] -> slot = first_slot(_pid) + 1
       fi;
       is_free[slot] = false;
       next++;
       number[slot] = next
     }
     append(slot)
  :: else -> break
  od
}

active proctype Owner() {
  byte first = STUB;
  byte taken[SENDERS];
  byte second, before, slot;
  do
  :: taken[0] < MESSAGES || taken[1] < MESSAGES ->
     second = behind[first];
     if
     :: first == STUB ->
        if
        :: second == 0 -> goto nothing
        :: else
        fi;
        first = second;
        second = behind[first]
     :: else
     fi;
     if
     :: second == 0 ->
#ifndef NO_LOOK
        if
        :: first != last -> goto nothing
        :: else
        fi;
#endif
#ifdef NO_STUB
        second = STUB;
#else
        append(STUB);
        second = behind[first];
#endif
        if
        :: second == 0 -> goto nothing
        :: else
        fi
     :: else
     fi;
     atomic { /* the slot is the owner's, until it frees it */
       slot = first;
       first = second;
       assert(slot != STUB);
       taken[sender_of(slot)]++;
       assert(number[slot] == taken[sender_of(slot)]);
       number[slot] = 0;
       is_free[slot] = true;
       slot = 0;
       goto next_one
     }
nothing:
     behind[first] != 0;
next_one:
     skip
  :: else -> break
  od;
  assert(first == STUB && last == STUB && behind[STUB] == 0)
}
