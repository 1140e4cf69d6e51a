/* The room that an allocation of the fleet, `lockstep admin open` or a lobby asks for. */
#ifndef LS_ROOM_ALLOCATION_H
#define LS_ROOM_ALLOCATION_H

#include "cli/common/match_options.h"
#include "cli/serve/agones_gameserver.h"

/* The room ends if no client has come within this time. */
#define LS_ROOM_ALLOCATION_UNUSED_S 120

typedef struct ls_room_allocation {
    const char *name;
    ls_match_options match; /* those of the server, changed */
    bool has_seed, requires_token;
} ls_room_allocation;

/* Splits the wishes of `lockstep admin open` and of a lobby, which may be hostile:
 * `seed=7 players=4 tokens=required units=200`. Other names are options of the simulation.
 *   errors  LS_ERROR_USAGE: the wishes are too long */
ls_status ls_room_allocation_split(const char *room, const char *wishes,
                                   ls_agones_allocation *texts, ls_error *error) LS_MUST_USE;

/* Reads the annotations or wishes, which may be hostile. `options` is of the form `NAME=NUMBER
 * NAME=NUMBER`. `has_token_key`: the server may require connect tokens.
 *   errors  LS_ERROR_USAGE names the wish
 *   owns    *allocation points into `texts` and `match` */
ls_status ls_room_allocation_read(const ls_agones_allocation *texts, const ls_match_options *match,
                                  bool has_token_key, ls_room_allocation *allocation,
                                  ls_error *error) LS_MUST_USE;

#endif
