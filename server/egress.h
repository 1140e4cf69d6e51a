/* Limits the bytes that a server sends, over virtual time. Ticks and control messages are charged,
 * but never delayed. Snapshots and missed ticks can wait: they use the rest. */
#ifndef LS_EGRESS_H
#define LS_EGRESS_H

#include <lockstep/base.h>

#define LS_EGRESS_RANK_LAST 1024

/* Members are private. */
typedef struct ls_egress {
    uint64_t per_s; /* bytes; 0: no limit */
    int64_t level;  /* in units of 1e-9 bytes; negative: a debt */
    uint64_t last_ns;
} ls_egress;

/* Asserts per_s < 2^32. The level starts at its maximum, half a second's bytes. */
void ls_egress_init(ls_egress *egress, uint64_t per_s);
/* True when bytes that can wait may be sent now. A higher `rank` needs a higher level: rank 0
 * needs just these bytes, LS_EGRESS_RANK_LAST a full level. So a session that has loaded little
 * comes before one that has loaded much, however often either asks. */
bool ls_egress_allows(ls_egress *egress, uint64_t now_ns, uint32_t bytes,
                      uint32_t rank) LS_MUST_USE;
/* Charges sent bytes. The debt is at most one second's bytes. */
void ls_egress_charge(ls_egress *egress, uint64_t now_ns, uint32_t bytes);

#endif
