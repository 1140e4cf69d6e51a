/* Arbitrary bytes as planes, decoded in three ways; the first byte selects a base or none.
 * 1. As they are: if refused, the world is unchanged.
 * 2. As content after a valid head, without the check of the root, which a fuzzer cannot pass:
 * accepted content has exactly one byte form, and is a state that a snapshot can hold.
 * 3. As a keyframe, which is unpacked first.
 * Heads in the corpus are replaced, so the corpus survives changes of the every-type simulation. */
#include "core/state/planes_internal.h"
#include "core/state/state_internal.h"
#include "replays/keyframe.h"
#include "tests/unit/core/every_sim.h"

#include <string.h>

enum { HEAD_BYTES = 38, ROOT_BYTES = 8, CONTENT_BYTES_MAX = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

/* Created once, for speed. */
static ls_program *program;
static ls_world *world, *judge;
static ls_snapshot *base;

static void make_worlds(void)
{
    LS_ASSERT(ls_program_create(&every_sim, &program, NULL) == LS_OK);
    ls_match match = ls_program_match(program, 1);
    LS_ASSERT(ls_world_create(program, &match, &world, NULL) == LS_OK);
    LS_ASSERT(ls_world_create(program, &match, &judge, NULL) == LS_OK);
    LS_ASSERT(ls_world_root(world) == ls_world_root(judge));
    every_fill(world, 9, 20);
    base = ls_world_snapshot(world);
}

static uint8_t *encode(const ls_snapshot *from, size_t *count)
{
    uint8_t *bytes;
    ls_snapshot *snapshot = ls_world_snapshot(world);
    ls_planes_encode(snapshot, from, &bytes, count);
    ls_snapshot_destroy(snapshot);
    return bytes;
}

/* True if the content is a valid state; the world then holds it. */
static bool read_content(const ls_snapshot *from, const uint8_t *bytes, size_t count)
{
    ls_reader reader;
    uint64_t root;
    ls_state before = world->state;
    ls_reader_init(&reader, bytes, count);
    ls_state_init(&world->state, program);
    if (from)
        ls_state_share(world, &from->state, &world->state);
    if (ls_planes_read(world, from, &reader, &root, NULL) != LS_OK) {
        ls_state_release(world, &world->state);
        world->state = before;
        return false;
    }
    ls_state_release(world, &before);
    ls_world_state_changed(world);
    return true;
}

static void check_content(const ls_snapshot *from, const uint8_t *data, size_t bytes)
{
    static uint8_t content[CONTENT_BYTES_MAX];
    size_t count;
    uint8_t *own = encode(from, &count);
    LS_ASSERT(count > HEAD_BYTES);
    size_t whole = bytes < sizeof content ? bytes : sizeof content;
    memcpy(content, data, whole);
    memcpy(content, own, whole < HEAD_BYTES ? whole : HEAD_BYTES);
    ls_free(own);
    if (!read_content(from, content, whole))
        return;
    own = encode(from, &count);
    LS_ASSERT(count == whole && memcmp(own, content, count - ROOT_BYTES) == 0);
    LS_ASSERT(ls_planes_decode(world, from, own, count, NULL) == LS_OK);
    ls_free(own);
    ls_snapshot *snapshot = ls_world_snapshot(world);
    ls_snapshot_encode(snapshot, &own, &count);
    LS_ASSERT(ls_world_decode(judge, own, count, NULL) == LS_OK);
    LS_ASSERT(ls_world_root(judge) == ls_world_root(world));
    ls_snapshot_destroy(snapshot);
    ls_free(own);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    if (!program)
        make_worlds();
    if (bytes == 0)
        return 0;
    const ls_snapshot *from = data[0] & 1 ? base : NULL;
    ls_world_restore(world, base);
    uint64_t root = ls_world_root(world);
    if (ls_planes_decode(world, from, data + 1, bytes - 1, NULL) != LS_OK)
        LS_ASSERT(ls_world_root(world) == root);
    ls_world_restore(world, base);
    if (ls_keyframe_decode(world, from, data + 1, bytes - 1, NULL) != LS_OK)
        LS_ASSERT(ls_world_root(world) == root);
    ls_world_restore(world, base);
    check_content(from, data + 1, bytes - 1);
    return 0;
}
