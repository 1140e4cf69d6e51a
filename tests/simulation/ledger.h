/* The simulator's own record of one match: every frame that the server closed, and the root of
 * every tick from the node that reported it first. When a server resumes without its newest ticks,
 * the ledger begins another line: a copy up to the resumed tick.
 *   invariant  frames and roots of a line never change; they are only compared */
#ifndef LS_SIMULATION_LEDGER_H
#define LS_SIMULATION_LEDGER_H

#include "verdict.h"

#include <lockstep/program.h>
#include <lockstep/recording.h>

enum { LEDGER_LINES_MAX = 64 };

typedef struct ledger_tick {
    uint8_t *bytes; /* the encoded frame */
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
    ledger_root *roots; /* root of the world before each tick; one more than ticks */
} ledger_line;

struct ledger {
    struct verdict *verdict;
    uint32_t room;
    uint32_t epoch; /* index of the current line */
    ledger_line lines[LEDGER_LINES_MAX];
};

void ledger_init(struct ledger *self, struct verdict *verdict, uint32_t room);
void ledger_reset(struct ledger *self);

uint64_t ledger_tick_count(const struct ledger *self);
/* Records the frame of a tick that the server has closed. */
void ledger_close(struct ledger *self, const uint8_t *bytes, uint32_t count);
/* Compares what a node reports with the line of `epoch`: the frame that it ran, or its root before
 * `tick`. */
void ledger_check_frame(struct ledger *self, uint32_t epoch, uint64_t tick, const ls_frame *frame,
                        const char *who);
void ledger_check_root(struct ledger *self, uint32_t epoch, uint64_t tick, uint64_t root,
                       const char *who);
/* True when the line has exactly this root before `tick`. */
bool ledger_has_root(const struct ledger *self, uint32_t epoch, uint64_t tick, uint64_t root);
/* Begins a line: the match continues after its first `count` ticks. */
void ledger_begin_epoch(struct ledger *self, uint32_t epoch, uint64_t count);

/* Checks that the bytes are a recording of the current line with at least `promised` ticks and
 * nothing else; returns its number of ticks. Unless `program` is NULL, also replays the
 * recording. */
uint64_t ledger_check_recording(struct ledger *self, const uint8_t *bytes, size_t count,
                                uint64_t promised, const ls_program *program);

/* Checks a recording with a bit flipped at `rot_at`; `healthy` ticks were readable before. Every
 * tick that is read must be unchanged, and the damage must be reported. Exception: a bit in the
 * length of the last record may look like the torn end of a dead writer. */
void ledger_check_rotten(struct ledger *self, const uint8_t *bytes, size_t count, size_t rot_at,
                         uint64_t healthy);

#endif
