#include "replays/evidence_record.h"

#include "proto/text.h"
#include <lockstep/bytes.h>

#include <string.h>

enum {
    /* Sizes of the fixed part, of a finding, and of a page without its bytes. */
    HEAD_BYTES_MAX = 512 + 5 * LS_RECORDING_TEXT_BYTES,
    FINDING_BYTES_MAX = 3 * LS_EVIDENCE_TEXT_BYTES,
    PAGE_HEAD_BYTES = 1 + 4 + 2 * 4,
};
#define MISSING UINT32_MAX

static void write_text(ls_writer *writer, const char *text)
{
    char valid[LS_EVIDENCE_TEXT_BYTES];
    ls_text_copy(valid, sizeof valid, text);
    ls_write_text(writer, valid);
}

static void write_side(ls_writer *writer, const ls_evidence_side *side, uint32_t column_count)
{
    write_text(writer, side->build);
    ls_write_u32(writer, side->threads);
    ls_write_u32(writer, side->step);
    ls_write_u64(writer, side->root);
    ls_write_u64(writer, side->inputs);
    for (uint32_t i = 0; i < column_count; i++)
        ls_write_u64(writer, side->columns[i]);
}

static void write_network(ls_writer *writer, const ls_evidence_network *network)
{
    ls_write_u32(writer, network->rtt_us);
    ls_write_u32(writer, network->loss);
    ls_write_u32(writer, network->resumes);
    ls_write_u32(writer, network->loads);
    ls_write_u32(writer, network->gaps);
    ls_write_u32(writer, (uint32_t)network->slack_us);
    ls_write_u64(writer, network->acked);
    ls_write_u64(writer, network->unopened);
    ls_write_u32(writer, network->answers_ms);
}

static void write_cells(ls_writer *writer, const ls_evidence_bytes *cells)
{
    ls_write_u32(writer, cells->is_missing ? MISSING : cells->count);
    if (!cells->is_missing && cells->count)
        ls_write_bytes(writer, cells->data, cells->count);
}

static void write_pages(ls_writer *writer, const ls_evidence *evidence)
{
    ls_write_u8(writer, (uint8_t)evidence->page_count);
    for (uint32_t i = 0; i < evidence->page_count; i++) {
        ls_write_u8(writer, evidence->pages[i].column);
        ls_write_u32(writer, evidence->pages[i].key);
        write_cells(writer, &evidence->pages[i].server);
        write_cells(writer, &evidence->pages[i].client);
    }
}

static void write_all(ls_writer *writer, const ls_evidence *evidence)
{
    ls_write_u32(writer, LS_EVIDENCE_VERSION);
    ls_write_u64(writer, evidence->tick);
    ls_write_u64(writer, evidence->verdict_tick);
    ls_write_u64(writer, evidence->expected);
    ls_write_u64(writer, evidence->found);
    ls_write_u64(writer, evidence->claimed);
    ls_write_u64(writer, evidence->inputs_first);
    write_text(writer, evidence->recording);
    write_text(writer, evidence->name);
    ls_write_u8(writer, evidence->seat);
    ls_write_u8(writer, (uint8_t)evidence->column_count);
    write_side(writer, &evidence->server, evidence->column_count);
    write_side(writer, &evidence->client, evidence->column_count);
    write_network(writer, &evidence->network);
    write_pages(writer, evidence);
    ls_write_u8(writer, (uint8_t)evidence->finding_count);
    ls_write_u32(writer, evidence->findings_in_all);
    for (uint32_t i = 0; i < evidence->finding_count; i++) {
        write_text(writer, evidence->findings[i].place);
        write_text(writer, evidence->findings[i].server);
        write_text(writer, evidence->findings[i].client);
    }
}

static size_t bytes_max(const ls_evidence *evidence)
{
    size_t bytes = HEAD_BYTES_MAX + 16 * (size_t)evidence->column_count +
                   (size_t)FINDING_BYTES_MAX * evidence->finding_count;
    for (uint32_t i = 0; i < evidence->page_count; i++) {
        const ls_evidence_page *page = &evidence->pages[i];
        bytes += PAGE_HEAD_BYTES + (page->server.is_missing ? 0 : page->server.count) +
                 (page->client.is_missing ? 0 : page->client.count);
    }
    return bytes;
}

ls_status ls_evidence_encode(const ls_evidence *evidence, uint8_t **bytes, size_t *count,
                             ls_error *error)
{
    LS_ASSERT(evidence->column_count <= LS_CELLS_COLUMNS_MAX &&
              evidence->page_count <= LS_EVIDENCE_PAGES_MAX &&
              evidence->finding_count <= LS_EVIDENCE_FINDINGS_MAX);
    *bytes = NULL;
    size_t capacity = bytes_max(evidence);
    if (capacity > LS_EVIDENCE_BYTES_MAX)
        return ls_error_set(error, LS_ERROR_LIMIT, "%zu bytes of evidence are too many", capacity);
    ls_writer writer;
    *bytes = ls_alloc(capacity);
    ls_writer_init(&writer, *bytes, capacity);
    write_all(&writer, evidence);
    LS_ASSERT(!writer.failed);
    *count = writer.count;
    return LS_OK;
}

static void read_side(ls_reader *reader, ls_evidence_side *side, uint32_t column_count)
{
    ls_text_read(reader, side->build, sizeof side->build);
    side->threads = ls_read_u32(reader);
    side->step = ls_read_u32(reader);
    side->root = ls_read_u64(reader);
    side->inputs = ls_read_u64(reader);
    for (uint32_t i = 0; i < column_count; i++)
        side->columns[i] = ls_read_u64(reader);
}

static void read_network(ls_reader *reader, ls_evidence_network *network)
{
    network->rtt_us = ls_read_u32(reader);
    network->loss = ls_read_u32(reader);
    network->resumes = ls_read_u32(reader);
    network->loads = ls_read_u32(reader);
    network->gaps = ls_read_u32(reader);
    network->slack_us = (int32_t)ls_read_u32(reader);
    network->acked = ls_read_u64(reader);
    network->unopened = ls_read_u64(reader);
    network->answers_ms = ls_read_u32(reader);
}

static ls_evidence_bytes read_cells(ls_reader *reader)
{
    ls_evidence_bytes cells = {.count = ls_read_u32(reader)};
    cells.is_missing = cells.count == MISSING;
    if (cells.is_missing)
        cells.count = 0;
    else if (cells.count)
        cells.data = ls_read_view(reader, cells.count);
    return cells;
}

static bool read_pages(ls_reader *reader, ls_evidence *evidence)
{
    evidence->page_count = ls_read_u8(reader);
    if (evidence->page_count > LS_EVIDENCE_PAGES_MAX)
        return false;
    for (uint32_t i = 0; i < evidence->page_count; i++) {
        ls_evidence_page *page = &evidence->pages[i], *before = page - 1;
        page->column = ls_read_u8(reader);
        page->key = ls_read_u32(reader);
        page->server = read_cells(reader);
        page->client = read_cells(reader);
        bool rises = i == 0 || page->column > before->column ||
                     (page->column == before->column && page->key > before->key);
        if (!rises || page->column >= evidence->column_count)
            return false;
    }
    return true;
}

static bool read_findings(ls_reader *reader, ls_evidence *evidence)
{
    evidence->finding_count = ls_read_u8(reader);
    evidence->findings_in_all = ls_read_u32(reader);
    if (evidence->finding_count > LS_EVIDENCE_FINDINGS_MAX ||
        evidence->findings_in_all < evidence->finding_count)
        return false;
    for (uint32_t i = 0; i < evidence->finding_count; i++) {
        ls_evidence_finding *finding = &evidence->findings[i];
        ls_text_read(reader, finding->place, sizeof finding->place);
        ls_text_read(reader, finding->server, sizeof finding->server);
        ls_text_read(reader, finding->client, sizeof finding->client);
    }
    return true;
}

static bool read_all(ls_reader *reader, ls_evidence *evidence)
{
    evidence->tick = ls_read_u64(reader);
    evidence->verdict_tick = ls_read_u64(reader);
    evidence->expected = ls_read_u64(reader);
    evidence->found = ls_read_u64(reader);
    evidence->claimed = ls_read_u64(reader);
    evidence->inputs_first = ls_read_u64(reader);
    ls_text_read(reader, evidence->recording, sizeof evidence->recording);
    ls_text_read(reader, evidence->name, sizeof evidence->name);
    evidence->seat = ls_read_u8(reader);
    evidence->column_count = ls_read_u8(reader);
    if (evidence->column_count > LS_CELLS_COLUMNS_MAX)
        return false;
    read_side(reader, &evidence->server, evidence->column_count);
    read_side(reader, &evidence->client, evidence->column_count);
    read_network(reader, &evidence->network);
    return read_pages(reader, evidence) && read_findings(reader, evidence) &&
           ls_reader_done(reader);
}

ls_status ls_evidence_decode(const uint8_t *bytes, size_t count, ls_evidence *evidence,
                             ls_error *error)
{
    ls_reader reader;
    ls_reader_init(&reader, bytes, count);
    memset(evidence, 0, sizeof *evidence);
    uint32_t version = ls_read_u32(&reader);
    if (!reader.failed && version != LS_EVIDENCE_VERSION)
        return ls_error_set(error, LS_ERROR_INCOMPATIBLE,
                            "evidence of version %u; this program reads %u", version,
                            LS_EVIDENCE_VERSION);
    if (read_all(&reader, evidence))
        return LS_OK;
    size_t at = reader.offset;
    memset(evidence, 0, sizeof *evidence);
    return ls_error_set(error, LS_ERROR_CORRUPT, "the evidence is damaged near its byte %zu", at);
}
