#include "web/events.h"

#include "core/base/json_writer.h"
#include "core/schedule/program_data.h"

void ls_web_events_print(const ls_program *program, ls_builder *text)
{
    ls_json_open(text, "events", '[');
    for (uint32_t i = 0; i < program->event_count; i++)
        ls_json_string(text, NULL, program->events[i]->name);
    ls_json_close(text, ']');
}

uint32_t ls_web_events_count(const ls_program *program, const ls_world *world)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < program->event_count; i++) {
        ls_event_walk walk;
        ls_world_event_begin(world, program->events[i], &walk);
        while (ls_event_next(&walk))
            count++;
    }
    return count;
}

static const char *name_kind(const ls_input *input)
{
    switch (input->kind) {
    case LS_JOIN:
        return "joined";
    case LS_LEAVE:
        return "left";
    case LS_PAUSE:
        return "paused the match";
    case LS_RESUME:
        return "resumed the match";
    default:
        return NULL;
    }
}

void ls_web_player_events_print(ls_replay_player *player, uint64_t first, ls_builder *text)
{
    uint32_t count = 0;
    uint64_t begin = ls_replay_player_first(player), last = ls_replay_player_last(player);
    uint64_t tick = first > begin ? first : begin;
    ls_json_open(text, "events", '[');
    for (; tick < last && count <= LS_WEB_PLAYER_EVENTS_MAX; tick++) {
        const ls_frame *frame = ls_replay_player_frame(player, tick);
        for (uint32_t i = 0; i < frame->count; i++) {
            const char *kind = name_kind(&frame->inputs[i]);
            if (!kind || count++ >= LS_WEB_PLAYER_EVENTS_MAX)
                continue;
            ls_json_open(text, NULL, '{');
            ls_json_u64(text, "tick", tick);
            ls_json_u64(text, "player", frame->inputs[i].player);
            ls_json_string(text, "kind", kind);
            ls_json_close(text, '}');
        }
    }
    ls_json_close(text, ']');
    ls_json_bool(text, "isCut", count > LS_WEB_PLAYER_EVENTS_MAX);
}
