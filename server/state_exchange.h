/* One exchange of evidence with a diverged client, independent of the transport: the next
 * question, the check of the answer, the findings. Three questions lead from the state to columns,
 * from columns to pages, and from pages to cells.
 *
 * Every answer is hostile. An exchange ends after three answers of at most
 * LS_EVIDENCE_ANSWER_BYTES_MAX bytes and compares at most LS_EVIDENCE_CELLS_MAX pages.
 *   thread  ls_state_exchange_work: the world's; others: the owner's, while no job works */
#ifndef LS_STATE_EXCHANGE_H
#define LS_STATE_EXCHANGE_H
#include "core/state_history.h"
#include "proto/evidence_message.h"
#include <lockstep/evidence_limits.h>

#define LS_STATE_EXCHANGE_FINDINGS    32
#define LS_STATE_EXCHANGE_TEXT_BYTES  96
#define LS_STATE_EXCHANGE_PLACE_BYTES 160

typedef enum ls_state_exchange_state {
    LS_STATE_EXCHANGE_WORK = 0, /* ls_state_exchange_work() is next */
    LS_STATE_EXCHANGE_ASK,      /* `request` is to be sent, and answered */
    LS_STATE_EXCHANGE_FOUND,    /* the findings name what differs */
    LS_STATE_EXCHANGE_EMPTY,    /* it has ended without findings; `why` is the reason */
} ls_state_exchange_state;

/* The value of one cell in both worlds. */
typedef struct ls_state_exchange_finding {
    char place[LS_STATE_EXCHANGE_PLACE_BYTES]; /* as of include/lockstep/diff.h */
    char component[LS_STATE_EXCHANGE_TEXT_BYTES], entity[LS_STATE_EXCHANGE_TEXT_BYTES],
        field[LS_STATE_EXCHANGE_TEXT_BYTES];
    char server[LS_STATE_EXCHANGE_TEXT_BYTES],
        client[LS_STATE_EXCHANGE_TEXT_BYTES]; /* "-": it has none */
} ls_state_exchange_finding;

typedef struct ls_state_exchange {
    ls_state_exchange_state state;
    const char *why;
    uint64_t tick;         /* of the state that is compared; at first the verdict's */
    ls_snapshot *snapshot; /* the server's state */
    ls_snapshot *earlier;  /* some ticks earlier, to simulate again from; NULL: none */
    uint32_t step;         /* the server keeps every step-th tick */
    uint64_t root, earlier_root;
    uint64_t columns[LS_EVIDENCE_COLUMNS_MAX]; /* hashes of the server's state */
    bool has_columns;                          /* `theirs` is there */
    ls_evidence_columns theirs;
    ls_evidence_request request;
    /* The present answer; at the end that about cells. */
    uint8_t *body;
    uint64_t body_tick, got; /* of its chunks, one bit each */
    uint32_t total;
    /* The result. */
    uint32_t columns_differ, pages_differ, claim_count;
    ls_cells_claim claims[LS_EVIDENCE_CELLS_MAX]; /* point into `body` */
    uint64_t claimed_root;  /* of the server's state with the claims applied */
    uint32_t finding_count; /* may exceed the findings kept */
    ls_state_exchange_finding findings[LS_STATE_EXCHANGE_FINDINGS];
} ls_state_exchange;

ls_state_exchange *ls_state_exchange_create(uint64_t tick);
/* Destroys the snapshots that are left, on the world's thread if there are any. NULL is allowed. */
void ls_state_exchange_destroy(ls_state_exchange *exchange);

/* Evaluates the last answer and prepares the next question. `history` may be NULL. */
void ls_state_exchange_work(ls_state_exchange *exchange, ls_world *world,
                            ls_state_history *history);
/* True when the chunk answers the question; the state is WORK once the answer is whole. */
bool ls_state_exchange_receive(ls_state_exchange *exchange,
                               const ls_evidence_chunk *chunk) LS_MUST_USE;
/* The question, from the first missing chunk on. */
ls_evidence_request ls_state_exchange_request(const ls_state_exchange *exchange);

#endif
