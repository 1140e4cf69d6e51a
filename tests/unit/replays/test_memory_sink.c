#include "sample.h"

static void test_memory_sink_keeps_bytes_and_sync_point(void **state)
{
    ls_memory_sink memory;
    ls_memory_sink_init(&memory);
    ls_sink sink = ls_memory_sink_open(&memory);
    uint8_t block[3000];
    for (uint8_t i = 0; i < 10; i++) {
        memset(block, i, sizeof block);
        assert_int_equal(sink.append(sink.context, block, sizeof block), sizeof block);
        if (i == 3)
            assert_int_equal(sink.sync(sink.context), 0);
    }
    assert_int_equal(memory.bytes, 10 * sizeof block);
    assert_int_equal(memory.synced_bytes, 4 * sizeof block);
    assert_int_equal(memory.append_count, 10);
    assert_int_equal(memory.data[0], 0);
    assert_int_equal(memory.data[memory.bytes - 1], 9);
    assert_int_equal(sink.close(sink.context), 0);
    assert_true(memory.closed);
    ls_memory_sink_reset(&memory);
    assert_null(memory.data);
}

int main(void)
{
    return RUN_TESTS(test_memory_sink_keeps_bytes_and_sync_point);
}
