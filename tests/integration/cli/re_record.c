/* re_record FROM TO LAG WRONG [WITHOUT]: rewrites a recording as by a server that was killed and
 * resumed halfway, and that simulated LAG ticks after it had recorded a frame. Changes the root of
 * tick WRONG, and omits the inputs of tick WITHOUT; a number after the last tick changes
 * nothing. */
#include <lockstep/recorder.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOTS_MAX = 100000 };

typedef struct again {
    ls_recording *from;
    ls_recorder *to;
    const char *path;
    uint64_t *roots;
    uint64_t root_count, lag, wrong, without;
    ls_error error;
} again;

static bool take_roots(again *copy, const ls_recording_roots *roots)
{
    if (copy->root_count + roots->count > ROOTS_MAX)
        return false;
    memcpy(copy->roots + copy->root_count, roots->values, roots->count * sizeof *copy->roots);
    copy->root_count += roots->count;
    return true;
}

static bool read_roots(again *copy)
{
    const ls_recording_tick *tick;
    while (ls_recording_next(copy->from, &tick, &copy->error) == LS_OK && tick)
        if (!take_roots(copy, &tick->roots))
            return false;
    const ls_recording_end *end = ls_recording_get_end(copy->from);
    return end->kind == LS_RECORDING_CLEAN && take_roots(copy, &end->roots);
}

static bool add_roots_before(again *copy, uint64_t end)
{
    for (uint64_t tick; (tick = ls_recorder_root_tick(copy->to)) < end;) {
        uint64_t root = copy->roots[tick] ^ (tick == copy->wrong);
        if (ls_recorder_add_root(copy->to, root, &copy->error) != LS_OK)
            return false;
    }
    return true;
}

static bool die_and_go_on(again *copy)
{
    ls_recording_end found;
    ls_recorder_destroy(copy->to);
    return ls_recorder_resume(copy->path, &copy->to, &found, &copy->error) == LS_OK &&
           ls_recorder_begin_epoch(copy->to, 1, 1700000000, &copy->error) == LS_OK;
}

static bool write_again(again *copy)
{
    const ls_recording_tick *tick;
    ls_recording_rewind(copy->from);
    while (ls_recording_next(copy->from, &tick, &copy->error) == LS_OK && tick) {
        uint64_t now = tick->frame.tick;
        if (now == copy->root_count / 2 && !die_and_go_on(copy))
            return false;
        if (now >= copy->lag && !add_roots_before(copy, now - copy->lag + 1))
            return false;
        ls_frame frame = tick->frame;
        if (now == copy->without)
            frame.count = 0;
        if (ls_recorder_append(copy->to, &frame, &copy->error) != LS_OK)
            return false;
    }
    return add_roots_before(copy, copy->root_count) &&
           ls_recorder_finish(copy->to, LS_CLOSING_FINISHED, &copy->error) == LS_OK;
}

int main(int argc, char **argv)
{
    again copy = {0};
    if (argc != 5 && argc != 6)
        return 2;
    copy.path = argv[2];
    copy.lag = strtoull(argv[3], NULL, 10);
    copy.wrong = strtoull(argv[4], NULL, 10);
    copy.without = argc == 6 ? strtoull(argv[5], NULL, 10) : UINT64_MAX;
    copy.roots = ls_alloc(ROOTS_MAX * sizeof *copy.roots);
    bool is_good =
        ls_recording_open(argv[1], &copy.from, &copy.error) == LS_OK && read_roots(&copy) &&
        ls_recorder_create(copy.path, ls_recording_get_header(copy.from), &copy.to, &copy.error) ==
            LS_OK &&
        write_again(&copy);
    if (!is_good)
        fprintf(stderr, "re_record: %s\n", copy.error.text);
    ls_recorder_destroy(copy.to);
    ls_recording_close(copy.from);
    ls_free(copy.roots);
    return is_good ? 0 : 1;
}
