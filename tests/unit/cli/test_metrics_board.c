#include "cli/serve/metrics_board.h"

#include "core/base/platform.h"
#include "test.h"

static void publish(ls_metrics_board *board, uint64_t value)
{
    ls_metrics *metrics = ls_metrics_board_begin(board);
    metrics->taken_ns = value;
    metrics->server.hellos = value;
    ls_metrics_board_publish(board);
}

TEST(test_metrics_board_gives_the_newest)
{
    ls_metrics_board board;
    ls_metrics_board_init(&board);
    assert_int_equal(ls_metrics_board_read(&board)->taken_ns, 0);
    for (uint64_t i = 1; i < 20; i++) {
        publish(&board, 10 * i);
        if (i % 3 == 0)
            publish(&board, 10 * i + 1);
        uint64_t newest = 10 * i + (i % 3 == 0);
        assert_int_equal(ls_metrics_board_read(&board)->taken_ns, newest);
        assert_int_equal(ls_metrics_board_read(&board)->taken_ns, newest);
    }
    ls_metrics_board_reset(&board);
}

#define ROUNDS 20000

static void write_all(void *argument)
{
    for (uint64_t i = 1; i <= ROUNDS; i++)
        publish(argument, i);
}

/* A reader sees whole values, and none that is older than the one before. */
TEST(test_metrics_board_between_threads)
{
    ls_metrics_board board;
    ls_thread writer;
    ls_metrics_board_init(&board);
    assert_true(ls_thread_start(&writer, write_all, &board));
    for (uint64_t last = 0; last < ROUNDS;) {
        const ls_metrics *metrics = ls_metrics_board_read(&board);
        assert_int_equal(metrics->taken_ns, metrics->server.hellos);
        assert_true(metrics->taken_ns >= last);
        last = metrics->taken_ns;
    }
    ls_thread_join(&writer);
    ls_metrics_board_reset(&board);
}
