#include "core/run/event_internal.h"

#include "core/run/kept_walk.h"
#include "core/run/scratch.h"

/* Whether the receiver gets the event. It does not when the sender is of the same slot and no path
 * leads from sender to receiver, as between sides of a par. The serial order does not matter. */
static bool is_received(const ls_event_walk *walk, uint32_t sender)
{
    const ls_program *program = walk->world->program;
    return walk->last >= program->system_count ||
           sender < program->systems[walk->last].slot_first ||
           ls_graph_has(&program->paths, sender, walk->last);
}

void ls_events_walk(const ls_world *world, uint32_t event, uint32_t last, ls_event_walk *walk)
{
    *walk = (ls_event_walk){.world = world, .event = event, .last = last, .left = LS_RECORDS_MAX};
}

/* The next event of this tick. */
static const void *next_sent(ls_event_walk *walk)
{
    const ls_world *world = walk->world;
    for (; walk->position < walk->last; walk->position++) {
        const ls_plan_system *plan = &world->program->systems[walk->position];
        if (!(plan->sends >> walk->event & 1) || !is_received(walk, walk->position))
            continue;
        ls_commands_walk records = {.commands = &world->scratch->runs[walk->position].commands,
                                    .stream = LS_STREAM_EVENTS,
                                    .segment = walk->segment,
                                    .left = walk->left,
                                    .offset = walk->offset};
        for (ls_entry *record; (record = ls_commands_next(&records));) {
            if (plan->terms[record->at].column != walk->event)
                continue;
            walk->segment = records.segment;
            walk->left = records.left;
            walk->offset = records.offset;
            return record + 1;
        }
        walk->segment = 0;
        walk->left = LS_RECORDS_MAX;
        walk->offset = 0;
    }
    return NULL;
}

const void *ls_event_next(ls_event_walk *walk)
{
    const void *kept = walk->age ? ls_kept_walk_next(walk) : NULL;
    return kept ? kept : next_sent(walk);
}
