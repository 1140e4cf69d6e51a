/* A participant: a person who starts a client again when it dies, gives orders, and is honest or
 * not. The client's world is compared with the ledger tick by tick. */
#ifndef LS_SIMULATION_PLAYER_H
#define LS_SIMULATION_PLAYER_H

#include "clock.h"
#include "ledger.h"
#include "orders.h"
#include "player_view.h"
#include "stage.h"
#include "wire.h"

#include <lockstep/client.h>

/* Where its world differs, in the words of the server: COMPONENT.FIELD of ENTITY. */
struct player_cell {
    char place[208], server[64], client[64];
};

struct player {
    struct stage *stage;
    const plan_player *plan;
    struct ledger *ledger;
    uint32_t index;
    struct dice dice;
    char name[LS_NAME_BYTES]; /* p<index>.<life> */
    struct wire wire;
    ls_impairment_conditions line;
    ls_client *client;       /* NULL: not running */
    struct player_view view; /* with a session: the session's client */
    uint32_t turns;          /* ticks that it has seen and given no orders in yet */
    node_clock clock;
    uint32_t life; /* number of its processes so far */
    uint64_t starts_ns, wish_ns, slow_until_ns, read_until_ns, flood_until_ns, cut_until_ns;
    uint64_t misled_ns; /* when an attacker's refusal ended its client; 0: never */
    bool has_secret;
    uint8_t secret[LS_RESUME_BYTES];
    bool is_done;    /* its match is over, or it may not come back */
    bool is_out;     /* it may not come back */
    bool is_excused; /* some orders may be lost */
    struct orders orders;
    uint32_t number;

    /* Since when its world differs, and whether that was reported. */
    bool is_wrong, was_wrong, was_named, is_disturbed;
    uint64_t wrong_tick, wrong_ns;
    struct player_cell wrong_cell;
    uint32_t wrong_resumes;
};

void player_init(struct player *self, struct stage *stage, uint32_t index, struct ledger *ledger);
void player_reset(struct player *self);

/* Does what is due. */
void player_step(struct player *self);
uint64_t player_next_ns(const struct player *self);

/* Faults. */
void player_kill(struct player *self, bool keeps_secret);
void player_set_line(struct player *self, const ls_impairment_conditions *line);
/* Nothing that `sender` sends arrives for a while. */
void player_cut(struct player *self, bool server, bool client, uint64_t until_ns);
void player_read_slowly(struct player *self, uint32_t reads_per_s, uint64_t until_ns);
void player_rebind(struct player *self);
void player_shift_clock(struct player *self);
/* The first phase is over. */
void player_calm(struct player *self);

bool player_is_hostile(const struct player *self);
/* The server accuses it; it may differ since tick `from`. */
void player_hear_desync(struct player *self, uint32_t life, uint64_t tick, uint64_t from);
/* The server's finding about a differing world. */
struct player_finding {
    uint64_t tick;
    uint32_t differences;
    struct player_cell cell;
};
void player_hear_cell(struct player *self, uint32_t life, const struct player_finding *found);
/* Why the server has no finding. */
void player_hear_nothing(struct player *self, uint32_t life, uint64_t tick, const char *why);
/* It is where it should be, when its room has closed `tick` ticks. */
bool player_is_there(const struct player *self, uint64_t tick);

#endif
