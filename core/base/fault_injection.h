/* Faults that tests/simulation plants to prove that it detects them. In normal builds each fault is
 * the constant false; only objects built for that test have the switch. Each comment describes what
 * the code does wrong. */
#ifndef LS_FAULT_INJECTION_H
#define LS_FAULT_INJECTION_H

#ifdef LS_PLANTED

#include <stdbool.h>

#define LS_PLANTS(plant)                                                                           \
    plant(REPLAY_WINDOW_EARLY)       /* accepts a counter before its packet is authenticated */    \
        plant(RING_OVERWRITES)       /* a new frame overwrites one that is still needed */         \
        plant(SYNC_PROMISES_MORE)    /* ticks appended during a sync count as synced */            \
        plant(FAILED_SYNC_COUNTS)    /* ticks of a failed sync count as synced */                  \
        plant(SHORT_WRITE_IS_WHOLE)  /* the rest of a short write is never written */              \
        plant(STATE_LAST_WINS)       /* a later state for a tick replaces the first */             \
        plant(STATE_LATE_IS_TAKEN)   /* a state for a closed tick is used for a later tick */      \
        plant(STATE_OF_PAST_SESSION) /* states stay after their session ends */                    \
        plant(SUBSTITUTE_FORGETS)    /* a substitute is zeros instead of the last state */         \
        plant(LAST_STATE_STAYS)      /* a substitute repeats the previous player's state */        \
        plant(RESTORE_KEEPS_SEATS)   /* players from before a crash never leave */                 \
        plant(ACK_BEFORE_QUEUE)      /* acknowledges an order although the queue is full */        \
        plant(FULL_FRAME_DROPS)      /* orders that do not fit into a frame are lost */            \
        plant(SEAT_KEPT)             /* a seat stays taken after its session ends */               \
        plant(RESUME_UNCHECKED)      /* any resume secret opens any seat */                        \
        plant(EPOCH_NOT_SENT)        /* clients are not told that ticks were lost */               \
        plant(REFEREE_OFF_BY_ONE)    /* compares a root with the root of the previous tick */      \
        plant(REFEREE_FORGIVES)      /* a later correct root excuses a wrong one */                \
        plant(SNAPSHOT_OFF_BY_ONE)   /* a snapshot claims the tick after its own */                \
        plant(STATE_SENT_TWICE)      /* a client sends another state for a tick again */           \
        plant(ACK_BEFORE_FRAME)      /* a client acknowledges ticks that it lacks */               \
        plant(ORDERS_SENT_TWICE)     /* a client sends executed orders to its next session */      \
        plant(DAMAGE_IS_TORN)        /* a damaged recording is cut as if it were torn */           \
        plant(CHECKSUM_UNREAD)       /* a damaged recording is played */                           \
        plant(SNAPSHOT_ROT_IS_SENT)  /* a damaged snapshot is sent */                              \
        plant(CLOCK_OF_THE_START)    /* the wall clock is read only at the start */                \
        plant(PACK_ASSERTS_MEMORY)   /* asserts when no memory is left to pack a snapshot */       \
        plant(LAGGARD_HOLDS)         /* the match waits for a client that reads slowly */          \
        plant(SNAPSHOT_LEAKS)        /* memory of a snapshot is not freed */                       \
        plant(OTHER_VERSION_ENTERS)  /* admits a client with another protocol version */           \
        plant(INPUTS_STAY_AHEAD)     /* a client never reduces its input delay again */            \
        plant(EVENT_LEFT_OPEN)       /* events in ticks that a snapshot skips stay open */         \
        plant(PIN_IS_FORGOTTEN)      /* a client keeps the state in question for one tick only */  \
        plant(PIN_OF_ANOTHER_TICK)   /* the server keeps the state of the previous tick instead */ \
        plant(CELLS_OFF_BY_ONE)      /* a client sends the cells of the next page */               \
        plant(LAST_PAGE_UNREAD)      /* the server does not compare the last page */               \
        plant(SIDES_ARE_SWAPPED)     /* the report swaps the values of client and server */        \
        plant(INQUIRY_WITHOUT_END)   /* a client that does not answer is asked forever */          \
        plant(INQUIRY_FORGETS)       /* a client that waits for its inquiry is forgotten */        \
        plant(ABSENT_STAYS)          /* a player who lost the session never leaves the match */    \
        plant(PAUSE_OUTLIVES)        /* a pause outlives the player who asked for it */            \
        plant(COOKIE_OF_ANY_HELLO)   /* the client accepts a COOKIE for any HELLO */               \
        plant(FIRST_COOKIE_WINS)     /* the client uses only the first COOKIE */                   \
        plant(FOREIGN_COOKIE_DRAWS)  /* a COOKIE of another server makes the client draw keys */   \
        plant(REJECT_AT_ONCE)        /* a REJECT counts at once, without waiting */                \
        plant(LEVEL_UNSAID)          /* a client never says that its line is congested */          \
        plant(LEVEL_IGNORED)         /* the server ignores what a client says of its line */       \
        plant(CARRIER_REPLAYS)       /* a datagram that is sent again is accepted again */         \
        plant(CARRIER_WINDOW_EARLY)  /* accepts a datagram's counter before its MAC is checked */  \
        plant(PATH_MOVES_AT_ONCE)    /* a datagram from elsewhere moves the connection */

#define LS_FAULT_ENUM(name) LS_PLANT_##name,
enum ls_fault { LS_PLANTS(LS_FAULT_ENUM) LS_FAULT_COUNT };
/* Whether the test has switched this fault on. */
bool ls_fault(enum ls_fault which);
#define LS_FAULT(name) ls_fault(LS_PLANT_##name)

#else

#define LS_FAULT(name) false

#endif

#endif
