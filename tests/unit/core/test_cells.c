/* States in parts: columns, pages, cells. Tests the differences after parts of another state are
 * applied, and the refusal of invalid parts. */
#include "sample_fixture.h"

#include "core/state/cells.h"

static int begin(void **state)
{
    static harness self;
    harness_begin(&self, &sample_sim, 5);
    sample_advance(self.world, 40, NULL);
    ls_world_root(self.world);
    *state = &self;
    return 0;
}

enum { CLAIMS = 256, PAGES = 64 };

typedef struct claims {
    ls_cells_claim items[CLAIMS];
    uint32_t count;
} claims;

static ls_cells_claim claim_of(const ls_snapshot *snapshot, uint32_t column, uint32_t key)
{
    uint8_t *bytes = ls_alloc(LS_CELLS_BYTES_MAX);
    size_t count = ls_cells_encode(snapshot, column, key, bytes, LS_CELLS_BYTES_MAX);
    return (ls_cells_claim){column, key, bytes, count};
}

static bool has_page(const ls_cells_page *pages, uint32_t count, ls_cells_page page)
{
    for (uint32_t i = 0; i < count; i++)
        if (pages[i].key == page.key && pages[i].hash == page.hash)
            return true;
    return false;
}

/* Collects all pages of `theirs` that `ours` lacks or has with other content, and those that only
 * `ours` has. */
static void collect(const ls_snapshot *ours, const ls_snapshot *theirs, uint32_t column,
                    claims *made)
{
    ls_cells_page a[PAGES], b[PAGES];
    uint32_t a_count = ls_cells_pages(ours, column, a, PAGES);
    uint32_t b_count = ls_cells_pages(theirs, column, b, PAGES);
    assert_true(a_count <= PAGES && b_count <= PAGES);
    for (uint32_t i = 0; i < b_count; i++)
        if (!has_page(a, a_count, b[i]))
            made->items[made->count++] = claim_of(theirs, column, b[i].key);
    for (uint32_t i = 0; i < a_count; i++) {
        ls_cells_page page;
        if (!ls_cells_look_up(theirs, column, a[i].key, &page))
            made->items[made->count++] = (ls_cells_claim){.column = column, .key = a[i].key};
    }
    assert_true(made->count <= CLAIMS);
}

static void free_claims(claims *made)
{
    for (uint32_t i = 0; i < made->count; i++)
        ls_free((void *)(uintptr_t)made->items[i].bytes);
    made->count = 0;
}

static bool count_one(void *argument, const ls_difference *difference)
{
    ++*(uint32_t *)argument;
    return true;
}

static ls_status compare(ls_world *world, const ls_snapshot *ours, const claims *made,
                         uint32_t *differences, uint64_t *root)
{
    ls_error error = {""};
    *differences = 0;
    return ls_cells_compare(world, ours, made->items, made->count, count_one, differences, root,
                            &error);
}

/* Returns a world that ran some ticks with other inputs than self->world; both are at the same
 * tick. */
static ls_world *other_way(const harness *self, uint32_t ticks)
{
    ls_world *other = harness_world(self);
    sample_advance(other, 40, NULL);
    for (uint32_t i = 0; i < ticks; i++) {
        harness_tick(self->world, NULL);
        sample_frame sample;
        sample_frame_init(&sample, other);
        assert_int_equal(ls_world_advance(other, &sample.frame, NULL, NULL), LS_OK);
    }
    ls_world_root(self->world);
    ls_world_root(other);
    return other;
}

TESTS_AROUND(begin, harness_teardown);

/* Applying all different pages of another state gives exactly that state, however the states came
 * about. */
TEST(test_cells_make_one_state_the_other)
{
    harness *self = *state;
    for (uint32_t ticks = 0; ticks < 60; ticks += 20) {
        ls_world *other = other_way(self, ticks);
        ls_snapshot *ours = ls_world_snapshot(self->world), *theirs = ls_world_snapshot(other);
        claims made = {.count = 0};
        uint64_t a[LS_CELLS_COLUMNS_MAX], b[LS_CELLS_COLUMNS_MAX], root;
        ls_cells_columns(ours, a);
        ls_cells_columns(theirs, b);
        uint32_t differences, differing = 0;
        for (uint32_t i = 0; i < ls_cells_column_count(self->program); i++)
            if (a[i] != b[i]) {
                differing++;
                collect(ours, theirs, i, &made);
            }
        assert_int_equal(differing != 0, ticks != 0);
        assert_int_equal(compare(self->world, ours, &made, &differences, &root), LS_OK);
        assert_int_equal(root, ls_world_root(other));
        assert_int_equal(differences != 0, ticks != 0);
        free_claims(&made);
        ls_snapshot_destroy(ours);
        ls_snapshot_destroy(theirs);
        ls_world_destroy(other);
        harness_end(self);
        begin(state);
    }
}

/* Equal columns have equal pages, and these encode to equal bytes. */
TEST(test_cells_of_equal_states_are_equal)
{
    harness *self = *state;
    ls_world *other = other_way(self, 0);
    ls_snapshot *ours = ls_world_snapshot(self->world), *theirs = ls_world_snapshot(other);
    for (uint32_t column = 0; column < ls_cells_column_count(self->program); column++) {
        ls_cells_page a[PAGES], b[PAGES];
        uint32_t count = ls_cells_pages(ours, column, a, PAGES);
        assert_int_equal(ls_cells_pages(theirs, column, b, PAGES), count);
        for (uint32_t i = 0; i < count; i++) {
            assert_true(has_page(b, count, a[i]));
            ls_cells_claim x = claim_of(ours, column, a[i].key),
                           y = claim_of(theirs, column, a[i].key);
            assert_int_equal(x.count, y.count);
            assert_true(x.count > 0);
            assert_memory_equal(x.bytes, y.bytes, x.count);
            assert_int_equal(
                ls_cells_encode(ours, column, a[i].key, (uint8_t *)(uintptr_t)y.bytes, x.count - 1),
                0);
            ls_free((void *)(uintptr_t)x.bytes);
            ls_free((void *)(uintptr_t)y.bytes);
        }
    }
    ls_snapshot_destroy(ours);
    ls_snapshot_destroy(theirs);
    ls_world_destroy(other);
}

TEST(test_cells_of_nobody)
{
    harness *self = *state;
    ls_snapshot *ours = ls_world_snapshot(self->world);
    uint8_t byte;
    ls_cells_page page;
    const uint32_t keys[] = {99, 1u << 16 | 9999, 77u << 16, UINT32_MAX};
    for (uint32_t column = 0; column < 300; column++)
        for (uint32_t i = 0; i < LS_COUNT_OF(keys); i++) {
            assert_false(ls_cells_look_up(ours, column, keys[i], &page));
            assert_int_equal(ls_cells_encode(ours, column, keys[i], &byte, 1), 0);
        }
    assert_int_equal(ls_cells_pages(ours, 250, &page, 1), 0);
    ls_snapshot_destroy(ours);
}

/* A page that is truncated, of another place, or has a changed byte: it is refused or gives a state
 * that can be compared. The world is unchanged in either case. */
TEST(test_cells_hostile_claims_do_no_harm)
{
    harness *self = *state;
    uint64_t random = harness_seed("test_cells"), before = ls_world_root(self->world), root;
    ls_snapshot *ours = ls_world_snapshot(self->world);
    uint32_t columns = ls_cells_column_count(self->program), refused = 0, taken = 0, differences;
    for (uint32_t i = 0; i < 3000; i++) {
        ls_cells_page pages[PAGES];
        uint32_t column = test_below(&random, columns);
        uint32_t count = ls_cells_pages(ours, column, pages, PAGES);
        if (!count)
            continue;
        claims made = {.count = 1};
        made.items[0] = claim_of(ours, column, pages[test_below(&random, count)].key);
        ls_cells_claim *claim = &made.items[0];
        uint8_t *bytes = (uint8_t *)(uintptr_t)claim->bytes;
        for (uint32_t k = test_below(&random, 4); k > 0; k--)
            bytes[test_below(&random, (uint32_t)claim->count)] = (uint8_t)test_random(&random);
        if (test_below(&random, 3) == 0)
            claim->count = test_below(&random, (uint32_t)claim->count + 1);
        if (test_below(&random, 4) == 0)
            claim->column = test_below(&random, columns + 3);
        if (test_below(&random, 4) == 0)
            claim->key = test_below(&random, 2) ? (uint32_t)test_random(&random)
                                                : claim->key ^ test_below(&random, 4);
        ls_status status = compare(self->world, ours, &made, &differences, &root);
        assert_true(status == LS_OK || status == LS_ERROR_CORRUPT);
        assert_true(status == LS_OK || differences == 0);
        refused += status != LS_OK;
        taken += status == LS_OK;
        free_claims(&made);
    }
    assert_true(refused > 100 && taken > 100);
    assert_int_equal(ls_world_root(self->world), before);
    ls_snapshot_destroy(ours);
}

LS_COMPONENT(swimmer, U32(depth));
LS_TAG(walker);
LS_COMPONENTS(components, swimmer, walker);
static const char *const lanes[] = {"folk"};
static const ls_incompatibility never[] = {LS_NEVER_BOTH(swimmer, walker)};

enum { FOLK = 700, CULPRIT = 523 }; /* of several pages */
LS_TERMS(founding, OTHERS_STRUCTURE(swimmer), OTHERS_STRUCTURE(walker));
/* All walk, and none swims but for the last one. */
static void found(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, founding);
    for (uint32_t i = 0; i < FOLK; i++) {
        ls_entity entity = ls_spawn(context, 0);
        if (i + 1 < FOLK)
            LS_ATTACH_TAG(context, walker, entity);
        else
            LS_ATTACH(context, swimmer, entity, .depth = i);
    }
}
static const ls_system setup = {
    .name = "found", .mode = LS_SEQUENTIAL, .match = found, .terms = founding, .lanes = "folk"};

LS_TERMS(attaching, WITH(walker), ATTACHES(swimmer));
static void attach(ls_context *context, const ls_entity *entities)
{
    LS_USES(context, attaching);
    if (ls_entity_slot(entities[0]) == CULPRIT)
        LS_ATTACH(context, swimmer, entities[0], .depth = 1);
}
static const ls_system systems[] = {{.name = "attach", .match = attach, .terms = attaching}};

static ls_sim sim_of(bool is_strict)
{
    ls_sim sim = HARNESS_SIM(components, lanes, systems);
    sim.setup = &setup;
    sim.incompatibilities = is_strict ? never : NULL;
    sim.incompatibility_count = is_strict ? LS_COUNT_OF(never) : 0;
    return sim;
}

/* Places the page of "swimmer" with the culprit, as `from` has it; if `is_dead`, without
 * generations. */
static ls_status place_swimmers(ls_world *world, ls_world *from, bool is_dead, ls_error *error)
{
    const ls_program *program = ls_world_program(from);
    uint32_t column = 0, key = 1u << 16 | CULPRIT / 256;
    while (ls_program_component(program, column) != &swimmer_component)
        column++;
    ls_world_root(from);
    ls_snapshot *snapshot = ls_world_snapshot(from);
    const ls_cells_claim placed[] = {
        claim_of(snapshot, column, key),
        {.column = ls_program_column_count(program), .key = key},
    };
    ls_snapshot_destroy(snapshot);
    assert_true(placed[0].count > 0);
    ls_status status = ls_cells_place(world, placed, is_dead ? 2 : 1, error);
    ls_free((void *)(uintptr_t)placed[0].bytes);
    return status;
}

TESTS_AROUND(NULL, NULL);

/* The page is sound for a simulation without the incompatibility, and for one with it before the
 * culprit swims. */
TEST(test_cells_placed_against_an_incompatibility_are_refused)
{
    const ls_sim loose_sim = sim_of(false), strict_sim = sim_of(true);
    harness loose, strict;
    harness_begin(&loose, &loose_sim, 7);
    harness_begin(&strict, &strict_sim, 7);
    ls_error error;
    uint64_t root = ls_world_root(strict.world);
    assert_int_equal(place_swimmers(strict.world, loose.world, false, &error), LS_OK);
    harness_tick(loose.world, NULL);
    for (uint32_t is_dead = 0; is_dead < 2; is_dead++) {
        char words[80];
        snprintf(words, sizeof words, "entity folk/%d:%d has both \"swimmer\" and \"walker\"",
                 CULPRIT, !is_dead);
        assert_int_equal(place_swimmers(strict.world, loose.world, is_dead, &error),
                         LS_ERROR_CORRUPT);
        if (!strstr(error.text, words))
            fail_msg("\"%s\" is not in \"%s\"", words, error.text);
        assert_int_equal(ls_world_root(strict.world), root);
    }
    assert_int_equal(place_swimmers(loose.world, loose.world, false, &error), LS_OK);
    harness_end(&loose);
    harness_end(&strict);
}
