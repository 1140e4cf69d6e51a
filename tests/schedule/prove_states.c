/* The states of the game, decided a second time: a system runs only if the conditions of its sets
 * and stages hold. The states of one tick and of the tick before are all that this needs. */
#include "tests/schedule/prove_parts.h"

#include <lockstep/states.h>

#include <inttypes.h>
#include <string.h>

enum { TICKS = 8 };

/* The states in a tick and in the one before. */
typedef struct moment {
    uint64_t tick;
    uint8_t now, before;
} moment;

static bool holds(const condition *when, const moment *at)
{
    bool is_new = at->tick == 0 || at->now != at->before;
    switch (when->state_use) {
    case 1 + LS_STATES_IN_:
        return at->now == when->state;
    case 1 + LS_STATES_ENTER_:
        return is_new && at->now == when->state;
    case 1 + LS_STATES_EXIT_:
        return is_new && at->tick > 0 && at->before == when->state;
    default:
        return true;
    }
}

/* Whether the condition certainly holds. */
static bool is_sure(const condition *when, const moment *at)
{
    return !when->criterion && holds(when, at) &&
           (!when->every || at->tick % when->every == when->phase);
}

static void decide(const schedule *given, uint32_t index, const moment *at, bool *may_run,
                   bool *must_run)
{
    const actor *system = &given->systems[index];
    const condition *stage = &given->stages[system->stage];
    *may_run = holds(stage, at);
    *must_run = is_sure(stage, at) && !system->is_concurrent;
    if (system->stage && given->is_nested) {
        *may_run &= holds(&given->stages[0], at);
        *must_run &= is_sure(&given->stages[0], at);
    }
    for (uint32_t i = 0; i < given->set_count; i++) {
        if (!(system->sets >> i & 1))
            continue;
        *may_run &= holds(&given->sets[i], at);
        *must_run &= is_sure(&given->sets[i], at);
    }
    for (uint32_t i = 0; i < system->op_count; i++)
        *must_run &= !op_is_matched((op_kind)system->ops[i].kind);
    for (uint32_t i = 0; i < given->system_count; i++)
        *must_run &= !given->needs[i][index];
}

static bool check_tick(prover *self, const schedule *given, const moment *at)
{
    for (uint32_t i = 0; i < given->system_count; i++) {
        bool may_run, must_run;
        decide(given, i, at, &may_run, &must_run);
        self->counts.state_runs += may_run && body_calls[i];
        self->counts.state_pauses += !may_run;
        if (body_calls[i] ? !may_run : must_run)
            return prove_fail(self,
                              "\"%s\" %s in tick %" PRIu64 ", where the state is %u, after %u",
                              given->systems[i].name, body_calls[i] ? "runs" : "does not run",
                              at->tick, at->now, at->before);
    }
    return true;
}

bool prove_states(prover *self, const schedule *given, const ls_program *program)
{
    ls_world *world = prove_make_world(program, mix(given->seed, 7) % PROVE_BIG_SEED);
    moment at = {0, 0, 0};
    bool is_well = true, is_over = false;
    while (is_well && !is_over && at.tick < TICKS && prove_is_small(world)) {
        const void *cell = ls_world_singleton(world, body_components[COLUMN_G]);
        at.now = ls_states_now_(cell, at.tick);
        self->counts.state_changes += at.tick > 0 && at.now != at.before;
        memset(body_calls, 0, sizeof body_calls);
        (void)order_run(world, NULL, NULL);
        is_over = ls_world_tick(world) == at.tick; /* the tick was refused */
        is_well = is_over || check_tick(self, given, &at);
        at.before = at.now;
        at.tick++;
    }
    ls_world_destroy(world);
    return is_well;
}
