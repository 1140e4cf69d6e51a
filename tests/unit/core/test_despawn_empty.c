/* A simulation in which an entity without components ceases to be: live(c) of the paper. */
#include "harness.h"
#include <lockstep/json.h>

LS_COMPONENT(fuel, U32(left));
LS_TAG(burnt);
LS_COMPONENT(torch, ENTITY(holder, LS_CASCADE));
LS_COMPONENT(friend, ENTITY(of, LS_NULL));
LS_SINGLETON(tally, U32(births));
LS_COMPONENTS(components, fuel, burnt, torch, friend, tally);
static const char *const lanes[] = {"a"};

enum { FIRES = 600 };

LS_TERMS(founding, OTHERS_STRUCTURE(fuel), OTHERS_STRUCTURE(burnt), OTHERS_STRUCTURE(torch),
         OTHERS_STRUCTURE(friend));
/* Fire i burns for i % 4 + 1 ticks; every tenth leaves ash, every hundredth has a torch, and a
 * friend that is never without a component. The last ten have nothing from the beginning. */
static void found(ls_context *context, const ls_entity *unused)
{
    LS_USES(context, founding);
    for (uint32_t i = 0; i < FIRES; i++) {
        ls_entity fire = ls_spawn(context, 0);
        if (i < FIRES - 10)
            LS_ATTACH(context, fuel, fire, .left = i % 4 + 1);
        if (i % 10 == 0)
            LS_ATTACH_TAG(context, burnt, fire);
    }
    for (uint32_t i = 1; i < 500; i += 100) {
        LS_ATTACH(context, torch, ls_spawn(context, 0), .holder = ls_entity_make(1, i, 1));
        LS_ATTACH(context, friend, ls_spawn(context, 0), .of = ls_entity_make(1, i, 1));
    }
}
static const ls_system setup = {
    .name = "found", .mode = LS_SEQUENTIAL, .match = found, .terms = founding, .lanes = "a"};

LS_TERMS(burning, DETACHES(fuel));
static void burn(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, burning);
    if (--LS_WRITE(context, fuel, entities[0])->left == 0)
        LS_DETACH(context, fuel, entities[0]);
}
static const ls_system systems[] = {{.name = "burn", .match = burn, .terms = burning}};

static ls_sim sim_of(bool despawns_empty)
{
    ls_sim sim = HARNESS_SIM(components, lanes, systems);
    sim.setup = &setup;
    sim.despawns_empty = despawns_empty;
    return sim;
}

static bool is_alive(const ls_world *world, uint32_t slot)
{
    return ls_world_is_alive(world, ls_entity_make(1, slot, 1));
}

static void check_fires(const ls_world *world, uint32_t ticks)
{
    for (uint32_t i = 0; i < FIRES; i++)
        assert_int_equal(is_alive(world, i), i % 10 == 0 || (i < FIRES - 10 && i % 4 + 1 > ticks));
    for (uint32_t i = 0; i < 5; i++) {
        bool is_burning = i * 100 % 4 + 2 > ticks;
        assert_int_equal(is_alive(world, FIRES + 2 * i), is_burning); /* its torch dies with it */
        ls_entity friend_of = ls_entity_make(1, FIRES + 2 * i + 1, 1);
        const friend *found = ls_world_cell(world, &friend_component, friend_of);
        assert_non_null(found);
        assert_int_equal(found->of,
                         is_burning ? ls_entity_make(1, 1 + 100 * i, 1) : LS_ENTITY_NULL);
    }
}

TEST(test_despawn_empty_end_at_the_sync_point)
{
    static const uint32_t threads[] = {1, 4, 0};
    const ls_sim sim = sim_of(true);
    for (uint32_t i = 0; i < LS_COUNT_OF(threads); i++) {
        harness self;
        harness_begin(&self, &sim, 7);
        ls_executor *executor = threads[i] ? harness_executor(threads[i], 0) : harness_checker();
        for (uint32_t ticks = 0; ticks < 6; ticks++) {
            check_fires(self.world, ticks);
            harness_tick(self.world, executor);
        }
        ls_executor_destroy(executor);
        harness_end(&self);
    }
}

TEST(test_despawn_empty_live_on_without_the_option)
{
    const ls_sim sim = sim_of(false);
    harness self;
    harness_begin(&self, &sim, 7);
    for (uint32_t tick = 0; tick < 6; tick++)
        harness_tick(self.world, NULL);
    for (uint32_t i = 0; i < FIRES; i++)
        assert_true(is_alive(self.world, i));
    harness_end(&self);
}

/* The first sync point after it was read ends what another simulation left empty. */
TEST(test_despawn_empty_of_a_text_end_at_the_next_sync_point)
{
    const ls_sim with = sim_of(true), without = sim_of(false);
    harness from, to;
    harness_begin(&from, &without, 7);
    harness_begin(&to, &with, 7);
    char *text = ls_world_json(from.world);
    ls_error error = {""};
    if (ls_world_from_json(to.world, text, strlen(text), &error) != LS_OK)
        fail_msg("%s", error.text);
    ls_free(text);
    assert_true(is_alive(to.world, FIRES - 1));
    harness_tick(to.world, NULL);
    check_fires(to.world, 1);
    harness_end(&from);
    harness_end(&to);
}

TEST(test_despawn_empty_are_part_of_the_fingerprint)
{
    const ls_sim with = sim_of(true), without = sim_of(false);
    harness one, other;
    harness_begin(&one, &with, 7);
    harness_begin(&other, &without, 7);
    assert_memory_not_equal(ls_program_fingerprint(one.program),
                            ls_program_fingerprint(other.program), LS_FINGERPRINT_BYTES);
    harness_end(&one);
    harness_end(&other);
}
