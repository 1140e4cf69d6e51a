/* A participant: starts its client again when the client dies, gives orders, and is honest or not.
 * The client's world is compared with the ledger tick by tick. */
#ifndef LS_SIMULATION_PLAYER_H
#define LS_SIMULATION_PLAYER_H

#include "clock.h"
#include "hostile_link.h"
#include "ledger.h"
#include "orders.h"
#include "player_view.h"
#include "run_shared.h"

#include <lockstep/client.h>

/* A cell of a world that differs, as the server names it: COMPONENT.FIELD of ENTITY, and both
 * values. */
struct player_cell {
    char place[208], server[64], client[64];
};

struct player {
    struct run_shared *shared;
    const plan_player *plan;
    struct ledger *ledger;
    uint32_t index;
    struct draws draws;
    char name[LS_NAME_BYTES]; /* p<index>.<life> */
    struct hostile_link link;
    ls_impairment_conditions line;
    ls_client *client;       /* NULL: not running */
    struct player_view view; /* for a player with a session: `client` is then the session's */
    uint32_t turns;          /* ticks that it has seen without giving orders yet */
    node_clock clock;
    uint32_t life; /* number of the player's processes so far */
    uint64_t starts_ns, wish_ns, slow_until_ns, read_until_ns, flood_until_ns, cut_until_ns;
    uint64_t misled_ns; /* when a forged REJECT ended its client; 0: never */
    bool has_secret;
    uint8_t secret[LS_RESUME_BYTES];
    bool is_done;    /* its match is over, or it must not return */
    bool is_out;     /* it must not return */
    bool is_excused; /* losing some of its orders is no failure */
    struct orders orders;
    uint32_t number;

    /* How its world differs: since when, where, and whether the server reported it. */
    bool is_wrong, was_wrong, was_named, is_disturbed;
    uint64_t wrong_tick, wrong_ns;
    struct player_cell wrong_cell;
    uint32_t wrong_resumes;
};

void player_init(struct player *self, struct run_shared *shared, uint32_t index,
                 struct ledger *ledger);
void player_reset(struct player *self);

/* Runs everything that is due now. */
void player_step(struct player *self);
uint64_t player_next_ns(const struct player *self);

/* Faults. */
void player_kill(struct player *self, bool keeps_secret);
void player_set_line(struct player *self, const ls_impairment_conditions *line);
/* Cuts the line until `until_ns`: packets of the server, of the client, or of both are lost. */
void player_cut(struct player *self, bool server, bool client, uint64_t until_ns);
void player_read_slowly(struct player *self, uint32_t reads_per_s, uint64_t until_ns);
void player_rebind(struct player *self);
void player_shift_clock(struct player *self);
/* Ends the faults of the first phase. */
void player_calm(struct player *self);

bool player_is_hostile(const struct player *self);
/* Call when the server reports that the player's world differs at `tick`; it may differ since tick
 * `from`. */
void player_hear_desync(struct player *self, uint32_t life, uint64_t tick, uint64_t from);
/* The server's finding about a differing world. */
struct player_finding {
    uint64_t tick;
    uint32_t differences;
    struct player_cell cell;
};
void player_hear_cell(struct player *self, uint32_t life, const struct player_finding *found);
/* Call when the server reports why it has no finding. */
void player_hear_nothing(struct player *self, uint32_t life, uint64_t tick, const char *why);
/* True when the player is where it should be after its room has closed `tick` ticks. */
bool player_is_there(const struct player *self, uint64_t tick);

#endif
