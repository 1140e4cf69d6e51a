/* The effect of systems that run at the same time. */
#include "run_sim.h"

/* One system reads presence while an unordered one writes values of the same component, in pages
 * that a snapshot shares. A third one spawns entities, and the first one guesses their handles. */
static void write_all(ls_context *context, const ls_span *span)
{
    number *cells = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        cells[i].value++;
}

static void count_present(ls_context *context, const ls_span *span)
{
    number *extra = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++) {
        ls_entity entity = ls_span_entity(span, i);
        for (uint32_t ahead = 0; ahead < 40; ahead++) {
            ls_entity guess = ls_entity_make(2, (uint32_t)ls_tick(context) * 30 + ahead, 1);
            extra[i].value = (int32_t)((uint32_t)extra[i].value * 3 + ls_is_alive(context, guess));
            if (ahead == 35 && i == 0)
                ls_despawn(context, guess);
        }
        extra[i].value ^= ls_cell_has(context, 1, entity);
    }
}

static void bear_all(ls_context *context, const ls_entity *entities)
{
    for (uint32_t i = 0; i < 30; i++)
        ls_cell_attach(context, 0, ls_spawn(context, 0), NULL);
}

static const ls_system racing[] = {
    {.name = "write", .span = write_all, .terms = LS_TERM_LIST(LS_WRITES(numbers))},
    {.name = "count",
     .span = count_present,
     .terms = LS_TERM_LIST(LS_WRITES(run_extras), LS_WITH(numbers))},
    {.name = "bear",
     .mode = LS_SEQUENTIAL,
     .match = bear_all,
     .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(right)),
     .lanes = "b"},
};

TEST(test_run_what_has_no_order_does_not_show)
{
    ls_sim sim = HARNESS_SIM(run_components, run_lanes, racing);
    sim.setup = &run_setup;
    run_entities.counts[0] = 3000;
    run_entities.has_extra = every_other;
    harness self;
    harness_begin(&self, &sim, 1);
    enum { WORLDS = 6 };
    ls_world *worlds[WORLDS] = {self.world};
    ls_executor *executors[WORLDS] = {NULL};
    ls_snapshot *kept[WORLDS] = {NULL};
    for (uint32_t i = 1; i < WORLDS; i++) {
        worlds[i] = harness_world(&self);
        executors[i] = i == 1 ? harness_executor(4, 0) : harness_executor(1, i);
    }
    for (uint32_t tick = 0; tick < 60; tick++) {
        for (uint32_t i = 0; i < WORLDS; i++) {
            ls_snapshot_destroy(kept[i]);
            kept[i] = ls_world_snapshot(worlds[i]);
            harness_tick(worlds[i], executors[i]);
            assert_int_equal(ls_world_root(worlds[i]), ls_world_root(worlds[0]));
        }
    }
    for (uint32_t i = 0; i < WORLDS; i++) {
        ls_snapshot_destroy(kept[i]);
        ls_executor_destroy(executors[i]);
        if (i)
            ls_world_destroy(worlds[i]);
    }
    harness_end(&self);
}
