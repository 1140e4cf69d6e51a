/* Judges how congested the line is: 0, not at all, to LS_CONGESTION_MAX. Repeats protect ticks and
 * states against loss; where they fill the queue of a narrow line, the queue costs more than the
 * loss. The client judges, because it measures the round trip. Pure.
 *
 * The signs of congestion are packets that wait, and the loss of 40 % of them, which a full queue
 * causes. Two rules tell other causes apart. The wait is computed from the median of a round, so a
 * few samples that are too short, such as from copies that an attacker sends on a faster path,
 * change nothing. And a level is a trial: when the highest level does not shorten the wait, the
 * wait has another cause, such as a longer route; it then counts as a part of the line's length,
 * and the next trial is put off. A loss of 40 % raises the level even then: a client that takes a
 * full queue for a long line would keep the queue full. */
#ifndef LS_CONGESTION_H
#define LS_CONGESTION_H

#include "client/queue_delay.h"

#include <stdbool.h>

/* START: the level of a new session, so that the length of the line is known before its queue can
 * be full. LONG_NS: a longer first round trip may come from a full queue, so the session then
 * begins with the highest level. SAMPLES: a round's median is computed from its newest samples, at
 * most this many. ROUND_NS: the least length of a round with at least SAMPLES_MIN samples; a round
 * with fewer lasts at least ROUND_MAX_NS. LOSS_PACKETS: the loss is computed over this many
 * packets, or over at least LOSS_PACKETS_MIN after LOSS_NS. OUTAGE_PACKETS: a loss of this many or
 * more in a row is an outage. One outage raises no level; the next one within LOSS_NS does, because
 * a full queue may accept one client's packets only now and then. WAIT_NS: a wait up to this, or up
 * to a quarter of the least round trip, is no sign. */
#define LS_CONGESTION_START            2
#define LS_CONGESTION_LONG_NS          (LS_SECOND_NS * 3 / 10)
#define LS_CONGESTION_SAMPLES          16
#define LS_CONGESTION_SAMPLES_MIN      8
#define LS_CONGESTION_ROUND_NS         (LS_SECOND_NS / 4)
#define LS_CONGESTION_ROUND_MAX_NS     LS_SECOND_NS
#define LS_CONGESTION_LOSS_PACKETS     64
#define LS_CONGESTION_LOSS_PACKETS_MIN 16
#define LS_CONGESTION_LOSS_NS          (3 * LS_SECOND_NS)
#define LS_CONGESTION_OUTAGE_PACKETS   16
#define LS_CONGESTION_WAIT_NS          (LS_SECOND_NS / 25)
/* TRIAL_NS, TRIAL_WAITS: a trial of the highest level lasts at least TRIAL_NS, and at least
 * TRIAL_WAITS times the wait, because a longer queue takes longer to empty. REST_NS: for how long
 * after a failed trial the level falls to 0 and stays there; doubled by each further failure, up to
 * REST_MAX_NS. CALM_NS: how long the wait must be short before the level falls. A fall to the level
 * from which it rose last, or below, takes longer: twice as long after each new rise, up to
 * CALM_MAX_NS, and half as long after each fall below that level. In a new session the level falls
 * with each round. */
#define LS_CONGESTION_TRIAL_NS    (3 * LS_SECOND_NS)
#define LS_CONGESTION_TRIAL_WAITS 16
#define LS_CONGESTION_REST_NS     (15 * LS_SECOND_NS)
#define LS_CONGESTION_REST_MAX_NS (240 * LS_SECOND_NS)
#define LS_CONGESTION_CALM_NS     (2 * LS_SECOND_NS)
#define LS_CONGESTION_CALM_MAX_NS (64 * LS_SECOND_NS)

typedef struct ls_congestion {
    uint32_t level;      /* 0..LS_CONGESTION_MAX */
    ls_queue_delay line; /* built from the medians of the rounds */
    uint64_t recent_ns[LS_CONGESTION_SAMPLES];
    uint32_t count;     /* samples of the present round */
    uint64_t round_ns;  /* when the present round began */
    uint64_t median_ns; /* of the last round */
    /* The loss is counted over the server's packets loss_first..loss_next-1, of which `received`
     * came: */
    uint64_t loss_first, loss_next;
    uint64_t loss_ns;   /* when the count began */
    uint64_t outage_ns; /* when the last outage ended; 0: there was none */
    uint32_t received;
    uint32_t loss_permille; /* of the last complete count; 1000 after an outage */
    bool loss_is_judged;    /* this loss raises the level no more: a new count may take seconds */

    uint64_t calm_ns;        /* when the wait was last long, or the level last fell */
    uint64_t calm_needed_ns; /* short wait needed before a fall to `tight`; 0: falls each round */
    uint32_t tight;          /* the level before its last rise after a fall */
    bool is_probing;         /* the level has fallen, and not risen since */
    uint64_t longest_ns;     /* the longest wait of a round since the wait became long */
    uint64_t trial_ns;       /* when the trial of the highest level began */
    uint64_t trial_sum_ns;   /* sum of the waits of the trial's rounds */
    uint32_t trial_rounds;   /* 0: none is under way */
    uint64_t rest_ns;        /* length of the last rest; 0: none, or the level fell to 0 after it */
    uint64_t rested_ns;      /* until then the level, once it is 0, stays 0 */
} ls_congestion;

/* For a new session. */
void ls_congestion_init(ls_congestion *congestion);
/* Adds a round trip. Judges at the end of a round. A round takes at least two round trips of an
 * empty line, and at least the last median, so that it shows what the present level does. */
void ls_congestion_note(ls_congestion *congestion, uint64_t rtt_ns, uint64_t now_ns);
/* Adds a round trip from before the session sent anything, as a candidate for the least one only. A
 * client that joins beside others must not take their queue for the length of the line. One over
 * LS_CONGESTION_LONG_NS is no candidate and sets the highest level. */
void ls_congestion_note_base(ls_congestion *congestion, uint64_t rtt_ns, uint64_t now_ns);
/* Counts a packet of the server. `next` is one above the highest number received. */
void ls_congestion_note_packet(ls_congestion *congestion, uint64_t next, uint64_t now_ns);

#endif
