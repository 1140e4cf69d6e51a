/* The seats of a match, and the joins, leaves, orders and states that wait in them for a tick. An
 * order lands exactly once, in the sequence of the client's numbers, in the first open tick at or
 * after the one that it asks for. A state lands in its own tick or is dropped. The first state for
 * a tick counts; a substitute replaces a missing one.
 *   invariant  a seat's inputs are taken only while its JOIN is in the stream and its LEAVE is not,
 *              and never of an absent player
 */
#ifndef LS_SEATS_H
#define LS_SEATS_H

#include <lockstep/limits.h>
#include <lockstep/sim.h>

#define LS_SEAT_NONE UINT32_MAX

/* A queued order. */
typedef struct ls_seat_order {
    uint64_t wanted_tick; /* 0: the first open tick */
    uint16_t bytes;
} ls_seat_order;

typedef struct ls_seat {
    bool is_taken;     /* a session has the seat, or a grant reserves it */
    bool is_in_stream; /* its JOIN has been in a frame, its LEAVE has not */
    bool wants_join, wants_leave;
    /* 0: the player is not absent. An absent player stays in the stream, but has lost its session,
     * or has since reported no right root. Substitutes replace its states, and its LEAVE follows at
     * this time. */
    uint64_t absent_until_ns;
    bool has_secret;                 /* `secret` is set: its last session may return with it */
    uint8_t secret[LS_RESUME_BYTES]; /* hash of the resume secret */
    char client[LS_CLIENT_ID_BYTES], name[LS_NAME_BYTES]; /* identity of its last session */
    bool is_light;                                        /* its last session reports no roots */
    uint32_t bucket;                                      /* bucket of its last session's host */
    bool was_resynced; /* one of its sessions was told to load a snapshot for a desync */
    bool was_asked;    /* an inquiry has asked one of its sessions */
    uint64_t freed;    /* rises with each seat that becomes free: the least is free the longest; 0:
                          never used */
    uint32_t sequence; /* highest order number acknowledged in the present session */
    uint32_t count, byte_count;
    ls_seat_order queue[LS_SERVER_INPUT_QUEUE]; /* oldest first */
    uint8_t bytes[LS_SERVER_INPUT_BYTES];       /* data of the queued orders, in queue order */
    /* If the simulation has states: the received ones by tick modulo LS_SERVER_STATES, then the
     * last one that entered the stream. */
    uint64_t has_state; /* one bit for each received state */
    uint8_t *states;
} ls_seat;

typedef struct ls_seats {
    const ls_sim *sim;
    const ls_match *match;
    ls_seat *items;
    uint64_t freed_count;
    uint32_t first_seat; /* the seat that is first in the next frame */
    uint8_t *states;     /* the states of all seats; NULL: the simulation has none */
    ls_input frame_inputs[LS_FRAME_INPUTS_MAX];
    uint8_t order_bytes[LS_FRAME_BYTES_MAX]; /* data of the frame's orders */
} ls_seats;

/* owns  the caller keeps sim and match, which must outlive the seats */
void ls_seats_init(ls_seats *seats, const ls_sim *sim, const ls_match *match);
/* Wipes the secrets and frees the seats. */
void ls_seats_reset(ls_seats *seats);

/* Returns the seat with this secret hash, taken or free; LS_SEAT_NONE: none. Compares in constant
 * time. */
uint32_t ls_seats_find_secret(const ls_seats *seats, const uint8_t secret[LS_RESUME_BYTES]);
/* Returns a free seat for a new player: an unused one, else the one that has been free the longest.
 * LS_SEAT_NONE: all are taken, or kept for absent players. */
uint32_t ls_seats_find_free(const ls_seats *seats);
/* Gives a seat to a session. Asserts that the seat is free. */
void ls_seats_take(ls_seats *seats, uint32_t seat);
/* Returns the seat whose last session had this client id; LS_SEAT_NONE: none. */
uint32_t ls_seats_find_client(const ls_seats *seats, const char *client);
/* Sets the hash of the secret that proves a claim to the seat. */
void ls_seats_set_secret(ls_seats *seats, uint32_t seat, const uint8_t secret[LS_RESUME_BYTES]);
/* Frees the seat after its session has ended: drops the queue. A LEAVE enters the next tick if the
 * JOIN was in the stream. */
void ls_seats_release(ls_seats *seats, uint32_t seat);
/* Frees the seat after its session was lost, and drops the queue. A player in the stream becomes
 * absent until `until_ns`; an absent one keeps its earlier time. With `until_ns` 0 the player
 * leaves, unless it was absent already. */
void ls_seats_lose(ls_seats *seats, uint32_t seat, uint64_t until_ns);
/* Keeps the seats of absent players for `time_ns` longer, in which they could not return. */
void ls_seats_extend(ls_seats *seats, uint64_t time_ns);
/* Makes absent players leave when their time is over. */
void ls_seats_expire(ls_seats *seats, uint64_t now_ns);
bool ls_seats_has_absent(const ls_seats *seats);
/* Makes a JOIN enter the next tick, unless the player is in the stream. True when the player was
 * absent: it then continues without a JOIN. */
bool ls_seats_join(ls_seats *seats, uint32_t seat);

typedef enum ls_submit_result {
    LS_SUBMIT_TAKEN,   /* accepted: it will land */
    LS_SUBMIT_REFUSED, /* invalid: it is acknowledged and never lands */
    LS_SUBMIT_KNOWN,   /* a repetition */
    LS_SUBMIT_LATER,   /* not accepted: out of sequence, no space, or not in the stream; the client
                          may send it again */
    LS_SUBMIT_LATE,    /* a state for a closed tick */
} ls_submit_result;

/* One order of a client. `tick` is the next tick to close. */
typedef struct ls_seat_input {
    uint64_t tick;
    uint64_t wanted_tick;
    uint32_t sequence;
    uint32_t bytes;
    const uint8_t *data;
} ls_seat_input;
/* True when the seat takes orders, the order of this number is the next one, and the queue has a
 * free entry. */
bool ls_seats_is_open(const ls_seats *seats, uint32_t seat, uint32_t sequence);
ls_submit_result ls_seats_submit(ls_seats *seats, uint32_t seat, const ls_seat_input *input);

/* Submits a state for `tick`; `next` is the next tick to close. Also LS_SUBMIT_REFUSED when `tick`
 * is too far ahead. */
ls_submit_result ls_seats_submit_state(ls_seats *seats, uint32_t seat, uint64_t next, uint64_t tick,
                                       const uint8_t *data);
/* True when the tick need not wait for this seat: its state has arrived, or it needs none. */
bool ls_seats_is_ready(const ls_seats *seats, uint32_t seat, uint64_t tick);

/* An event of the whole match: LS_PAUSE or LS_RESUME; LS_INPUT: none. */
typedef struct ls_seats_event {
    ls_input_kind kind;
    uint32_t player; /* the player that asked; player_count of the match: the server */
} ls_seats_event;

/* Counts of the inputs that one frame took from the seats. */
typedef struct ls_seats_taken {
    uint32_t joins, leaves, inputs, late, states, substitutes;
} ls_seats_taken;
/* Builds the frame of `tick` and removes its inputs from the queues. Orders over the limits of a
 * frame wait. The space is shared round-robin, so no seat starves another.
 *   owns  the frame's inputs are valid until the next call on `seats` */
void ls_seats_build(ls_seats *seats, uint64_t tick, ls_seats_event event, ls_frame *frame,
                    ls_seats_taken *taken);
/* Applies a recorded frame: updates which players are in the stream, and their last states. */
void ls_seats_replay(ls_seats *seats, const ls_frame *frame);
/* Sets which seats are in the stream, bit i of `taken` for seat i. Replaces ls_seats_replay() for
 * frames that were lost. */
void ls_seats_begin_within(ls_seats *seats, uint64_t taken);

#endif
