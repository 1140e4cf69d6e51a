/* Encoding and decoding of an evidence record's content. */
#include "replays/evidence_record.h"
#include "tests/support/test.h"

static const uint8_t ours[] = "what the server has", theirs[] = "what the client has";

static ls_evidence *make(void)
{
    ls_evidence *made = ls_alloc(sizeof *made);
    *made = (ls_evidence){
        .tick = 1234,
        .verdict_tick = 1230,
        .expected = 11,
        .found = 22,
        .claimed = 33,
        .inputs_first = 1170,
        .recording = "skirmish-1.lsr",
        .name = "carl",
        .seat = 3,
        .server = {.build = "gcc 12, x86_64",
                   .threads = 2,
                   .step = 1,
                   .root = 44,
                   .inputs = 55,
                   .columns = {1, 2, 3}},
        .client = {.build = "clang 14, aarch64",
                   .threads = 1,
                   .step = 4,
                   .root = 66,
                   .inputs = 77,
                   .columns = {1, 9, 3}},
        .column_count = 3,
        .network = {.rtt_us = 50000,
                    .loss = 123,
                    .resumes = 1,
                    .loads = 2,
                    .gaps = 3,
                    .slack_us = -4,
                    .acked = 1240,
                    .unopened = 5,
                    .answers_ms = 99},
        .page_count = 3,
        .pages = {{.column = 1,
                   .key = 7,
                   .server = {ours, sizeof ours, false},
                   .client = {theirs, sizeof theirs, false}},
                  {.column = 1, .key = 8, .server = {.is_missing = true}},
                  {.column = 2, .key = 1, .client = {theirs, 4, false}}},
        .finding_count = 2,
        .findings_in_all = 40,
        .findings = {{"place.x of beasts/3:1", "1.5", "-"}, {"life of beasts/4", "alive", "free"}}};
    return made;
}

static void encode(const ls_evidence *evidence, uint8_t **bytes, size_t *count)
{
    ls_error error = {""};
    assert_ok(ls_evidence_encode(evidence, bytes, count, &error));
}

TEST(test_evidence_record_is_read_as_it_was_written)
{
    uint8_t *bytes, *again;
    size_t count, again_count;
    ls_error error = {""};
    ls_evidence *made = make(), *read = ls_alloc(sizeof *read);
    encode(made, &bytes, &count);
    assert_ok(ls_evidence_decode(bytes, count, read, &error));
    assert_int_equal(read->tick, 1234);
    assert_int_equal(read->verdict_tick, 1230);
    assert_int_equal(read->claimed, 33);
    assert_string_equal(read->recording, "skirmish-1.lsr");
    assert_string_equal(read->name, "carl");
    assert_int_equal(read->seat, 3);
    assert_memory_equal(&read->server, &made->server, sizeof read->server);
    assert_memory_equal(&read->client, &made->client, sizeof read->client);
    assert_memory_equal(&read->network, &made->network, sizeof read->network);
    assert_int_equal(read->page_count, 3);
    assert_int_equal(read->pages[0].client.count, sizeof theirs);
    assert_memory_equal(read->pages[0].client.data, theirs, sizeof theirs);
    assert_true(read->pages[1].server.is_missing && !read->pages[1].client.is_missing);
    assert_int_equal(read->pages[1].client.count + read->pages[2].server.count, 0);
    assert_int_equal(read->findings_in_all, 40);
    assert_memory_equal(read->findings, made->findings, sizeof read->findings);
    encode(read, &again, &again_count);
    assert_int_equal(again_count, count);
    assert_memory_equal(again, bytes, count);
    ls_free(again);
    ls_free(bytes);
    ls_free(read);
    ls_free(made);
}

static void assert_damaged(const uint8_t *bytes, size_t count, ls_status status)
{
    ls_error error = {""};
    ls_evidence *read = ls_alloc(sizeof *read);
    assert_int_equal(ls_evidence_decode(bytes, count, read, &error), status);
    assert_int_equal(read->page_count + read->finding_count + read->column_count, 0);
    assert_non_null(strstr(error.text, "evidence"));
    ls_free(read);
}

TEST(test_evidence_record_cut_anywhere_is_damaged)
{
    uint8_t *bytes;
    size_t count;
    ls_evidence *made = make();
    encode(made, &bytes, &count);
    for (size_t i = 0; i < count; i++) {
        /* An exact size, so that a sanitizer sees any read past the end. */
        uint8_t *part = malloc(i ? i : 1);
        memcpy(part, bytes, i);
        assert_damaged(part, i, LS_ERROR_CORRUPT);
        free(part);
    }
    uint8_t *more = malloc(count + 1);
    memcpy(more, bytes, count);
    more[count] = 0;
    assert_damaged(more, count + 1, LS_ERROR_CORRUPT);
    free(more);
    bytes[0]++;
    assert_damaged(bytes, count, LS_ERROR_INCOMPATIBLE);
    ls_free(bytes);
    ls_free(made);
}

/* Pages must be in ascending order and belong to existing columns. */
TEST(test_evidence_record_pages_have_an_order)
{
    uint8_t *bytes;
    size_t count;
    for (uint32_t i = 0; i < 3; i++) {
        ls_evidence *made = make();
        if (i == 0)
            made->pages[1].key = 7;
        else if (i == 1)
            made->pages[2].column = 0;
        else
            made->pages[2].column = 3;
        encode(made, &bytes, &count);
        assert_damaged(bytes, count, LS_ERROR_CORRUPT);
        ls_free(bytes);
        ls_free(made);
    }
}

/* A client's name with invalid characters must not break the record. */
TEST(test_evidence_record_texts_are_made_valid)
{
    uint8_t *bytes;
    size_t count;
    ls_error error = {""};
    ls_evidence *made = make(), *read = ls_alloc(sizeof *read);
    strcpy(made->name, "ca\nrl\x80");
    encode(made, &bytes, &count);
    assert_ok(ls_evidence_decode(bytes, count, read, &error));
    assert_string_equal(read->name, "ca?rl?");
    ls_free(bytes);
    ls_free(read);
    ls_free(made);
}

TEST(test_evidence_record_has_a_largest_size)
{
    uint8_t *bytes;
    size_t count;
    ls_error error = {""};
    ls_evidence *made = make();
    uint8_t *large = ls_alloc(LS_EVIDENCE_BYTES_MAX);
    made->pages[0].client =
        (ls_evidence_bytes){.data = large, .count = (uint32_t)LS_EVIDENCE_BYTES_MAX};
    assert_int_equal(ls_evidence_encode(made, &bytes, &count, &error), LS_ERROR_LIMIT);
    assert_null(bytes);
    made->pages[0].client.is_missing = true;
    encode(made, &bytes, &count);
    ls_free(bytes);
    ls_free(large);
    ls_free(made);
}
