/* A running room, and a puppet as one of its clients. */
#ifndef LS_SESSION_FIXTURE_H
#define LS_SESSION_FIXTURE_H

#include "puppet.h"
#include "tally_sim.h"
#include "tests/support/test.h"

typedef struct fixture {
    arena *room;
    puppet *client;
} fixture;

/* Creates a running room with a bot in seat 0, and a puppet that has entered. */
static inline int begin(void **state)
{
    fixture *f = ls_alloc(sizeof *f);
    f->room = arena_create(&(arena_config){.seed = 1, .conditions = {.delay_ns = 5 * MS}});
    arena_join_bot(f->room, "bot");
    arena_run_to_tick(f->room, 60, 5 * S);
    f->client = puppet_enter(f->room, "puppet");
    *state = f;
    return 0;
}

static inline int end(void **state)
{
    fixture *f = *state;
    puppet_destroy(f->client);
    arena_destroy(f->room);
    ls_free(f);
    return 0;
}

static inline uint64_t tick_of(const fixture *f)
{
    return arena_stats(f->room).tick;
}

/* Reports the right root of the current tick, which makes the puppet a player. */
static inline void become_player(fixture *f)
{
    ls_update update = {.ack = tick_of(f),
                        .root_count = 1,
                        .root_first = tick_of(f),
                        .roots = {ls_world_root(arena_world(f->room))}};
    puppet_update(f->client, f->room, &update);
    puppet_run(f->client, f->room, 100 * MS);
    assert_int_equal(arena_stats(f->room).joins, 2);
}

#endif
