/* The seats of a match and what waits in them for a tick: joins, leaves, numbered inputs and
 * states of the clients. An input lands exactly once, in the order of its numbers, in the first
 * open tick at or after the one that it asks for. A state lands in its own tick or is dropped; the
 * first for a tick counts, and a substitute replaces a missing one.
 *   invariant  a seat's inputs are taken only while its JOIN is in the stream and its LEAVE is not
 */
#ifndef LS_SEATS_H
#define LS_SEATS_H

#include <lockstep/limits.h>
#include <lockstep/sim.h>

#define LS_SEAT_NONE UINT32_MAX

/* A queued input. */
typedef struct ls_seat_order {
    uint64_t wanted_tick; /* 0: the first open tick */
    uint16_t bytes;
} ls_seat_order;

typedef struct ls_seat {
    bool is_taken;     /* by a session */
    bool is_in_stream; /* its JOIN was in a frame, its LEAVE was not */
    bool wants_join, wants_leave;
    bool has_secret;                 /* of its last session, which may return with it */
    uint8_t secret[LS_RESUME_BYTES]; /* hash */
    char client[LS_CLIENT_ID_BYTES], name[LS_NAME_BYTES]; /* of its last session */
    bool is_light;                                        /* likewise: it reports no roots */
    uint32_t resyncs;  /* in this match; a new session does not reset it */
    bool was_asked;    /* likewise: an inquiry asked for its world */
    uint64_t freed;    /* counts up as seats become free, to order them; 0: never used */
    uint32_t sequence; /* highest number accepted in the present session */
    uint32_t count, byte_count;
    ls_seat_order queue[LS_SERVER_INPUT_QUEUE]; /* oldest first */
    uint8_t bytes[LS_SERVER_INPUT_BYTES];       /* of the queue, one after the other */
    /* When the simulation has states: received ones by tick modulo LS_SERVER_STATES, then the last
     * that entered the stream. */
    uint64_t has_state; /* one bit per state */
    uint8_t *states;
} ls_seat;

typedef struct ls_seats {
    const ls_sim *sim;
    const ls_match *match;
    ls_seat *items;
    uint64_t freed_count;
    uint32_t first_seat; /* the next frame begins with this seat */
    uint8_t *states;     /* of all seats */
    ls_input frame_inputs[LS_FRAME_INPUTS_MAX];
    uint8_t order_bytes[LS_FRAME_BYTES_MAX]; /* of the frame's orders */
} ls_seats;

/*   owns  sim and match outlive the seats */
void ls_seats_init(ls_seats *seats, const ls_sim *sim, const ls_match *match);
/* Wipes the secrets and frees. */
void ls_seats_reset(ls_seats *seats);

/* The seat whose secret has this hash, taken or free; LS_SEAT_NONE: none. Compares in constant
 * time. */
uint32_t ls_seats_find_secret(const ls_seats *seats, const uint8_t secret[LS_RESUME_BYTES]);
/* A free seat for a new player: an unused one, else the one that has been free the longest.
 * LS_SEAT_NONE: all are taken. */
uint32_t ls_seats_find_free(const ls_seats *seats);
/* A session takes a free seat. Asserts that it is free. */
void ls_seats_take(ls_seats *seats, uint32_t seat);
/* The seat whose last session came with this client id; LS_SEAT_NONE for none. */
uint32_t ls_seats_find_client(const ls_seats *seats, const char *client);
/* From now on the secret with this hash proves a claim to the seat. */
void ls_seats_set_secret(ls_seats *seats, uint32_t seat, const uint8_t secret[LS_RESUME_BYTES]);
/* The session has ended: drops the queue; a LEAVE enters the next tick if the JOIN was in the
 * stream. */
void ls_seats_release(ls_seats *seats, uint32_t seat);
/* A JOIN enters the next tick, unless the player is in the stream. */
void ls_seats_join(ls_seats *seats, uint32_t seat);

typedef enum ls_submit_result {
    LS_SUBMIT_TAKEN,   /* it will land */
    LS_SUBMIT_REFUSED, /* consumed but invalid: it never lands */
    LS_SUBMIT_KNOWN,   /* a repetition */
    LS_SUBMIT_LATER,   /* not accepted: out of order, no space, or no player; the client may send it
                          again */
    LS_SUBMIT_LATE,    /* of a state: its tick has closed */
} ls_submit_result;

/* One input of a client. `tick` closes next. */
typedef struct ls_seat_input {
    uint64_t tick;
    uint64_t wanted_tick;
    uint32_t sequence;
    uint32_t bytes;
    const uint8_t *data;
} ls_seat_input;
/* True when the input of this number is next and has space. */
bool ls_seats_is_open(const ls_seats *seats, uint32_t seat, uint32_t sequence);
ls_submit_result ls_seats_submit(ls_seats *seats, uint32_t seat, const ls_seat_input *input);

/* A state for `tick`; `next` closes next. REFUSED also when it is too far ahead. */
ls_submit_result ls_seats_submit_state(ls_seats *seats, uint32_t seat, uint64_t next, uint64_t tick,
                                       const uint8_t *data);
/* True when the tick does not wait for this seat: its state is there, or none is needed. */
bool ls_seats_is_ready(const ls_seats *seats, uint32_t seat, uint64_t tick);

/* An event of the whole match: LS_PAUSE or LS_RESUME; LS_INPUT: none. */
typedef struct ls_seats_event {
    ls_input_kind kind;
    uint32_t player; /* that asked; the match's player_count: the server */
} ls_seats_event;

/* Counts of one frame. */
typedef struct ls_seats_taken {
    uint32_t joins, leaves, inputs, late, states, substitutes;
} ls_seats_taken;
/* Builds the frame of `tick` and removes its inputs from the queues. Inputs over the limits of a
 * frame wait; space is shared round-robin, so no seat starves another.
 *   owns  the frame's inputs live until the next call on `seats` */
void ls_seats_build(ls_seats *seats, uint64_t tick, ls_seats_event event, ls_frame *frame,
                    ls_seats_taken *taken);
/* Applies a recorded frame: players in the stream, and their last states. */
void ls_seats_replay(ls_seats *seats, const ls_frame *frame);
/* Replaces lost frames: bit i of `taken` is set when seat i is in the stream. */
void ls_seats_begin_within(ls_seats *seats, uint64_t taken);

#endif
