/* A match of our server and clients in virtual time, over the in-process network. A run repeats
 * exactly, and a minute of a small match takes a second. */
#ifndef LS_BENCH_VIRTUAL_MATCH_H
#define LS_BENCH_VIRTUAL_MATCH_H

#include "tests/support/link_memory.h"
#include <lockstep/client.h>
#include <lockstep/server.h>

#define VIRTUAL_MS UINT64_C(1000000)
#define VIRTUAL_S  (1000 * VIRTUAL_MS)

enum { VIRTUAL_CLIENTS_MAX = 25 };

typedef struct virtual_match {
    uint64_t now_ns;
    ls_network *network;
    ls_program *program;
    ls_identity identity;
    ls_link *link;
    ls_server *server;
    ls_room *room;
    uint32_t count;
    ls_link *links[VIRTUAL_CLIENTS_MAX];
    ls_client *clients[VIRTUAL_CLIENTS_MAX];
    /* Called after each step of the server; NULL: not called. */
    void (*stepped)(void *context);
    void *context;
} virtual_match;

typedef struct virtual_match_config {
    const ls_sim *sim;
    uint32_t tick_rate; /* 0: the simulation's */
    int64_t units;      /* first option of the simulation; 0: its default */
    void (*log)(void *context, const char *line);
    void *log_context;
} virtual_match_config;

/* Starts a server with one room that waits for no player. */
void virtual_match_begin(virtual_match *match, const virtual_match_config *config);
void virtual_match_end(virtual_match *match);
/* Fills in the match's program and key; the caller sets whether the client is a bot or a
 * spectator. */
ls_client_config virtual_match_client(const virtual_match *match);
/* Joins over a line of its own, or over the line that all clients with `is_shared` have in
 * common. */
void virtual_match_join(virtual_match *match, const ls_client_config *config,
                        const ls_impairment_conditions *line, bool is_shared);
void virtual_match_run(virtual_match *match, uint64_t duration_ns);

#endif
