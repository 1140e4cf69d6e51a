#include "cli/common/progress_bar.h"

#include <stdio.h>

#define BAR_CELLS 30

void ls_progress_bar_show(double done, const char *words)
{
    static const char full[] = "##############################";
    static const char empty[] = "..............................";
    _Static_assert(sizeof full - 1 == BAR_CELLS && sizeof empty == sizeof full, "one cell each");
    int cells = done < 0 ? 0 : done > 1 ? BAR_CELLS : (int)(done * BAR_CELLS);
    fprintf(stderr, "\r\033[K[%.*s%.*s] %3.0f %%, %s", cells, full, BAR_CELLS - cells, empty,
            (done > 1 ? 1 : done) * 100, words);
}

void ls_progress_bar_clear(void)
{
    fputs("\r\033[K", stderr);
}
