/* The match of a room: its seats, its closed frames, and the world that follows from them. */
#ifndef LS_ROOM_MATCH_H
#define LS_ROOM_MATCH_H

#include "server/driver.h"
#include "server/referee.h"
#include "server/seats.h"
#include "server/tick_ring.h"
#include <lockstep/match.h>

typedef struct ls_room_match {
    ls_match config;
    ls_seats seats;
    ls_tick_ring ring;  /* closed frames; ring.next is the tick that closes next */
    ls_driver driver;   /* simulates these frames */
    ls_referee referee; /* their roots; compares the clients' roots with them */
    bool is_paused;     /* after the last closed frame */
} ls_room_match;

/* The world's tick: every earlier tick is simulated. */
static inline uint64_t ls_room_match_simulated(const ls_room_match *match)
{
    return match->referee.next - 1;
}

/* The number of closed ticks that are not simulated yet. */
static inline uint64_t ls_room_match_lag(const ls_room_match *match)
{
    return match->ring.next - ls_room_match_simulated(match);
}

static inline uint64_t ls_room_match_last_root(const ls_room_match *match)
{
    return match->referee.roots[ls_room_match_simulated(match) % LS_SERVER_ROOTS];
}

#endif
