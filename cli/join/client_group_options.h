/* The options of the clients of one process. */
#ifndef LS_CLIENT_GROUP_OPTIONS_H
#define LS_CLIENT_GROUP_OPTIONS_H

#include "cli/common/match_options.h"
#include "cli/join/input_source.h"
#include "cli/join/trust.h"
#include "cli/network/relay_options.h"

#define LS_CLIENT_GROUP_MAX            1000
#define LS_CLIENT_GROUP_NAME_BYTES_MAX 20 /* leaves room for a number in what a server takes */

typedef struct ls_client_group_options {
    ls_match_options match;    /* --sim (NULL: asks the server) and --threads alone */
    ls_server_address address; /* no host: the token says where */
    const char *known_servers;
    const char *name;           /* of the bots in the log, numbered when there are several */
    const char *log;            /* file; "-": stderr; NULL: none */
    const char *state;          /* file that keeps the seat; NULL: none, as with several clients */
    const char *room;           /* NULL: any */
    const char *password;       /* file; NULL: none */
    const char *token;          /* file of a connect token, for one client; NULL: none */
    ls_input_source_kind input; /* what plays */
    const char *script;         /* file of LS_INPUT_SOURCE_SCRIPT */
    uint64_t seed;              /* of LS_INPUT_SOURCE_RANDOM */
    uint32_t predict_ticks;     /* 0: nothing is predicted */
    uint32_t count;             /* 1..LS_CLIENT_GROUP_MAX */
    uint64_t ticks;       /* each leaves this many after it entered play: a player with its JOIN, a
                             spectator with the first live tick; 0: at the match's end */
    uint64_t corrupt_at;  /* for the first: one bit of its world is flipped; UINT64_MAX: never */
    uint32_t evidence_ms; /* this and the next three: as in ls_client_config */
    uint64_t memory_max;
    uint32_t tick_rate_max, players_max;
    ls_relay_options relay; /* when any is given, all go through a relay in this process */
    bool is_spectator;
    bool is_light;  /* they do not simulate */
    bool has_input; /* --input was given */
    bool is_quiet;  /* no live lines */
    bool is_json;   /* what goes to stdout is JSON, an object a line */
} ls_client_group_options;

#endif
