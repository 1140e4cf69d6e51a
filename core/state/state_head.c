#include "core/state/state_head.h"

#include "core/schema/codec.h"
#include "core/state/facts.h"
#include "core/state/state_internal.h"
#include <lockstep/world.h>

#include <string.h>

ls_status ls_state_head_read(ls_world *world, const ls_state_form *form, ls_reader *reader,
                             uint64_t *base_root, ls_error *error)
{
    uint8_t magic[4], fingerprint[LS_FINGERPRINT_BYTES];
    ls_read_bytes(reader, magic, sizeof magic);
    uint32_t version = ls_read_u16(reader);
    ls_read_bytes(reader, fingerprint, sizeof fingerprint);
    uint64_t match_hash = ls_read_u64(reader);
    if (form->has_base)
        *base_root = ls_read_u64(reader);
    world->state.tick = ls_read_u64(reader);
    for (uint32_t lane = 0; lane < world->program->lane_count; lane++)
        world->state.refused_spawns[lane] = ls_read_u64(reader);
    for (uint32_t i = 0; i < LS_DROPPED_COUNT; i++)
        world->state.dropped[i] = ls_read_u64(reader);
    if (reader->failed || memcmp(magic, form->magic, sizeof magic) != 0)
        return ls_error_set(error, LS_ERROR_CORRUPT, "these bytes are no %s", form->name);
    if (version != form->version)
        return ls_error_set(error, LS_ERROR_INCOMPATIBLE,
                            "the %s has format %u, this build reads format %u", form->name, version,
                            form->version);
    if (memcmp(fingerprint, world->program->fingerprint, sizeof fingerprint) != 0)
        return ls_error_set(error, LS_ERROR_INCOMPATIBLE,
                            "the %s is of another simulation, or of another version of it",
                            form->name);
    if (world->state.tick > UINT64_MAX / 2)
        return ls_error_set(error, LS_ERROR_CORRUPT, "the %s has an impossible tick", form->name);
    if (match_hash != world->match_hash)
        return ls_error_set(error, LS_ERROR_INCOMPATIBLE,
                            "the %s is of another match, or of other match data", form->name);
    return LS_OK;
}

ls_status ls_state_accept(ls_world *world, const ls_state_form *form, ls_state *before,
                          ls_status status, uint64_t root, ls_error *error)
{
    if (status == LS_OK && ls_world_root(world) != root)
        status = ls_error_set(error, LS_ERROR_CORRUPT,
                              "the %s is damaged: its content does not give its root", form->name);
    if (status == LS_OK)
        status = ls_facts_check(world, error);
    if (status != LS_OK) {
        ls_state_release(world, &world->state);
        world->state = *before;
        return status;
    }
    ls_state_release(world, before);
    return LS_OK;
}
