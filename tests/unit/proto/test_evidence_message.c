/* Evidence requests, chunks and page lists have one encoding each; decoders refuse all others. */
#include "test.h"

#include "proto/evidence_message.h"
#include "proto/message.h"

TEST(test_evidence_message_request_comes_back)
{
    ls_plain plain;
    ls_evidence_request read;
    for (uint8_t level = 0; level < LS_EVIDENCE_LEVELS; level++) {
        ls_evidence_request made = {.tick = UINT64_MAX - 1, .level = level, .offset = 63 * 1024};
        made.count = level == LS_EVIDENCE_COLUMNS ? 0
                     : level == LS_EVIDENCE_PAGES ? LS_EVIDENCE_COLUMNS_MAX
                                                  : LS_EVIDENCE_CELLS_MAX;
        for (uint32_t i = 0; i < made.count; i++)
            made.places[i] = (ls_evidence_place){(uint8_t)i, level == LS_EVIDENCE_CELLS ? 7 : 0};
        ls_evidence_request_encode(&made, &plain);
        assert_true(ls_evidence_request_decode(&plain, &read));
        assert_int_equal(read.tick, made.tick);
        assert_int_equal(read.offset, made.offset);
        assert_int_equal(read.count, made.count);
        for (uint32_t i = 0; i < made.count; i++)
            assert_true(read.places[i].column == i && read.places[i].key == made.places[i].key);
        for (uint32_t bytes = 0; bytes < plain.bytes; bytes++) {
            ls_plain cut = plain;
            cut.bytes = bytes;
            assert_false(ls_evidence_request_decode(&cut, &read));
        }
        plain.bytes++;
        assert_false(ls_evidence_request_decode(&plain, &read));
    }
}

/* Sets one byte of a valid request to a value that makes it invalid. */
TEST(test_evidence_message_request_refuses)
{
    const struct {
        uint32_t at;
        uint8_t value;
    } breaks[] = {{8, 3}, {9, 1}, {11, 1}, {13, 0}, {13, 65}, {14, 5}, {14, 200}};
    ls_evidence_request made = {.level = LS_EVIDENCE_CELLS, .count = 2}, read;
    made.places[0] = (ls_evidence_place){4, 9};
    made.places[1] = (ls_evidence_place){5, 2};
    for (uint32_t i = 0; i < LS_COUNT_OF(breaks); i++) {
        ls_plain plain;
        ls_evidence_request_encode(&made, &plain);
        plain.data[breaks[i].at] = breaks[i].value;
        assert_false(ls_evidence_request_decode(&plain, &read));
        ls_evidence_request_encode(&made, &plain);
        plain.channel = LS_CHANNEL_CONTROL;
        assert_false(ls_evidence_request_decode(&plain, &read));
    }
}

TEST(test_evidence_message_chunk_is_whole_or_the_last)
{
    static const uint8_t data[LS_CHUNK_BYTES_MAX] = {1, 2, 3};
    ls_evidence_chunk made = {.tick = 5,
                              .level = LS_EVIDENCE_CELLS,
                              .total_bytes = 1030,
                              .offset = 1024,
                              .bytes = 6,
                              .data = data};
    ls_evidence_chunk read;
    ls_plain plain;
    ls_evidence_chunk_encode(&made, &plain);
    assert_true(ls_evidence_chunk_decode(&plain, &read));
    assert_int_equal(read.bytes, 6);
    assert_memory_equal(read.data, data, 6);
    plain.bytes--;
    assert_false(ls_evidence_chunk_decode(&plain, &read));
    plain.bytes += 2;
    assert_false(ls_evidence_chunk_decode(&plain, &read));
    /* A chunk without data, with all other fields 0, says that the server no longer has the
     * state. */
    ls_evidence_chunk_encode(&(ls_evidence_chunk){.tick = 5}, &plain);
    assert_true(ls_evidence_chunk_decode(&plain, &read));
    assert_int_equal(read.total_bytes, 0);
    plain.bytes++;
    assert_false(ls_evidence_chunk_decode(&plain, &read));
    /* The total is more bytes than an answer may have. */
    ls_evidence_chunk_encode(&made, &plain);
    plain.data[11] = 2;
    assert_false(ls_evidence_chunk_decode(&plain, &read));
}

TEST(test_evidence_message_pages_rise_and_fit)
{
    uint8_t bytes[8 + 12 * 3];
    const ls_cells_page list[4] = {{1, 11}, {2, 22}, {5, 55}, {9, 99}};
    ls_writer writer;
    ls_reader reader;
    ls_evidence_pages pages;
    ls_writer_init(&writer, bytes, sizeof bytes);
    assert_true(ls_evidence_pages_write(list, 4, &writer));
    assert_false(ls_evidence_pages_write(list, 4, &writer));
    ls_reader_init(&reader, bytes, writer.count);
    assert_true(ls_evidence_pages_read(&reader, &pages) && ls_reader_done(&reader));
    assert_int_equal(pages.all, 4);
    assert_int_equal(pages.listed, 3);
    assert_int_equal(ls_evidence_pages_at(&pages, 2).key, 5);
    assert_int_equal(ls_evidence_pages_at(&pages, 2).hash, 55);
    bytes[8 + 12] = 1; /* the second key is no longer above the first */
    ls_reader_init(&reader, bytes, writer.count);
    assert_false(ls_evidence_pages_read(&reader, &pages));
    bytes[4] = 200; /* more pages than follow */
    ls_reader_init(&reader, bytes, writer.count);
    assert_false(ls_evidence_pages_read(&reader, &pages));
}

TEST(test_evidence_message_columns_come_back)
{
    uint8_t bytes[2048];
    ls_evidence_columns made = {.threads = 4,
                                .step = 2,
                                .rtt_us = 3,
                                .loss = 10000,
                                .resumes = 5,
                                .loads = 6,
                                .gaps = 7,
                                .root = 8,
                                .inputs_first = 9,
                                .inputs = 10,
                                .count = 2,
                                .hashes = {11, 12}};
    ls_evidence_columns read;
    memset(&read, 0, sizeof read);
    ls_writer writer;
    ls_reader reader;
    ls_writer_init(&writer, bytes, sizeof bytes);
    ls_evidence_columns_write(&made, &writer);
    ls_reader_init(&reader, bytes, writer.count);
    assert_true(ls_evidence_columns_read(&reader, &read) && ls_reader_done(&reader));
    assert_int_equal(read.inputs, 10);
    assert_int_equal(read.gaps, 7);
    assert_int_equal(read.hashes[1], 12);
    for (size_t count = 0; count < writer.count; count++) {
        ls_reader_init(&reader, bytes, count);
        assert_false(ls_evidence_columns_read(&reader, &read));
    }
    made.step = 0;
    ls_writer_init(&writer, bytes, sizeof bytes);
    ls_evidence_columns_write(&made, &writer);
    ls_reader_init(&reader, bytes, writer.count);
    assert_false(ls_evidence_columns_read(&reader, &read));
}
