#include "desync/write_watch.h"

ls_status ls_write_watch_begin(void *region, size_t bytes, ls_write_watch **trap, ls_error *error)
{
    (void)region;
    (void)bytes;
    *trap = NULL;
    return ls_error_set(error, LS_ERROR_REFUSED, LS_WRITE_WATCH_ABSENT);
}

void ls_write_watch_end(ls_write_watch *trap)
{
    (void)trap;
}

const ls_write_watch_store *ls_write_watch_stores(const ls_write_watch *trap, uint32_t *count)
{
    (void)trap;
    *count = 0;
    return NULL;
}

uint32_t ls_write_watch_left_out(const ls_write_watch *trap)
{
    (void)trap;
    return 0;
}

void ls_write_watch_destroy(ls_write_watch *trap)
{
    (void)trap;
}
