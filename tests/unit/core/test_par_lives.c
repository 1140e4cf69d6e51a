/* Spawns and despawns in the sides of a par. */
#include "core/state/world_state.h"
#include "par_sim.h"

static void end_mine(ls_context *context, const ls_entity *entities)
{
    if (par_is_mine(context, ls_entity_slot(entities[0])))
        ls_despawn(context, entities[0]);
}

static void check_thirds(ls_world *world)
{
    assert_int_equal(ls_world_entity_count(world), 400);
}

TESTS_AROUND(mutation_forget, NULL);

TEST(test_par_lives_lets_members_mark_for_death)
{
    population.count = 600;
    const ls_system systems[] = {ADDER("one", 0),
                                 ADDER("two", 1, .labels = "right"),
                                 {.name = "zz",
                                  .match = end_mine,
                                  .data = &par_parts[2],
                                  .terms = LS_TERM_LIST(LS_WITH(counts)),
                                  .labels = "right",
                                  .after = "two"}};
    const ls_par pars[] = {{.name = "both", .sides = "one, right"}};
    mutation_agree(PAR_SIM(systems, pars), 2, check_thirds);
}

static void bear_one(ls_context *context, const ls_entity *unused)
{
    (void)ls_spawn(context, 0);
}

/* The second side runs in a view; its counter must be that of the world's current state. */
TEST(test_par_lives_counts_refused_spawns_after_a_decoded_snapshot)
{
    population.count = 10;
    const ls_system systems[] = {ADDER("one", 0),
                                 ADDER("two", 1, .labels = "right"),
                                 {.name = "bear",
                                  .mode = LS_SEQUENTIAL,
                                  .match = bear_one,
                                  .lanes = "b",
                                  .labels = "right"}};
    const ls_par pars[] = {{.name = "both", .sides = "one, right"}};
    harness self;
    harness_begin(&self, PAR_SIM(systems, pars), 1);
    size_t count;
    uint8_t *bytes = harness_bytes(self.world, &count);
    assert_int_equal(ls_world_decode(self.world, bytes, count, NULL), LS_OK);
    ls_free(bytes);
    self.world->free_hints[LANE_B] = LS_SLOTS_MAX / LS_PAGE_SLOTS; /* makes the lane full */
    harness_tick(self.world, NULL);
    assert_int_equal(self.world->state.refused_spawns[LANE_B], 1);
    harness_end(&self);
}
