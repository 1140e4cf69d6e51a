#include "desync/start_state.h"

#include "desync/cell_search.h"
#include "replays/keyframe.h"
#include <lockstep/diff.h>
#include <lockstep/program.h>

#include <inttypes.h>
#include <string.h>

enum { FINGERPRINT_AT = 6 }; /* offset in the byte form of a state (core/state/snapshot.c) */

static bool decode(ls_world *world, const ls_snapshot *base, const ls_recording_keyframe *keyframe)
{
    return ls_keyframe_decode(world, base, keyframe->data, keyframe->bytes, NULL) == LS_OK ||
           ls_keyframe_adopt(world, base, keyframe->data, keyframe->bytes, NULL) == LS_OK;
}

static bool decode_change(ls_world *world, const ls_recording_keyframe *full,
                          const ls_recording_keyframe *keyframe)
{
    if (!full || !decode(world, NULL, full))
        return false;
    ls_snapshot *base = ls_world_snapshot(world);
    bool is_good = decode(world, base, keyframe);
    ls_snapshot_destroy(base);
    return is_good;
}

/* Decodes a keyframe into the world, whose earlier contents are dropped. False if the keyframe
 * cannot be read, if its root is not the recorded one, or if no root is recorded and another build
 * made it. */
static bool take_keyframe(const ls_recording *recording, const ls_recording_keyframe *list,
                          uint32_t at, ls_world *world)
{
    const ls_recording_keyframe *keyframe = &list[at];
    uint64_t root;
    const ls_recording_header *header = ls_recording_get_header(recording);
    bool is_own =
        memcmp(header->simulation.fingerprint, ls_program_fingerprint(ls_world_program(world)),
               LS_FINGERPRINT_BYTES) == 0;
    const ls_recording_keyframe *full = ls_recording_find_full(list, at + 1, keyframe->base_tick);
    bool is_good =
        full == keyframe ? decode(world, NULL, keyframe) : decode_change(world, full, keyframe);
    return is_good && ls_world_tick(world) == keyframe->tick &&
           (ls_recording_find_root(recording, keyframe->tick, &root) ? root == ls_world_root(world)
                                                                     : is_own);
}

static bool take_latest(ls_recording *recording, uint64_t tick, ls_world *world)
{
    const ls_recording_keyframe *list;
    uint32_t count = ls_recording_keyframes(recording, &list);
    while (count-- > 0) {
        /* A keyframe after the last frame is skipped: seeking to it fails, because no frame
         * follows. */
        if (list[count].tick <= tick && take_keyframe(recording, list, count, world) &&
            ls_recording_seek(recording, list[count].tick, NULL) == LS_OK)
            return true;
    }
    return false;
}

ls_status ls_start_state_make(ls_recording *recording, const ls_program *program, uint64_t tick,
                              ls_world **world, ls_error *error)
{
    const ls_recording_header *header = ls_recording_get_header(recording);
    *world = NULL;
    /* The header's checksum was right, so a match that is refused here comes from another build. */
    if (ls_world_create(program, &header->match, world, error) != LS_OK)
        return LS_ERROR_INCOMPATIBLE;
    ls_snapshot *start = ls_world_snapshot(*world);
    bool is_found = take_latest(recording, tick, *world);
    if (!is_found)
        ls_world_restore(*world, start);
    ls_snapshot_destroy(start);
    if (is_found)
        return LS_OK;
    ls_recording_rewind(recording);
    if (header->first_tick == 0)
        return LS_OK;
    ls_world_destroy(*world);
    *world = NULL;
    return ls_error_set(error, LS_ERROR_INCOMPATIBLE,
                        "the recording begins at tick %" PRIu64
                        ", and this build cannot read the state that it holds of that tick",
                        header->first_tick);
}

static bool report_row(void *argument, const ls_difference *difference)
{
    ls_error_set(argument, LS_ERROR_INCOMPATIBLE,
                 "the two builds make other match data of one match: %s is %s in the first and %s "
                 "in the second",
                 difference->place, difference->a ? difference->a : "unused",
                 difference->b ? difference->b : "unused");
    return false;
}

/* Only the fingerprint in the byte form depends on the build, so it is replaced. */
ls_status ls_start_state_copy(ls_world *from, const ls_program *program, ls_world **world,
                              ls_error *error)
{
    uint8_t *bytes;
    size_t count;
    LS_ASSERT(ls_cell_search_check(ls_world_program(from), program, NULL) == LS_OK);
    *world = NULL;
    if (ls_world_create(program, ls_world_match(from), world, error) != LS_OK)
        return LS_ERROR_INCOMPATIBLE;
    ls_world_encode(from, &bytes, &count);
    memcpy(bytes + FINGERPRINT_AT, ls_program_fingerprint(program), LS_FINGERPRINT_BYTES);
    ls_status status = ls_world_decode(*world, bytes, count, error);
    ls_free(bytes);
    if (status == LS_OK)
        return LS_OK;
    ls_world_diff_tables(from, *world, report_row, error);
    ls_world_destroy(*world);
    *world = NULL;
    return status;
}
