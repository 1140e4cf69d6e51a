/* A server and its clients in one process, one thread and virtual time, over the network of
 * tests/support/link_memory.h. Steps happen only at requested times and when a packet arrives, so a
 * step function that requests a wrong time stops the match. */
#ifndef LS_ARENA_H
#define LS_ARENA_H

#include "tests/support/link_memory.h"
#include "tests/support/memory_sink.h"
#include <lockstep/client.h>
#include <lockstep/server.h>

enum { ARENA_CLIENTS_MAX = 12, ARENA_LOG_BYTES = 1 << 18 };

typedef struct arena_client {
    ls_link *link;
    ls_client *client;
    bool is_dead; /* killed; its slot remains */
} arena_client;

typedef struct arena {
    uint64_t now_ns;
    ls_network *network;
    ls_program *program, *other_program;
    ls_identity identity;
    uint64_t secrets; /* state of the server's entropy */
    ls_memory_sink recording;
    ls_link *link; /* the server's link */
    ls_server *server;
    ls_room *room;             /* NULL after the room ended */
    ls_room_stats final_stats; /* the room's statistics when it ended */
    ls_world *final_world;
    uint32_t client_count;
    arena_client clients[ARENA_CLIENTS_MAX];
    char log[ARENA_LOG_BYTES]; /* the server's log lines */
    size_t log_bytes;
} arena;

typedef struct arena_config {
    const ls_sim *sim; /* NULL: tally_sim */
    uint64_t seed;
    ls_impairment_conditions conditions;
    uint32_t players, wait_players,
        tick_rate; /* 0 means 4 players, 1 to wait for, 60 ticks a second */
    uint64_t ticks_max;
    bool end_when_empty;
    ls_room_policy policy;
    ls_desync_policy desync;
    bool players_may_pause;
    /* Changes other members of the configs before they are used; may be NULL. */
    void (*prepare)(void *context, ls_server_config *server, ls_room_config *room);
    void *context;
} arena_config;

arena *arena_create(const arena_config *config);
void arena_destroy(arena *room);

/* lan: 5 ms one way, no faults. lossy: 40 ms one way, heavy faults. */
extern const ls_impairment_conditions arena_lan, arena_lossy;

/* Returns a config for arena_join(), which sets its link. */
ls_client_config arena_client_config(const arena *room, const char *name);
/* Connects another client and returns its index. */
uint32_t arena_join(arena *room, const ls_client_config *config);
/* Connects the bot "carl". At `tick` one bit of its world flips; `pick` selects the bit. */
uint32_t arena_join_corrupted(arena *room, uint64_t tick, uint64_t pick);
/* Like arena_join(), but over a link of the test; the arena then owns the link. */
uint32_t arena_join_over(arena *room, const ls_client_config *config, ls_link *link);
uint32_t arena_join_bot(arena *room, const char *name);
/* Destroys a client as if its process was killed: no peer is notified. */
void arena_kill(arena *room, uint32_t index);

void arena_run(arena *room, uint64_t duration_ns);
/* Runs until the server has closed `tick` ticks; fails the test after `patience_ns`. */
void arena_run_to_tick(arena *room, uint64_t tick, uint64_t patience_ns);
/* Runs until the server is done and all clients are in a final state; fails the test otherwise. */
void arena_run_to_end(arena *room, uint64_t patience_ns);

ls_client *arena_client_at(arena *room, uint32_t index);
ls_client_stats arena_client_stats(arena *room, uint32_t index);
ls_room_stats arena_stats(const arena *room);
/* The server's world now, or its final world after the room ended. */
ls_world *arena_world(arena *room);
/* The number of occurrences of this text in the server's log. */
uint32_t arena_log_count(const arena *room, const char *text);

/* Asserts that every client is PLAYING near the head, with the server's root for its tick. */
void arena_assert_all_equal(arena *room);
/* Asserts that the recording replays with the roots that it holds, and ends with the server's
 * root. */
void arena_assert_recording(arena *room, uint64_t tick_count);

#endif
