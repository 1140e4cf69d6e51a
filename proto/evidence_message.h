/* The request and answer with which a server finds how a client's world differs after a desync.
 * Three levels of requests narrow the difference down: columns, then pages of differing columns,
 * then cells of differing pages. An answer is a body of at most LS_EVIDENCE_ANSWER_BYTES_MAX bytes,
 * sent in chunks.
 *
 * Both messages use the tick channel. The server asks again for missing chunks, so the client keeps
 * no state about an answer. All decoded bytes are hostile.
 *   source  docs/protocol.md, Evidence */
#ifndef LS_EVIDENCE_MESSAGE_H
#define LS_EVIDENCE_MESSAGE_H

#include "core/state/cells.h"
#include <lockstep/bytes.h>
#include <lockstep/evidence_limits.h>
#include <lockstep/packet.h>

typedef enum ls_evidence_level {
    LS_EVIDENCE_COLUMNS = 0,
    LS_EVIDENCE_PAGES,
    LS_EVIDENCE_CELLS,
    LS_EVIDENCE_LEVELS,
} ls_evidence_level;

typedef struct ls_evidence_place {
    uint8_t column;
    uint32_t key; /* of the page, see ls_cells_page; 0 when the request is for the whole column */
} ls_evidence_place;

typedef struct ls_evidence_request {
    uint64_t tick; /* asks about the state before this tick */
    uint8_t level;
    uint32_t offset; /* from where in the answer: < LS_EVIDENCE_ANSWER_BYTES_MAX, a multiple of
                        LS_CHUNK_BYTES_MAX */
    uint32_t count;  /* COLUMNS: 0; PAGES: number of columns; CELLS: number of pages, at most
                        LS_EVIDENCE_CELLS_MAX; places are in rising order */
    ls_evidence_place places[LS_EVIDENCE_COLUMNS_MAX];
} ls_evidence_request;
LS_API void ls_evidence_request_encode(const ls_evidence_request *request, ls_plain *plain);
LS_API bool ls_evidence_request_decode(const ls_plain *plain,
                                       ls_evidence_request *request) LS_MUST_USE;

typedef struct ls_evidence_chunk {
    uint64_t tick; /* the tick requested, or the first later one that the client keeps */
    uint8_t level;
    uint32_t total_bytes; /* of the body; 0: the client keeps no such state, and no data follows */
    uint32_t offset;      /* a multiple of LS_CHUNK_BYTES_MAX */
    uint32_t bytes;       /* LS_CHUNK_BYTES_MAX, or fewer in the last chunk */
    const uint8_t *data;
} ls_evidence_chunk;
LS_API void ls_evidence_chunk_encode(const ls_evidence_chunk *chunk, ls_plain *plain);
LS_API bool ls_evidence_chunk_decode(const ls_plain *plain, ls_evidence_chunk *chunk) LS_MUST_USE;

/* The body of a COLUMNS answer: facts about the client, and a hash for each column. */
typedef struct ls_evidence_columns {
    uint32_t threads; /* of the client's executor; 1: no extra threads */
    uint32_t step;    /* the client keeps the state of every step-th tick */
    uint32_t rtt_us;  /* round trip, as the client measures it */
    uint16_t loss;    /* share of lost packets from the server, in ten thousandths */
    uint32_t resumes; /* sessions resumed */
    uint32_t loads;   /* snapshots loaded */
    uint32_t gaps;    /* number of gap requests: ranges of ticks that did not arrive */
    uint64_t root;    /* of the state */
    /* `inputs` is the sum of ls_evidence_frame_hash() over frames that the client ran: from tick
     * inputs_first to the tick before the state's. These are at most LS_EVIDENCE_INPUT_TICKS
     * frames. */
    uint64_t inputs_first, inputs;
    uint32_t count; /* ls_cells_column_count() */
    uint64_t hashes[LS_EVIDENCE_COLUMNS_MAX];
} ls_evidence_columns;
LS_API void ls_evidence_columns_write(const ls_evidence_columns *columns, ls_writer *writer);
LS_API bool ls_evidence_columns_read(ls_reader *reader, ls_evidence_columns *columns) LS_MUST_USE;

/* Hashes the encoded frame of a tick together with the tick. */
LS_API uint64_t ls_evidence_frame_hash(uint64_t tick, const uint8_t *body, uint32_t bytes);

/* The pages of one column in the body of a PAGES answer, which lists each requested column. The
 * body of a CELLS answer has the bytes of each requested page, or LS_EVIDENCE_LEFT_OUT when they do
 * not fit. */
typedef struct ls_evidence_pages {
    uint32_t all;    /* number of the column's pages */
    uint32_t listed; /* number of pages that the body lists */
    const uint8_t *data;
} ls_evidence_pages;
/* Writes one column's pages, as many as fit; false when even the two counts do not fit. */
LS_API bool ls_evidence_pages_write(const ls_cells_page *pages, uint32_t all,
                                    ls_writer *writer) LS_MUST_USE;
/* Reads one column's pages; false when malformed, also when keys do not rise. */
LS_API bool ls_evidence_pages_read(ls_reader *reader, ls_evidence_pages *pages) LS_MUST_USE;
LS_API ls_cells_page ls_evidence_pages_at(const ls_evidence_pages *pages, uint32_t index);

#define LS_EVIDENCE_LEFT_OUT UINT32_MAX
/* Writes the number of bytes of a page and then the page into `data`, which has room for 4 +
 * `capacity`. Returns the number, or LS_EVIDENCE_LEFT_OUT for a page larger than `capacity`. */
LS_API uint32_t ls_evidence_cells_write(const ls_snapshot *snapshot, const ls_evidence_place *place,
                                        size_t capacity, uint8_t *data) LS_MUST_USE;
/* Reads one page of a CELLS answer. `bytes` is 0 for an empty page, LS_EVIDENCE_LEFT_OUT for a page
 * without data. */
LS_API bool ls_evidence_cells_read(ls_reader *reader, uint32_t *bytes,
                                   const uint8_t **data) LS_MUST_USE;

#endif
