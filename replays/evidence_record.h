/* The evidence record of a desync: differing cells and column hashes of both sides, and a
 * description of each side. The recording around it has the rest: a keyframe from some ticks
 * earlier, and the frames since then.
 *   source  docs/replay-format.md, Evidence */
#ifndef LS_EVIDENCE_RECORD_H
#define LS_EVIDENCE_RECORD_H

#include "core/state/cells.h"
#include <lockstep/recording_format.h>

#define LS_EVIDENCE_VERSION      1
#define LS_EVIDENCE_PAGES_MAX    64
#define LS_EVIDENCE_FINDINGS_MAX 32
#define LS_EVIDENCE_TEXT_BYTES   160

/* One side, server or client: its build and its state. */
typedef struct ls_evidence_side {
    char build[LS_RECORDING_TEXT_BYTES]; /* compiler, CPU, version */
    uint32_t threads;
    uint32_t step;   /* the side keeps the state of every `step`-th tick */
    uint64_t root;   /* root of the world before the tick */
    uint64_t inputs; /* digest of its inputs from tick `inputs_first` on */
    uint64_t columns[LS_CELLS_COLUMNS_MAX];
} ls_evidence_side;

/* The network between the two sides, as both measured it. */
typedef struct ls_evidence_network {
    uint32_t rtt_us, loss; /* measured by the client; loss in 1/10000 */
    uint32_t resumes, loads, gaps;
    int32_t slack_us;    /* from a client's state to its tick's close; INT32_MAX: no states */
    uint64_t acked;      /* ticks that the client had acknowledged when its root was judged */
    uint64_t unopened;   /* packets of the client that could not be decrypted: forged or damaged */
    uint32_t answers_ms; /* time from the verdict to the last answer */
} ls_evidence_network;

/* The bytes of a page that differs, in the form of core/state/cells.h. Without bytes, the page is
 * empty, or its bytes are missing. */
typedef struct ls_evidence_bytes {
    const uint8_t *data;
    uint32_t count;
    bool is_missing; /* left out, because the record would be too large */
} ls_evidence_bytes;

typedef struct ls_evidence_page {
    uint8_t column;
    uint32_t key;
    ls_evidence_bytes server, client;
} ls_evidence_page;

/* A differing value, and where it is, in words. */
typedef struct ls_evidence_finding {
    char place[LS_EVIDENCE_TEXT_BYTES];
    char server[LS_EVIDENCE_TEXT_BYTES], client[LS_EVIDENCE_TEXT_BYTES];
} ls_evidence_finding;

typedef struct ls_evidence {
    uint64_t tick;            /* the differing states are those before this tick */
    uint64_t verdict_tick;    /* first tick with a differing root; `tick` or a little earlier */
    uint64_t expected, found; /* roots at verdict_tick: the server's and the client's */
    uint64_t claimed; /* root of the server's state with the client's pages; the client's root if
                         nothing else differs */
    uint64_t inputs_first;
    char recording[LS_RECORDING_TEXT_BYTES]; /* recording that this is cut from; "": none */
    char name[LS_RECORDING_TEXT_BYTES];      /* name of the client's player */
    uint8_t seat;                            /* 255: a spectator */
    ls_evidence_side server, client;
    uint32_t column_count;
    ls_evidence_network network;
    uint32_t page_count;
    ls_evidence_page pages[LS_EVIDENCE_PAGES_MAX]; /* ascending by column, then key */
    uint32_t finding_count, findings_in_all;
    ls_evidence_finding findings[LS_EVIDENCE_FINDINGS_MAX];
} ls_evidence;

/* Encodes the record. In texts, control characters and bytes that are not UTF-8 become '?'.
 *   errors  LIMIT: more than LS_EVIDENCE_BYTES_MAX; *bytes is then NULL
 *   owns    ls_free(*bytes) by the caller */
ls_status ls_evidence_encode(const ls_evidence *evidence, uint8_t **bytes, size_t *count,
                             ls_error *error) LS_MUST_USE;
/* Decodes a record that may be hostile. It does not check the content of pages; ls_cells_compare()
 * does.
 *   errors  CORRUPT; INCOMPATIBLE: another version. `evidence` is then empty
 *   owns    pages point into the bytes */
ls_status ls_evidence_decode(const uint8_t *bytes, size_t count, ls_evidence *evidence,
                             ls_error *error) LS_MUST_USE;

#endif
