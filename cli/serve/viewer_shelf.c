#include "cli/serve/viewer_shelf.h"

#include "cli/serve/recordings.h"
#include "core/base/platform_file.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *key, const void *name)
{
    return strcmp(key, *(char *const *)name);
}

bool ls_viewer_shelf_has(const ls_viewer_shelf *shelf, const char *name)
{
    return shelf->count && bsearch(name, shelf->names, shelf->count, sizeof *shelf->names, compare);
}

void ls_viewer_shelf_reset(ls_viewer_shelf *shelf)
{
    ls_recordings_list_free(shelf->names, shelf->count);
    *shelf = (ls_viewer_shelf){.folder = shelf->folder};
}

void ls_viewer_shelf_update(ls_viewer_shelf *shelf, uint64_t now_ns)
{
    char **paths;
    uint32_t found, count = 0;
    ls_error error;
    if (now_ns < shelf->due_ns)
        return;
    if (ls_recordings_list(shelf->folder, &paths, &found, &error))
        found = 0;
    /* Each path becomes a name, in place; the names behind `count` are of matches that go on. */
    for (uint32_t i = 0; i < found; i++) {
        char *path = paths[i], *name = path + ls_path_folder_length(path) + 1;
        bool is_over = ls_viewer_shelf_has(shelf, name);
        if (is_over || (ls_recordings_is_over(path, &is_over, &error) == LS_OK && is_over)) {
            memmove(path, name, strlen(name) + 1);
            paths[count++] = path;
        } else {
            ls_free(path);
        }
    }
    ls_viewer_shelf_reset(shelf);
    shelf->names = paths;
    shelf->count = count;
    shelf->due_ns = now_ns + LS_VIEWER_SHELF_NS;
}
