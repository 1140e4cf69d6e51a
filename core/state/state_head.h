/* The parts of decoding that snapshots and keyframes, the two byte forms of a state, have in
 * common: reading the head before the columns, and checking the state that was read. */
#ifndef LS_STATE_HEAD_H
#define LS_STATE_HEAD_H

#include "core/state/world_state.h"

/* A byte form. */
typedef struct ls_state_form {
    const char *name; /* for messages */
    char magic[5];
    uint32_t version;
    bool has_base; /* it says what changed since another state */
} ls_state_form;

/* Reads the head, and sets tick, refused spawns and counters of dropped items in the world's state.
 *   base_root  root of the state that the bytes are a difference to; not set, and may be NULL, if
 *              the form has no base
 *   errors     LS_ERROR_CORRUPT; LS_ERROR_INCOMPATIBLE: another format, simulation or match */
ls_status ls_state_head_read(ls_world *world, const ls_state_form *form, ls_reader *reader,
                             uint64_t *base_root, ls_error *error) LS_MUST_USE;

/* Checks the state that was read against its root and the simulation's facts. Then releases
 * `before`; after an error, or when `status` is one, puts it back into the world. */
ls_status ls_state_accept(ls_world *world, const ls_state_form *form, ls_state *before,
                          ls_status status, uint64_t root, ls_error *error) LS_MUST_USE;

#endif
