#include "cli/common/progress_bar.h"

#include "cli/common/clock.h"
#include "core/base/platform.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define BAR_CELLS   30
#define EVERY_NS    (LS_SECOND_NS / 4)
#define WORDS_BYTES 96

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

void ls_tick_progress_begin(ls_tick_progress *progress)
{
    uint64_t now_ns = ls_monotonic_ns();
    *progress = (ls_tick_progress){.start_ns = now_ns,
                                   .due_ns = isatty(STDERR_FILENO) ? now_ns + LS_SECOND_NS : 0};
}

void ls_byte_progress_begin(ls_tick_progress *progress)
{
    ls_tick_progress_begin(progress);
    progress->counts_bytes = progress->is_begun = true;
}

static void describe(const ls_tick_progress *progress, uint64_t tick, uint64_t last, double rate,
                     char words[WORDS_BYTES])
{
    if (progress->counts_bytes && !last)
        snprintf(words, WORDS_BYTES, "%.1f MB, %.1f MB/s", (double)tick / 1e6, rate / 1e6);
    else if (progress->counts_bytes)
        snprintf(words, WORDS_BYTES, "%.1f of %.1f MB, %.1f MB/s", (double)tick / 1e6,
                 (double)last / 1e6, rate / 1e6);
    else
        snprintf(words, WORDS_BYTES, "tick %" PRIu64 " of %" PRIu64 ", %.0f ticks/s", tick, last,
                 rate);
}

void ls_tick_progress_show(ls_tick_progress *progress, uint64_t tick, uint64_t last)
{
    if (!progress->due_ns)
        return;
    if (!progress->is_begun)
        progress->first = tick;
    progress->is_begun = true;
    uint64_t now_ns = ls_monotonic_ns();
    bool is_open = progress->counts_bytes && !last;
    if (now_ns < progress->due_ns || (last <= progress->first && !is_open))
        return;
    progress->due_ns = now_ns + EVERY_NS;
    progress->is_shown = true;
    double done = (double)(tick - progress->first);
    double rate = done * (double)LS_SECOND_NS / (double)(now_ns - progress->start_ns);
    char words[WORDS_BYTES];
    describe(progress, tick, last, rate, words);
    if (is_open)
        fprintf(stderr, "\r\033[K%s", words);
    else
        ls_progress_bar_show(done / (double)(last - progress->first), words);
}

void ls_tick_progress_end(ls_tick_progress *progress)
{
    if (progress->is_shown)
        ls_progress_bar_clear();
    *progress = (ls_tick_progress){0};
}
