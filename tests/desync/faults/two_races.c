/* Two wrong declarations of independence. The thread order decides which of the four systems
 * differs first. */
#include "sims/skirmish/skirmish_terms.h"
#include "tests/desync/copy.h"

static void halve(ls_context *context, const ls_span *span)
{
    ls_fix2 *velocities = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        velocities[i].x = velocities[i].x * 3 / 4; /* FAULT */
}

static void gust(ls_context *context, const ls_span *span)
{
    ls_fix2 *velocities = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        velocities[i].x += 5; /* FAULT */
}

static void damp(ls_context *context, const ls_span *span)
{
    ls_fix2 *velocities = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        velocities[i].y = velocities[i].y * 3 / 4; /* FAULT */
}

static void lift(ls_context *context, const ls_span *span)
{
    ls_fix2 *velocities = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        velocities[i].y += 5; /* FAULT */
}

static const ls_independence independences[] = {
    {"gust", "halve", "both only damp, says its author"},
    {"lift", "damp", "both only damp, says its author"},
    {"gust", "damp", "of x and of y"},
    {"gust", "lift", "of x and of y"},
    {"halve", "damp", "of x and of y"},
    {"halve", "lift", "of x and of y"},
};

static const ls_term damping[] = {LS_WRITES(skirmish_velocity_component), {0}};

static void edit(copy *of)
{
    static const struct {
        const char *name;
        void (*span)(ls_context *context, const ls_span *span);
    } four[] = {{"gust", gust}, {"halve", halve}, {"lift", lift}, {"damp", damp}};
    for (uint32_t i = 0; i < LS_COUNT_OF(four); i++)
        copy_add(of, &(ls_system){.name = four[i].name,
                                  .mode = LS_CONCURRENT,
                                  .span = four[i].span,
                                  .terms = damping,
                                  .before = "steer"});
    of->sim.independences = independences;
    of->sim.independence_count = LS_COUNT_OF(independences);
}
COPY(ls_skirmish_sim, edit)
