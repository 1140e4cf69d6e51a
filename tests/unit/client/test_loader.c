#include "client/loader.h"
#include "tests/support/test.h"

enum { TOTAL = 300 * 1024 + 77, RAW = TOTAL - 5 };
static uint8_t source[TOTAL];

static ls_snapshot_chunk chunk_at(uint64_t tick, uint32_t offset)
{
    uint32_t left = TOTAL - offset;
    return (ls_snapshot_chunk){.tick = tick,
                               .total_bytes = TOTAL,
                               .raw_bytes = RAW,
                               .offset = offset,
                               .bytes = left < LS_CHUNK_BYTES_MAX ? left : LS_CHUNK_BYTES_MAX,
                               .data = source + offset};
}

/* Plays a server that loses `loss` percent of the chunks; returns the download time. */
static uint64_t load(ls_loader *loader, uint64_t tick, uint32_t loss)
{
    uint64_t random = 1;
    for (uint64_t now = MS; now < 100000 * MS; now += MS) {
        ls_snapshot_request requests[LS_CLIENT_RANGES_MAX + 1];
        uint32_t asked = 0;
        while (ls_loader_ask(loader, now, 5 * MS, &requests[asked]))
            assert_true(++asked <= LS_CLIENT_RANGES_MAX);
        for (uint32_t i = 0; i < asked; i++) {
            const ls_snapshot_request *request = &requests[i];
            assert_true(request->bytes >= 1 && request->bytes <= LS_SNAPSHOT_REQUEST_BYTES_MAX);
            for (uint32_t at = request->offset; at < request->offset + request->bytes && at < TOTAL;
                 at += LS_CHUNK_BYTES_MAX) {
                random = random * UINT64_C(6364136223846793005) + 1;
                if ((random >> 33) % 100 < loss)
                    continue;
                ls_snapshot_chunk chunk = chunk_at(tick, at);
                assert_ok(ls_loader_take(loader, &chunk, NULL));
            }
        }
        if (ls_loader_is_done(loader))
            return now;
    }
    fail_msg("never done");
    return 0;
}

static int fill(void **state)
{
    for (uint32_t i = 0; i < TOTAL; i++)
        source[i] = (uint8_t)(i * 31 + i / 1024);
    return 0;
}

static void test_loader_pulls_everything(void **state)
{
    static const uint32_t losses[] = {0, 10, 50};
    for (uint32_t i = 0; i < LS_COUNT_OF(losses); i++) {
        ls_loader loader;
        ls_loader_init(&loader, TOTAL);
        uint64_t took_ns = load(&loader, 7, losses[i]);
        assert_memory_equal(loader.bytes, source, TOTAL);
        assert_int_equal(loader.tick, 7);
        assert_true(losses[i] > 0 || took_ns < 10 * MS);
        ls_loader_reset(&loader);
    }
}

static void test_loader_asks_again_after_patience_only(void **state)
{
    ls_loader loader;
    ls_snapshot_request request;
    ls_loader_init(&loader, TOTAL);
    assert_true(ls_loader_ask(&loader, 5 * MS, 200 * MS, &request));
    assert_int_equal(request.tick, 0);
    assert_int_equal(request.offset, 0);
    assert_false(ls_loader_ask(&loader, 404 * MS, 200 * MS, &request));
    assert_true(ls_loader_ask(&loader, 405 * MS, 200 * MS, &request));
    ls_loader_reset(&loader);
}

/* On a narrow link, a range that arrives in parts is not requested again in the meantime. */
static void test_loader_waits_anew_for_the_rest(void **state)
{
    ls_loader loader;
    ls_snapshot_request request;
    ls_loader_init(&loader, TOTAL);
    assert_true(ls_loader_ask(&loader, 1 * MS, 0, &request));
    for (uint32_t i = 0; i < 10; i++) {
        ls_snapshot_chunk chunk = chunk_at(9, i * LS_CHUNK_BYTES_MAX);
        assert_ok(ls_loader_take(&loader, &chunk, NULL));
        loader.window = 1;
        assert_false(ls_loader_ask(&loader, (1 + 200 * i) * MS, 0, &request));
    }
    assert_false(ls_loader_ask(&loader, (1 + 200 * 9 + 249) * MS, 0, &request));
    assert_true(ls_loader_ask(&loader, (1 + 200 * 9 + 250) * MS, 0, &request));
    assert_int_equal(request.offset, 10 * LS_CHUNK_BYTES_MAX);
    assert_int_equal(request.bytes, LS_CLIENT_RANGE_BYTES - 10 * LS_CHUNK_BYTES_MAX);
    ls_loader_reset(&loader);
}

static void test_loader_begins_again_with_a_newer_one(void **state)
{
    ls_loader loader;
    ls_loader_init(&loader, TOTAL);
    ls_snapshot_chunk old = chunk_at(5, 0), newer = chunk_at(9, 1024);
    assert_ok(ls_loader_take(&loader, &old, NULL));
    assert_int_equal(loader.missing, 300);
    assert_ok(ls_loader_take(&loader, &newer, NULL));
    assert_int_equal(loader.tick, 9);
    assert_int_equal(loader.missing, 300);
    old = chunk_at(5, 2048);
    assert_ok(ls_loader_take(&loader, &old, NULL));
    assert_int_equal(loader.missing, 300);
    load(&loader, 9, 0);
    assert_memory_equal(loader.bytes, source, TOTAL);
    ls_loader_reset(&loader);
}

static void test_loader_refuses_what_is_too_large(void **state)
{
    ls_loader loader;
    ls_error error;
    ls_loader_init(&loader, TOTAL - 1);
    ls_snapshot_chunk chunk = chunk_at(5, 0);
    assert_int_equal(ls_loader_take(&loader, &chunk, &error), LS_ERROR_LIMIT);
    assert_null(loader.bytes);
    /* The limit also applies to the unpacked size. */
    ls_loader_init(&loader, TOTAL);
    chunk.raw_bytes = TOTAL + 1;
    assert_int_equal(ls_loader_take(&loader, &chunk, &error), LS_ERROR_LIMIT);
    assert_null(loader.bytes);
    ls_loader_reset(&loader);
}

static void test_loader_ignores_chunks_that_do_not_fit(void **state)
{
    ls_loader loader;
    ls_loader_init(&loader, 4 * TOTAL);
    ls_snapshot_chunk chunk = chunk_at(5, 0);
    assert_ok(ls_loader_take(&loader, &chunk, NULL));
    assert_ok(ls_loader_take(&loader, &chunk, NULL));
    uint32_t missing = loader.missing;
    chunk = chunk_at(5, 1024);
    chunk.offset++;
    assert_ok(ls_loader_take(&loader, &chunk, NULL));
    chunk = chunk_at(5, 1024);
    chunk.bytes--;
    assert_ok(ls_loader_take(&loader, &chunk, NULL));
    chunk = chunk_at(5, 1024);
    chunk.total_bytes = 3 * TOTAL;
    chunk.offset = 2 * TOTAL / 1024 * 1024;
    assert_ok(ls_loader_take(&loader, &chunk, NULL));
    chunk = chunk_at(5, 1024);
    chunk.raw_bytes++;
    assert_ok(ls_loader_take(&loader, &chunk, NULL));
    assert_int_equal(loader.missing, missing);
    ls_loader_reset(&loader);
}

static void test_loader_ignores_what_is_too_old(void **state)
{
    ls_loader loader;
    ls_loader_init(&loader, TOTAL);
    ls_loader_restart(&loader, 8);
    ls_snapshot_chunk chunk = chunk_at(7, 0);
    assert_ok(ls_loader_take(&loader, &chunk, NULL));
    assert_false(loader.has_begun);
    chunk = chunk_at(8, 0);
    assert_ok(ls_loader_take(&loader, &chunk, NULL));
    assert_true(loader.has_begun);
    ls_loader_reset(&loader);
}

static void take_range(ls_loader *loader, const ls_snapshot_request *request, uint32_t but)
{
    for (uint32_t at = request->offset; at < request->offset + request->bytes && at < TOTAL;
         at += LS_CHUNK_BYTES_MAX) {
        ls_snapshot_chunk chunk = chunk_at(9, at);
        if (at != but)
            assert_ok(ls_loader_take(loader, &chunk, NULL));
    }
}

/* Complete answers widen the window. A loss that later answers reveal is requested again at once,
 * and halves the window. */
static void test_loader_window_follows_the_line(void **state)
{
    ls_loader loader;
    ls_snapshot_request requests[8], again;
    uint32_t asked = 0;
    ls_loader_init(&loader, TOTAL);
    ls_snapshot_chunk chunk = chunk_at(9, 0);
    assert_ok(ls_loader_take(&loader, &chunk, NULL));
    loader.ranges[0].sent_ns = MS;
    while (ls_loader_ask(&loader, MS, 5 * MS, &requests[asked]))
        asked++;
    assert_int_equal(asked, LS_CLIENT_RANGES_START - 1); /* the first range is already requested */
    take_range(&loader, &requests[1], UINT32_MAX);
    take_range(&loader, &requests[0], requests[0].offset + 3 * LS_CHUNK_BYTES_MAX);
    for (asked = 0; ls_loader_ask(&loader, 2 * MS, 5 * MS, &requests[asked]);)
        asked++;
    assert_int_equal(asked, 2);
    assert_int_equal(loader.window, LS_CLIENT_RANGES_START + 1);
    uint64_t later = 2 * MS + LS_CLIENT_RANGE_QUICK_NS;
    assert_true(ls_loader_ask(&loader, later, 5 * MS, &again));
    assert_int_equal(again.offset,
                     LS_CHUNK_BYTES_MAX); /* the first range starts after the chunk that arrived */
    assert_true(ls_loader_ask(&loader, later, 5 * MS, &again));
    assert_int_equal(again.bytes, LS_CHUNK_BYTES_MAX); /* only the missing chunk */
    assert_int_equal(loader.window, (LS_CLIENT_RANGES_START + 1) / 2);
    ls_loader_reset(&loader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loader_pulls_everything),
        cmocka_unit_test(test_loader_asks_again_after_patience_only),
        cmocka_unit_test(test_loader_waits_anew_for_the_rest),
        cmocka_unit_test(test_loader_begins_again_with_a_newer_one),
        cmocka_unit_test(test_loader_refuses_what_is_too_large),
        cmocka_unit_test(test_loader_ignores_chunks_that_do_not_fit),
        cmocka_unit_test(test_loader_ignores_what_is_too_old),
        cmocka_unit_test(test_loader_window_follows_the_line),
    };
    return cmocka_run_group_tests(tests, fill, NULL);
}
