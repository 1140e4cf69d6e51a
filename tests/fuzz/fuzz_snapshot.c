/* Arbitrary bytes as a snapshot. If refused, the world is unchanged; if accepted, it can advance.
 * Then the same bytes as content after a valid head, without the check of the root, which a fuzzer
 * cannot pass: accepted content has exactly one byte form, and the world can advance.
 * Heads in the corpus are replaced, so the corpus survives changes of the sample simulation. */
#include "core/state/snapshot_decode.h"
#include "core/state/state_internal.h"
#include "tests/unit/core/sample_sim.h"

#include <string.h>

enum { HEAD_BYTES = 30, ROOT_BYTES = 8, CONTENT_BYTES_MAX = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static ls_world *make_world(ls_program **program)
{
    ls_world *world;
    LS_ASSERT(ls_program_create(&sample_sim, program, NULL) == LS_OK);
    ls_match match = ls_program_match(*program, 1);
    match.options[SAMPLE_BEASTS] = 3;
    match.options[SAMPLE_SPARKS] = 1;
    LS_ASSERT(ls_world_create(*program, &match, &world, NULL) == LS_OK);
    return world;
}

static void advance(ls_world *world, uint32_t ticks)
{
    for (uint32_t i = 0; i < ticks; i++) {
        sample_frame sample;
        sample_frame_init(&sample, world);
        LS_ASSERT(ls_world_advance(world, &sample.frame, NULL, NULL) == LS_OK);
    }
}

static uint8_t *encode(ls_world *world, size_t *count)
{
    uint8_t *bytes;
    ls_snapshot *snapshot = ls_world_snapshot(world);
    ls_snapshot_encode(snapshot, &bytes, count);
    ls_snapshot_destroy(snapshot);
    return bytes;
}

static void check_as_it_is(ls_world *world, const uint8_t *data, size_t bytes)
{
    uint64_t root = ls_world_root(world);
    if (ls_world_decode(world, data, bytes, NULL) != LS_OK)
        LS_ASSERT(ls_world_root(world) == root);
    advance(world, 1);
}

/* True if the content is a valid state; the world then holds it. */
static bool read_content(ls_world *world, const uint8_t *bytes, size_t count)
{
    ls_reader reader;
    ls_error error;
    uint64_t root;
    ls_state before = world->state;
    ls_reader_init(&reader, bytes, count);
    ls_state_init(&world->state, world->program);
    if (ls_state_read(world, &reader, &root, &error) != LS_OK) {
        ls_state_release(world, &world->state);
        world->state = before;
        return false;
    }
    ls_state_release(world, &before);
    ls_world_state_changed(world);
    return true;
}

static void check_content(ls_world *world, const uint8_t *data, size_t bytes)
{
    static uint8_t content[CONTENT_BYTES_MAX];
    size_t count;
    uint8_t *own = encode(world, &count);
    LS_ASSERT(count > HEAD_BYTES);
    size_t whole = bytes < sizeof content ? bytes : sizeof content;
    memcpy(content, data, whole);
    memcpy(content, own, whole < HEAD_BYTES ? whole : HEAD_BYTES);
    ls_free(own);
    if (!read_content(world, content, whole))
        return;
    own = encode(world, &count);
    LS_ASSERT(count == whole && memcmp(own, content, count - ROOT_BYTES) == 0);
    advance(world, 2);
    uint64_t root = ls_world_root(world);
    LS_ASSERT(ls_world_decode(world, own, count, NULL) == LS_OK);
    advance(world, 2);
    LS_ASSERT(ls_world_root(world) == root);
    ls_free(own);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    /* Created once, for speed; every input starts from the same state. */
    static ls_program *program;
    static ls_world *world;
    static ls_snapshot *start;
    if (!program) {
        world = make_world(&program);
        start = ls_world_snapshot(world);
    }
    ls_world_restore(world, start);
    check_as_it_is(world, data, bytes);
    ls_world_restore(world, start);
    check_content(world, data, bytes);
    return 0;
}
