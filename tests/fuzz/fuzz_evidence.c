/* Arbitrary bytes as an evidence record, and as a client's answers to the three evidence requests.
 * An accepted record encodes to the same bytes.
 * bytes  the record, or the answer */
#include "proto/evidence_message.h"
#include "replays/evidence_record.h"
#include <lockstep/evidence_limits.h>

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static uint32_t sum(const uint8_t *data, size_t bytes)
{
    uint32_t total = 0;
    for (size_t i = 0; i < bytes; i++)
        total += data[i];
    return total;
}

static void check_record(const uint8_t *data, size_t bytes)
{
    static ls_evidence evidence;
    ls_error error;
    if (ls_evidence_decode(data, bytes, &evidence, &error) != LS_OK)
        return;
    for (uint32_t i = 0; i < evidence.page_count; i++)
        LS_ASSERT(sum(evidence.pages[i].server.data, evidence.pages[i].server.count) +
                      sum(evidence.pages[i].client.data, evidence.pages[i].client.count) <
                  UINT32_MAX);
    uint8_t *again;
    size_t count;
    LS_ASSERT(ls_evidence_encode(&evidence, &again, &count, &error) == LS_OK);
    LS_ASSERT(count == bytes && memcmp(again, data, bytes) == 0);
    ls_free(again);
}

static void check_answers(const uint8_t *data, size_t bytes)
{
    ls_reader reader;
    ls_evidence_columns columns;
    ls_evidence_pages pages;
    uint32_t count;
    const uint8_t *cells;
    ls_reader_init(&reader, data, bytes);
    if (ls_evidence_columns_read(&reader, &columns))
        LS_ASSERT(columns.count <= LS_EVIDENCE_COLUMNS_MAX);
    ls_reader_init(&reader, data, bytes);
    while (ls_reader_left(&reader) && ls_evidence_pages_read(&reader, &pages))
        for (uint32_t i = 1; i < pages.listed; i++)
            LS_ASSERT(ls_evidence_pages_at(&pages, i - 1).key <
                      ls_evidence_pages_at(&pages, i).key);
    ls_reader_init(&reader, data, bytes);
    while (ls_reader_left(&reader) && ls_evidence_cells_read(&reader, &count, &cells))
        LS_ASSERT(count == LS_EVIDENCE_LEFT_OUT || sum(cells, count) < UINT32_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    check_record(data, bytes);
    check_answers(data, bytes);
    return 0;
}
