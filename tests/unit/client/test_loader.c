#include "client/loader.h"
#include "tests/support/test.h"

enum { TOTAL = 300 * 1024 + 77, RAW = TOTAL - 5 };
static uint8_t source[TOTAL];

enum { BLOCK = LS_SNAPSHOT_BLOCK_BYTES, BLOCKS = TOTAL / BLOCK + 1 };

static ls_snapshot_chunk part_at(uint64_t tick, uint32_t offset, uint32_t bytes)
{
    uint32_t left = TOTAL - offset < bytes ? TOTAL - offset : bytes;
    return (ls_snapshot_chunk){.tick = tick,
                               .total_bytes = TOTAL,
                               .raw_bytes = RAW,
                               .offset = offset,
                               .bytes = left < LS_CHUNK_BYTES_MAX ? left : LS_CHUNK_BYTES_MAX,
                               .data = source + offset};
}

static ls_snapshot_chunk chunk_at(uint64_t tick, uint32_t offset)
{
    return part_at(tick, offset, LS_CHUNK_BYTES_MAX);
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
            uint32_t end = request->offset + request->bytes;
            for (uint32_t at = request->offset; at < end && at < TOTAL; at += LS_CHUNK_BYTES_MAX) {
                random = random * UINT64_C(6364136223846793005) + 1;
                if ((random >> 33) % 100 < loss)
                    continue;
                ls_snapshot_chunk chunk = part_at(tick, at, end - at);
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

TESTS_AROUND_ALL(fill, NULL);

TEST(test_loader_pulls_everything)
{
    static const uint32_t losses[] = {0, 10, 50};
    for (uint32_t i = 0; i < LS_COUNT_OF(losses); i++) {
        ls_loader loader;
        ls_loader_init(&loader, 4 * TOTAL);
        uint64_t took_ns = load(&loader, 7, losses[i]);
        assert_memory_equal(loader.bytes, source, TOTAL);
        assert_int_equal(loader.tick, 7);
        assert_true(losses[i] > 0 || took_ns < 25 * MS);
        ls_loader_reset(&loader);
    }
}

TEST(test_loader_asks_again_after_patience_only)
{
    ls_loader loader;
    ls_snapshot_request request;
    ls_loader_init(&loader, 4 * TOTAL);
    assert_true(ls_loader_ask(&loader, 5 * MS, 200 * MS, &request));
    assert_int_equal(request.tick, 0);
    assert_int_equal(request.offset, 0);
    assert_false(ls_loader_ask(&loader, 404 * MS, 200 * MS, &request));
    assert_true(ls_loader_ask(&loader, 405 * MS, 200 * MS, &request));
    ls_loader_reset(&loader);
}

/* A loader that knows its snapshot and has `window` bytes to ask for. */
static void begin(ls_loader *loader, uint32_t window)
{
    ls_loader_init(loader, 4 * TOTAL);
    ls_snapshot_chunk chunk = part_at(9, 0, BLOCK);
    assert_ok(ls_loader_take(loader, &chunk, NULL));
    loader->window = window;
    loader->rtt_ns = S;
}

/* On a narrow link, a range that arrives in parts is not requested again in the meantime. */
TEST(test_loader_waits_anew_for_the_rest)
{
    ls_loader loader;
    ls_snapshot_request request;
    begin(&loader, 16 * LS_CHUNK_BYTES_MAX);
    loader.ranges[0].count = 0;
    loader.rtt_ns = 0; /* half of the window in one request */
    assert_true(ls_loader_ask(&loader, 1 * MS, 0, &request));
    assert_int_equal(request.bytes, 8 * LS_CHUNK_BYTES_MAX);
    for (uint32_t i = 0; i < 5; i++) {
        ls_snapshot_chunk chunk = chunk_at(9, request.offset + i * LS_CHUNK_BYTES_MAX);
        assert_ok(ls_loader_take(&loader, &chunk, NULL));
        loader.window = LS_CHUNK_BYTES_MAX;
        assert_false(ls_loader_ask(&loader, (1 + 200 * i) * MS, 0, &request));
    }
    assert_false(ls_loader_ask(&loader, (1 + 200 * 4 + 249) * MS, 0, &request));
    assert_true(ls_loader_ask(&loader, (1 + 200 * 4 + 250) * MS, 0, &request));
    assert_int_equal(request.offset, BLOCK + 5 * LS_CHUNK_BYTES_MAX);
    assert_int_equal(request.bytes, 3 * LS_CHUNK_BYTES_MAX);
    ls_loader_reset(&loader);
}

TEST(test_loader_begins_again_with_a_newer_one)
{
    ls_loader loader;
    ls_loader_init(&loader, 4 * TOTAL);
    ls_snapshot_chunk old = chunk_at(5, 0), newer = chunk_at(9, 1024);
    assert_ok(ls_loader_take(&loader, &old, NULL));
    assert_int_equal(loader.missing, BLOCKS - LS_CHUNK_BYTES_MAX / BLOCK);
    assert_ok(ls_loader_take(&loader, &newer, NULL));
    assert_int_equal(loader.tick, 9);
    assert_int_equal(loader.missing, BLOCKS - LS_CHUNK_BYTES_MAX / BLOCK);
    old = chunk_at(5, 2048);
    assert_ok(ls_loader_take(&loader, &old, NULL));
    assert_int_equal(loader.missing, BLOCKS - LS_CHUNK_BYTES_MAX / BLOCK);
    load(&loader, 9, 0);
    assert_memory_equal(loader.bytes, source, TOTAL);
    ls_loader_reset(&loader);
}

TEST(test_loader_refuses_what_is_too_large)
{
    ls_loader loader;
    ls_error error;
    ls_snapshot_chunk chunk = chunk_at(5, 0);
    ls_loader_init(&loader, (uint64_t)chunk.total_bytes + chunk.raw_bytes - 1);
    assert_int_equal(ls_loader_take(&loader, &chunk, &error), LS_ERROR_LIMIT);
    assert_null(loader.bytes);
    /* The limit also applies to the unpacked size. */
    ls_loader_init(&loader, (uint64_t)chunk.total_bytes + chunk.raw_bytes);
    chunk.raw_bytes++;
    assert_int_equal(ls_loader_take(&loader, &chunk, &error), LS_ERROR_LIMIT);
    assert_null(loader.bytes);
    /* So does the world that the snapshot replaces. */
    chunk.raw_bytes--;
    ls_loader_restart(&loader, 0, 1);
    assert_int_equal(ls_loader_take(&loader, &chunk, &error), LS_ERROR_LIMIT);
    assert_null(loader.bytes);
    ls_loader_restart(&loader, 0, 0);
    assert_ok(ls_loader_take(&loader, &chunk, &error));
    ls_loader_reset(&loader);
}

TEST(test_loader_ignores_chunks_that_do_not_fit)
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

TEST(test_loader_ignores_what_is_too_old)
{
    ls_loader loader;
    ls_loader_init(&loader, 4 * TOTAL);
    ls_loader_restart(&loader, 8, 0);
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
         at += BLOCK) {
        ls_snapshot_chunk chunk = part_at(9, at, BLOCK);
        if (at != but)
            assert_ok(ls_loader_take(loader, &chunk, NULL));
    }
}

/* Asks for all that the window has room for, and has it answered `rtt_ns` later. */
static void pass_window(ls_loader *loader, uint64_t *now_ns, uint64_t rtt_ns)
{
    ls_snapshot_request requests[LS_CLIENT_RANGES_MAX];
    uint32_t asked = 0;
    while (ls_loader_ask(loader, *now_ns, 0, &requests[asked]))
        asked++;
    assert_true(asked > 0);
    for (uint32_t i = 0; i < asked; i++)
        take_range(loader, &requests[i], UINT32_MAX);
    *now_ns += rtt_ns;
}

/* A range is an eighth of the window. */
TEST(test_loader_divides_its_window)
{
    ls_loader loader;
    ls_snapshot_request request;
    begin(&loader, 64 * BLOCK);
    uint32_t asked = 0;
    for (; ls_loader_ask(&loader, S, 0, &request); asked++)
        assert_int_equal(request.bytes, 8 * BLOCK);
    assert_int_equal(asked, 8);
    ls_loader_reset(&loader);
}

/* Over a short line there are fewer requests, over a wide one they are not larger than a range. */
TEST(test_loader_bounds_its_ranges)
{
    static const struct {
        uint32_t window;
        uint64_t rtt_ns;
        uint32_t bytes;
    } cases[] = {{64 * BLOCK, 0, 32 * BLOCK},
                 {64 * BLOCK, 20 * MS, 16 * BLOCK},
                 {LS_CLIENT_WINDOW_MIN_BYTES, S, BLOCK},
                 {6 * LS_CHUNK_BYTES_MAX + 2 * BLOCK, 0, 3 * LS_CHUNK_BYTES_MAX},
                 {LS_CLIENT_WINDOW_MAX_BYTES, S, LS_CLIENT_RANGE_BYTES}};
    for (uint32_t i = 0; i < LS_COUNT_OF(cases); i++) {
        ls_loader loader;
        ls_snapshot_request request;
        begin(&loader, cases[i].window);
        loader.rtt_ns = cases[i].rtt_ns;
        assert_true(ls_loader_ask(&loader, S, 0, &request));
        assert_int_equal(request.bytes, cases[i].bytes);
        ls_loader_reset(&loader);
    }
}

TEST(test_loader_window_grows_on_an_empty_line)
{
    ls_loader loader;
    uint64_t now_ns = S;
    begin(&loader, 8 * BLOCK);
    for (uint32_t i = 0; i < 4; i++)
        pass_window(&loader, &now_ns, 100 * MS);
    assert_in_range(loader.window, 4 * 8 * BLOCK, 16 * 8 * BLOCK); /* doubles each time */
    ls_loader_reset(&loader);
}

/* The window settles where answers wait as long as the target says, and falls when they wait
 * longer, as when another begins to use the line. */
TEST(test_loader_window_falls_with_a_queue)
{
    ls_loader loader;
    uint64_t now_ns = S;
    begin(&loader, 64 * BLOCK);
    pass_window(&loader, &now_ns, 100 * MS);
    for (uint32_t i = 0; i < 2; i++)
        pass_window(&loader, &now_ns, 112500000);
    uint32_t settled = loader.window;
    pass_window(&loader, &now_ns, 112500000);
    assert_int_equal(loader.window, settled);
    for (uint32_t i = 0; i < 6; i++)
        pass_window(&loader, &now_ns, 300 * MS);
    assert_in_range(loader.window, LS_CLIENT_WINDOW_MIN_BYTES, settled / 4);
    ls_loader_reset(&loader);
}

/* A loss that later answers reveal is requested again at once. It halves a large window, once
 * for all that was under way. */
TEST(test_loader_halves_a_large_window_on_loss)
{
    static const struct {
        uint32_t before, after;
    } cases[] = {
        {64 << 10, 32 << 10}, {20 << 10, LS_CLIENT_WINDOW_LOSSY_BYTES}, {8 << 10, 8 << 10}};
    for (uint32_t i = 0; i < LS_COUNT_OF(cases); i++) {
        ls_loader loader;
        ls_snapshot_request requests[9], again;
        uint32_t asked = 0;
        begin(&loader, cases[i].before);
        loader.rtt_ns = 5 * MS * 4;
        while (ls_loader_ask(&loader, S, 0, &requests[asked]))
            asked++;
        assert_true(asked >= 3);
        take_range(&loader, &requests[2], UINT32_MAX);
        take_range(&loader, &requests[0], requests[0].offset + BLOCK);
        loader.window = cases[i].before;
        while (ls_loader_ask(&loader, S + MS, 0, &again))
            continue;
        loader.window = cases[i].before;
        uint64_t later = S + 40 * MS;
        assert_true(ls_loader_ask(&loader, later, 0, &again));
        assert_int_equal(again.offset, requests[0].offset + BLOCK);
        assert_int_equal(again.bytes, BLOCK); /* just the one */
        assert_int_equal(loader.window, cases[i].after);
        assert_true(ls_loader_ask(&loader, later, 0, &again));
        assert_int_equal(again.offset, requests[1].offset);
        assert_int_equal(loader.window, cases[i].after);
        ls_loader_reset(&loader);
    }
}

/* A line that has become slow: no answer is taken for that to a request that was repeated too
 * early. So patience grows until an answer comes within it. */
TEST(test_loader_learns_a_longer_round_trip)
{
    ls_loader loader;
    ls_snapshot_request request, again;
    begin(&loader, BLOCK);
    loader.ranges[0].count = 0;
    loader.rtt_ns = 1 * MS;
    uint64_t now_ns = S;
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(loader.queue.count, 0);
        assert_true(ls_loader_ask(&loader, now_ns, 0, &request));
        while (ls_loader_ask(&loader, now_ns + 900 * MS, 0, &again))
            continue;
        take_range(&loader, &request, UINT32_MAX);
        now_ns += 900 * MS;
        assert_int_equal(loader.backoff, i < 2 ? i + 1 : 2);
    }
    (void)ls_loader_ask(&loader, now_ns, 0, &request);
    assert_int_equal(loader.queue.count, 1);
    assert_int_equal(loader.backoff, 0);
    assert_true(loader.rtt_ns > 100 * MS);
    ls_loader_reset(&loader);
}
