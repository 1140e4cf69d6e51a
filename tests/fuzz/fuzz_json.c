/* Arbitrary bytes as JSON of a state. If refused, the world is unchanged. If accepted, it is a
 * valid state, and its own JSON and snapshot reproduce it. The simulation has a field of every
 * type. */
#include "tests/unit/core/every_sim.h"
#include <lockstep/json.h>
#include <lockstep/program.h>

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void check_text(ls_world *world, ls_world *other)
{
    char *text = ls_world_json(world);
    LS_ASSERT(ls_world_from_json(other, text, strlen(text), NULL) == LS_OK);
    LS_ASSERT(ls_world_root(other) == ls_world_root(world));
    char *again = ls_world_json(other);
    LS_ASSERT(strcmp(text, again) == 0);
    ls_free(text);
    ls_free(again);
}

static void check_snapshot(ls_world *world, ls_world *other)
{
    uint8_t *bytes;
    size_t count;
    ls_snapshot *snapshot = ls_world_snapshot(world);
    ls_snapshot_encode(snapshot, &bytes, &count);
    LS_ASSERT(ls_world_decode(other, bytes, count, NULL) == LS_OK);
    LS_ASSERT(ls_world_root(other) == ls_world_root(world));
    ls_snapshot_destroy(snapshot);
    ls_free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    /* Created once, for speed; every input starts from the same state. */
    static ls_program *program;
    static ls_world *world, *other;
    static ls_snapshot *start;
    if (!program) {
        LS_ASSERT(ls_program_create(&every_sim, &program, NULL) == LS_OK);
        const ls_match match = ls_program_match(program, 1);
        LS_ASSERT(ls_world_create(program, &match, &world, NULL) == LS_OK);
        LS_ASSERT(ls_world_create(program, &match, &other, NULL) == LS_OK);
        every_fill(world, 1, 50);
        start = ls_world_snapshot(world);
    }
    ls_error error;
    ls_world_restore(world, start);
    uint64_t root = ls_world_root(world);
    if (ls_world_from_json(world, (const char *)data, bytes, &error) != LS_OK) {
        LS_ASSERT(error.text[0] && ls_world_root(world) == root);
        return 0;
    }
    check_text(world, other);
    check_snapshot(world, other);
    const ls_frame frame = {.tick = ls_world_tick(world)};
    LS_ASSERT(ls_world_advance(world, &frame, NULL, NULL) == LS_OK);
    return 0;
}
