/* Hands the newest value of ls_metrics from the network thread to a reader, without a lock: neither
 * thread ever waits. */
#ifndef LS_METRICS_BOARD_H
#define LS_METRICS_BOARD_H

#include "cli/serve/metrics.h"

/* Three values: the writer's, the reader's, and the one that was handed over last. */
typedef struct ls_metrics_board {
    ls_metrics values[3];
    uint32_t handed; /* index of the third value, and LS_METRICS_FRESH if the reader lacks it */
    uint32_t reader, writer; /* indexes of the reader's and of the writer's value */
} ls_metrics_board;
#define LS_METRICS_FRESH 4u

void ls_metrics_board_init(ls_metrics_board *board);
/* No thread may use the board any more. */
void ls_metrics_board_reset(ls_metrics_board *board);

/* The value to fill in, with what was in it some publications ago.
 *   thread  one writer */
ls_metrics *ls_metrics_board_begin(ls_metrics_board *board);
void ls_metrics_board_publish(ls_metrics_board *board);

/* The newest published value; valid until the next call. All zeros before the first.
 *   thread  one reader */
const ls_metrics *ls_metrics_board_read(ls_metrics_board *board);

#endif
