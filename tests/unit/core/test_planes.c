/* Byte planes: encoding and decoding of whole states and of changes against a base, with any
 * histories; hostile bytes. */
#include "every_sim.h"
#include "harness.h"

#include "core/state/planes_internal.h"
#include "core/state/state_internal.h"

enum { CHURN = 60, ROUNDS = 60, BASES = 4 };

static uint8_t *encode(ls_world *world, const ls_snapshot *base, size_t *count)
{
    uint8_t *bytes;
    ls_snapshot *snapshot = ls_world_snapshot(world);
    ls_planes_encode(snapshot, base, &bytes, count);
    ls_snapshot_destroy(snapshot);
    return bytes;
}

/* Encodes `world` against `base` and decodes into `other`. Both states must be equal and encode to
 * the same bytes. */
static void check_there_and_back(ls_world *world, ls_world *other, const ls_snapshot *base)
{
    ls_error error = {""};
    size_t count, again_count, own_count, other_count;
    uint8_t *bytes = encode(world, base, &count);
    if (ls_planes_decode(other, base, bytes, count, &error) != LS_OK)
        fail_msg("%s", error.text);
    assert_int_equal(ls_world_root(other), ls_world_root(world));
    uint8_t *own = harness_bytes(world, &own_count), *others = harness_bytes(other, &other_count);
    assert_int_equal(own_count, other_count);
    assert_memory_equal(own, others, own_count);
    uint8_t *again = encode(other, base, &again_count);
    assert_int_equal(count, again_count);
    assert_memory_equal(bytes, again, count);
    ls_free(bytes);
    ls_free(own);
    ls_free(others);
    ls_free(again);
}

TEST(test_planes_come_back_as_they_went)
{
    harness self;
    harness_begin(&self, &every_sim, 1);
    ls_world *other = ls_world_create_sibling(self.world);
    ls_world *stranger = harness_world(&self);
    uint64_t random = harness_seed("test_planes_come_back_as_they_went");
    ls_snapshot *bases[BASES] = {0};
    for (uint32_t round = 0; round < ROUNDS; round++) {
        /* Sometimes continue from an older state, because a base may also be a later state. */
        uint32_t pick = test_below(&random, BASES);
        if (test_below(&random, 4) == 0 && bases[pick])
            ls_world_restore(self.world, bases[pick]);
        every_fill(self.world, test_random(&random), 1 + test_below(&random, CHURN));
        check_there_and_back(self.world, stranger, NULL);
        for (uint32_t i = 0; i < BASES; i++)
            check_there_and_back(self.world, other, bases[i]);
        ls_snapshot_destroy(bases[pick]);
        bases[pick] = ls_world_snapshot(self.world);
        check_there_and_back(self.world, other, bases[pick]);
    }
    for (uint32_t i = 0; i < BASES; i++)
        ls_snapshot_destroy(bases[i]);
    ls_world_destroy(stranger);
    ls_world_destroy(other);
    harness_end(&self);
}

/* Pages shared with the base cost only the counts of empty lists, however large the state is. */
TEST(test_planes_of_what_is_shared_are_short)
{
    harness self;
    harness_begin(&self, &every_sim, 1);
    every_fill(self.world, 3, 400);
    ls_snapshot *base = ls_world_snapshot(self.world);
    size_t whole, same;
    ls_free(encode(self.world, NULL, &whole));
    ls_free(encode(self.world, base, &same));
    uint32_t columns = ls_program_column_count(self.program) + 1;
    assert_int_equal(same, 4 + 2 + LS_FINGERPRINT_BYTES + 8 * 3 +
                               8 * (self.world->state.lanes + LS_DROPPED_COUNT) + 4 * columns + 8);
    assert_true(whole > 20 * same);
    ls_snapshot_destroy(base);
    harness_end(&self);
}

/* A world, a base, and encoded bytes that the tests damage. */
typedef struct victim {
    harness self;
    ls_world *world; /* target of the damaged bytes */
    ls_snapshot *base;
    uint8_t *bytes;
    size_t count;
    uint64_t root;
} victim;

static void begin_victim(victim *self, bool has_base)
{
    *self = (victim){0};
    harness_begin(&self->self, &every_sim, 2);
    every_fill(self->self.world, 5, 8);
    if (has_base)
        self->base = ls_world_snapshot(self->self.world);
    every_fill(self->self.world, 6, 8);
    self->bytes = encode(self->self.world, self->base, &self->count);
    self->world = ls_world_create_sibling(self->self.world);
    every_fill(self->world, 7, 12);
    self->root = ls_world_root(self->world);
}

static void end_victim(victim *self)
{
    assert_int_equal(ls_planes_decode(self->world, self->base, self->bytes, self->count, NULL),
                     LS_OK);
    assert_int_equal(ls_world_root(self->world), ls_world_root(self->self.world));
    ls_free(self->bytes);
    ls_snapshot_destroy(self->base);
    ls_world_destroy(self->world);
    harness_end(&self->self);
}

/* Decodes from an allocation of the exact size, so that a sanitizer reports the first byte out of
 * bounds. */
static void expect_refusal(victim *self, const uint8_t *bytes, size_t count)
{
    ls_error error = {""};
    uint8_t *own = malloc(count ? count : 1);
    memcpy(own, bytes, count);
    ls_status status = ls_planes_decode(self->world, self->base, own, count, &error);
    assert_true(status == LS_ERROR_CORRUPT || status == LS_ERROR_INCOMPATIBLE);
    assert_true(error.text[0]);
    assert_int_equal(ls_world_root(self->world), self->root);
    free(own);
}

TEST(test_planes_refuse_every_truncation_and_flip)
{
    for (uint32_t has_base = 0; has_base < 2; has_base++) {
        victim self;
        begin_victim(&self, has_base);
        for (size_t count = 0; count < self.count; count++)
            expect_refusal(&self, self.bytes, count);
        for (size_t bit = 0; bit < self.count * 8; bit++) {
            self.bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
            expect_refusal(&self, self.bytes, self.count);
            self.bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        }
        uint8_t *longer = malloc(self.count + 1);
        memcpy(longer, self.bytes, self.count);
        longer[self.count] = 0;
        expect_refusal(&self, longer, self.count + 1);
        free(longer);
        end_victim(&self);
    }
}

/* Decodes without the check of the root, as if a forger had computed a valid one. Accepted content
 * must be a state that a snapshot can hold, with exactly one byte form. */
static void check_forged(victim *self, const uint8_t *bytes, size_t count, uint32_t *taken)
{
    ls_reader reader;
    uint64_t root;
    ls_state before = self->world->state;
    ls_reader_init(&reader, bytes, count);
    ls_state_init(&self->world->state, self->world->program);
    if (self->base)
        ls_state_share(self->world, &self->base->state, &self->world->state);
    bool is_good = ls_planes_read(self->world, self->base, &reader, &root, NULL) == LS_OK;
    if (is_good) {
        size_t whole_count, again_count;
        uint8_t *whole = harness_bytes(self->world, &whole_count);
        uint8_t *again = encode(self->world, self->base, &again_count);
        assert_int_equal(again_count, count);
        assert_memory_equal(again, bytes, count - 8);
        ls_world *judge = harness_world(&self->self);
        assert_int_equal(ls_world_decode(judge, whole, whole_count, NULL), LS_OK);
        ls_world_destroy(judge);
        ls_free(whole);
        ls_free(again);
        ++*taken;
    }
    ls_state_release(self->world, &self->world->state);
    self->world->state = before;
}

TEST(test_planes_take_only_states_that_can_be)
{
    uint64_t random = harness_seed("test_planes_take_only_states_that_can_be");
    for (uint32_t has_base = 0; has_base < 2; has_base++) {
        victim self;
        uint32_t taken = 0;
        begin_victim(&self, has_base);
        uint8_t *bytes = malloc(self.count);
        for (uint32_t round = 0; round < 6000; round++) {
            memcpy(bytes, self.bytes, self.count);
            for (uint32_t i = 1 + test_below(&random, 3); i > 0; i--)
                bytes[test_below(&random, (uint32_t)self.count)] ^=
                    (uint8_t)(1u << test_below(&random, 8));
            check_forged(&self, bytes, self.count, &taken);
        }
        assert_true(taken > 50); /* otherwise the test checks nothing */
        free(bytes);
        end_victim(&self);
    }
}

TEST(test_planes_name_what_does_not_fit)
{
    static const struct {
        size_t at;
        ls_status status;
        const char *word;
    } cases[] = {{0, LS_ERROR_CORRUPT, "no keyframe"},
                 {4, LS_ERROR_INCOMPATIBLE, "format"},
                 {6, LS_ERROR_INCOMPATIBLE, "another simulation"},
                 {22, LS_ERROR_INCOMPATIBLE, "another match"},
                 {30, LS_ERROR_INCOMPATIBLE, "another state"},
                 {45, LS_ERROR_CORRUPT, "impossible tick"},
                 {46, LS_ERROR_CORRUPT, "root"}};
    victim self;
    ls_error error;
    begin_victim(&self, true);
    for (uint32_t i = 0; i < LS_COUNT_OF(cases); i++) {
        self.bytes[cases[i].at] ^= 0x80;
        assert_int_equal(ls_planes_decode(self.world, self.base, self.bytes, self.count, &error),
                         cases[i].status);
        assert_non_null(strstr(error.text, cases[i].word));
        self.bytes[cases[i].at] ^= 0x80;
    }
    assert_int_equal(ls_planes_decode(self.world, NULL, self.bytes, self.count, &error),
                     LS_ERROR_INCOMPATIBLE);
    end_victim(&self);
}
