/* The seats of a match and what waits in them for a tick: joins, leaves, the numbered orders of the
 * clients and the states that they hold. An order lands exactly once, in the order of its numbers,
 * in the first open tick from the one that it wishes for. A state lands in its own tick or nowhere;
 * the first that came for a tick counts, and where none came the seat's substitute stands.
 *   invariant  a seat's inputs are taken only while its JOIN is in the stream and its LEAVE is not
 */
#ifndef LS_SEATS_H
#define LS_SEATS_H

#include <lockstep/limits.h>
#include <lockstep/sim.h>

#define LS_SEAT_NONE UINT32_MAX

/* An order that waits. */
typedef struct ls_seat_order {
    uint64_t wanted_tick; /* 0: none, the first open tick */
    uint16_t bytes;
} ls_seat_order;

typedef struct ls_seat {
    bool is_taken;     /* by a session */
    bool is_in_stream; /* its JOIN was in a frame, its LEAVE was not */
    bool wants_join, wants_leave;
    bool has_secret;                 /* of its last session: may be taken over with it */
    uint8_t secret[LS_RESUME_BYTES]; /* its hash */
    char client[LS_CLIENT_ID_BYTES], name[LS_NAME_BYTES]; /* of its last session */
    uint32_t resyncs;  /* in this match; coming back refills nothing */
    bool was_asked;    /* likewise: its world was asked for */
    uint64_t freed;    /* a count that orders the seats by when they became free; 0: never used */
    uint32_t sequence; /* highest number taken from the present session */
    uint32_t count, byte_count;
    ls_seat_order queue[LS_SERVER_INPUT_QUEUE]; /* oldest first */
    uint8_t bytes[LS_SERVER_INPUT_BYTES];       /* of all that waits, one behind the other */
    /* When the simulation has states: those that came, by tick modulo LS_SERVER_STATES, and behind
     * them the last that entered the stream. */
    uint64_t has_state; /* a bit for each */
    uint8_t *states;
} ls_seat;

typedef struct ls_seats {
    const ls_sim *sim;
    const ls_match *match;
    ls_seat *items;
    uint64_t freed_count;
    uint32_t first_seat; /* the seat that begins the next frame */
    uint8_t *states;     /* of all seats */
    ls_input frame_inputs[LS_FRAME_INPUTS_MAX];
    uint8_t order_bytes[LS_FRAME_BYTES_MAX]; /* of the frame's orders */
} ls_seats;

/*   owns  sim and match outlive the seats */
void ls_seats_init(ls_seats *seats, const ls_sim *sim, const ls_match *match);
/* Wipes the secrets and frees. */
void ls_seats_reset(ls_seats *seats);

/* The seat whose secret has this hash, taken or not; LS_SEAT_NONE for an unknown one. Compares in
 * constant time. */
uint32_t ls_seats_find_secret(const ls_seats *seats, const uint8_t secret[LS_RESUME_BYTES]);
/* A free seat for a newcomer: one that nobody had, else the one that was left longest ago.
 * LS_SEAT_NONE when all are taken. */
uint32_t ls_seats_find_free(const ls_seats *seats);
/* A session takes a free seat. Asserts that it is free. */
void ls_seats_take(ls_seats *seats, uint32_t seat);
/* The seat whose last session came with this client id; LS_SEAT_NONE for none. */
uint32_t ls_seats_find_client(const ls_seats *seats, const char *client);
/* From now on the secret of this hash proves that the seat was its holder's. */
void ls_seats_set_secret(ls_seats *seats, uint32_t seat, const uint8_t secret[LS_RESUME_BYTES]);
/* The session is over: what waits is dropped, a LEAVE enters the next tick if its JOIN was there.
 */
void ls_seats_release(ls_seats *seats, uint32_t seat);
/* Its JOIN enters the next tick, unless it is in. */
void ls_seats_join(ls_seats *seats, uint32_t seat);

typedef enum ls_submit_result {
    LS_SUBMIT_TAKEN,   /* it will land */
    LS_SUBMIT_REFUSED, /* taken off the client's hands, but not valid: it never lands */
    LS_SUBMIT_KNOWN,   /* taken before */
    LS_SUBMIT_LATER,   /* not taken: out of turn, no room, or not a player; may be offered again */
    LS_SUBMIT_LATE,    /* of a state: its tick is closed */
} ls_submit_result;

/* One input as it came from a client. `tick` is the next to close. */
typedef struct ls_seat_input {
    uint64_t tick;
    uint64_t wanted_tick;
    uint32_t sequence;
    uint32_t bytes;
    const uint8_t *data;
} ls_seat_input;
/* Whether the input of this number is the next and there is room for it. */
bool ls_seats_is_open(const ls_seats *seats, uint32_t seat, uint32_t sequence);
ls_submit_result ls_seats_submit(ls_seats *seats, uint32_t seat, const ls_seat_input *input);

/* A state for `tick`; `next` is the tick that closes next. REFUSED also when it is too far ahead.
 */
ls_submit_result ls_seats_submit_state(ls_seats *seats, uint32_t seat, uint64_t next, uint64_t tick,
                                       const uint8_t *data);
/* Whether a seat's player has said all that the tick needs of him: a state, if there are any. */
bool ls_seats_is_ready(const ls_seats *seats, uint32_t seat, uint64_t tick);

/* Something that happens to the whole match: LS_PAUSE or LS_RESUME; LS_INPUT: nothing. */
typedef struct ls_seats_event {
    ls_input_kind kind;
    uint32_t player; /* who wants it; the match's player_count: the server */
} ls_seats_event;

/* What a frame took. */
typedef struct ls_seats_taken {
    uint32_t joins, leaves, inputs, late, states, substitutes;
} ls_seats_taken;
/* Builds the frame of `tick` and takes what is in it off the queues. What exceeds the limits of a
 * frame waits; room is shared out in turns, so that no seat can starve another.
 *   owns  the frame's inputs live until the next call on `seats` */
void ls_seats_build(ls_seats *seats, uint64_t tick, ls_seats_event event, ls_frame *frame,
                    ls_seats_taken *taken);
/* Takes a frame of a recording for its own: who is in the stream, and what they held last. */
void ls_seats_replay(ls_seats *seats, const ls_frame *frame);
/* What is known instead where the frames before are lost: a bit for each seat that is taken. */
void ls_seats_begin_within(ls_seats *seats, uint64_t taken);

#endif
