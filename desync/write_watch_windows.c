#include "desync/write_watch.h"

ls_status ls_write_watch_begin(void *region, size_t bytes, ls_write_watch **watch, ls_error *error)
{
    (void)region;
    (void)bytes;
    *watch = NULL;
    return ls_error_set(error, LS_ERROR_REFUSED, LS_WRITE_WATCH_ABSENT);
}

void ls_write_watch_end(ls_write_watch *watch)
{
    (void)watch;
}

const ls_write_watch_store *ls_write_watch_stores(const ls_write_watch *watch, uint32_t *count)
{
    (void)watch;
    *count = 0;
    return NULL;
}

uint32_t ls_write_watch_left_out(const ls_write_watch *watch)
{
    (void)watch;
    return 0;
}

void ls_write_watch_destroy(ls_write_watch *watch)
{
    (void)watch;
}
