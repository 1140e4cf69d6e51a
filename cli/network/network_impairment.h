/* The impairment of one direction of one flow, without a socket or a clock: for `lockstep relay`
 * and for the simulated network of the tests. Every draw is a function of the seed, the flow, the
 * direction and the packet's number, so the same traffic is impaired the same way.
 *   thread  the one that owns the value */
#ifndef LS_NETWORK_IMPAIRMENT_H
#define LS_NETWORK_IMPAIRMENT_H

#include <lockstep/random.h>

#define LS_CHANCE_WHOLE 1000000u /* certainty */
/* The queue of a line of limited rate; a packet that would wait longer is dropped. */
#define LS_IMPAIRMENT_RATE_QUEUE_NS (UINT64_C(500) * 1000000)
/* IPv4 and UDP headers take their share of a line too. */
#define LS_IMPAIRMENT_HEADER_BYTES 28u
#define LS_IMPAIRMENT_BURST_NS_MIN (UINT64_C(1) * 1000000)

/* Chances are of a million. All zero: nothing happens to a packet. */
typedef struct ls_impairment_conditions {
    uint64_t loss;
    uint64_t burst_ns;  /* mean length of the periods in which all packets are lost, at least
                           LS_IMPAIRMENT_BURST_NS_MIN; 0: losses are independent */
    uint64_t delay_ns;  /* one way */
    uint64_t jitter_ns; /* added, evenly from 0 to this; packets overtake each other by it */
    uint64_t reorder;   /* the packet takes reorder_delay_ns more */
    uint64_t reorder_delay_ns;
    uint64_t duplicate; /* a second copy with delays of its own */
    uint64_t corrupt;   /* one bit is flipped */
    uint64_t truncate;  /* its end is missing */
    uint64_t rate;      /* bytes a second; 0: no limit */
} ls_impairment_conditions;

/* A named network: lan, wifi, bad, terrible, reorder. False for another name. */
bool ls_impairment_profile(const char *name, ls_impairment_conditions *conditions);
#define LS_IMPAIRMENT_PROFILES "lan, wifi, bad, terrible, reorder"

/* Its members are private. */
typedef struct ls_impairment {
    ls_impairment_conditions conditions;
    ls_random_stream stream, periods;
    uint64_t packets;               /* seen so far */
    uint64_t free_ns;               /* when the line of limited rate has sent what waits */
    uint64_t *shared_free_ns;       /* the same of a line with other flows; NULL: its own */
    uint64_t period, period_end_ns; /* odd periods lose everything */
} ls_impairment;

void ls_impairment_init(ls_impairment *impair, const ls_impairment_conditions *conditions,
                        uint64_t seed, uint64_t flow, bool is_down);

/* Several flows pass one line of limited rate: `free_ns` is theirs, 0 at first, and outlives them.
 * Their conditions give the same rate. */
void ls_impairment_share(ls_impairment *impair, uint64_t *free_ns);

/* From the next packet on. */
void ls_impairment_change(ls_impairment *impair, const ls_impairment_conditions *conditions);

#define LS_IMPAIRMENT_COPIES_MAX 2
/* The fate of one packet. */
typedef struct ls_impairment_fate {
    uint32_t copies; /* that arrive: 0 when it is lost or overran the line */
    uint64_t due_ns[LS_IMPAIRMENT_COPIES_MAX];
    uint32_t bytes;       /* of it that arrive */
    uint32_t flipped_bit; /* when it is corrupted: of those bytes */
    uint32_t reordered;   /* copies that took the longer way */
    bool is_lost, is_overrun, is_corrupted, is_truncated;
} ls_impairment_fate;

/* The next packet of this flow and direction. `now_ns` never falls from call to call. */
ls_impairment_fate ls_impairment_next(ls_impairment *impair, uint32_t bytes, uint64_t now_ns);
/* Flips the bit of a corrupted packet. */
void ls_impairment_damage(const ls_impairment_fate *fate, uint8_t *data);

#endif
