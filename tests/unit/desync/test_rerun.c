/* Reruns of ticks: every variant of a correct simulation gives the same roots. A different root is
 * reported with its tick, and each variant exposes the faults that it is designed for. */
#include "desync/rerun.h"
#include "tests/support/sanitizer.h"
#include "tests/unit/core/check_sim.h"
#include "tests/unit/replays/battle.h"

#include <inttypes.h>

enum { TICKS = 20, RANKS = 24, SKIPPED = 4 /* words that the allocator may use */ };

static void walk(ls_context *context, const ls_span *span)
{
    place *cells = ls_span_write(context, span, 0);
    for (uint32_t i = 0; i < span->count; i++)
        cells[i].x += cells[i].y++;
}

static const ls_system walker = {
    .name = "walk", .mode = LS_CONCURRENT, .span = walk, .terms = LS_TERM_LIST(LS_WRITES(places))};

static void heal(ls_context *context, const ls_span *span)
{
    const place *from = ls_span_read(context, span, 0);
    health *cells = ls_span_write(context, span, 1);
    for (uint32_t i = 0; i < span->count; i++)
        cells[i].left += from[i].x;
}

static const ls_system healer = {.name = "heal",
                                 .mode = LS_CONCURRENT,
                                 .span = heal,
                                 .terms = LS_TERM_LIST(LS_READS(places), LS_WRITES(healths)),
                                 .after = "walk"};

typedef struct scene {
    harness self;
    ls_tick_list *list;
    ls_tick_cursor cursor;
    ls_rerun_config config;
} scene;

/* Records the ticks of these systems, with another setup unless it is NULL. The root of `bad_tick`
 * is wrong. */
static void begin_with(scene *self, const ls_system *setup, const ls_system *systems,
                       uint32_t count, uint64_t bad_tick)
{
    static ls_sim sim; /* must outlive the program */
    sim = check_sim(systems, count);
    sim.setup = setup ? setup : sim.setup;
    *self = (scene){0};
    harness_begin(&self->self, &sim, 1);
    ls_world *world = harness_world(&self->self);
    self->list = ls_tick_list_create(2, 0);
    for (uint64_t tick = 0; tick < TICKS; tick++) {
        const ls_frame frame = {.tick = tick};
        assert_ok(
            ls_tick_list_add(self->list, ls_world_root(world) ^ (tick == bad_tick), &frame, NULL));
        harness_tick(world, NULL);
    }
    ls_tick_list_close(self->list, ls_world_root(world) ^ (bad_tick == TICKS));
    ls_world_destroy(world);
    self->config = (ls_rerun_config){.program = self->self.program,
                                     .match = ls_world_match(self->self.world),
                                     .ticks = ls_ticks_of_list(&self->cursor, self->list, 0)};
}

static void begin(scene *self, const ls_system *systems, uint32_t count, uint64_t bad_tick)
{
    begin_with(self, NULL, systems, count, bad_tick);
}

static void end(scene *self)
{
    ls_tick_list_destroy(self->list);
    harness_end(&self->self);
}

static void begin_sound(scene *self, uint64_t bad_tick)
{
    static ls_system systems[2]; /* must outlive the program */
    systems[0] = walker;
    systems[1] = healer;
    begin(self, systems, LS_COUNT_OF(systems), bad_tick);
}

static ls_rerun *make(scene *self)
{
    ls_rerun *rerun;
    ls_error error = {""};
    self->config.ticks = ls_ticks_of_list(&self->cursor, self->list, self->cursor.tick);
    if (ls_rerun_create(&self->config, &rerun, &error) != LS_OK)
        fail_msg("%s", error.text);
    return rerun;
}

static ls_status finish(ls_rerun *rerun, ls_error *error)
{
    ls_status status = LS_OK;
    for (bool is_over = false; !status && !is_over;)
        status = ls_rerun_step(rerun, &is_over, error);
    return status;
}

/* Reruns from the first tick with the scene's config. */
static ls_status run(scene *self, ls_rerun_result *result, ls_error *error)
{
    *error = (ls_error){""};
    self->cursor.tick = 0;
    ls_rerun *rerun = make(self);
    ls_status status = finish(rerun, error);
    *result = *ls_rerun_get_result(rerun);
    ls_rerun_destroy(rerun);
    return status;
}

TEST(test_rerun_gives_the_same_in_every_variant)
{
    static const ls_rerun_variant variants[] = {
        {.name = "serial"},
        {.name = "threads", .threads = 3, .share_from = 1},
        {.name = "order", .shuffle_seed = 7},
        {.name = "checks", .checks = true},
        {.name = "bytes", .round_trips = true},
        {.name = "fresh", .round_trips = true, .is_fresh = true},
        {.name = "stack", .stack_fill = 0x5a},
        {.name = "heap", .heap_noise = 0x5a},
        {.name = "all", .threads = 2, .share_from = 1, .round_trips = true, .stack_fill = 1},
    };
    scene self;
    ls_rerun_result result;
    ls_error error;
    begin_sound(&self, UINT64_MAX);
    for (uint32_t i = 0; i < LS_COUNT_OF(variants); i++) {
        self.config.variant = variants[i];
        if (run(&self, &result, &error) != LS_OK)
            fail_msg("%s: %s", variants[i].name, error.text);
        assert_int_equal(result.tick_count, TICKS);
        assert_false(result.has_difference);
    }
    ls_rerun_destroy(NULL);
    end(&self);
}

TEST(test_rerun_stops_in_the_world_of_the_difference)
{
    scene self;
    ls_error error = {""};
    for (uint64_t bad = 0; bad <= TICKS; bad++) {
        begin_sound(&self, bad);
        for (uint32_t trips = 0; trips < 2; trips++) {
            self.config.variant.round_trips = trips;
            self.cursor.tick = 0;
            ls_rerun *rerun = make(&self);
            assert_int_equal(finish(rerun, &error), LS_ERROR_DIVERGED);
            const ls_rerun_result *result = ls_rerun_get_result(rerun);
            assert_true(result->has_difference);
            assert_int_equal(result->tick_count, bad);
            assert_int_equal(result->difference.tick, bad);
            assert_int_equal(result->difference.expected, ls_tick_list_root(self.list, bad));
            assert_int_equal(result->difference.found, ls_tick_list_root(self.list, bad) ^ 1);
            assert_int_equal(ls_world_tick(ls_rerun_world(rerun)), bad);
            assert_int_equal(ls_world_root(ls_rerun_world(rerun)), result->difference.found);
            char words[64];
            snprintf(words, sizeof words, "before tick %" PRIu64 ": expected root", bad);
            assert_non_null(strstr(error.text, words));
            ls_rerun_destroy(rerun);
        }
        end(&self);
    }
}

TEST(test_rerun_goes_on_or_does_not_look)
{
    scene self;
    ls_rerun_result result;
    ls_error error;
    begin_sound(&self, 6);
    self.config.goes_on = true;
    assert_ok(run(&self, &result, &error));
    assert_int_equal(result.tick_count, TICKS);
    assert_true(result.has_difference);
    assert_int_equal(result.difference.tick, 6);
    self.config.is_blind = true;
    assert_ok(run(&self, &result, &error));
    assert_int_equal(result.tick_count, TICKS);
    assert_false(result.has_difference);
    end(&self);
}

/* The root after the last rerun tick is still compared, and no later one. */
TEST(test_rerun_ends_where_it_should)
{
    scene self;
    ls_rerun_result result;
    ls_error error;
    begin_sound(&self, 10);
    self.config.end_tick = 9;
    assert_ok(run(&self, &result, &error));
    assert_int_equal(result.tick_count, 9);
    self.config.end_tick = 10;
    assert_int_equal(run(&self, &result, &error), LS_ERROR_DIVERGED);
    assert_int_equal(result.tick_count, 10);
    assert_int_equal(result.difference.tick, 10);
    end(&self);
}

TEST(test_rerun_starts_from_a_state)
{
    scene self;
    ls_error error = {""};
    size_t count;
    begin_sound(&self, UINT64_MAX);
    for (uint32_t i = 0; i < 8; i++)
        harness_tick(self.self.world, NULL);
    uint8_t *bytes = harness_bytes(self.self.world, &count);
    self.config.snapshot = bytes;
    self.config.snapshot_bytes = count;
    self.cursor.tick = 8;
    ls_rerun *rerun = make(&self);
    assert_ok(finish(rerun, &error));
    assert_int_equal(ls_rerun_get_result(rerun)->tick_count, TICKS - 8);
    assert_int_equal(ls_world_root(ls_rerun_world(rerun)), ls_tick_list_root(self.list, TICKS));
    ls_rerun_destroy(rerun);

    bytes[count / 2] ^= 1;
    assert_int_equal(ls_rerun_create(&self.config, &rerun, &error), LS_ERROR_CORRUPT);
    assert_null(rerun);
    ls_free(bytes);
    self.config.snapshot = NULL;
    self.config.variant.threads = LS_THREADS_MAX + 1;
    assert_int_equal(ls_rerun_create(&self.config, &rerun, &error), LS_ERROR_USAGE);
    assert_null(rerun);
    self.config.variant.threads = 0;
    ls_match match = *self.config.match;
    match.player_count = 0;
    self.config.match = &match;
    assert_int_equal(ls_rerun_create(&self.config, &rerun, &error), LS_ERROR_USAGE);
    assert_null(rerun);
    end(&self);
}

static int32_t calls; /* state outside every world */

static void count(ls_context *context, const ls_span *span)
{
    place *cells = ls_span_write(context, span, 0);
    cells[0].x = calls++;
}

TEST(test_rerun_finds_a_state_outside_of_the_world)
{
    scene self;
    ls_rerun_result result;
    ls_error error;
    const ls_system systems[] = {{.name = "count",
                                  .mode = LS_CONCURRENT,
                                  .span = count,
                                  .terms = LS_TERM_LIST(LS_WRITES(places))}};
    begin(&self, systems, 1, UINT64_MAX);
    assert_int_equal(run(&self, &result, &error), LS_ERROR_DIVERGED);
    assert_int_equal(result.difference.tick, 1);
    self.config.variant.checks = true;
    assert_int_equal(run(&self, &result, &error), LS_ERROR_DIVERGED);
    assert_int_equal(result.tick_count, 0);
    assert_false(result.has_difference);
    assert_non_null(strstr(error.text, "\"count\""));
    end(&self);
}

/* Reads an uninitialised variable; the asm hides this from the compiler. */
__attribute__((noinline)) static uint32_t unset_local(void)
{
    uint32_t locals[2048];
    __asm__ volatile("" : "=m"(locals));
    return locals[7];
}

static void forget(ls_context *context, const ls_span *span)
{
    place *cells = ls_span_write(context, span, 0);
    cells[0].x = (int32_t)unset_local();
}

static uint64_t root_of_variant(scene *self, ls_rerun_variant variant)
{
    ls_error error = {""};
    self->config.variant = variant;
    self->cursor.tick = 0;
    ls_rerun *rerun = make(self);
    assert_ok(finish(rerun, &error));
    uint64_t root = ls_world_root(ls_rerun_world(rerun));
    ls_rerun_destroy(rerun);
    return root;
}

TEST(test_rerun_shows_reads_of_an_unset_local)
{
    scene self;
    const ls_system systems[] = {{.name = "forget",
                                  .mode = LS_CONCURRENT,
                                  .span = forget,
                                  .terms = LS_TERM_LIST(LS_WRITES(places))}};
    begin(&self, systems, 1, UINT64_MAX);
    self.config.is_blind = true;
    const ls_rerun_variant fill = {.stack_fill = 0x11}, other = {.stack_fill = 0x22};
    uint64_t root = root_of_variant(&self, fill);
    assert_int_equal(root_of_variant(&self, fill), root);
    assert_int_not_equal(root_of_variant(&self, other), root);
    end(&self);
}

/* How some uninitialised values compare, a bit for each two neighbours; 0 if all are equal. */
static int32_t order_of(const volatile uint32_t *values)
{
    int32_t order = 0;
    for (int32_t i = 0; i + 1 < RANKS - SKIPPED; i++)
        order |= (values[i] > values[i + 1]) << i;
    return order;
}

__attribute__((noinline)) static int32_t order_of_locals(void)
{
    uint32_t locals[2048];
    __asm__ volatile("" : "=m"(locals));
    return order_of(locals + 8);
}

static void rank_locals(ls_context *context, const ls_span *span)
{
    place *cells = ls_span_write(context, span, 0);
    cells[0].x = order_of_locals();
}

static bool has_own_malloc(void)
{
#if HAS_SANITIZER
    return false; /* the sanitizer fills blocks itself */
#else
    return true;
#endif
}

static void rank_block(ls_context *context, const ls_span *span)
{
    place *cells = ls_span_write(context, span, 0);
    uint32_t *block = malloc(RANKS * sizeof *block);
    __asm__ volatile("" : "+r"(block) : : "memory"); /* hides the fault from the compiler */
    cells[0].x = order_of(block + SKIPPED);
    free(block);
}

/* Comparisons of uninitialised values need noise as a fill: equal bytes would compare as equal. */
TEST(test_rerun_shows_comparisons_of_unset_memory)
{
    static const struct {
        void (*span)(ls_context *context, const ls_span *span);
        ls_rerun_variant fills[2];
    } cases[] = {
        {rank_locals, {{.stack_fill = 0x55}, {.stack_fill = 0xaa}}},
        {rank_block, {{.heap_noise = 0x55}, {.heap_noise = 0xaa}}},
    };
    for (size_t i = 0; i < (size_t)1 + has_own_malloc(); i++) {
        scene self;
        uint64_t roots[2];
        const ls_system systems[] = {{.name = "rank",
                                      .mode = LS_CONCURRENT,
                                      .span = cases[i].span,
                                      .terms = LS_TERM_LIST(LS_WRITES(places))}};
        begin(&self, systems, 1, UINT64_MAX);
        self.config.is_blind = true;
        for (int fill = 0; fill < 2; fill++)
            roots[fill] = root_of_variant(&self, cases[i].fills[fill]);
        assert_int_not_equal(roots[0], roots[1]);
        end(&self);
    }
}

static void begin_unset(ls_context *context, const ls_entity *entities)
{
    ls_cell_attach(context, 0, ls_spawn(context, 0), &(place){(int32_t)unset_local(), 0});
}

static void begin_with_unset_block(ls_context *context, const ls_entity *entities)
{
    uint32_t *block = malloc(RANKS * sizeof *block);
    __asm__ volatile("" : "+r"(block) : : "memory");
    ls_cell_attach(context, 0, ls_spawn(context, 0),
                   &(place){(int32_t)block[SKIPPED], order_of(block + SKIPPED)});
    free(block);
}

/* A system of the setup reads memory that was never set. */
TEST(test_rerun_shows_unset_reads_of_the_setup)
{
    static const struct {
        void (*match)(ls_context *context, const ls_entity *entities);
        ls_rerun_variant fills[2];
    } cases[] = {
        {begin_unset, {{.stack_fill = 0x55}, {.stack_fill = 0xaa}}},
        {begin_with_unset_block, {{.heap_noise = 0x55}, {.heap_noise = 0xaa}}},
    };
    for (size_t i = 0; i < (size_t)1 + has_own_malloc(); i++) {
        scene self;
        uint64_t roots[2];
        const ls_system setup = {.name = "begin",
                                 .mode = LS_SEQUENTIAL,
                                 .match = cases[i].match,
                                 .terms = LS_TERM_LIST(LS_SPAWNS_WITH(places)),
                                 .lanes = "a"};
        const ls_system systems[] = {walker};
        begin_with(&self, &setup, systems, 1, UINT64_MAX);
        self.config.is_blind = true;
        for (int fill = 0; fill < 2; fill++)
            roots[fill] = root_of_variant(&self, cases[i].fills[fill]);
        assert_int_not_equal(roots[0], roots[1]);
        /* The block that malloc returns depends on earlier allocations; the stack does not. */
        if (i == 0)
            assert_int_equal(root_of_variant(&self, cases[i].fills[0]), roots[0]);
        end(&self);
    }
}

static ls_status refuse(void *argument, ls_world *world, ls_source_tick *tick, ls_error *error)
{
    ls_tick_cursor *cursor = argument;
    assert_int_equal(ls_world_tick(world), cursor->tick);
    if (cursor->tick == 4)
        return ls_error_set(error, LS_ERROR_IO, "no more of these");
    *tick = (ls_source_tick){.frame.tick = cursor->tick++};
    return LS_OK;
}

TEST(test_rerun_hands_on_the_error_of_its_source)
{
    scene self;
    ls_rerun *rerun;
    ls_error error = {""};
    begin_sound(&self, UINT64_MAX);
    self.config.ticks = (ls_tick_source){refuse, &self.cursor};
    assert_ok(ls_rerun_create(&self.config, &rerun, NULL));
    assert_int_equal(finish(rerun, &error), LS_ERROR_IO);
    assert_string_equal(error.text, "no more of these");
    assert_int_equal(ls_rerun_get_result(rerun)->tick_count, 4);
    ls_rerun_destroy(rerun);
    end(&self);
}

/* A recording's roots are later than its frames, but the tick is still named exactly. */
TEST(test_rerun_of_a_recording)
{
    for (uint64_t bad = 0; bad <= 60; bad += 20) {
        battle match;
        ls_rerun *rerun;
        ls_error error = {""};
        battle_begin(&match,
                     &(battle_config){.ticks = 60, .lag = 13, .bad_root = bad, .is_closed = true});
        ls_recording *recording = battle_open(&match, match.memory.bytes);
        const ls_rerun_config config = {.program = match.program,
                                        .match = &ls_recording_get_header(recording)->match,
                                        .ticks = ls_ticks_of_recording(recording),
                                        .variant = {.threads = 2, .share_from = 1}};
        assert_ok(ls_rerun_create(&config, &rerun, &error));
        assert_int_equal(finish(rerun, &error), bad ? LS_ERROR_DIVERGED : LS_OK);
        const ls_rerun_result *result = ls_rerun_get_result(rerun);
        assert_int_equal(result->has_difference, bad != 0);
        assert_int_equal(result->tick_count, bad && bad + 13 < 60 ? bad + 13 : 60);
        if (bad) {
            assert_int_equal(result->difference.tick, bad);
            assert_int_equal(result->difference.found, match.roots[bad]);
        }
        ls_rerun_destroy(rerun);
        ls_recording_close(recording);
        battle_end(&match);
    }
}
