/* Decoded worlds: valid ones continue like the original, and hostile bytes change nothing. */
#include "sample_fixture.h"

#include "core/run/query.h"
#include "core/state/store.h"
#include <lockstep/hash.h>

static void begin(harness *self, int64_t beasts, int64_t sparks)
{
    assert_int_equal(ls_program_create(&sample_sim, &self->program, NULL), LS_OK);
    ls_match match = ls_program_match(self->program, 9);
    match.options[SAMPLE_BEASTS] = beasts;
    match.options[SAMPLE_SPARKS] = sparks;
    assert_int_equal(ls_world_create(self->program, &match, &self->world, NULL), LS_OK);
}

TEST(test_restore_goes_on_like_the_original)
{
    harness self;
    begin(&self, 400, 20);
    ls_world *other = harness_world(&self);
    sample_advance(other, 7, NULL);
    for (uint32_t round = 0; round < 5; round++) {
        sample_advance(self.world, 13, NULL);
        size_t count, again_count;
        uint8_t *bytes = harness_bytes(self.world, &count);
        assert_int_equal(ls_world_decode(other, bytes, count, NULL), LS_OK);
        assert_int_equal(ls_world_tick(other), ls_world_tick(self.world));
        uint8_t *again = harness_bytes(other, &again_count);
        assert_int_equal(count, again_count);
        assert_memory_equal(bytes, again, count);
        for (uint32_t tick = 0; tick < 15; tick++) {
            assert_int_equal(ls_world_root(other), ls_world_root(self.world));
            sample_advance(self.world, 1, NULL);
            sample_advance(other, 1, NULL);
        }
        ls_free(bytes);
        ls_free(again);
    }
    ls_world_destroy(other);
    harness_end(&self);
}

/* Decodes damaged bytes into a running world; asserts that the world is unchanged and continues. */
typedef struct damage {
    harness self;
    ls_world *reference;
    uint8_t *bytes, *damaged;
    size_t count;
    uint64_t root;
} damage;

static void begin_victim(damage *victim)
{
    begin(&victim->self, 3, 1);
    victim->reference = harness_world(&victim->self);
    sample_advance(victim->reference, 5, NULL);
    victim->bytes = harness_bytes(victim->reference, &victim->count);
    victim->damaged = malloc(victim->count + 1);
    sample_advance(victim->self.world, 2, NULL);
    victim->root = ls_world_root(victim->self.world);
}

static void end_victim(damage *victim)
{
    assert_int_equal(ls_world_decode(victim->self.world, victim->bytes, victim->count, NULL),
                     LS_OK);
    sample_advance(victim->self.world, 10, NULL);
    sample_advance(victim->reference, 10, NULL);
    assert_int_equal(ls_world_root(victim->self.world), ls_world_root(victim->reference));
    free(victim->damaged);
    ls_free(victim->bytes);
    ls_world_destroy(victim->reference);
    harness_end(&victim->self);
}

static void expect_refusal(damage *victim, const uint8_t *bytes, size_t count)
{
    ls_error error = {""};
    ls_status status = ls_world_decode(victim->self.world, bytes, count, &error);
    assert_true(status == LS_ERROR_CORRUPT || status == LS_ERROR_INCOMPATIBLE);
    assert_true(error.text[0]);
    assert_int_equal(ls_world_root(victim->self.world), victim->root);
    assert_int_equal(ls_world_tick(victim->self.world), 2);
}

TEST(test_restore_refuses_every_truncation)
{
    damage victim;
    begin_victim(&victim);
    for (size_t count = 0; count < victim.count; count++) {
        /* Copies to an allocation of the exact size, so that a sanitizer reports the first byte out
         * of bounds. */
        uint8_t *cut = malloc(count ? count : 1);
        memcpy(cut, victim.bytes, count);
        expect_refusal(&victim, cut, count);
        free(cut);
    }
    memcpy(victim.damaged, victim.bytes, victim.count);
    victim.damaged[victim.count] = 0;
    expect_refusal(&victim, victim.damaged, victim.count + 1);
    end_victim(&victim);
}

TEST(test_restore_refuses_every_flipped_bit)
{
    damage victim;
    begin_victim(&victim);
    memcpy(victim.damaged, victim.bytes, victim.count);
    for (size_t bit = 0; bit < victim.count * 8; bit++) {
        victim.damaged[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        expect_refusal(&victim, victim.damaged, victim.count);
        victim.damaged[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        if (bit % 1024 == 0) { /* refused snapshots must leave no late effect either */
            ls_world *fresh = harness_world(&victim.self);
            sample_advance(fresh, 5, NULL);
            sample_advance(victim.self.world, 3, NULL);
            assert_int_equal(ls_world_root(victim.self.world), ls_world_root(fresh));
            ls_world_destroy(victim.self.world);
            ls_world_destroy(fresh);
            victim.self.world = harness_world(&(harness){victim.self.program, victim.reference});
            sample_advance(victim.self.world, 2, NULL);
        }
    }
    end_victim(&victim);
}

TEST(test_restore_survives_random_damage)
{
    damage victim;
    begin_victim(&victim);
    uint64_t random = harness_seed("test_restore_survives_random_damage");
    for (uint32_t round = 0; round < 20000; round++) {
        memcpy(victim.damaged, victim.bytes, victim.count);
        size_t at = test_random(&random) % victim.count, to = test_random(&random) % victim.count;
        for (uint32_t i = test_below(&random, 8); i > 0; i--)
            victim.damaged[(at + i) % victim.count] = (uint8_t)(test_random(&random) >> 9);
        size_t moved = victim.count - (at > to ? at : to);
        if (round % 2)
            memmove(victim.damaged + to, victim.damaged + at, moved);
        if (memcmp(victim.damaged, victim.bytes, victim.count) != 0)
            expect_refusal(&victim, victim.damaged, victim.count);
    }
    end_victim(&victim);
}

TEST(test_restore_names_what_does_not_fit)
{
    damage victim;
    begin_victim(&victim);
    ls_error error;
    static const struct {
        size_t at;
        ls_status status;
        const char *word;
    } cases[] = {{0, LS_ERROR_CORRUPT, "no snapshot"},
                 {4, LS_ERROR_INCOMPATIBLE, "format"},
                 {6, LS_ERROR_INCOMPATIBLE, "another simulation"},
                 {22, LS_ERROR_INCOMPATIBLE, "another match"},
                 {30, LS_ERROR_CORRUPT, "root"}};
    for (uint32_t i = 0; i < LS_COUNT_OF(cases); i++) {
        memcpy(victim.damaged, victim.bytes, victim.count);
        victim.damaged[cases[i].at] ^= 1;
        assert_int_equal(ls_world_decode(victim.self.world, victim.damaged, victim.count, &error),
                         cases[i].status);
        assert_non_null(strstr(error.text, cases[i].word));
    }
    end_victim(&victim);
}

/* Options affect later ticks, so a state belongs to a match and not only to a seed. */
TEST(test_restore_refuses_a_match_with_other_options)
{
    harness self, other;
    begin(&self, 10, 1);
    begin(&other, 10, 2);
    size_t count;
    uint8_t *bytes = harness_bytes(self.world, &count);
    assert_int_equal(ls_world_decode(other.world, bytes, count, NULL), LS_ERROR_INCOMPATIBLE);
    assert_int_not_equal(ls_world_root(self.world), ls_world_root(other.world));
    ls_free(bytes);
    harness_end(&self);
    harness_end(&other);
}

/* Snapshots with a valid root, but with content that no world can have. */
typedef struct flags {
    bool is_on;
} flags;

static const ls_field flag_fields[] = {LS_FIELD(flags, is_on, LS_TYPE_BOOL)};
static const ls_component flag_cells = LS_COMPONENT_TABLE(flags, "flags", flag_fields);
static const ls_component flag_single = LS_SINGLETON_TABLE(flags, "single", flag_fields);

TEST(test_restore_refuses_what_no_world_holds)
{
    static const ls_component *const components[] = {&flag_cells, &flag_single};
    static const char *const lanes[] = {"a"};
    static const ls_system systems[1];
    ls_sim sim = HARNESS_SIM(components, lanes, systems);
    sim.system_count = 0;
    harness self;
    harness_begin(&self, &sim, 1);
    ls_world *forger = harness_world(&self);
    uint32_t liveness = ls_liveness(forger);
    for (uint32_t column = 0; column <= liveness; column++)
        ls_store_own(forger, column);
    ls_entity entity = ls_store_spawn(forger, 1);
    ls_store_attach(forger, 0, entity, &(flags){true});
    size_t count;
    uint8_t *bytes = harness_bytes(forger, &count);
    assert_int_equal(ls_world_decode(self.world, bytes, count, NULL), LS_OK);
    ls_free(bytes);
    uint64_t root = ls_world_root(self.world);
    ls_page *lives = ls_world_page(forger, liveness, 1, 0);
    ls_page *cells = ls_world_page(forger, 0, 1, 0);
    for (uint32_t kind = 0; kind < 6; kind++) {
        for (uint32_t column = 0; column <= liveness; column++)
            ls_store_own(forger, column);
        lives = ls_table_write(*ls_world_table(forger, liveness, 1), 0, &forger->sources[liveness]);
        cells = ls_table_write(*ls_world_table(forger, 0, 1), 0, &forger->sources[0]);
        uint32_t *generations = (uint32_t *)(void *)ls_page_cells(lives);
        /* Generations above the last one: with the bit of pending handles, and without it. */
        generations[0] = kind == 0 ? UINT32_MAX : kind == 5 ? LS_GENERATION_RETIRED + 1 : 1;
        ls_page_cells(cells)[0] = kind == 1 ? 2 : 1; /* an invalid bool */
        cells->present[0] = kind == 2 ? 3 : 1;       /* a cell without an entity */
        ls_table_settle(*ls_world_table(forger, 0, 1), 0);
        ls_table *single = *ls_world_table(forger, 1, 0);
        ls_table_write(single, 0, &forger->sources[1])->present[0] =
            kind != 3 && kind != 4; /* no singleton cell */
        ls_table_write(single, 1, &forger->sources[1])->present[0] =
            kind == 4; /* in the wrong page */
        ls_table_settle(single, 0);
        ls_table_settle(single, 1);
        bytes = harness_bytes(forger, &count);
        assert_int_equal(ls_world_decode(self.world, bytes, count, NULL), LS_ERROR_CORRUPT);
        assert_int_equal(ls_world_root(self.world), root);
        ls_free(bytes);
    }
    ls_world_destroy(forger);
    harness_end(&self);
}

TEST(test_restore_refuses_empty_pages)
{
    static const ls_component *const components[] = {&flag_cells};
    static const char *const lanes[] = {"a"};
    static const ls_sim sim = HARNESS_STORE(components, lanes);
    enum {
        COLUMN_AT = 4 + 2 + 16 + 8 + 8 + (2 + LS_DROPPED_COUNT) * 8 + 4 + 10,
        EMPTY_BYTES = 4 + 32
    };
    harness self;
    harness_begin(&self, &sim, 1);
    ls_store_own(self.world, ls_liveness(self.world));
    ls_store_spawn(self.world, 1);
    size_t count;
    uint8_t *bytes = harness_bytes(self.world, &count);
    assert_int_equal(count, COLUMN_AT + 4 + 8);
    uint8_t *longer = calloc(1, count + EMPTY_BYTES);
    memcpy(longer, bytes, COLUMN_AT);
    longer[COLUMN_AT] = 1;     /* one page: */
    longer[COLUMN_AT + 6] = 1; /* the first of lane 1, without cells */
    memcpy(longer + COLUMN_AT + 4 + EMPTY_BYTES, bytes + COLUMN_AT + 4, 8);
    assert_int_equal(ls_world_decode(self.world, longer, count + EMPTY_BYTES, NULL),
                     LS_ERROR_CORRUPT);
    free(longer);
    ls_free(bytes);
    harness_end(&self);
}

/* Pages in another order, or a page twice, give the same state and root, but they are not the one
 * byte form. */
TEST(test_restore_refuses_pages_out_of_order)
{
    static const char *const lanes[] = {"a", "b"};
    static const ls_sim sim = {.abi = LS_SIM_ABI,
                               .name = "order",
                               .version = "1",
                               .tick_rate = 1,
                               .player_count = 1,
                               .lanes = lanes,
                               .lane_count = 2};
    enum {
        PAGES_AT = 4 + 2 + 16 + 8 + 8 + (3 + LS_DROPPED_COUNT) * 8,
        FIRST = PAGES_AT + 4,
        PAGE_BYTES = 4 + 2 + 4
    };
    harness self;
    harness_begin(&self, &sim, 1);
    ls_store_own(self.world, ls_liveness(self.world));
    ls_store_spawn(self.world, 1);
    ls_store_spawn(self.world, 2);
    size_t count;
    uint8_t *bytes = harness_bytes(self.world, &count), swapped[2 * PAGE_BYTES];
    assert_int_equal(count, FIRST + 2 * PAGE_BYTES + 8);
    memcpy(swapped, bytes + FIRST + PAGE_BYTES, PAGE_BYTES);
    memcpy(swapped + PAGE_BYTES, bytes + FIRST, PAGE_BYTES);
    memcpy(bytes + FIRST, swapped, sizeof swapped);
    assert_int_equal(ls_world_decode(self.world, bytes, count, NULL), LS_ERROR_CORRUPT);
    ls_free(bytes);
    /* A trailing generation that was never used has no effect on the state, so it must not be
     * encoded. */
    bytes = harness_bytes(self.world, &count);
    uint8_t *longer = calloc(1, count + 4);
    memcpy(longer, bytes, FIRST + 2 * PAGE_BYTES);
    memcpy(longer + FIRST + 2 * PAGE_BYTES + 4, bytes + FIRST + 2 * PAGE_BYTES, 8);
    longer[FIRST + PAGE_BYTES + 4] = 2;
    assert_int_equal(ls_world_decode(self.world, longer, count + 4, NULL), LS_ERROR_CORRUPT);
    free(longer);
    ls_free(bytes);
    harness_end(&self);
}
