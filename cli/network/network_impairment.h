/* Impairs one direction of one flow, without a socket or a clock: for `lockstep relay` and for the
 * simulated network of the tests. Every draw is a function of the seed, the flow, the direction and
 * the packet's number, so equal traffic is impaired equally.
 *   thread  the one that owns the value */
#ifndef LS_NETWORK_IMPAIRMENT_H
#define LS_NETWORK_IMPAIRMENT_H

#include <lockstep/random.h>

#define LS_PROBABILITY_ONE 1000000u /* the chance of 1 */
/* The length of the queue before a line of limited rate. A packet that would wait longer is
 * dropped. */
#define LS_IMPAIRMENT_RATE_QUEUE_NS (UINT64_C(500) * 1000000)
/* The headers of UDP over IPv4, which use part of the line's rate too. Used for IPv6 as well. */
#define LS_IMPAIRMENT_HEADER_BYTES 28u
#define LS_IMPAIRMENT_BURST_NS_MIN (UINT64_C(1) * 1000000)

/* Chances are in millionths. All zero: packets are not impaired. */
typedef struct ls_impairment_conditions {
    uint64_t loss;
    uint64_t burst_ns;  /* mean length of the periods in which all packets are lost, at least
                           LS_IMPAIRMENT_BURST_NS_MIN; 0: losses are independent */
    uint64_t delay_ns;  /* one way */
    uint64_t jitter_ns; /* adds a delay between 0 and jitter_ns, evenly drawn; packets may overtake
                           each other */
    uint64_t reorder;   /* chance that a packet is delayed by reorder_delay_ns */
    uint64_t reorder_delay_ns;
    uint64_t duplicate; /* chance of a second copy, with its own delays */
    uint64_t corrupt;   /* chance that one bit is flipped */
    uint64_t truncate;  /* chance that the packet's end is cut off */
    uint64_t rate;      /* bytes a second; 0: no limit */
} ls_impairment_conditions;

/* Sets the conditions of a named network: lan, wifi, bad, terrible, reorder. False for another
 * name. */
bool ls_impairment_profile(const char *name, ls_impairment_conditions *conditions);
#define LS_IMPAIRMENT_PROFILES "lan, wifi, bad, terrible, reorder"

/* Its members are private, but for header_bytes: raise it for packets that are given without the
 * headers of their carrier. */
typedef struct ls_impairment {
    ls_impairment_conditions conditions;
    ls_random_stream stream, periods;
    uint64_t packets;               /* count of packets so far */
    uint64_t free_ns;               /* when the line of limited rate will have sent its queue */
    uint64_t *shared_free_ns;       /* free_ns of a line that flows share; NULL: not shared */
    uint32_t header_bytes;          /* of each packet, at first LS_IMPAIRMENT_HEADER_BYTES */
    uint64_t period, period_end_ns; /* odd periods lose all packets */
} ls_impairment;

void ls_impairment_init(ls_impairment *impair, const ls_impairment_conditions *conditions,
                        uint64_t seed, uint64_t flow, bool is_down);

/* Makes the flow share a line of limited rate with others. All of them get the same `free_ns`,
 * which is 0 at first and must outlive them. Their conditions must have the same rate. */
void ls_impairment_share(ls_impairment *impair, uint64_t *free_ns);

/* Replaces the conditions from the next packet on. */
void ls_impairment_change(ls_impairment *impair, const ls_impairment_conditions *conditions);

#define LS_IMPAIRMENT_COPIES_MAX 2
/* The fate of one packet. */
typedef struct ls_impairment_fate {
    uint32_t copies; /* copies that arrive; 0 when the packet is lost or overran the line */
    uint64_t due_ns[LS_IMPAIRMENT_COPIES_MAX];
    uint32_t bytes;       /* length that arrives */
    uint32_t flipped_bit; /* if is_corrupted: index of the bit */
    uint32_t reordered;   /* number of copies delayed by reorder_delay_ns */
    bool is_lost, is_overrun, is_corrupted, is_truncated;
} ls_impairment_fate;

/* Decides the fate of the next packet of this flow and direction. `now_ns` must never fall. */
ls_impairment_fate ls_impairment_next(ls_impairment *impair, uint32_t bytes, uint64_t now_ns);
/* Flips the bit of a corrupted packet; leaves others unchanged. */
void ls_impairment_damage(const ls_impairment_fate *fate, uint8_t *data);

#endif
