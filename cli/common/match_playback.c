#include "cli/common/match_playback.h"

#include "replays/replay_player_progress.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const ls_argument argument_list[] = {
    LS_ARGUMENT_TITLE("Replaying:"),
    LS_ARGUMENT_FLAG("any-build", ls_match_playback_options, allows_any_build,
                     "Accept a recording of another version of the simulation, which will probably "
                     "diverge"),
    {0},
};
static const ls_arguments_part argument_parts[] = {
    {&ls_sim_arguments, offsetof(ls_match_playback_options, match)},
    {&ls_threads_arguments, offsetof(ls_match_playback_options, match)},
    {0}};
const ls_arguments ls_match_playback_arguments = {.list = argument_list, .parts = argument_parts};

ls_status ls_match_playback_check_path(const char *path, ls_error *error)
{
    struct stat file;
    if (stat(path, &file) == 0 && !S_ISREG(file.st_mode))
        return ls_error_set(error, LS_ERROR_USAGE, "%s is %s; give a .lsr file", path,
                            S_ISDIR(file.st_mode) ? "a folder" : "no file");
    return LS_OK;
}

ls_status ls_match_playback_open_recording(const char *path, ls_recording **recording,
                                           ls_error *error)
{
    *recording = NULL;
    ls_status status = ls_match_playback_check_path(path, error);
    return status ? status : ls_recording_open(path, recording, error);
}

ls_status ls_match_playback_open_match(const char *path, ls_recording **recording, ls_error *rest,
                                       ls_error *error)
{
    ls_series *series;
    uint64_t tick;
    *recording = NULL;
    *rest = (ls_error){0};
    ls_status status = ls_match_playback_check_path(path, error);
    if (!status)
        status = ls_series_open(path, &series, error);
    if (status) {
        if (ls_recording_open(path, recording, NULL) != LS_OK)
            return status;
        ls_error_set(rest, status, "the match continues, but %.600s", error->text);
        return LS_OK;
    }
    *recording = ls_series_join(series);
    const char *name = ls_recording_after_gap(*recording, &tick);
    if (name)
        ls_error_set(rest, LS_ERROR_CORRUPT,
                     "the match continues at tick %" PRIu64 " in %s, after ticks that are in no "
                     "file; give that by itself",
                     tick, name);
    return LS_OK;
}

ls_status ls_match_playback_load_sim(const char *path, const ls_recording *recording,
                                     const char *sim, ls_loaded_sim *loaded, ls_error *error)
{
    const char *name = ls_recording_get_header(recording)->simulation.name;
    ls_status status = ls_sim_load(sim ? sim : name, loaded, error);
    if (status == LS_ERROR_NOT_FOUND && !sim)
        return ls_error_set(error, LS_ERROR_INCOMPATIBLE,
                            "%s is of the simulation '%s', which is not built in; give its shared "
                            "object with --sim PATH.so",
                            path, name);
    return status;
}

ls_status ls_match_playback_check_build(const ls_recording *recording, const ls_loaded_sim *loaded,
                                        bool allows_any_build, ls_error *warning, ls_error *error)
{
    ls_recording_simulation own = ls_recording_simulation_of(loaded->program);
    ls_status status = ls_recording_check_simulation(recording, &own, error);
    *warning = (ls_error){0};
    if (!status || !allows_any_build)
        return status;
    *warning = *error;
    return LS_OK;
}

void ls_match_playback_warn_of_build(const char *command, const ls_error *warning)
{
    if (warning->text[0])
        fprintf(stderr, "lockstep %s: warning: %s; trying it because of --any-build\n", command,
                warning->text);
}

void ls_match_playback_warn_of_forgery(const char *command, const ls_recording *recording)
{
    ls_recording_signed vouched;
    ls_error wrong;
    if (ls_recording_check_signatures(recording, &vouched, &wrong) != LS_OK)
        fprintf(stderr, "lockstep %s: warning: %s\n", command, wrong.text);
}

/* Opens all files of the match. If a later file cannot be read, warns and opens only the named
 * one. */
static ls_status open_history(const char *path, ls_recording **recording, ls_error *error)
{
    ls_series *series;
    *recording = NULL;
    ls_status status = ls_match_playback_check_path(path, error);
    if (!status)
        status = ls_series_open(path, &series, error);
    if (!status)
        *recording = ls_series_join(series);
    if (!status || ls_recording_open(path, recording, NULL) != LS_OK)
        return status;
    fprintf(stderr, "lockstep: warning: %s; only %s is played\n", error->text, path);
    return LS_OK;
}

static void warn_of_end(const ls_replay_player *player)
{
    ls_recording_end end;
    ls_error text;
    if (ls_replay_player_end(player, &end, &text) != LS_OK)
        fprintf(stderr, "lockstep: warning: %s\n", text.text);
}

/* Puts the file's name before a message of the player, which does not know it. Leaves a message
 * alone that already begins with the name. */
static ls_status name_file(const char *path, ls_status status, ls_error *error)
{
    if (strncmp(error->text, path, strlen(path)) == 0)
        return status;
    const char *remedy =
        status == LS_ERROR_DIVERGED
            ? "; the build differs, a system breaks the rules, or memory is damaged: `lockstep "
              "verify` says more"
            : "";
    return ls_error_set(error, status, "%s: %s%s", path, error->text, remedy);
}

static ls_status play(ls_recording *recording, const ls_match_playback_options *options,
                      const ls_program *program, ls_match_playback *playback, ls_error *error)
{
    ls_replay_player_config config = {.program = program,
                                      .allows_any_build = options->allows_any_build};
    ls_status status = ls_match_options_executor(&options->match, &playback->executor, error);
    config.executor = playback->executor;
    if (!status)
        status = ls_replay_player_create(recording, &config, &playback->player, error);
    if (status) {
        ls_recording_close(recording);
        return name_file(playback->path, status, error);
    }
    return LS_OK;
}

ls_status ls_match_playback_load(const char *path, const ls_match_playback_options *options,
                                 ls_loaded_sim *loaded, ls_recording **recording, ls_error *error)
{
    ls_status status = open_history(path, recording, error);
    if (!status)
        status = ls_match_playback_load_sim(path, *recording, options->match.sim, loaded, error);
    if (status) {
        ls_recording_close(*recording);
        *recording = NULL;
    }
    return status;
}

ls_status ls_match_playback_open(const char *path, const ls_match_playback_options *options,
                                 ls_match_playback *playback, ls_error *error)
{
    ls_recording *recording;
    playback->path = path;
    ls_status status = ls_match_playback_load(path, options, &playback->loaded, &recording, error);
    if (!status)
        status = play(recording, options, playback->loaded.program, playback, error);
    if (!status)
        warn_of_end(playback->player);
    return status;
}

ls_status ls_match_playback_open_of(const char *name, ls_recording *recording,
                                    const ls_match_playback_options *options,
                                    ls_match_playback *playback, ls_error *error)
{
    playback->path = name;
    ls_status status =
        ls_match_playback_load_sim(name, recording, options->match.sim, &playback->loaded, error);
    if (!status)
        return play(recording, options, playback->loaded.program, playback, error);
    ls_recording_close(recording);
    return status;
}

ls_status ls_match_playback_open_beside(const char *path, const ls_match_playback_options *options,
                                        const ls_match_playback *first, ls_match_playback *playback,
                                        ls_error *error)
{
    ls_recording *recording;
    playback->path = path;
    ls_status status = open_history(path, &recording, error);
    if (status)
        return status;
    status = play(recording, options, first->loaded.program, playback, error);
    if (!status)
        warn_of_end(playback->player);
    return status;
}

ls_status ls_match_playback_seek(ls_match_playback *playback, uint64_t tick, ls_error *error)
{
    ls_status status = ls_replay_player_seek(playback->player, tick, error);
    return status ? name_file(playback->path, status, error) : LS_OK;
}

static void show_progress(void *context, uint64_t tick, uint64_t target)
{
    ls_tick_progress_show(context, tick, target);
}

ls_status ls_match_playback_seek_shown(ls_match_playback *playback, uint64_t tick, ls_error *error)
{
    ls_tick_progress_begin(&playback->progress);
    ls_replay_player_set_progress(playback->player, show_progress, &playback->progress);
    ls_status status = ls_match_playback_seek(playback, tick, error);
    ls_replay_player_set_progress(playback->player, NULL, NULL);
    ls_tick_progress_end(&playback->progress);
    return status;
}

ls_status ls_match_playback_step(ls_match_playback *playback, ls_error *error)
{
    ls_status status = ls_replay_player_step(playback->player, error);
    return status ? name_file(playback->path, status, error) : LS_OK;
}

void ls_match_playback_close(ls_match_playback *playback)
{
    ls_replay_player_close(playback->player);
    ls_executor_destroy(playback->executor);
    ls_sim_unload(&playback->loaded);
    *playback = (ls_match_playback){0};
}
