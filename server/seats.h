/* The seats of a match and what waits in them for a tick: joins, leaves and the numbered inputs of
 * the clients. An input lands exactly once, in the order of its numbers, in the first open tick
 * from the one that it wishes for.
 *   invariant  a seat's inputs are taken only while its JOIN is in the stream and its LEAVE is not
 */
#ifndef LS_SEATS_H
#define LS_SEATS_H

#include "core/sim.h"
#include "server/server_limits.h"

#define LS_SEAT_NONE UINT32_MAX

typedef struct ls_seat_input {
    uint64_t wish; /* 0: none, the first open tick */
    uint16_t bytes;
    uint8_t data[LS_INPUT_BYTES_MAX];
} ls_seat_input;

typedef struct ls_seat {
    bool is_taken;     /* by a session */
    bool is_in_stream; /* its JOIN was in a frame, its LEAVE was not */
    bool wants_join, wants_leave;
    bool has_secret; /* of its last session: may be taken over with it */
    uint8_t secret[LS_RESUME_BYTES];
    uint64_t freed;    /* a count that orders the seats by when they became free; 0: never used */
    uint32_t sequence; /* highest number taken from the present session */
    uint32_t first, count;
    ls_seat_input queue[LS_SERVER_INPUT_QUEUE];
} ls_seat;

typedef struct ls_seats {
    const ls_sim *sim;
    const ls_match *match;
    ls_seat *items;
    uint64_t freed_count;
    uint32_t first_turn; /* the seat that begins the next frame */
    ls_input frame_inputs[LS_FRAME_INPUTS_MAX];
} ls_seats;

/*   owns  sim and match outlive the seats */
void ls_seats_init(ls_seats *seats, const ls_sim *sim, const ls_match *match);
/* Wipes the secrets and frees. */
void ls_seats_reset(ls_seats *seats);

/* The seat that `secret` belongs to, taken or not; LS_SEAT_NONE for an unknown one. Compares in
 * constant time. */
uint32_t ls_seats_find_secret(const ls_seats *seats, const uint8_t secret[LS_RESUME_BYTES]);
/* A free seat for a newcomer: one that nobody had, else the one that was left longest ago.
 * LS_SEAT_NONE when all are taken. */
uint32_t ls_seats_find_free(const ls_seats *seats);
/* A session takes a free seat. Asserts that it is free. */
void ls_seats_take(ls_seats *seats, uint32_t seat);
/* From now on `secret` proves that the seat was its holder's. */
void ls_seats_set_secret(ls_seats *seats, uint32_t seat, const uint8_t secret[LS_RESUME_BYTES]);
/* The session is over: what waits is dropped, a LEAVE enters the next tick if its JOIN was there.
 */
void ls_seats_release(ls_seats *seats, uint32_t seat);
/* Its JOIN enters the next tick, unless it is in. */
void ls_seats_join(ls_seats *seats, uint32_t seat);

typedef enum ls_offer {
    LS_OFFER_TAKEN,   /* it will land */
    LS_OFFER_REFUSED, /* taken off the client's hands, but not valid: it never lands */
    LS_OFFER_KNOWN,   /* taken before */
    LS_OFFER_LATER,   /* not taken: out of turn, no room, or not a player; may be offered again */
} ls_offer;

/* One input as it came from a client. `tick` is the next to close. */
typedef struct ls_seat_offer {
    uint64_t tick;
    uint64_t wish;
    uint32_t sequence;
    uint32_t bytes;
    const uint8_t *data;
} ls_seat_offer;
/* Whether the input of this number is the next and there is room for it. */
bool ls_seats_is_open(const ls_seats *seats, uint32_t seat, uint32_t sequence);
ls_offer ls_seats_offer(ls_seats *seats, uint32_t seat, const ls_seat_offer *offer);

/* What a frame took. */
typedef struct ls_seats_taken {
    uint32_t joins, leaves, inputs, late;
} ls_seats_taken;
/* Builds the frame of `tick` and takes what is in it off the queues. What exceeds the limits of a
 * frame waits; room is shared out in turns, so that no seat can starve another.
 *   owns  the frame's inputs live until the next call on `seats` */
void ls_seats_build(ls_seats *seats, uint64_t tick, ls_frame *frame, ls_seats_taken *taken);

#endif
