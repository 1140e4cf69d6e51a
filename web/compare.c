#include "web/compare.h"

#include "core/base/bounds.h"
#include "core/base/json_writer.h"
#include <lockstep/diff.h>

enum { LISTED_MAX = 200, COUNTED_MAX = 20000 };

typedef struct comparison {
    ls_builder *text;
    uint32_t count, entity_count;
    uint32_t *entities;
} comparison;

static bool add_difference(void *argument, const ls_difference *difference)
{
    comparison *found = argument;
    uint32_t low = (uint32_t)difference->entity;
    if (difference->entity != LS_ENTITY_NULL &&
        (found->entity_count == 0 || found->entities[found->entity_count - 1] != low))
        found->entities[found->entity_count++] = low;
    if (found->count++ < LISTED_MAX) {
        ls_json_open(found->text, NULL, '{');
        ls_json_string(found->text, "place", difference->place);
        ls_json_string(found->text, "left", difference->a);
        ls_json_string(found->text, "right", difference->b);
        ls_json_close(found->text, '}');
    }
    return found->count < COUNTED_MAX;
}

static void add_first(ls_replay_player *left, ls_replay_player *right, ls_builder *text)
{
    uint64_t from = ls_max(ls_replay_player_first(left), ls_replay_player_first(right));
    uint64_t last = ls_min(ls_replay_player_last(left), ls_replay_player_last(right));
    uint64_t roots[2];
    ls_json_u64(text, "ticks", last >= from ? last - from + 1 : 0);
    for (uint64_t tick = from; tick <= last; tick++) {
        if (!ls_replay_player_root(left, tick, &roots[0]) ||
            !ls_replay_player_root(right, tick, &roots[1]) || roots[0] == roots[1])
            continue;
        ls_json_u64(text, "first", tick);
        return;
    }
}

void ls_web_compare(ls_replay_player *left, ls_replay_player *right, ls_builder *text)
{
    comparison found = {.text = text};
    found.entities = ls_alloc(sizeof *found.entities * COUNTED_MAX);
    add_first(left, right, text);
    ls_json_open(text, "cells", '[');
    ls_world_diff(ls_replay_player_world(left), ls_replay_player_world(right), add_difference,
                  &found);
    ls_json_close(text, ']');
    ls_json_u64(text, "count", found.count);
    ls_json_bool(text, "isCut", found.count == COUNTED_MAX);
    ls_json_open(text, "entities", '[');
    for (uint32_t i = 0; i < found.entity_count; i++)
        ls_json_u64(text, NULL, found.entities[i]);
    ls_json_close(text, ']');
    ls_free(found.entities);
}
