/* Joins the files of a match into one recording, up to the first gap. Reading continues from one
 * file to the next; lists and roots cover all files. Each tick gives only its own root, if known:
 * between two files a root may be missing. */
#include "replays/recording_internal.h"
#include <lockstep/recording_series.h>

#include <inttypes.h>
#include <string.h>

typedef struct ls_whole {
    ls_series *history;
    uint32_t count; /* number of its files to read */
    uint32_t file;  /* index of the file being read */
    uint64_t root;  /* root of the last tick read */
    ls_recording_tick tick;
} ls_whole;

static uint64_t first_of(const ls_series *history, uint32_t file)
{
    return history->files[file]->header.first_tick;
}

static void *add_list(void *list, uint32_t *count, const void *more, uint32_t more_count,
                      size_t item_bytes)
{
    if (more_count == 0)
        return list;
    uint8_t *all = ls_realloc(list, ((size_t)*count + more_count) * item_bytes);
    memcpy(all + *count * item_bytes, more, more_count * item_bytes);
    *count += more_count;
    return all;
}

static void add_file(ls_recording_index *index, const ls_recording *file, uint64_t first_tick)
{
    const ls_recording_index *own = &file->index;
    uint32_t epochs = index->end.epoch_count;
    index->keyframes = add_list(index->keyframes, &index->keyframe_count, own->keyframes,
                                own->keyframe_count, sizeof own->keyframes[0]);
    index->columns = add_list(index->columns, &index->columns_count, own->columns,
                              own->columns_count, sizeof own->columns[0]);
    if (!index->evidence) {
        index->evidence = own->evidence;
        index->evidence_bytes = own->evidence_bytes;
    }
    index->end = own->end;
    index->end.tick_count += file->header.first_tick - first_tick;
    index->end.epoch_count += epochs;
}

const ls_series *ls_recording_history(const ls_recording *recording)
{
    return recording->whole ? recording->whole->history : NULL;
}

const char *ls_recording_rest(const ls_recording *recording, uint64_t *first_tick)
{
    const ls_whole *whole = recording->whole;
    if (!whole || whole->count == whole->history->count)
        return NULL;
    *first_tick = first_of(whole->history, whole->count);
    return whole->history->names[whole->count];
}

static bool whole_find_root(const ls_whole *whole, uint64_t tick, uint64_t *root)
{
    for (uint32_t i = whole->count; i > 0; i--)
        if (ls_recording_find_root(whole->history->files[i - 1], tick, root))
            return true;
    return false;
}

static const ls_recording *whole_file(const ls_whole *whole)
{
    return whole->history->files[whole->file];
}

static ls_recording_roots roots_of(ls_whole *whole, uint64_t tick)
{
    bool is_known = whole_find_root(whole, tick, &whole->root);
    return (ls_recording_roots){tick, is_known, &whole->root};
}

/* Updates the end over all files read so far. */
static void note_end(ls_recording *recording)
{
    ls_whole *whole = recording->whole;
    const ls_recording *file = whole_file(whole);
    ls_recording_end *end = &recording->cursor.place.end;
    uint64_t first = recording->header.first_tick;
    *end = *ls_recording_get_end(file);
    end->tick_count += file->header.first_tick - first;
    for (uint32_t i = 0; i < whole->file; i++)
        end->epoch_count += whole->history->files[i]->index.end.epoch_count;
    if (end->kind != LS_RECORDING_RUNNING)
        end->roots = roots_of(whole, first + end->tick_count);
}

static ls_status whole_next(ls_recording *recording, const ls_recording_tick **tick,
                            ls_error *error)
{
    ls_whole *whole = recording->whole;
    const ls_recording_tick *found;
    ls_status status;
    for (;;) {
        status = ls_recording_next(whole->history->files[whole->file], &found, error);
        if (found || whole->file + 1 == whole->count)
            break;
        /* The kind of a file's end does not matter, because the next file has the missing ticks. */
        ls_recording_rewind(whole->history->files[++whole->file]);
    }
    note_end(recording);
    *tick = NULL;
    if (!found)
        return status;
    whole->tick = *found;
    whole->tick.roots = roots_of(whole, found->frame.tick);
    *tick = &whole->tick;
    return LS_OK;
}

static ls_status whole_seek(ls_recording *recording, uint64_t tick, ls_error *error)
{
    ls_whole *whole = recording->whole;
    uint64_t first = recording->header.first_tick, count = recording->index.end.tick_count;
    if (tick < first || tick - first > count)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "%s: has no tick %" PRIu64 ": it and the files that follow it have "
                            "%" PRIu64 " ticks from %" PRIu64 " on",
                            recording->name, tick, count, first);
    uint32_t file = whole->count - 1;
    while (first_of(whole->history, file) > tick)
        file--;
    whole->file = file;
    LS_ASSERT(ls_recording_seek(whole->history->files[file], tick, NULL) == LS_OK);
    note_end(recording);
    return LS_OK;
}

static ls_status whole_check_signatures(const ls_whole *whole, ls_recording_signed *result,
                                        ls_error *error)
{
    const ls_recording_header *header = &whole->history->files[0]->header;
    ls_series_signed vouched;
    ls_status status = ls_series_check_signatures(whole->history, &vouched, error);
    *result = (ls_recording_signed){.has_key = vouched.has_key,
                                    .count = vouched.is_any,
                                    .tick = vouched.is_any ? vouched.tick : header->first_tick};
    return status;
}

static void whole_destroy(ls_whole *whole)
{
    ls_series_close(whole->history);
    ls_free(whole);
}

static const ls_whole_vtable vtable = {
    .next = whole_next,
    .seek = whole_seek,
    .find_root = whole_find_root,
    .file = whole_file,
    .check_signatures = whole_check_signatures,
    .destroy = whole_destroy,
};

ls_recording *ls_series_as_one(ls_series *history)
{
    ls_recording *first = history->files[0];
    if (history->count == 1) {
        history->count = 0;
        ls_free(history->names[0]);
        ls_series_close(history);
        return first;
    }
    ls_recording *made = ls_alloc(sizeof *made);
    ls_whole *whole = ls_alloc(sizeof *whole);
    size_t bytes = strlen(first->name) + 1;
    uint64_t end = first->header.first_tick;
    whole->history = history;
    made->header = first->header;
    made->name = memcpy(ls_alloc(bytes), first->name, bytes);
    made->whole = whole;
    made->whole_vtable = &vtable;
    while (whole->count < history->count && first_of(history, whole->count) == end) {
        add_file(&made->index, history->files[whole->count], first->header.first_tick);
        end = ls_series_end_tick(history, whole->count++);
    }
    ls_recording_rewind(made);
    return made;
}
