#include "server/room_config_internal.h"

#include "proto/text.h"
#include <lockstep/evidence_limits.h>
#include <lockstep/recorder.h>
#include <lockstep/recording_series.h>

#include <string.h>

ls_room_config ls_room_config_default(void)
{
    return (ls_room_config){.sync_ticks = LS_RECORDER_SYNC_TICKS_DEFAULT,
                            .sign_ticks = LS_ROOM_SIGN_TICKS_DEFAULT,
                            .column_ticks = LS_ROOM_COLUMN_TICKS_DEFAULT,
                            .keyframe_ticks = LS_ROOM_TICKS_AUTO,
                            .wait_players = 1,
                            .evidence_ms = LS_SERVER_EVIDENCE_MS,
                            .evidence_bytes = LS_SERVER_EVIDENCE_BYTES};
}

ls_status ls_room_config_check(const ls_room_config *config, const ls_match *match, ls_error *error)
{
    const char *name = config->name ? config->name : "";
    if (strlen(name) >= LS_ROOM_BYTES || !ls_text_is_valid(name))
        return ls_error_set(error, LS_ERROR_USAGE,
                            "a room's name has at most %u bytes and no control characters",
                            LS_ROOM_BYTES - 1);
    if (config->column_ticks && config->column_ticks < LS_ROOM_COLUMN_TICKS_MIN)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "column hashes every %u ticks: must be at least %u",
                            config->column_ticks, LS_ROOM_COLUMN_TICKS_MIN);
    if (config->evidence_ms > LS_SERVER_EVIDENCE_MS_MAX)
        return ls_error_set(error, LS_ERROR_USAGE, "evidence is kept for at most %d ms, not %u",
                            LS_SERVER_EVIDENCE_MS_MAX, config->evidence_ms);
    if (config->keep_seats_s > LS_SERVER_KEEP_SEATS_S_MAX)
        return ls_error_set(error, LS_ERROR_USAGE, "seats are kept for at most %d s, not %u",
                            LS_SERVER_KEEP_SEATS_S_MAX, config->keep_seats_s);
    if (config->wait_players > match->player_count)
        return ls_error_set(error, LS_ERROR_USAGE, "cannot wait for %u players: there are %u seats",
                            config->wait_players, match->player_count);
    return LS_OK;
}

void ls_room_config_close(const ls_room_config *config)
{
    if (config->sink)
        config->sink->close(config->sink->context);
    ls_recorder_destroy(config->recorder);
    ls_series_close(config->series);
}
