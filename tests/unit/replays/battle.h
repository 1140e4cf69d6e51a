/* A recording of a real match between bots, and the root of each of its ticks. */
#ifndef LS_TEST_BATTLE_H
#define LS_TEST_BATTLE_H

#include "tests/support/memory_sink.h"
#include "tests/support/test.h"
#include <lockstep/recorder.h>
#include <lockstep/world.h>

typedef struct battle_config {
    uint32_t ticks;
    uint32_t lag;      /* ticks between a frame and its root */
    uint64_t bad_root; /* the tick with a wrong root; 0: none */
    bool is_closed;
    uint32_t keyframes;    /* interval in ticks; 0: none */
    uint64_t bad_keyframe; /* the tick whose keyframe holds the state before tick 0; 0: none */
} battle_config;

typedef struct battle {
    ls_program *program;
    ls_memory_sink memory;
    uint64_t *roots; /* before each tick, and after the last one */
    uint32_t ticks;
} battle;

void battle_begin(battle *self, const battle_config *config);
void battle_end(battle *self);
/* Opens the first `bytes` of the file. */
ls_recording *battle_open(const battle *self, size_t bytes);
/* Creates a world of the match before its first tick; battle_advance() runs its next tick. */
ls_world *battle_world(const battle *self);
void battle_advance(ls_world *world);

#endif
