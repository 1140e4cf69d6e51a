/* One exchange of evidence with a diverged client, independent of the transport: makes the
 * questions, checks the answers, lists the findings. The three questions ask for hashes of columns,
 * hashes of pages, and cells.
 *
 * Every answer is hostile. An exchange ends after three answers of at most
 * LS_EVIDENCE_ANSWER_BYTES_MAX bytes and compares at most LS_EVIDENCE_CELLS_MAX pages.
 *   thread  ls_state_exchange_work: the world's; others: the owner's, while no job works on it */
#ifndef LS_STATE_EXCHANGE_H
#define LS_STATE_EXCHANGE_H
#include "core/state_history.h"
#include "proto/evidence_message.h"
#include <lockstep/evidence_limits.h>

#define LS_STATE_EXCHANGE_FINDINGS    32
#define LS_STATE_EXCHANGE_TEXT_BYTES  96
#define LS_STATE_EXCHANGE_PLACE_BYTES 160

typedef enum ls_state_exchange_state {
    LS_STATE_EXCHANGE_WORK = 0, /* ls_state_exchange_work() must run next */
    LS_STATE_EXCHANGE_ASK,      /* `request` must be sent and answered */
    LS_STATE_EXCHANGE_FOUND,    /* it has ended: the findings name the differences */
    LS_STATE_EXCHANGE_EMPTY,    /* it has ended without findings, because of `why` */
} ls_state_exchange_state;

/* The value of one cell in both worlds. */
typedef struct ls_state_exchange_finding {
    char place[LS_STATE_EXCHANGE_PLACE_BYTES]; /* in the form of include/lockstep/diff.h */
    char component[LS_STATE_EXCHANGE_TEXT_BYTES], entity[LS_STATE_EXCHANGE_TEXT_BYTES],
        field[LS_STATE_EXCHANGE_TEXT_BYTES];
    char server[LS_STATE_EXCHANGE_TEXT_BYTES],
        client[LS_STATE_EXCHANGE_TEXT_BYTES]; /* values as text; "-": no such cell */
} ls_state_exchange_finding;

typedef struct ls_state_exchange {
    ls_state_exchange_state state;
    const char *why;
    uint64_t tick;         /* tick of the compared state; at first the verdict's tick */
    ls_snapshot *snapshot; /* the server's state */
    ls_snapshot *earlier;  /* a state some ticks earlier, to simulate again from; NULL: none */
    uint32_t step;         /* the server keeps every step-th tick */
    uint64_t root, earlier_root;
    uint64_t columns[LS_EVIDENCE_COLUMNS_MAX]; /* hashes of the server's state */
    bool has_columns;                          /* `theirs` is valid */
    ls_evidence_columns theirs;
    ls_evidence_request request;
    /* The present answer; at the end, the cells. */
    uint8_t *body;
    uint64_t body_tick, got; /* its tick; a bit for each of its chunks that came */
    uint32_t total;
    /* The result: */
    uint32_t columns_differ, pages_differ, claim_count;
    ls_cells_claim claims[LS_EVIDENCE_CELLS_MAX]; /* these point into `body` */
    uint64_t claimed_root;  /* root of the server's state with the client's cells applied */
    uint32_t finding_count; /* may exceed the size of `findings` */
    ls_state_exchange_finding findings[LS_STATE_EXCHANGE_FINDINGS];
} ls_state_exchange;

ls_state_exchange *ls_state_exchange_create(uint64_t tick);
/* Frees the exchange and its remaining snapshots; with snapshots, call it on the world's thread.
 * NULL is allowed. */
void ls_state_exchange_destroy(ls_state_exchange *exchange);

/* Evaluates the last answer and prepares the next question. `history` may be NULL: no states are
 * kept. */
void ls_state_exchange_work(ls_state_exchange *exchange, ls_world *world,
                            ls_state_history *history);
/* Takes one chunk. True when it answers the present question; the state becomes WORK once the
 * answer is complete. */
bool ls_state_exchange_receive(ls_state_exchange *exchange,
                               const ls_evidence_chunk *chunk) LS_MUST_USE;
/* Returns the present question, from the first missing chunk on. */
ls_evidence_request ls_state_exchange_request(const ls_state_exchange *exchange);

#endif
