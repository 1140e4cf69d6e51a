#include "desync/system_search.h"

#include "desync/cell_search.h"
#include "desync/tick_trace.h"

#include <inttypes.h>

struct search {
    ls_variant_runner runners[2];
    ls_tick_trace traces[2];
    const ls_frame *frame;
    const ls_program *programs[2];
    ls_suspect *suspect;
};

static ls_status check(const ls_run_variant *a, const ls_run_variant *b, const ls_frame *frame,
                       ls_error *error)
{
    if (a->world == b->world)
        return ls_error_set(error, LS_ERROR_USAGE, "two ways to run a tick take two worlds");
    if (frame->tick != a->world->state.tick || frame->tick != b->world->state.tick)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "the frame is for tick %" PRIu64 ", the worlds are at %" PRIu64
                            " and %" PRIu64,
                            frame->tick, a->world->state.tick, b->world->state.tick);
    return ls_cell_search_check(a->world->program, b->world->program, error);
}

/* Returns the first part that both systems declare and in which they differ; `count` for none. */
static uint32_t first_difference(const uint64_t *a, const uint64_t *b, uint32_t count)
{
    uint32_t i = 0;
    while (i < count && (a[i] == b[i] || a[i] == 0 || b[i] == 0))
        i++;
    return i;
}

/* Returns the first column with different undeclared changes. Unlike in first_difference(), 0 is
 * compared too: it means that the run changed nothing undeclared. */
static uint32_t first_undeclared(const ls_system_trace *a, const ls_system_trace *b, uint32_t count)
{
    uint32_t i = 0;
    while (i < count && a->undeclared[i] == b->undeclared[i])
        i++;
    return i;
}

static const ls_system_trace *counterpart(const struct search *search, const ls_system_trace *step)
{
    uint32_t there =
        ls_cell_search_position(search->programs[0], search->programs[1], step->position);
    return ls_tick_trace_find(&search->traces[1], there, step->nth);
}

static void name_system(struct search *search, const ls_system_trace *a, const ls_system_trace *b)
{
    ls_suspect *suspect = search->suspect;
    const ls_system_trace *steps[2] = {a, b};
    for (uint32_t i = 2; i-- > 0;) {
        if (!steps[i])
            continue;
        suspect->positions[i] = steps[i]->position;
        suspect->nth = steps[i]->nth;
        suspect->system = ls_plan_at(search->programs[i], steps[i]->position)->system->name;
        suspect->stage = ls_cell_search_stage(search->programs[i], steps[i]->position);
    }
}

/* Blames the first system that has equal inputs and different outputs in the two runs. */
static bool blame_system(struct search *search)
{
    const ls_world *world = search->runners[0].variant.world;
    uint32_t liveness = ls_liveness(world), parts = ls_system_trace_part_count(world);
    for (uint32_t i = 0; i < search->traces[0].count; i++) {
        const ls_system_trace *a = &search->traces[0].steps[i], *b = counterpart(search, a);
        if (!b || first_difference(a->inputs, b->inputs, parts) < parts)
            continue;
        uint32_t part = first_difference(a->outputs, b->outputs, parts);
        uint32_t undeclared = first_undeclared(a, b, liveness);
        if (part == parts && undeclared == liveness)
            continue;
        ls_suspect *suspect = search->suspect;
        name_system(search, a, b);
        suspect->blame = LS_BLAME_SYSTEM;
        bool is_cell = part < liveness || undeclared == liveness;
        suspect->column = is_cell ? part : undeclared;
        suspect->site = !is_cell           ? LS_SITE_UNDECLARED
                        : part < liveness  ? LS_SITE_CELL
                        : part == liveness ? LS_SITE_LIVENESS
                                           : LS_SITE_COMMANDS;
        return true;
    }
    return false;
}

static ls_difference_site site_of_input(uint32_t part, uint32_t liveness)
{
    if (part <= liveness)
        return part < liveness ? LS_SITE_CELL : LS_SITE_LIVENESS;
    const ls_difference_site sites[LS_SYSTEM_TRACE_PART_COUNT] = {LS_SITE_MATCHES, LS_SITE_EVENTS,
                                                                  LS_SITE_LOOP};
    return sites[part - liveness - 1];
}

static bool same_writer(const struct search *search, const ls_system_trace *a,
                        const ls_system_trace *b)
{
    return !a || !b ? a == b : counterpart(search, a) == b;
}

/* Names, for each run, the last system that changed the column before the system that found a
 * different value there. */
static void blame_order(struct search *search, const ls_system_trace *a, const ls_system_trace *b)
{
    ls_suspect *suspect = search->suspect;
    const ls_system_trace *writers[2];
    const ls_system_trace *readers[2] = {a, b};
    for (uint32_t i = 0; i < 2; i++) {
        const ls_tick_trace *trace = &search->traces[i];
        uint32_t end = readers[i] ? (uint32_t)(readers[i] - trace->steps) : trace->count;
        writers[i] = suspect->column == UINT32_MAX
                         ? NULL
                         : ls_tick_trace_writer(trace, suspect->column, end);
        if (!writers[i])
            continue;
        suspect->others[i] = ls_plan_at(search->programs[i], writers[i]->position)->system->name;
        suspect->is_undeclared |= suspect->column < ls_liveness(search->runners[i].variant.world) &&
                                  writers[i]->undeclared[suspect->column] != 0;
    }
    suspect->blame =
        same_writer(search, writers[0], writers[1]) ? LS_BLAME_OUTSIDE : LS_BLAME_ORDER;
}

/* Blames the first system with different inputs, if no system has equal inputs and different
 * results. */
static bool blame_inputs(struct search *search)
{
    const ls_world *world = search->runners[0].variant.world;
    uint32_t liveness = ls_liveness(world), parts = ls_system_trace_part_count(world);
    for (uint32_t i = 0; i < search->traces[0].count; i++) {
        const ls_system_trace *a = &search->traces[0].steps[i], *b = counterpart(search, a);
        uint32_t part = b ? first_difference(a->inputs, b->inputs, parts) : parts;
        if (b && part == parts)
            continue;
        ls_suspect *suspect = search->suspect;
        name_system(search, a, b);
        if (!b) {
            suspect->blame = LS_BLAME_PRESENT;
            return true;
        }
        suspect->column = part <= liveness ? part : UINT32_MAX;
        suspect->site = site_of_input(part, liveness);
        blame_order(search, a, b);
        return true;
    }
    return false;
}

/* Blames the first difference between the states that two runs began or ended with. `a` and `b`
 * have a hash for each column, then one for liveness, then one for tick and counters. */
static bool blame_state(struct search *search, const uint64_t *a, const uint64_t *b, ls_blame blame)
{
    uint32_t liveness = ls_liveness(search->runners[0].variant.world), part = 0;
    while (part <= liveness + 1 && a[part] == b[part])
        part++;
    if (part > liveness + 1)
        return false;
    ls_suspect *suspect = search->suspect;
    suspect->column = part <= liveness ? part : UINT32_MAX;
    suspect->site = part < liveness    ? LS_SITE_CELL
                    : part == liveness ? LS_SITE_LIVENESS
                                       : LS_SITE_NONE;
    suspect->blame = blame;
    if (blame != LS_BLAME_START)
        blame_order(search, NULL, NULL);
    return true;
}

/* Blames a system of the second run that did not run in the first. */
static bool blame_missing(struct search *search)
{
    for (uint32_t i = 0; i < search->traces[1].count; i++) {
        const ls_system_trace *b = &search->traces[1].steps[i];
        uint32_t here =
            ls_cell_search_position(search->programs[1], search->programs[0], b->position);
        if (ls_tick_trace_find(&search->traces[0], here, b->nth))
            continue;
        name_system(search, NULL, b);
        search->suspect->blame = LS_BLAME_PRESENT;
        return true;
    }
    return false;
}

static void blame(struct search *search)
{
    const ls_tick_trace *a = &search->traces[0], *b = &search->traces[1];
    if (blame_state(search, a->start, b->start, LS_BLAME_START))
        return;
    if (blame_system(search) || blame_inputs(search) || blame_missing(search))
        return;
    blame_state(search, a->end, b->end, LS_BLAME_OUTSIDE);
}

ls_status ls_desync_find_system(const ls_run_variant *a, const ls_run_variant *b,
                                const ls_frame *frame, ls_suspect *suspect, ls_error *error)
{
    struct search search = {
        .frame = frame, .programs = {a->world->program, b->world->program}, .suspect = suspect};
    *suspect = (ls_suspect){.column = UINT32_MAX, .positions = {UINT32_MAX, UINT32_MAX}};
    ls_status status = check(a, b, frame, error);
    if (status == LS_OK)
        status = ls_run_variant_begin(a, &search.runners[0], error);
    if (status != LS_OK)
        return status;
    status = ls_run_variant_begin(b, &search.runners[1], error);
    if (status != LS_OK) {
        ls_run_variant_end(&search.runners[0]);
        return status;
    }
    for (uint32_t i = 0; status == LS_OK && i < 2; i++)
        status = ls_tick_trace_take(&search.runners[i], frame, &search.traces[i], error);
    if (status == LS_OK) {
        blame(&search);
        ls_cell_search_look(search.runners, frame, suspect);
    }
    for (uint32_t i = 0; i < 2; i++) {
        ls_tick_trace_reset(&search.traces[i]);
        ls_run_variant_end(&search.runners[i]);
    }
    return status;
}
