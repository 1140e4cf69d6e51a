#include "sims/colony/colony.h"
#include "tests/support/test.h"

#include <lockstep/executor.h>
#include <lockstep/json.h>
#include <lockstep/world.h>

enum { SEEDS, LIFE, WORKER = 0, PORTER };

typedef struct fixture {
    ls_program *program;
    ls_world *world;
    ls_executor *executor;
} fixture;

static fixture begin(int64_t seeds, int64_t life, uint32_t threads)
{
    fixture made;
    assert_ok(ls_program_create(&ls_colony_sim, &made.program, NULL));
    ls_match match = ls_program_match(made.program, 1);
    match.player_count = 2;
    match.options[SEEDS] = seeds;
    match.options[LIFE] = life;
    assert_ok(ls_world_create(made.program, &match, &made.world, NULL));
    const ls_executor_config config = {.threads = threads, .share_from = 1};
    assert_ok(ls_executor_create(&config, &made.executor, NULL));
    return made;
}

static void end(fixture *self)
{
    ls_executor_destroy(self->executor);
    ls_world_destroy(self->world);
    ls_program_destroy(self->program);
}

static void tick(const fixture *self, uint8_t order, uint32_t count)
{
    const ls_input input = {.player = 1, .kind = LS_INPUT, .bytes = 1, .data = &order};
    for (uint32_t i = 0; i < count; i++) {
        const ls_frame frame = {
            .tick = ls_world_tick(self->world), .count = i == 0, .inputs = &input};
        assert_ok(ls_world_advance(self->world, &frame, self->executor, NULL));
    }
}

static void expect(const fixture *self, const char *wanted)
{
    char text[256];
    ls_colony_sim.describe(self->world, text, sizeof text);
    assert_string_equal(text, wanted);
}

/* 12 seeds are the price of the four ants of the first brood. The order of a fifth one waits. */
TEST(test_colony_hatches_what_it_can_feed)
{
    fixture self = begin(0, 1000, 1);
    tick(&self, WORKER, 20);
    expect(&self, "p0 4 ants 0 rooms  p1 4 ants 0 rooms");
    end(&self);
}

TEST(test_colony_lives_as_long_as_match_data_says)
{
    fixture self = begin(0, 100, 1);
    tick(&self, PORTER, 1);
    assert_int_equal(ls_world_entity_count(self.world), 2 + 2);
    tick(&self, WORKER, 98);
    assert_int_equal(ls_world_entity_count(self.world), 2 + 2 * 4);
    tick(&self, WORKER, 1); /* one hatched in each of the first four ticks */
    assert_int_equal(ls_world_entity_count(self.world), 2 + 2 * 3);
    tick(&self, WORKER, 3);
    assert_int_equal(ls_world_entity_count(self.world), 2);
    tick(&self, WORKER, 20); /* the nests die in the evening */
    assert_int_equal(ls_world_entity_count(self.world), 0);
    end(&self);
}

static bool has(const fixture *self, const char *text)
{
    char *json = ls_world_json(self->world);
    bool is_there = strstr(json, text) != NULL;
    ls_free(json);
    return is_there;
}

/* Seven rooms are three below one another: each 2 below its parent. */
TEST(test_colony_digs_rooms_that_die_with_the_nest)
{
    fixture self = begin(50, 500, 1);
    tick(&self, WORKER, 480);
    expect(&self, "p0 4 ants 7 rooms  p1 5 ants 7 rooms");
    assert_true(has(&self, ", -2]}") && has(&self, ", -4]}") && has(&self, ", -6]}"));
    assert_false(has(&self, ", -8]}"));
    tick(&self, WORKER, 1200);
    assert_true(ls_world_entity_count(self.world) > 100); /* seeds */
    assert_false(has(&self, "earth/") || has(&self, "ants/"));
    end(&self);
}

TEST(test_colony_is_the_same_on_any_number_of_threads)
{
    uint64_t root = 0;
    static const uint32_t threads[] = {1, 2, 4, 8};
    for (uint32_t i = 0; i < LS_COUNT_OF(threads); i++) {
        fixture self = begin(50, 1000, threads[i]);
        for (uint32_t j = 0; j < 20; j++)
            tick(&self, j % 2 ? PORTER : WORKER, 40);
        if (i == 0)
            root = ls_world_root(self.world);
        assert_int_equal(ls_world_root(self.world), root);
        end(&self);
    }
}

TEST(test_colony_refuses_other_orders)
{
    const ls_match match = {.player_count = 2};
    static const uint8_t good[2] = {PORTER, 0}, nest = 2;
    assert_true(ls_colony_sim.input_is_valid(&match, 1, good, 1));
    assert_false(ls_colony_sim.input_is_valid(&match, 2, good, 1));
    assert_false(ls_colony_sim.input_is_valid(&match, 1, good, 2));
    assert_false(ls_colony_sim.input_is_valid(&match, 1, &nest, 1));
}

/* The lines of a file that have code besides comments. */
static uint32_t count_code_lines(const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    uint32_t count = 0;
    bool is_comment = false, has_code = false;
    for (int at, before = 0; (at = fgetc(file)) != EOF; before = at) {
        if (is_comment) {
            is_comment = !(before == '*' && at == '/');
            continue;
        }
        is_comment = before == '/' && at == '*';
        has_code |= at > ' ' && at != '/' && !is_comment;
        if (at == '\n') {
            count += has_code;
            has_code = false;
        }
    }
    assert_int_equal(fclose(file), 0);
    return count;
}

/* sims/README.md promises it. */
TEST(test_colony_has_at_most_250_lines_of_code)
{
    uint32_t whole = count_code_lines(COLONY_FOLDER "colony.c");
    assert_in_range(whole, 200, 250);
    whole += count_code_lines(COLONY_FOLDER "colony.h");
    whole += count_code_lines(COLONY_FOLDER "prefabs.h");
    assert_in_range(whole, 200, 250);
}
