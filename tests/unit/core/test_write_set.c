/* The check of what a match function writes: only the cells that it requested. */
#include "check_sim.h"

/* A struct with a member that the component lacks, as if it grew in one file only. */
typedef struct wide_place {
    int32_t x, y, z;
} wide_place;

static void write_wide(ls_context *context, const ls_entity *entities)
{
    wide_place *cell = ls_cell_write(context, 0, entities[0]);
    if (ls_entity_slot(entities[0]) % 3 == 0)
        cell->z = -5;
}

static void write_wide_once(ls_context *context, const ls_entity *entities)
{
    wide_place *cell = ls_cell_write(context, 0, ls_entity_make(LANE_A, 7, 1));
    cell->x = 1;
    cell->z = -5;
}

TEST(test_write_set_finds_a_write_past_the_cell_of_a_handle)
{
    const ls_system once[] = {{.name = "grow",
                               .mode = LS_SEQUENTIAL,
                               .match = write_wide_once,
                               .terms = LS_TERM_LIST(LS_OTHERS_WRITE(places))}};
    expect_finding(once, "\"grow\" writes past the cells that it asked for: place.x of a/8:1 is -5 "
                         "instead of 8; is its struct larger than the component's 8 bytes?");
    /* The entity after one with health has none, so no entity of the system owns that cell. */
    const ls_system each[] = {{.name = "grow",
                               .mode = LS_SEQUENTIAL,
                               .match = write_wide,
                               .terms = LS_TERM_LIST(LS_WRITES(places), LS_WITH(healths))}};
    expect_finding(each, "\"grow\" writes past the cells that it asked for: place.x of a/1:1");
}

static void write_asked(ls_context *context, const ls_entity *entities)
{
    uint32_t slot = ls_entity_slot(entities[0]);
    const ls_entity others[] = {ls_entity_make(LANE_A, slot + 1, 1),
                                ls_entity_make(LANE_A, slot + 2, 1)};
    if (slot != 3)
        return;
    ((place *)ls_cell_write(context, 0, entities[0]))->x++;
    ls_cell_attach(context, 1, others[0], &(place){1, 1});
    ls_cells_attach(context, 1, others, 2, (const place[]){{2, 2}, {3, 3}});
    ls_entity newborn = ls_spawn(context, 0);
    ls_cell_attach(context, 1, newborn, &(place){9, 9});
    ls_cell_detach(context, 1, newborn);
}

TEST(test_write_set_knows_every_way_to_ask_for_a_cell)
{
    const ls_system systems[] = {
        {.name = "ask",
         .mode = LS_SEQUENTIAL,
         .match = write_asked,
         .terms = LS_TERM_LIST(LS_WRITES(places), LS_OTHERS_STRUCTURE(places)),
         .lanes = "a"}};
    ls_sim sim = check_sim(systems, 1);
    harness self;
    harness_begin(&self, &sim, 1);
    ls_executor *executor = harness_checker();
    for (uint32_t tick = 0; tick < 3; tick++)
        harness_tick(self.world, executor);
    ls_executor_destroy(executor);
    harness_end(&self);
}
