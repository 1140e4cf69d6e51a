#include "cli/serve/room_policies.h"

void ls_room_policies_set(const ls_service_options *options, ls_room_config *config)
{
    config->wait_players = options->wait_players;
    config->ticks_max = options->ticks;
    config->end_when_empty = options->end_when_empty;
    config->policy = options->policy;
    config->desync = options->desync;
    config->players_may_pause = options->players_may_pause;
    config->keep_seats_s = options->keep_seats_s;
    config->evidence_ms = options->evidence_ms;
    config->sync_ticks = options->sync_ticks;
    config->sign_ticks = options->sign_ticks;
    config->column_ticks = options->column_ticks;
    config->keyframe_ticks = options->keyframe_ticks;
}
