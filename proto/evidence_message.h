/* The two messages with which a server finds the differences of a client's world. Three requests
 * narrow them down: columns, pages of differing columns, cells of differing pages. An answer is a
 * body of at most LS_EVIDENCE_ANSWER_BYTES_MAX bytes, sent in chunks.
 *
 * Both travel on the tick channel: the server asks again for missing chunks, the client keeps no
 * state about an answer. All decoded bytes are hostile.
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
    uint32_t key; /* of a page: see ls_cells_page; 0 where the whole column is meant */
} ls_evidence_place;

typedef struct ls_evidence_request {
    uint64_t tick; /* of the state: that before this tick */
    uint8_t level;
    uint32_t offset; /* in the answer, under LS_EVIDENCE_ANSWER_BYTES_MAX: from there on */
    uint32_t count;  /* none of COLUMNS; columns of PAGES; at most LS_EVIDENCE_CELLS_MAX pages of
                        CELLS: rising */
    ls_evidence_place places[LS_EVIDENCE_COLUMNS_MAX];
} ls_evidence_request;
LS_API void ls_evidence_request_encode(const ls_evidence_request *request, ls_plain *plain);
LS_API bool ls_evidence_request_decode(const ls_plain *plain,
                                       ls_evidence_request *request) LS_MUST_USE;

typedef struct ls_evidence_chunk {
    uint64_t tick; /* that was asked for, or the first after it that the client has */
    uint8_t level;
    uint32_t total_bytes; /* of the body; 0: no such state is kept, and nothing follows */
    uint32_t offset;      /* a multiple of LS_CHUNK_BYTES_MAX */
    uint32_t bytes;       /* LS_CHUNK_BYTES_MAX, or up to the end */
    const uint8_t *data;
} ls_evidence_chunk;
LS_API void ls_evidence_chunk_encode(const ls_evidence_chunk *chunk, ls_plain *plain);
LS_API bool ls_evidence_chunk_decode(const ls_plain *plain, ls_evidence_chunk *chunk) LS_MUST_USE;

/* The body of COLUMNS, with facts of the client. */
typedef struct ls_evidence_columns {
    uint32_t threads; /* of its executor; 1: none */
    uint32_t step;    /* keeps one tick in `step` */
    uint32_t rtt_us;  /* as it measures it */
    uint16_t loss;    /* of packets sent to it, in ten thousandths */
    uint32_t resumes; /* sessions resumed */
    uint32_t loads;   /* snapshots loaded */
    uint32_t gaps;    /* runs of ticks that it asked for again */
    uint64_t root;    /* of the state */
    /* The inputs it has run: the sum of ls_evidence_frame_hash() from this tick up to the state's;
     * at most LS_EVIDENCE_INPUT_TICKS ticks. */
    uint64_t inputs_first, inputs;
    uint32_t count; /* ls_cells_column_count() */
    uint64_t hashes[LS_EVIDENCE_COLUMNS_MAX];
} ls_evidence_columns;
LS_API void ls_evidence_columns_write(const ls_evidence_columns *columns, ls_writer *writer);
LS_API bool ls_evidence_columns_read(ls_reader *reader, ls_evidence_columns *columns) LS_MUST_USE;

/* The hash of a frame in its byte form, and its tick. */
LS_API uint64_t ls_evidence_frame_hash(uint64_t tick, const uint8_t *body, uint32_t bytes);

/* The body of PAGES: for each column of the request its pages, as many as fit; the body of CELLS:
 * for each page of the request its bytes, or LEFT_OUT when they do not fit. */
typedef struct ls_evidence_pages {
    uint32_t all;    /* pages of the column */
    uint32_t listed; /* of these, in the body */
    const uint8_t *data;
} ls_evidence_pages;
/* As many as fit; false when not even their number does. */
LS_API bool ls_evidence_pages_write(const ls_cells_page *pages, uint32_t all,
                                    ls_writer *writer) LS_MUST_USE;
/* Keys rise. */
LS_API bool ls_evidence_pages_read(ls_reader *reader, ls_evidence_pages *pages) LS_MUST_USE;
LS_API ls_cells_page ls_evidence_pages_at(const ls_evidence_pages *pages, uint32_t index);

#define LS_EVIDENCE_LEFT_OUT UINT32_MAX
/* Writes such a page and its number of bytes into `data`, which has room for 4 + `capacity`; gives
 * the number, LEFT_OUT when it is larger. */
LS_API uint32_t ls_evidence_cells_write(const ls_snapshot *snapshot, const ls_evidence_place *place,
                                        size_t capacity, uint8_t *data) LS_MUST_USE;
/* `bytes` 0: the page is empty; LS_EVIDENCE_LEFT_OUT: no data. */
LS_API bool ls_evidence_cells_read(ls_reader *reader, uint32_t *bytes,
                                   const uint8_t **data) LS_MUST_USE;

#endif
