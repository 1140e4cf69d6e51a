/* Two systems that write one component are wrongly declared independent. */
#include "sims/skirmish/skirmish_terms.h"
#include "tests/desync/copy.h"

static void drift(ls_context *context, const ls_span *span)
{
    ls_fix2 *velocities = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        velocities[i].x = velocities[i].x * 3 / 4; /* FAULT */
}

static void gust(ls_context *context, const ls_span *span)
{
    ls_fix2 *velocities = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        velocities[i].x += 5;
}

/* Breeze keeps one thread busy, so that gust on another thread overtakes drift. */
static void breeze(ls_context *context, const ls_entity *entities)
{
    (void)context, (void)entities;
    for (int i = 0; i < 5; i++)
        linger();
}

static const ls_independence independence = {"gust", "drift", "both only damp, says its author"};

static const ls_term damping[] = {LS_WRITES(skirmish_velocity_component), {0}};

static void edit(copy *of)
{
    copy_add(of, &(ls_system){.name = "breeze", .mode = LS_SEQUENTIAL, .match = breeze});
    copy_add(of, &(ls_system){.name = "gust",
                              .mode = LS_CONCURRENT,
                              .span = gust,
                              .terms = damping,
                              .before = "steer"});
    copy_add(of, &(ls_system){.name = "drift",
                              .mode = LS_CONCURRENT,
                              .span = drift,
                              .terms = damping,
                              .after = "breeze",
                              .before = "steer"});
    of->sim.independences = &independence;
    of->sim.independence_count = 1;
}
COPY(ls_skirmish_sim, edit)
