#include <lockstep/states.h>

#include "core/run/access_fault.h"

#include <stdio.h>
#include <string.h>

/* The cell of LS_STATES(). */
typedef struct states {
    uint64_t since, from;      /* ticks: `now` began; `next` begins */
    uint8_t now, before, next; /* before, next: 1 + the state; 0: none */
    uint8_t reserved[5];
} states;

/* The cell as it is at `tick`: with the change to `next`, if that is due by then. Only a writer
 * stores the result, so several threads may read a cell at the same time. */
static states states_at(const void *cell, uint64_t tick)
{
    states found;
    memcpy(&found, cell, sizeof found);
    if (found.next == 0 || tick < found.from)
        return found;
    return (states){.since = found.from, .now = found.next - 1, .before = (uint8_t)(found.now + 1)};
}

uint8_t ls_states_now_(const void *cell, uint64_t tick)
{
    return states_at(cell, tick).now;
}

void ls_states_enter_(void *cell, uint64_t tick, uint8_t value)
{
    states changed = states_at(cell, tick);
    bool is_other = value != changed.now;
    changed.next = is_other ? (uint8_t)(value + 1) : 0;
    changed.from = is_other ? tick + 1 : 0;
    memcpy(cell, &changed, sizeof changed);
}

void ls_states_enter_value_(const ls_context *context, void *cell, const char *name, uint32_t value,
                            uint32_t count)
{
    if (value >= count) {
        char why[160];
        snprintf(why, sizeof why, "enters state %u of \"%.60s\", which has states 0 to %u", value,
                 name, count - 1);
        ls_access_fault(context, LS_NO_TERM, LS_ENTITY_NULL, why);
    }
    ls_states_enter_(cell, ls_tick(context), (uint8_t)value);
}

void ls_states_decide_(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    const ls_states_test_ *test = ls_system_data(context);
    uint64_t tick = ls_tick(context);
    states found = states_at(ls_singleton_read_(context, 0), tick);
    bool begins = found.since == tick;
    bool answers[] = {[LS_STATES_IN_] = found.now == test->value,
                      [LS_STATES_ENTER_] = begins && found.now == test->value,
                      [LS_STATES_EXIT_] = begins && found.before == test->value + 1};
    ls_decide(context, answers[test->use] ? LS_YES : LS_NO);
}
