/* Where a term stands: what was asked before may not change an answer. */
#include "mutation_sim.h"

/* Asked again and again, so that the terms would stand at the null handle's page. */
static void ask_for_nobody(ls_context *context)
{
    for (uint32_t i = 0; i < 3; i++) {
        assert_null(ls_cell_find(context, 0, LS_ENTITY_NULL));
        assert_false(ls_cell_has(context, 0, LS_ENTITY_NULL));
        assert_null(ls_cell_write(context, 1, LS_ENTITY_NULL));
        assert_false(ls_cell_attach(context, 1, LS_ENTITY_NULL, &(tally){9}));
        assert_false(ls_cell_detach(context, 2, LS_ENTITY_NULL));
    }
}

static void ask(ls_context *context, const ls_entity *entities)
{
    ls_entity self = entities[0];
    uint32_t i = ls_entity_slot(self);
    ask_for_nobody(context);
    const tally *own = ls_cell_find(context, 0, self);
    assert_non_null(own);
    assert_int_equal(own->value, i);
    assert_true(ls_cell_attach(context, 1, self, &(tally){i}));
    assert_true(ls_cell_attach(context, 2, self, NULL));
    ask_for_nobody(context);
    assert_true(ls_cell_has(context, 0, self));
    assert_int_equal(((const tally *)ls_cell_write(context, 1, self))->value, i);
    assert_true(ls_cell_detach(context, 2, self));
}

static const ls_system asking[] = {
    {.name = "ask",
     .match = ask,
     .terms = {LS_READS(counts), LS_ATTACHES(extras), LS_ATTACHES(marks)}}};

static void check_answers(ls_world *world)
{
    for (uint32_t i = 0; i < population.count; i++)
        assert_int_equal(((const tally *)mutation_cell(world, &extras, i))->value, i);
}

static void test_reach_the_null_handle_leads_nobody_away(void **state)
{
    (void)state;
    population.count = 600;
    mutations_agree(asking, 2, check_answers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        mutation_test(test_reach_the_null_handle_leads_nobody_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
