/* Matching, compared with a check of every single slot on random presence. */
#include "core/run/scratch.h"
#include "harness.h"

#include "core/run/despawn.h"
#include "core/run/query.h"
#include "core/state/store.h"
#include "core/state/world_state.h"

static const ls_component tags[] = {LS_TAG_TABLE("a"), LS_TAG_TABLE("b"), LS_TAG_TABLE("c"),
                                    LS_TAG_TABLE("d")};
enum { COLUMNS = 4, SLOTS = 900 };

typedef struct random_world {
    harness self;
    bool is_alive[3][SLOTS];
    bool has[COLUMNS][3][SLOTS];
} random_world;

static void begin(random_world *world, uint64_t *random)
{
    static const ls_component *const components[] = {&tags[0], &tags[1], &tags[2], &tags[3]};
    static const char *const lanes[] = {"one", "two"};
    static const ls_sim sim = HARNESS_STORE(components, lanes);
    memset(world, 0, sizeof *world);
    harness_begin(&world->self, &sim, 1);
    ls_world *state = world->self.world;
    for (uint32_t column = 0; column <= COLUMNS; column++)
        ls_store_own(state, column);
    for (uint32_t lane = 0; lane < 3; lane++) {
        for (uint32_t slot = 0; slot < SLOTS; slot++) {
            ls_entity entity = ls_store_spawn(state, lane);
            world->is_alive[lane][slot] = test_below(random, 5) > 0;
            for (uint32_t column = 0; column < COLUMNS; column++) {
                /* Gives long runs, single slots and empty pages. */
                bool has =
                    column == 3 ? slot / 256 == 1 : test_below(random, slot % 100 + 2) > column;
                if (has)
                    ls_store_attach(state, column, entity, NULL);
                world->has[column][lane][slot] = has && world->is_alive[lane][slot];
            }
            if (!world->is_alive[lane][slot])
                ls_despawn_marks_add(&state->scratch->marks[0], entity);
        }
    }
    ls_despawn_sweep(state);
}

static uint32_t plain_terms(ls_plan_term *terms, uint64_t *random)
{
    uint32_t count = 1 + test_below(random, 6);
    for (uint32_t i = 0; i < count; i++)
        terms[i] = (ls_plan_term){.column = test_below(random, COLUMNS),
                                  .query = test_below(random, 2),
                                  .kind = (uint8_t)test_below(random, 4)};
    return count;
}

/* Plain terms, choices and lanes. */
static uint32_t some_terms(ls_plan_term *terms, uint64_t *random)
{
    uint32_t count = plain_terms(terms, random);
    for (uint32_t i = 0; i < count; i++) {
        bool follows = i && terms[i - 1].filter && terms[i - 1].query == terms[i].query;
        if (terms[i].kind == LS_OPTIONAL && test_below(random, 2))
            terms[i].filter =
                follows && test_below(random, 3) ? LS_FILTER_OR : (uint8_t)LS_FILTER_ANY;
        else if (test_below(random, 12) == 0)
            terms[i] = (ls_plan_term){
                .column = test_below(random, 3), .query = terms[i].query, .kind = LS_LANE};
    }
    return count;
}

static bool is_in_lane(const ls_plan_term *terms, uint32_t count, uint32_t query, uint32_t lane)
{
    uint32_t limits = 0, held = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool is_limit = terms[i].kind == LS_LANE && terms[i].query == query;
        limits += is_limit;
        held += is_limit && terms[i].column == lane;
    }
    return !limits || held;
}

/* Whether the slot has one of the components from term `first` to the end of its choice. */
static bool has_choice(const random_world *world, const ls_plan_term *terms, uint32_t count,
                       uint32_t first, uint32_t lane, uint32_t slot)
{
    bool has = world->has[terms[first].column][lane][slot];
    for (uint32_t i = first + 1; i < count && terms[i].filter == LS_FILTER_OR; i++)
        has |= world->has[terms[i].column][lane][slot];
    return has;
}

static bool matches(const random_world *world, const ls_plan_term *terms, uint32_t count,
                    uint32_t query, uint32_t lane, uint32_t slot)
{
    bool is_match =
        slot < SLOTS && world->is_alive[lane][slot] && is_in_lane(terms, count, query, lane);
    for (uint32_t i = 0; i < count; i++) {
        if (terms[i].query == query && terms[i].kind <= LS_EXCLUDE)
            is_match &= slot < SLOTS &&
                        world->has[terms[i].column][lane][slot] == (terms[i].kind == LS_INCLUDE);
        if (terms[i].query == query && terms[i].filter == LS_FILTER_ANY)
            is_match &= slot < SLOTS && has_choice(world, terms, count, i, lane, slot);
    }
    return is_match;
}

static void check_page(const random_world *world, const ls_plan_term *terms, uint32_t count,
                       uint32_t query, uint32_t key, const ls_page_list *list)
{
    const ls_world *state = world->self.world;
    uint32_t lane = key >> 16, page = key & 0xffff;
    uint64_t mask[LS_PAGE_WORDS] = {0};
    bool is_any = ls_query_mask(state, terms, count, query, lane, page, mask), expected = false;
    for (uint32_t i = 0; i < LS_PAGE_SLOTS; i++) {
        uint32_t slot = page * LS_PAGE_SLOTS + i;
        bool is_match = matches(world, terms, count, query, lane, slot);
        expected |= is_match;
        if (is_any)
            assert_int_equal(mask[i / 64] >> (i % 64) & 1, is_match);
        assert_int_equal(ls_page_list_has(list, ls_entity_make(lane, slot, 1)), is_match);
        if (slot < SLOTS && world->is_alive[lane][slot])
            assert_int_equal(ls_query_matches(state, terms, count, query, lane, slot) &&
                                 ls_query_has_choice(state, terms, count, query, lane, slot) &&
                                 is_in_lane(terms, count, query, lane),
                             is_match);
    }
    assert_int_equal(is_any, expected);
}

TEST(test_query_agrees_with_a_walk_by_slots)
{
    uint64_t random = harness_seed("test_query_agrees_with_a_walk_by_slots");
    static random_world world;
    ls_page_list list = {0};
    for (uint32_t round = 0; round < 6; round++) {
        begin(&world, &random);
        for (uint32_t i = 0; i < 40; i++) {
            ls_plan_term terms[8];
            uint32_t count = some_terms(terms, &random), query = i % 2;
            ls_query_list(world.self.world, terms, count, query, true, &list);
            for (uint32_t j = 1; j < list.count; j++)
                assert_true(list.keys[j - 1] < list.keys[j]);
            for (uint32_t key = 0; key < 3 * 5; key++)
                check_page(&world, terms, count, query, (key / 5) << 16 | key % 5, &list);
        }
        harness_end(&world.self);
    }
    ls_free(list.keys);
    ls_free(list.masks);
}

TEST(test_query_spans_agree_on_optional_terms)
{
    uint64_t random = harness_seed("test_query_spans_agree_on_optional_terms");
    static random_world world;
    begin(&world, &random);
    for (uint32_t round = 0; round < 200; round++) {
        ls_plan_term terms[8];
        uint32_t count = some_terms(terms, &random), lane = round % 3, page = round % 4;
        uint64_t mask[LS_PAGE_WORDS];
        if (!ls_query_mask(world.self.world, terms, count, 0, lane, page, mask))
            continue;
        for (uint32_t first = ls_mask_next_set(mask, 0); first < LS_PAGE_SLOTS;) {
            ls_query_page look;
            ls_query_begin(world.self.world, terms, count, 0, &look);
            ls_query_look(world.self.world, lane, page, &look);
            uint32_t span = ls_query_span(&look, mask, first)->count;
            assert_true(span > 0 && first + span <= LS_PAGE_SLOTS);
            bool is_over = first + span == LS_PAGE_SLOTS ||
                           !(mask[(first + span) / 64] >> ((first + span) % 64) & 1);
            for (uint32_t i = 0; i < count; i++) {
                if (terms[i].kind != LS_OPTIONAL || terms[i].query != 0)
                    continue;
                const bool *has = &world.has[terms[i].column][lane][page * LS_PAGE_SLOTS];
                for (uint32_t slot = first; slot < first + span; slot++)
                    assert_int_equal(has[slot], has[first]);
                is_over |= first + span < LS_PAGE_SLOTS && has[first + span] != has[first];
            }
            assert_true(is_over); /* the span could not be longer */
            first = ls_mask_next_set(mask, first + span);
        }
    }
    harness_end(&world.self);
}

TEST(test_query_leader_is_an_include_or_liveness)
{
    uint64_t random = 1;
    static random_world world;
    begin(&world, &random);
    const ls_plan_term terms[] = {{.column = 2, .kind = LS_EXCLUDE},
                                  {.column = 1, .kind = LS_INCLUDE, .query = 1},
                                  {.column = 3, .kind = LS_INCLUDE}};
    assert_int_equal(ls_query_leader(world.self.world, terms, 3, 0), 3);
    assert_int_equal(ls_query_leader(world.self.world, terms, 3, 1), 1);
    assert_int_equal(ls_query_leader(world.self.world, terms, 1, 0), COLUMNS);
    assert_int_equal(ls_query_leader(world.self.world, terms, 3, 2), COLUMNS);
    harness_end(&world.self);
}

TEST(test_query_list_drops_single_entities)
{
    uint64_t random = 2;
    static random_world world;
    begin(&world, &random);
    const ls_plan_term all[] = {{.column = 0, .kind = LS_OPTIONAL}};
    ls_page_list list = {0};
    ls_query_list(world.self.world, all, 1, 0, true, &list);
    for (uint32_t i = 0; i < 2000; i++) {
        uint32_t lane = test_below(&random, 4), slot = test_below(&random, SLOTS + 2000);
        ls_entity entity = ls_entity_make(lane, slot, 1);
        bool is_there = lane < 3 && slot < SLOTS && world.is_alive[lane][slot];
        assert_int_equal(ls_page_list_has(&list, entity), is_there);
        ls_page_list_drop(&list, entity);
        assert_false(ls_page_list_has(&list, entity));
        if (is_there)
            world.is_alive[lane][slot] = false;
    }
    ls_free(list.keys);
    ls_free(list.masks);
    harness_end(&world.self);
}

/* Page lists from summaries, compared with a model of single slots. The world has several
 * directories, and its columns are filled, emptied, thinned out and filled again. */
enum { MANY = 70000, MANY_PAGES = MANY / LS_PAGE_SLOTS + 1 };

typedef struct many_world {
    harness self;
    bool has[COLUMNS][MANY_PAGES * LS_PAGE_SLOTS];
} many_world;

static void change(many_world *many, uint64_t *random)
{
    ls_world *world = many->self.world;
    uint32_t column = test_below(random, COLUMNS), kind = test_below(random, 5);
    uint32_t first = test_below(random, MANY), count = test_below(random, MANY);
    if (kind == 4)
        count = 1;
    for (uint32_t slot = first; slot < first + count && slot < MANY; slot++) {
        if (kind == 2 && slot % 512 == 0 && slot + 300 < MANY)
            slot += 300;
        ls_entity entity = ls_entity_make(1, slot, 1);
        bool has = kind == 0 || kind == 4 || (kind == 1 && slot % 64 == 9);
        if (slot % 64 == 0 && slot + 64 <= first + count && slot + 64 <= MANY && kind != 1) {
            if (has)
                ls_store_attach_word(world, column, 1, slot / 256, slot % 256 / 64, UINT64_MAX);
            else
                ls_store_detach_word(world, column, 1, slot / 256, slot % 256 / 64, UINT64_MAX);
            memset(&many->has[column][slot], has, 64);
            slot += 63;
            continue;
        }
        if (has)
            ls_store_attach(world, column, entity, NULL);
        else
            ls_store_detach(world, column, entity);
        many->has[column][slot] = has;
    }
}

static void check_list(const many_world *many, const ls_plan_term *terms, uint32_t count,
                       ls_page_list *list, ls_page_list *rough)
{
    const ls_world *world = many->self.world;
    uint32_t next = 0, next_rough = 0;
    ls_query_list(world, terms, count, 0, true, list);
    ls_query_list(world, terms, count, 0, false, rough);
    for (uint32_t page = 0; page < MANY_PAGES; page++) {
        uint64_t mask[LS_PAGE_WORDS] = {0};
        bool is_possible = true;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t in = 0;
            for (uint32_t slot = 0; slot < LS_PAGE_SLOTS; slot++)
                in += many->has[terms[i].column][page * LS_PAGE_SLOTS + slot];
            is_possible &= terms[i].query != 0 || terms[i].kind > LS_EXCLUDE ||
                           (terms[i].kind == LS_INCLUDE ? in > 0 : in < LS_PAGE_SLOTS);
        }
        for (uint32_t i = 0; i < LS_PAGE_SLOTS; i++) {
            uint32_t slot = page * LS_PAGE_SLOTS + i;
            bool is_match = slot < MANY;
            for (uint32_t j = 0; j < count; j++)
                is_match &= terms[j].query != 0 || terms[j].kind > LS_EXCLUDE ||
                            many->has[terms[j].column][slot] == (terms[j].kind == LS_INCLUDE);
            mask[i / 64] |= (uint64_t)is_match << (i % 64);
        }
        if (mask[0] | mask[1] | mask[2] | mask[3]) {
            assert_int_equal(list->keys[next], 1 << 16 | page);
            assert_memory_equal(list->masks[next++], mask, sizeof mask);
        }
        if (is_possible)
            assert_int_equal(rough->keys[next_rough++], 1 << 16 | page);
    }
    assert_int_equal(list->count, next);
    assert_int_equal(rough->count, next_rough);
}

TEST(test_query_summaries_agree_with_single_slots)
{
    uint64_t random = harness_seed("test_query_summaries_agree_with_single_slots");
    static many_world many;
    static random_world small;
    begin(&small, &random);
    many.self = (harness){small.self.program, harness_world(&small.self)};
    ls_world *world = many.self.world;
    ls_page_list list = {0}, rough = {0};
    ls_store_own(world, COLUMNS);
    for (uint32_t slot = 0; slot < MANY; slot++)
        ls_store_spawn(world, 1);
    assert_int_equal(ls_world_entity_count(world), MANY);
    uint32_t rounds = getenv("LOCKSTEP_LONG") ? 2000 : 60;
    for (uint32_t round = 0; round < rounds; round++) {
        for (uint32_t column = 0; column <= COLUMNS; column++)
            ls_store_own(world, column);
        change(&many, &random);
        ls_plan_term terms[8];
        check_list(&many, terms, plain_terms(terms, &random), &list, &rough);
        if (round % 7 == 0) /* a snapshot makes the next change copy pages and directories */
            ls_snapshot_destroy(ls_world_snapshot(world));
        if (round % 5 == 0)
            ls_store_reclaim(world);
    }
    ls_page_list *const lists[] = {&list, &rough};
    for (uint32_t i = 0; i < 2; i++) {
        ls_free(lists[i]->keys);
        ls_free(lists[i]->masks);
    }
    ls_world_destroy(world);
    harness_end(&small.self);
}

/* Spans and blocks point to the same cells that handles find. */
typedef struct number {
    uint32_t value;
} number;

static void check_span(const ls_world *world, const ls_plan_term *terms, uint32_t slot)
{
    ls_span span;
    ls_block block;
    uint32_t page = slot / LS_PAGE_SLOTS, in = slot % LS_PAGE_SLOTS, bit = slot % 64;
    ls_query_page look;
    ls_query_begin(world, terms, 4, 0, &look);
    ls_query_look(world, 1, page, &look);
    uint64_t mask[LS_PAGE_WORDS];
    assert_true(ls_query_page_mask(world, &look, mask));
    span = *ls_query_span(&look, mask, in);
    ls_query_fill_block(&look, in / 64, 5, &block);
    assert_int_equal(span.lane, 1);
    assert_int_equal(span.first_slot, slot);
    assert_int_equal(block.lane, 1);
    assert_int_equal(block.matches, 5);
    assert_int_equal(block.first_slot, slot - bit);
    ls_entity entity = ls_entity_make(1, slot, span.generations[0]);
    assert_true(ls_store_is_alive(world, entity));
    assert_int_equal(block.generations[bit], span.generations[0]);
    for (uint32_t i = 0; i < 4; i++) {
        bool is_matched = i == 0 || i == 2;
        const number *cell = ls_store_find(world, terms[i].column, entity);
        bool has = cell && is_matched, has_cell = has && terms[i].column == 0;
        assert_ptr_equal(span.const_cells[i], has_cell ? cell : NULL);
        assert_int_equal(block.present[i] >> bit & 1, has);
        if (has_cell)
            assert_ptr_equal((const number *)block.const_cells[i] + bit, cell);
        if (!is_matched || terms[i].column != 0)
            assert_null(block.const_cells[i]);
    }
}

TEST(test_query_fills_spans_and_blocks)
{
    static const ls_field fields[] = {LS_FIELD(number, value, LS_TYPE_U32)};
    static const ls_component numbers = LS_COMPONENT_TABLE(number, "a", fields);
    static const ls_component tag = LS_TAG_TABLE("b");
    static const ls_component *const components[] = {&numbers, &tag};
    static const char *const lanes[] = {"one"};
    static const ls_system systems[1];
    ls_sim sim = HARNESS_SIM(components, lanes, systems);
    sim.system_count = 0;
    harness self;
    harness_begin(&self, &sim, 1);
    for (uint32_t column = 0; column <= 2; column++)
        ls_store_own(self.world, column);
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        ls_entity entity = ls_store_spawn(self.world, 1);
        if (slot % 3 && slot / LS_PAGE_SLOTS != 2)
            ls_store_attach(self.world, 0, entity, &(number){slot});
        if (slot % 5)
            ls_store_attach(self.world, 1, entity, NULL);
    }
    const ls_plan_term terms[] = {{.column = 0, .kind = LS_OPTIONAL, .access = LS_ACCESS_READ},
                                  {.column = 0, .kind = LS_OTHERS, .access = LS_ACCESS_READ},
                                  {.column = 1, .kind = LS_OPTIONAL},
                                  {.column = 0, .kind = LS_INCLUDE, .query = 1}};
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        check_span(self.world, terms, slot);
    harness_end(&self);
}
