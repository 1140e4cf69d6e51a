/* Faults that tests/simulation plants to prove that it finds them. In the product each is the
 * constant false; only objects built for that test have the real switch. */
#ifndef LS_FAULT_INJECTION_H
#define LS_FAULT_INJECTION_H

#ifdef LS_PLANTED

#include <stdbool.h>

#define LS_PLANTS(plant)                                                                           \
    plant(REPLAY_WINDOW_EARLY)       /* a counter is taken before its packet is authentic */       \
        plant(RING_OVERWRITES)       /* a new frame overwrites one that is kept */                 \
        plant(SYNC_PROMISES_MORE)    /* ticks appended during a sync count as synced */            \
        plant(FAILED_SYNC_COUNTS)    /* so do those of a sync that failed */                       \
        plant(SHORT_WRITE_IS_WHOLE)  /* what the disk left over is not written */                  \
        plant(STATE_LAST_WINS)       /* a later state for a tick replaces the first */             \
        plant(STATE_LATE_IS_TAKEN)   /* and one for a closed tick is taken for a later one */      \
        plant(STATE_OF_PAST_SESSION) /* states stay when their session ends */                     \
        plant(SUBSTITUTE_FORGETS)    /* a substitute is zeros instead of the last state */         \
        plant(LAST_STATE_STAYS)      /* a substitute is what the seat's last holder held */        \
        plant(RESTORE_KEEPS_SEATS)   /* players of before a crash never leave */                   \
        plant(ACK_BEFORE_QUEUE)      /* an order counts as taken though there is no room */        \
        plant(FULL_FRAME_DROPS)      /* orders that do not fit a frame are lost */                 \
        plant(SEAT_KEPT)             /* a seat stays taken when its session ends */                \
        plant(RESUME_UNCHECKED)      /* any resume secret opens any seat */                        \
        plant(EPOCH_NOT_TOLD)        /* clients do not learn that ticks were lost */               \
        plant(REFEREE_OFF_BY_ONE)    /* a root is compared with that of the tick before */         \
        plant(REFEREE_FORGIVES)      /* a wrong root is right when a later one was right */        \
        plant(SNAPSHOT_OFF_BY_ONE)   /* a snapshot claims the tick behind its own */               \
        plant(STATE_SAID_TWICE)      /* a client says another state for a tick */                  \
        plant(ACK_BEFORE_FRAME)      /* a client acknowledges what it knows of but has not */      \
        plant(ORDERS_SENT_TWICE)     /* and offers landed orders to its next session */            \
        plant(DAMAGE_IS_TORN)        /* a damaged recording is cut as if it were torn */           \
        plant(CHECKSUM_UNREAD)       /* a damaged recording is played */                           \
        plant(SNAPSHOT_ROT_IS_SENT)  /* a damaged snapshot is sent */                              \
        plant(CLOCK_OF_THE_START)    /* the wall clock is read only at the start */                \
        plant(PACK_ASSERTS_MEMORY)   /* no memory to pack a snapshot is our own bug */             \
        plant(LAGGARD_HOLDS)         /* the match waits for whoever reads slowly */                \
        plant(SNAPSHOT_LEAKS)        /* something of a snapshot is not freed */                    \
        plant(OTHER_VERSION_ENTERS)  /* a client of another protocol is let in */                  \
        plant(INPUTS_STAY_AHEAD)     /* its inputs are never made less far ahead again */          \
        plant(EVENT_LEFT_OPEN)       /* an event that a snapshot jumps over is not cancelled */    \
        plant(PIN_IS_FORGOTTEN)      /* a client holds the state in question for a tick only */    \
        plant(PIN_OF_ANOTHER_TICK)   /* the server holds that of the tick before */                \
        plant(CELLS_OFF_BY_ONE)      /* a client shows the cells of the next page */               \
        plant(LAST_PAGE_UNREAD)      /* the server does not compare the last page */               \
        plant(SIDES_ARE_SWAPPED)     /* the client's value is said to be the server's */           \
        plant(INQUIRY_WITHOUT_END)   /* who does not answer is asked for ever */                   \
        plant(INQUIRY_FORGETS)       /* who waits to be asked is forgotten */                      \
        plant(PAUSE_OUTLIVES)        /* a pause stays when whoever asked for it is gone */

#define LS_FAULT_ENUM(name) LS_PLANT_##name,
enum ls_fault { LS_PLANTS(LS_FAULT_ENUM) LS_FAULT_COUNT };
/* Whether this one is in force. */
bool ls_fault(enum ls_fault which);
#define LS_FAULT(name) ls_fault(LS_PLANT_##name)

#else

#define LS_FAULT(name) false

#endif

#endif
