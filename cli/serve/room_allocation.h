/* The room that an allocation of the fleet asks for. */
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

/* Reads the annotations, which may be hostile. `options` is of the form `NAME=NUMBER NAME=NUMBER`.
 *   errors  LS_ERROR_USAGE names the annotation
 *   owns    *allocation points into `texts` and `match` */
ls_status ls_room_allocation_read(const ls_agones_allocation *texts, const ls_match_options *match,
                                  ls_room_allocation *allocation, ls_error *error) LS_MUST_USE;

#endif
