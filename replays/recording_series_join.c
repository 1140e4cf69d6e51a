/* Joins the files of a match into one recording, up to the first gap. Reading continues from one
 * file to the next; lists and roots cover all files. Each tick gives only its own root, if known:
 * between two files a root may be missing. */
#include "core/base/builder.h"
#include "replays/recording_internal.h"
#include <lockstep/recording_series.h>

#include <inttypes.h>
#include <string.h>

typedef struct ls_joined_files {
    ls_series *series;
    uint32_t count; /* number of the series' files that are joined */
    uint32_t file;  /* index of the file being read */
    uint64_t root;  /* root of the last tick read */
    ls_recording_tick tick;
} ls_joined_files;

static uint64_t first_of(const ls_series *series, uint32_t file)
{
    return series->files[file]->header.first_tick;
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

const ls_series *ls_recording_series(const ls_recording *recording)
{
    return recording->joined ? recording->joined->series : NULL;
}

const char *ls_recording_after_gap(const ls_recording *recording, uint64_t *first_tick)
{
    const ls_joined_files *joined = recording->joined;
    if (!joined || joined->count == joined->series->count)
        return NULL;
    *first_tick = first_of(joined->series, joined->count);
    return joined->series->names[joined->count];
}

static bool joined_find_root(const ls_joined_files *joined, uint64_t tick, uint64_t *root)
{
    for (uint32_t i = joined->count; i > 0; i--)
        if (ls_recording_find_root(joined->series->files[i - 1], tick, root))
            return true;
    return false;
}

static const ls_recording *joined_file(const ls_joined_files *joined)
{
    return joined->series->files[joined->file];
}

static ls_recording_roots roots_of(ls_joined_files *joined, uint64_t tick)
{
    bool is_known = joined_find_root(joined, tick, &joined->root);
    return (ls_recording_roots){tick, is_known, &joined->root};
}

/* Updates the end over all files read so far. */
static void note_end(ls_recording *recording)
{
    ls_joined_files *joined = recording->joined;
    const ls_recording *file = joined_file(joined);
    ls_recording_end *end = &recording->cursor.place.end;
    uint64_t first = recording->header.first_tick;
    *end = *ls_recording_get_end(file);
    end->tick_count += file->header.first_tick - first;
    for (uint32_t i = 0; i < joined->file; i++)
        end->epoch_count += joined->series->files[i]->index.end.epoch_count;
    if (end->kind != LS_RECORDING_RUNNING)
        end->roots = roots_of(joined, first + end->tick_count);
}

static ls_status joined_next(ls_recording *recording, const ls_recording_tick **tick,
                             ls_error *error)
{
    ls_joined_files *joined = recording->joined;
    const ls_recording_tick *found;
    ls_status status;
    for (;;) {
        status = ls_recording_next(joined->series->files[joined->file], &found, error);
        if (found || joined->file + 1 == joined->count)
            break;
        /* The kind of a file's end does not matter, because the next file has the missing ticks. */
        ls_recording_rewind(joined->series->files[++joined->file]);
    }
    note_end(recording);
    *tick = NULL;
    if (!found)
        return status;
    joined->tick = *found;
    joined->tick.roots = roots_of(joined, found->frame.tick);
    *tick = &joined->tick;
    return LS_OK;
}

static ls_status joined_seek(ls_recording *recording, uint64_t tick, ls_error *error)
{
    ls_joined_files *joined = recording->joined;
    uint64_t first = recording->header.first_tick, count = recording->index.end.tick_count;
    if (tick < first || tick - first > count)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "%s: has no tick %" PRIu64 ": it and the files that follow it have "
                            "%" PRIu64 " ticks from %" PRIu64 " on",
                            recording->name, tick, count, first);
    uint32_t file = joined->count - 1;
    while (first_of(joined->series, file) > tick)
        file--;
    joined->file = file;
    LS_ASSERT(ls_recording_seek(joined->series->files[file], tick, NULL) == LS_OK);
    note_end(recording);
    return LS_OK;
}

static ls_status joined_check_signatures(const ls_joined_files *joined, ls_recording_signed *result,
                                         ls_error *error)
{
    const ls_recording_header *header = &joined->series->files[0]->header;
    ls_series_signed vouched;
    ls_status status = ls_series_check_signatures(joined->series, &vouched, error);
    *result = (ls_recording_signed){.has_key = vouched.has_key,
                                    .count = vouched.is_any,
                                    .tick = vouched.is_any ? vouched.tick : header->first_tick};
    return status;
}

static void joined_destroy(ls_joined_files *joined)
{
    ls_series_close(joined->series);
    ls_free(joined);
}

static const ls_joined_vtable vtable = {
    .next = joined_next,
    .seek = joined_seek,
    .find_root = joined_find_root,
    .file = joined_file,
    .check_signatures = joined_check_signatures,
    .destroy = joined_destroy,
};

ls_recording *ls_series_join(ls_series *series)
{
    ls_recording *first = series->files[0];
    if (series->count == 1) {
        series->count = 0;
        ls_free(series->names[0]);
        ls_series_close(series);
        return first;
    }
    ls_recording *made = ls_alloc(sizeof *made);
    ls_joined_files *joined = ls_alloc(sizeof *joined);
    uint64_t end = first->header.first_tick;
    joined->series = series;
    made->header = first->header;
    made->name = ls_text_duplicate(first->name);
    made->joined = joined;
    made->joined_vtable = &vtable;
    while (joined->count < series->count && first_of(series, joined->count) == end) {
        add_file(&made->index, series->files[joined->count], first->header.first_tick);
        end = ls_series_end_tick(series, joined->count++);
    }
    ls_recording_rewind(made);
    return made;
}
