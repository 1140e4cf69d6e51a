/* Commands on consecutive entities, which share a record, and on others of the page of the last
 * command. The check executor has a record for each command, the others have runs. */
#include "mutation_sim.h"

#include "core/state/store.h"

static uint64_t dropped(const ls_world *world)
{
    return world->state.dropped[LS_DROPPED_COMMANDS];
}

/* One kind of command on all entities in a row, another one in each tick. From tick 3 on some of
 * them are dead. */
static void command_rows(ls_context *context, const ls_entity *entities)
{
    uint64_t tick = ls_tick(context);
    for (uint32_t slot = 0; slot < population.count; slot++) {
        ls_entity entity = mutation_entity(slot);
        if (tick == 0)
            ls_command_attach(context, 0, entity, &(tally){slot});
        else if (tick == 1)
            ls_command_attach(context, 1, entity, &(link){{LS_ENTITY_NULL - 1 - slot, entity}});
        else if (tick == 2)
            ls_command_attach(context, 2, entity, NULL);
        else if (tick == 3 && slot >= 100 && slot < 610)
            ls_command_detach(context, 0, entity);
        else if (tick == 4 && slot < 500)
            ls_command_attach(context, 0, entity, NULL);
        else if (tick >= 5)
            ls_command_detach(context, 2, entity);
        if (tick == 2 && slot % 50 == 7)
            ls_despawn(context, entity);
    }
}

static const ls_system in_rows[] = {
    {.name = "rows",
     .mode = LS_SEQUENTIAL,
     .match = command_rows,
     .terms = LS_TERM_LIST(LS_COMMANDED(extras), LS_COMMANDED(links), LS_COMMANDED(marks))}};

static void check_rows(ls_world *world)
{
    for (uint32_t slot = 0; slot < population.count; slot++) {
        ls_entity entity = mutation_entity(slot);
        const tally *extra = ls_world_cell(world, &extras, entity);
        const link *pointer = ls_world_cell(world, &links, entity);
        bool is_dead = slot % 50 == 7;
        assert_int_equal(ls_world_is_alive(world, entity), !is_dead);
        assert_int_equal(extra != NULL, !is_dead && (slot < 500 || slot >= 610));
        if (extra)
            assert_int_equal(extra->value, slot < 500 ? 0 : slot);
        assert_int_equal(pointer != NULL, !is_dead);
        if (pointer) /* an invented handle of a command's spawn names no entity */
            assert_true(pointer->to[0] == LS_ENTITY_NULL && pointer->to[1] == entity);
        assert_null(ls_world_cell(world, &marks, entity));
    }
    /* The dead of slots 100 to 609, of 0 to 499, and twice all. */
    assert_int_equal(dropped(world), 11 + 10 + 2 * 14);
}

TESTS_AROUND(mutation_forget, NULL);

TEST(test_command_runs_agree_with_single_records)
{
    population.count = 700;
    mutations_agree(in_rows, 7, check_rows);
}

/* Commands on entities of changing pages, in a page that lacks some, and on one entity twice. */
static void command_astray(ls_context *context, const ls_entity *entities)
{
    uint64_t tick = ls_tick(context);
    for (uint32_t i = 0; i < population.count; i++) {
        uint32_t slot = (uint32_t)((uint64_t)i * 401 % population.count);
        ls_entity entity = mutation_entity(slot);
        if (tick == 3 && slot % 3 == 0)
            ls_despawn(context, entity);
        if ((i + tick) % 4 == 0)
            ls_command_detach(context, 1, entity);
        else
            ls_command_attach(context, 0, entity, &(tally){i});
        if (i % 5 == 0) /* the same entity with another generation, which is dead */
            ls_command_attach(context, 0, entity + ((ls_entity)1 << 32), &(tally){i});
        ls_command_attach(context, 1, entity, i % 3 ? &(link){{entity, 0}} : NULL);
        if (i % 7 == 0)
            ls_command_detach(context, 0, entity);
    }
}

static const ls_system astray[] = {
    {.name = "astray",
     .mode = LS_SEQUENTIAL,
     .match = command_astray,
     .terms = LS_TERM_LIST(LS_COMMANDED(extras), LS_COMMANDED(links))}};

static void check_astray(ls_world *world)
{
    uint64_t wanted = 0;
    for (uint64_t tick = 0; tick < 5; tick++) {
        for (uint32_t i = 0; i < population.count; i++) {
            uint32_t slot = (uint32_t)((uint64_t)i * 401 % population.count);
            bool is_dead = slot % 3 == 0 && tick > 3;
            wanted += (i % 5 == 0) + is_dead * (2 + (i % 7 == 0));
            const tally *extra = ls_world_cell(world, &extras, mutation_entity(slot));
            if (tick == 4)
                assert_int_equal(extra != NULL, slot % 3 != 0 && i % 7 != 0);
            if (tick == 4 && extra && i % 4)
                assert_int_equal(extra->value, i);
        }
    }
    assert_int_equal(dropped(world), wanted);
}

TEST(test_command_runs_of_one_in_changing_pages)
{
    population.count = 1000;
    mutations_agree(astray, 5, check_astray);
}

/* Fills two pages with marks and empties them again, each command on its own. */
static void fill_and_empty(ls_context *context, const ls_entity *entities)
{
    for (uint32_t i = 0; i < population.count; i++) {
        ls_entity entity = mutation_entity(i * 401 % population.count);
        if (ls_tick(context) == 0)
            ls_command_attach(context, 0, entity, NULL);
        else
            ls_command_detach(context, 0, entity);
    }
}

static const ls_system filling[] = {{.name = "fill",
                                     .mode = LS_SEQUENTIAL,
                                     .match = fill_and_empty,
                                     .terms = LS_TERM_LIST(LS_COMMANDED(marks))}};

static void check_pages(const ls_world *world, uint32_t occupied, uint32_t not_full)
{
    uint32_t column = 0;
    while (world->program->components[column] != &marks)
        column++;
    const ls_table *table = *ls_world_table(world, column, LANE_A);
    assert_int_equal(ls_table_next_occupied(table, 0), occupied);
    assert_int_equal(ls_table_next_not_full(table, 0), not_full);
}

static void check_full(ls_world *world)
{
    check_pages(world, 0, 2);
}

static void check_empty(ls_world *world)
{
    check_pages(world, LS_PAGE_NONE, 0);
}

TEST(test_command_runs_note_full_and_empty_pages)
{
    population.count = 512;
    mutations_agree(filling, 1, check_full);
    mutations_agree(filling, 2, check_empty);
}
