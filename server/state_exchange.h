/* One exchange of evidence with a client whose world differs, apart from how its messages travel:
 * what to ask next, what came of the answer, what its answers amount to. From the whole state to
 * columns, from these to pages, from pages to cells: three questions.
 *
 * All that the client says is hostile. Whatever it says, an exchange ends after three answers of at
 * most LS_EVIDENCE_ANSWER_BYTES_MAX bytes and looks at no more than LS_EVIDENCE_CELLS_MAX pages.
 *   thread  ls_state_exchange_work the world's; all else the owner's, while it does not work */
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
    LS_STATE_EXCHANGE_ASK,      /* `request` is, and its answer */
    LS_STATE_EXCHANGE_FOUND,    /* what differs is named */
    LS_STATE_EXCHANGE_EMPTY,    /* it is over without that, and `why` says why */
} ls_state_exchange_state;

/* A value of one cell in both worlds. */
typedef struct ls_state_exchange_finding {
    char place[LS_STATE_EXCHANGE_PLACE_BYTES]; /* as include/lockstep/diff.h says it */
    char component[LS_STATE_EXCHANGE_TEXT_BYTES], entity[LS_STATE_EXCHANGE_TEXT_BYTES],
        field[LS_STATE_EXCHANGE_TEXT_BYTES];
    char server[LS_STATE_EXCHANGE_TEXT_BYTES],
        client[LS_STATE_EXCHANGE_TEXT_BYTES]; /* "-": it has none */
} ls_state_exchange_finding;

typedef struct ls_state_exchange {
    ls_state_exchange_state state;
    const char *why;
    uint64_t tick;         /* of the state that is compared; the verdict's at first */
    ls_snapshot *snapshot; /* it, in the server's world */
    ls_snapshot *earlier;  /* some ticks before, to run them again from; NULL: none is there */
    uint32_t step;         /* the server keeps every so manieth tick */
    uint64_t root, earlier_root;
    uint64_t columns[LS_EVIDENCE_COLUMNS_MAX]; /* hashes in the server's world */
    bool has_columns;                          /* `theirs` is there */
    ls_evidence_columns theirs;
    ls_evidence_request request;
    /* The answer under way; at last that about cells. */
    uint8_t *body;
    uint64_t body_tick, got; /* of its chunks, a bit each */
    uint32_t total;
    /* What came of it. */
    uint32_t columns_differ, pages_differ, claim_count;
    ls_cells_claim claims[LS_EVIDENCE_CELLS_MAX]; /* point into `body` */
    uint64_t claimed_root;                        /* of the server's state with these in place */
    uint32_t finding_count;                       /* may be more than are kept */
    ls_state_exchange_finding findings[LS_STATE_EXCHANGE_FINDINGS];
} ls_state_exchange;

ls_state_exchange *ls_state_exchange_create(uint64_t tick);
/* Its snapshots were taken or are destroyed here: then on the world's thread. NULL is allowed. */
void ls_state_exchange_destroy(ls_state_exchange *exchange);

/* Draws the conclusions of the last answer and makes the next question. `past` may be NULL. */
void ls_state_exchange_work(ls_state_exchange *exchange, ls_world *world,
                            ls_state_history *history);
/* True when the chunk belongs to the question; the state is WORK once the answer is whole. */
bool ls_state_exchange_receive(ls_state_exchange *exchange,
                               const ls_evidence_chunk *chunk) LS_MUST_USE;
/* The question again, from the first chunk on that is missing. */
ls_evidence_request ls_state_exchange_request(const ls_state_exchange *exchange);

#endif
