#include "replays/growing.h"

#include "replays/recording_internal.h"
#include "replays/replay_player_internal.h"

#include <string.h>

/* Reads all records again: a check of a megabyte takes less time than the simulation of a tick. */
static void read_again(ls_recording *recording, const void *data, size_t bytes)
{
    ls_reader file;
    size_t first = (size_t)recording->index.places[0].end.valid_bytes;
    LS_ASSERT(!recording->joined && bytes >= recording->cursor.file.count);
    ls_reader_init(&file, data, bytes);
    file.offset = first;
    ls_recording_index_reset(&recording->index);
    ls_cursor_init(&recording->cursor, &file, first, &recording->header);
    ls_recording_index_make(&recording->index, &recording->cursor);
    ls_recording_rewind(recording);
}

void ls_growing_take(ls_recording *recording, ls_replay_player *player, const void *data,
                     size_t bytes)
{
    uint32_t known = player->keyframe_count;
    LS_ASSERT(player->recording == recording);
    read_again(recording, data, bytes);
    uint32_t count = ls_recording_keyframes(recording, &player->keyframes);
    player->keyframe_count = count;
    player->next_tick = UINT64_MAX;
    player->end_status = ls_recording_read_end(recording, &player->end_text);
    player->is_unusable = ls_realloc(player->is_unusable, (count + 1) * sizeof(bool));
    memset(player->is_unusable + known, 0, (count + 1 - known) * sizeof(bool));
}
