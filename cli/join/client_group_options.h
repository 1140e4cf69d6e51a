/* The options of the clients of one process. */
#ifndef LS_CLIENT_GROUP_OPTIONS_H
#define LS_CLIENT_GROUP_OPTIONS_H

#include "cli/common/match_options.h"
#include "cli/join/input_source.h"
#include "cli/join/trust.h"
#include "cli/network/relay_options.h"

#define LS_CLIENT_GROUP_MAX            1000
#define LS_CLIENT_GROUP_NAME_BYTES_MAX 20 /* leaves room for a number in a server's names */

typedef struct ls_client_group_options {
    ls_match_options match;    /* only --sim (NULL: asks the server) and --threads */
    ls_server_address address; /* without a host: the token has the address */
    const char *known_servers;
    const char *name;  /* the clients' name; several get a number */
    const char *log;   /* file; "-": stderr; NULL: none */
    const char *state; /* file that keeps the seat; NULL: none, and always with several clients */
    const char *room;  /* NULL: any */
    const char *password;       /* file; NULL: none */
    const char *token;          /* file of a connect token, for one client; NULL: none */
    ls_input_source_kind input; /* what plays the seats */
    const char *script;         /* file of LS_INPUT_SOURCE_SCRIPT */
    uint64_t seed;              /* seed of LS_INPUT_SOURCE_RANDOM */
    uint32_t predict_ticks;     /* 0: nothing is predicted */
    uint32_t count;             /* 1..LS_CLIENT_GROUP_MAX */
    uint64_t ticks; /* each client leaves this many ticks after it entered play: a player with its
                       JOIN, a spectator with the first live tick; 0: at the match's end */
    uint64_t corrupt_at;  /* tick at which one bit of the first client's world is flipped;
                             UINT64_MAX: never */
    uint32_t evidence_ms; /* this and the next three: as in ls_client_config */
    uint64_t memory_max;
    uint32_t tick_rate_max, players_max;
    ls_relay_options relay; /* if any is given, all clients use a relay in this process */
    bool is_spectator;
    bool is_light;  /* the clients do not simulate */
    bool has_input; /* --input was given */
    bool is_quiet;  /* no live lines */
    bool is_json;   /* stdout gets JSON, one object a line */
} ls_client_group_options;

#endif
