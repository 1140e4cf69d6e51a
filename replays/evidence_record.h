/* The evidence record of a desync: the cells of both sides, the hashes of their columns, and the
 * description of each side. The recording around it has the rest: a keyframe of some ticks before,
 * and the frames since then.
 *   source  docs/replay-format.md, Evidence */
#ifndef LS_EVIDENCE_RECORD_H
#define LS_EVIDENCE_RECORD_H

#include "core/state/cells.h"
#include <lockstep/recording_format.h>

#define LS_EVIDENCE_VERSION      1
#define LS_EVIDENCE_PAGES_MAX    64
#define LS_EVIDENCE_FINDINGS_MAX 32
#define LS_EVIDENCE_TEXT_BYTES   160

/* One of the two sides: its build, and the state that it had. */
typedef struct ls_evidence_side {
    char build[LS_RECORDING_TEXT_BYTES]; /* compiler, CPU, version */
    uint32_t threads;
    uint32_t step;   /* it kept one tick in `step` */
    uint64_t root;   /* of the world before the tick */
    uint64_t inputs; /* digest of its inputs from `inputs_first` on */
    uint64_t columns[LS_CELLS_COLUMNS_MAX];
} ls_evidence_side;

/* The network between them, as both saw it. */
typedef struct ls_evidence_network {
    uint32_t rtt_us, loss; /* the client's; in ten thousandths */
    uint32_t resumes, loads, gaps;
    int32_t slack_us;    /* of its states at the server; INT32_MAX: it sent none */
    uint64_t acked;      /* ticks that it had, when its root was judged */
    uint64_t unopened;   /* packets of it that were not authentic, or came twice */
    uint32_t answers_ms; /* from the verdict until all was known */
} ls_evidence_network;

/* A page that differs: its bytes in the form of core/state/cells.h. None: the page is empty. */
typedef struct ls_evidence_bytes {
    const uint8_t *data;
    uint32_t count;
    bool is_missing; /* too large for this record */
} ls_evidence_bytes;

typedef struct ls_evidence_page {
    uint8_t column;
    uint32_t key;
    ls_evidence_bytes server, client;
} ls_evidence_page;

/* A cell's value, or another difference, in words. */
typedef struct ls_evidence_finding {
    char place[LS_EVIDENCE_TEXT_BYTES];
    char server[LS_EVIDENCE_TEXT_BYTES], client[LS_EVIDENCE_TEXT_BYTES];
} ls_evidence_finding;

typedef struct ls_evidence {
    uint64_t tick;            /* the states are those before it */
    uint64_t verdict_tick;    /* the first tick with a differing root: it, or a little earlier */
    uint64_t expected, found; /* the roots then: the server's, the client's */
    uint64_t claimed;         /* root of the server's state with the client's pages in place: the
                                 client's when nothing else differs */
    uint64_t inputs_first;
    char recording[LS_RECORDING_TEXT_BYTES]; /* from which this is cut; "": none */
    char name[LS_RECORDING_TEXT_BYTES];      /* of the client */
    uint8_t seat;                            /* 255: a spectator */
    ls_evidence_side server, client;
    uint32_t column_count;
    ls_evidence_network network;
    uint32_t page_count;
    ls_evidence_page pages[LS_EVIDENCE_PAGES_MAX]; /* column, then key rising */
    uint32_t finding_count, findings_in_all;
    ls_evidence_finding findings[LS_EVIDENCE_FINDINGS_MAX];
} ls_evidence;

/* Writes the record. In texts, control characters and bytes that are no valid UTF-8 become '?'.
 *   errors  LIMIT: more than LS_EVIDENCE_BYTES_MAX; *bytes is then NULL
 *   owns    ls_free(*bytes) by the caller */
ls_status ls_evidence_encode(const ls_evidence *evidence, uint8_t **bytes, size_t *count,
                             ls_error *error) LS_MUST_USE;
/* Reads bytes that may be hostile. The content of pages is not checked here: ls_cells_compare()
 * does.
 *   errors  CORRUPT; INCOMPATIBLE: of another version. `evidence` is then empty
 *   owns    pages point into the bytes */
ls_status ls_evidence_decode(const uint8_t *bytes, size_t count, ls_evidence *evidence,
                             ls_error *error) LS_MUST_USE;

#endif
