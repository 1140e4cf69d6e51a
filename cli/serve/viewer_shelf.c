#include "cli/serve/viewer_shelf.h"

#include "cli/serve/recordings.h"
#include "core/base/builder.h"
#include "core/base/platform_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int compare(const void *name, const void *file)
{
    return strcmp(name, ((const ls_shelf_file *)file)->name);
}

static ls_shelf_file *find(const ls_viewer_shelf *shelf, const char *name)
{
    return shelf->count ? bsearch(name, shelf->files, shelf->count, sizeof *shelf->files, compare)
                        : NULL;
}

/* The first file of a match; the file itself when that one is not there. */
static ls_shelf_file *first_of(const ls_viewer_shelf *shelf, ls_shelf_file *file)
{
    char first[LS_PATH_BYTES_MAX];
    uint32_t number;
    ls_shelf_file *found = NULL;
    if (ls_series_number(file->name, &number) &&
        ls_series_first_name(file->name, number, first, sizeof first))
        found = find(shelf, first);
    return found ? found : file;
}

bool ls_viewer_shelf_has(const ls_viewer_shelf *shelf, const char *name)
{
    if (shelf->has_all)
        return name[ls_series_stem(name)] != 0;
    ls_shelf_file *file = find(shelf, name);
    return file && first_of(shelf, file)->is_over;
}

const char *ls_viewer_shelf_simulation(const ls_viewer_shelf *shelf, const char *name)
{
    ls_shelf_file *file = find(shelf, name);
    LS_ASSERT(file);
    return first_of(shelf, file)->simulation;
}

static void free_files(ls_shelf_file *files, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        ls_free(files[i].name);
    ls_free(files);
}

void ls_viewer_shelf_reset(ls_viewer_shelf *shelf)
{
    free_files(shelf->files, shelf->count);
    *shelf = (ls_viewer_shelf){.folder = shelf->folder, .has_all = shelf->has_all};
}

/* Lists the folder; what is known of a file stays known. False: it cannot be read. */
static bool list(ls_viewer_shelf *shelf)
{
    char **paths;
    uint32_t count;
    if (ls_recordings_list(shelf->folder, &paths, &count, NULL))
        return false;
    ls_shelf_file *files = ls_alloc((count + 1) * sizeof *files);
    for (uint32_t i = 0; i < count; i++) {
        const char *name = ls_path_name(paths[i]);
        const ls_shelf_file *known = find(shelf, name);
        files[i] = known ? *known : (ls_shelf_file){.bytes = UINT64_MAX};
        files[i].name = ls_text_duplicate(name);
    }
    ls_recordings_list_free(paths, count);
    free_files(shelf->files, shelf->count);
    shelf->files = files;
    shelf->count = count;
    return true;
}

/* Sums up the files of the match whose first one is `first`: they are neighbours in the list. */
static void measure(const ls_viewer_shelf *shelf, const ls_shelf_file *first, uint64_t *bytes,
                    int64_t *changed_s)
{
    size_t stem = (size_t)ls_series_stem(first->name) + 1; /* with the dot */
    const ls_shelf_file *file = first, *end = shelf->files + shelf->count;
    while (file > shelf->files && strncmp(file[-1].name, first->name, stem) == 0)
        file--;
    *bytes = 0;
    *changed_s = 0;
    for (; file < end && strncmp(file->name, first->name, stem) == 0; file++) {
        char path[LS_PATH_BYTES_MAX];
        struct stat facts;
        snprintf(path, sizeof path, "%s/%s", shelf->folder, file->name);
        if (stat(path, &facts) != 0)
            continue;
        *bytes += (uint64_t)facts.st_size;
        *changed_s = facts.st_mtime > *changed_s ? facts.st_mtime : *changed_s;
    }
}

/* Reads whether the match is over. False: a process writes the recording, which is then locked. */
static bool judge(const char *path, ls_shelf_file *first)
{
    int file = ls_descriptor_open(path, false);
    bool is_locked = file >= 0 && ls_descriptor_lock(file) != 0;
    if (file >= 0)
        ls_descriptor_close(file);
    if (is_locked)
        return false;
    if (file < 0 || ls_recordings_is_over(path, &first->is_over, NULL))
        first->is_over = false;
    return true;
}

/* Finds out the facts about a match. False: the recording is to be read again. */
static bool read_file(const ls_viewer_shelf *shelf, ls_shelf_file *first)
{
    char path[LS_PATH_BYTES_MAX];
    snprintf(path, sizeof path, "%s/%s", shelf->folder, first->name);
    if (!shelf->has_all && !judge(path, first))
        return false;
    if (shelf->has_all || first->is_over)
        ls_recordings_simulation(path, first->simulation);
    return true;
}

void ls_viewer_shelf_update(ls_viewer_shelf *shelf, uint64_t now_ns)
{
    uint64_t read = 0;
    if (now_ns < shelf->due_ns && !shelf->has_all)
        return;
    shelf->due_ns = now_ns + LS_VIEWER_SHELF_NS;
    if (!list(shelf))
        return;
    for (uint32_t i = 0; i < shelf->count; i++) {
        ls_shelf_file *file = &shelf->files[i];
        uint64_t bytes;
        int64_t changed_s;
        if (file->is_over || first_of(shelf, file) != file)
            continue;
        measure(shelf, file, &bytes, &changed_s);
        if (bytes == file->bytes && changed_s == file->changed_s)
            continue;
        if (read >= LS_VIEWER_SHELF_BYTES && !shelf->has_all) {
            shelf->due_ns = now_ns + LS_VIEWER_SHELF_SOON_NS;
            return;
        }
        if (!read_file(shelf, file))
            continue;
        file->bytes = bytes;
        file->changed_s = changed_s;
        read += bytes;
    }
}
