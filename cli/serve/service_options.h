/* The options of one server process. */
#ifndef LS_SERVICE_OPTIONS_H
#define LS_SERVICE_OPTIONS_H

#include "cli/common/match_options.h"
#include "cli/serve/http_play_rules.h"
#include "cli/serve/retention.h"
#include <lockstep/server.h>

typedef struct ls_service_options {
    ls_match_options match;
    const char *address;     /* to bind; NULL: all interfaces */
    uint16_t port;           /* 0: any free one */
    const char *record;      /* folder for the recordings; NULL: none */
    const char *broadcast;   /* folder where running matches are published; NULL: none */
    bool takes_over;         /* the matches of `resume` come from another process */
    const char *resume;      /* folder whose unfinished matches are resumed; NULL: none */
    const char *on_finished; /* program that gets the name of a finished recording; NULL: none */
    const char *identity;    /* file; NULL: the user's own */
    bool allows_unhashed;    /* serves a simulation whose fingerprint does not cover its sources */
    bool has_temporary_identity;               /* uses a key for this run only */
    const char *password;                      /* file with one line; NULL: none */
    const char *token_keys[LS_TOKEN_KEYS_MAX]; /* files of matchmakers' keys */
    uint32_t token_key_count;
    bool require_token;
    const char *addresses[LS_TOKEN_ADDRESSES_MAX]; /* HOST:PORT where players reach the server;
                                                      none: `address`, unless it is a wildcard */
    uint32_t address_count;
    ls_login_policy login;
    const char *log;  /* file; "-": stderr; NULL: none */
    uint64_t log_max; /* bytes of the file before it is rotated; 0: no limit */
    ls_log_level log_level;
    uint32_t log_format; /* 0: text, 1: JSON */
    uint32_t rooms;      /* opened at the start */
    uint32_t rooms_max;  /* limit with the rooms that clients open by name; 0: they open none */
    uint64_t ticks;      /* length of each match; 0: until asked to stop */
    uint32_t wait_players;
    uint32_t peers_max; /* 0: chosen from the number of seats */
    uint32_t connections_per_host;
    uint32_t auths_per_host;
    uint32_t snapshots_per_host;   /* a minute */
    uint32_t snapshot_kb_per_host; /* in 1000 bytes a second */
    uint32_t rooms_per_host;       /* a minute */
    uint32_t egress_kb;            /* limit of sent data, in 1000 bytes a second; 0: no limit */
    uint32_t workers;              /* threads for jobs; 0: chosen from the number of CPUs */
    ls_room_policy policy;
    ls_desync_policy desync;
    /* Intervals of the recordings, in ticks; as in ls_room_config. */
    uint32_t sync_ticks, sign_ticks, column_ticks, keyframe_ticks;
    ls_retention_limits retention;
    uint32_t broadcast_delay_s;
    uint32_t evidence_ms;  /* as in ls_room_config */
    uint32_t keep_seats_s; /* as in ls_room_config */
    bool players_may_pause;
    bool allows_light; /* admits clients that do not simulate, for load tests */
    bool end_when_empty;
    bool is_quiet;     /* no live lines */
    const char *lobby; /* HOST[:PORT] of Redis, where lobbies find the server; NULL: none */
    const char *redis_password; /* file with the password of Redis; NULL: none */
    const char *http;           /* [ADDR:]PORT of metrics, health and rooms; NULL: none */
    bool has_web;               /* players join over WebSocket on that port */
    const char *web_origins[LS_HTTP_PLAY_ORIGINS_MAX]; /* pages of other hosts that may join */
    uint32_t web_origin_count;
    const char *http_proxy;       /* address of a proxy that names its clients; NULL: none */
    const char *http_proxy_token; /* file with the token that the proxy sends; NULL: none */
    const char *http_token;       /* file with the token for actions on that port; NULL: none */
    const char *site;             /* folder of the viewer on that port; NULL: none */
    const char *admin;            /* path of the socket for `lockstep admin`; NULL: none */
    const char *bans;             /* file; NULL: bans end with the process */
    bool has_agones; /* a sidecar of Agones takes part; its port is in the environment */
} ls_service_options;

#endif
