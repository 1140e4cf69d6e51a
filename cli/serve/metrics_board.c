#include "cli/serve/metrics_board.h"

void ls_metrics_board_init(ls_metrics_board *board)
{
    *board = (ls_metrics_board){.handed = 1, .reader = 2};
}

void ls_metrics_board_reset(ls_metrics_board *board)
{
    for (uint32_t i = 0; i < LS_COUNT_OF(board->values); i++)
        ls_metrics_reset(&board->values[i]);
}

ls_metrics *ls_metrics_board_begin(ls_metrics_board *board)
{
    return &board->values[board->writer];
}

/* Release: publishes the value to the reader's exchange. Acquire: the reader has finished with the
 * value that the writer gets back. */
void ls_metrics_board_publish(ls_metrics_board *board)
{
    uint32_t old =
        __atomic_exchange_n(&board->handed, board->writer | LS_METRICS_FRESH, __ATOMIC_ACQ_REL);
    board->writer = old & ~LS_METRICS_FRESH;
}

/* The first load only asks whether there is a fresh value; nothing is read through it. The exchange
 * acquires what the writer released, and releases the reader's value to it. */
const ls_metrics *ls_metrics_board_read(ls_metrics_board *board)
{
    if (__atomic_load_n(&board->handed, __ATOMIC_RELAXED) & LS_METRICS_FRESH) {
        uint32_t fresh = __atomic_exchange_n(&board->handed, board->reader, __ATOMIC_ACQ_REL);
        board->reader = fresh & ~LS_METRICS_FRESH;
    }
    return &board->values[board->reader];
}
