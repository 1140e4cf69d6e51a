#include "test.h"

#include "core/base/platform.h"
#include "proto/web_ring.h"

#define RECORDS 200000u

TEST(test_web_ring_keeps_order_and_bytes)
{
    ls_web_ring ring;
    uint8_t data[1200];
    uint64_t added = 0, taken = 0, seed = 11;
    ls_web_ring_init(&ring, 1);
    while (taken < 100000) {
        ls_web_record record = {
            .kind = LS_WEB_RECORD_MESSAGE, .number = added, .bytes = (uint32_t)(added * 7 % 1200)};
        memset(data, (int)added, sizeof data);
        while (test_random(&seed) % 3 && ls_web_ring_add(&ring, &record, data, 0)) {
            added++;
            record.number = added;
            record.bytes = (uint32_t)(added * 7 % 1200);
            memset(data, (int)added, sizeof data);
        }
        const ls_web_record *first = ls_web_ring_first(&ring);
        assert_int_equal(first != NULL, added > taken);
        if (!first)
            continue;
        assert_int_equal(first->number, taken);
        for (uint32_t i = 0; i < first->bytes; i++)
            assert_int_equal(ls_web_record_data(first)[i], (uint8_t)taken);
        ls_web_ring_drop(&ring);
        taken++;
    }
    ls_web_ring_reset(&ring);
}

/* The spare bytes are free in every position of the ring. */
TEST(test_web_ring_keeps_its_spare)
{
    ls_web_ring ring;
    const uint8_t data[1000] = {0};
    const ls_web_record message = {.kind = LS_WEB_RECORD_MESSAGE, .bytes = sizeof data},
                        closed = {.kind = LS_WEB_RECORD_CLOSED};
    ls_web_ring_init(&ring, 1);
    for (uint32_t round = 0; round < 3000; round++) {
        while (ls_web_ring_add(&ring, &message, data, 5 * LS_WEB_RECORD_BYTES)) {
        }
        for (uint32_t i = 0; i < 5; i++)
            assert_true(ls_web_ring_add(&ring, &closed, NULL, 0));
        for (uint32_t i = 0; i < 6 + round % 3; i++)
            if (ls_web_ring_first(&ring))
                ls_web_ring_drop(&ring);
    }
    ls_web_ring_reset(&ring);
}

static void add_all(void *argument)
{
    ls_web_ring *ring = argument;
    uint8_t data[64];
    for (uint32_t i = 0; i < RECORDS;) {
        const ls_web_record record = {
            .kind = LS_WEB_RECORD_MESSAGE, .number = i, .bytes = i % sizeof data};
        memset(data, (int)i, sizeof data);
        i += ls_web_ring_add(ring, &record, data, 0);
    }
}

TEST(test_web_ring_joins_two_threads)
{
    ls_web_ring ring;
    ls_thread thread;
    ls_web_ring_init(&ring, 1);
    assert_true(ls_thread_start(&thread, add_all, &ring));
    for (uint32_t i = 0; i < RECORDS;) {
        const ls_web_record *first = ls_web_ring_first(&ring);
        if (!first)
            continue;
        if (first->number != i || first->bytes != i % 64 ||
            (first->bytes && ls_web_record_data(first)[first->bytes - 1] != (uint8_t)i))
            fail_msg("record %u is another one", i);
        ls_web_ring_drop(&ring);
        i++;
    }
    ls_thread_join(&thread);
    assert_null(ls_web_ring_first(&ring));
    ls_web_ring_reset(&ring);
}
