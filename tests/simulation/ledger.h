/* The simulator's own book of one match: every frame that its server closed and the root of every
 * tick, whichever node reported it first. A server that resumed without its newest ticks continues
 * on another line, which begins as a copy. invariant  frames and roots of a line are never changed,
 * only checked */
#ifndef LS_SIMULATION_LEDGER_H
#define LS_SIMULATION_LEDGER_H

#include "verdict.h"

#include <lockstep/program.h>
#include <lockstep/recording.h>

enum { LEDGER_LINES_MAX = 64 };

typedef struct ledger_tick {
    uint8_t *bytes; /* of the frame */
    uint32_t count;
} ledger_tick;

typedef struct ledger_root {
    uint64_t value;
    bool is_known;
    char from[24];
} ledger_root;

typedef struct ledger_line {
    uint64_t count, capacity;
    ledger_tick *ticks;
    ledger_root *roots; /* of the world before each tick; one more than ticks */
} ledger_line;

struct ledger {
    struct verdict *verdict;
    uint32_t room;
    uint32_t epoch; /* the present line */
    ledger_line lines[LEDGER_LINES_MAX];
};

void ledger_init(struct ledger *self, struct verdict *verdict, uint32_t room);
void ledger_reset(struct ledger *self);

uint64_t ledger_tick_count(const struct ledger *self);
/* The server has closed one more tick. */
void ledger_close(struct ledger *self, const uint8_t *bytes, uint32_t count);
/* A node has run a frame, or has this root before `tick`, on the line of `epoch`. */
void ledger_check_frame(struct ledger *self, uint32_t epoch, uint64_t tick, const ls_frame *frame,
                        const char *who);
void ledger_check_root(struct ledger *self, uint32_t epoch, uint64_t tick, uint64_t root,
                       const char *who);
/* Whether the line has this very root before `tick`. */
bool ledger_has_root(const struct ledger *self, uint32_t epoch, uint64_t tick, uint64_t root);
/* The match continues after its first `count` ticks. */
void ledger_begin_epoch(struct ledger *self, uint32_t epoch, uint64_t count);

/* Whether the bytes are a recording of the present line with at least `promised` ticks and nothing
 * else; gives its ticks. With a program it is also run. */
uint64_t ledger_check_recording(struct ledger *self, const uint8_t *bytes, size_t count,
                                uint64_t promised, const ls_program *program);

/* The same with a bit flipped at `rot_at`, where `healthy` ticks were readable before: every
 * tick read is unchanged, and the damage is reported. Exception: a bit in the length of the last
 * record may look like the torn end of a dead writer. */
void ledger_check_rotten(struct ledger *self, const uint8_t *bytes, size_t count, size_t rot_at,
                         uint64_t healthy);

#endif
