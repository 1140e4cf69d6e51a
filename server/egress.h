/* The limit of all that a server sends, over virtual time. Ticks and control messages are never
 * delayed by it, but count; what can wait, snapshots and missed ticks, takes what they leave. */
#ifndef LS_EGRESS_H
#define LS_EGRESS_H

#include <lockstep/base.h>

#define LS_EGRESS_RANK_LAST 1024

/* Members are private. */
typedef struct ls_egress {
    uint64_t per_s; /* bytes; 0: no limit */
    int64_t level;  /* in 1e-9 bytes; negative: a debt */
    uint64_t last_ns;
} ls_egress;

/* Asserts per_s < 2^32. The level starts at half a second's bytes, and that is its maximum. */
void ls_egress_init(ls_egress *egress, uint64_t per_s);
/* True when bytes that can wait may be sent now. A `rank` above 0 leaves a part of the level for
 * lower ones, the last (LS_EGRESS_RANK_LAST) all of it: a session that has had little comes before
 * one that has had much, however often either asks. */
bool ls_egress_has_room(ls_egress *egress, uint64_t now_ns, uint32_t bytes,
                        uint32_t rank) LS_MUST_USE;
/* Bytes were sent. The debt is at most one second's bytes. */
void ls_egress_charge(ls_egress *egress, uint64_t now_ns, uint32_t bytes);

#endif
