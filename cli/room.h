/* One match that is served by this process: socket, identity, recording and server together. */
#ifndef LS_ROOM_H
#define LS_ROOM_H

#include "cli/match_options.h"

typedef struct ls_room_options {
    ls_match_options match;
    const char *address;  /* to bind; NULL: all interfaces */
    uint16_t port;        /* 0: any free one */
    const char *record;   /* folder for the recording; NULL: none */
    const char *identity; /* file; NULL: the user's own, or a key for this run alone */
    const char *log;      /* file; "-": stderr; NULL: none */
    uint64_t ticks;       /* 0: until asked to stop */
    uint32_t wait_players;
    uint32_t peers_max;
    uint32_t peers_per_address;
    bool end_when_empty;
    bool is_quiet; /* no live lines */
} ls_room_options;

/* Serves until the match ends or a signal asks for it (cli/stop.h), then ends it in order. Prints
 * "listening HOST:PORT#KEY", a line each second, and at the end where the recording is.
 *   errors  those of loading, of the match, of the identity file; IO: port, recording, log */
ls_status ls_room_serve(const ls_room_options *options, ls_error *error) LS_MUST_USE;

#endif
