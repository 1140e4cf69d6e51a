/* Reads a recording with public headers alone, as a program that is linked with the shared library
 * does: plays it with the simulation that is linked in, and compares each root and signature.
 * usage: reader, with the path as a line of stdin: the arguments of main() are not UTF-8 on Windows
 *   Prints how the file ends and "verified ticks=N root=R" as `lockstep verify` does; 1 with one
 *   line on stderr for a file that cannot be verified */
#include <lockstep/lockstep.h>
#include <lockstep/recording.h>
#include <lockstep/replay_player.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

extern const ls_sim *ls_sim_export(void);

static ls_error error;

/* Plays to the last tick; each step compares the root with the recorded one. */
static ls_status verify(ls_replay_player *player)
{
    while (ls_replay_player_tick(player) < ls_replay_player_last(player)) {
        ls_status status = ls_replay_player_step(player, &error);
        if (status != LS_OK)
            return status;
    }
    ls_recording_end end;
    ls_error text;
    (void)ls_replay_player_end(player, &end, &text);
    printf("%s\nverified ticks=%" PRIu64 " root=%016" PRIx64 "\n", text.text,
           ls_replay_player_tick(player) - ls_replay_player_first(player),
           ls_world_root(ls_replay_player_world(player)));
    return LS_OK;
}

static ls_status read_file(const char *path, const ls_program *program)
{
    ls_recording *recording;
    ls_recording_signed signatures;
    ls_replay_player *player;
    const ls_replay_player_config config = {.program = program};
    ls_status status = ls_recording_open(path, &recording, &error);
    if (status != LS_OK)
        return status;
    status = ls_recording_check_signatures(recording, &signatures, &error);
    if (status == LS_OK)
        status = ls_replay_player_create(recording, &config, &player, &error);
    if (status != LS_OK) {
        ls_recording_close(recording);
        return status;
    }
    status = verify(player);
    ls_replay_player_close(player);
    return status;
}

int main(void)
{
    char path[4096];
    ls_program *program;
    if (!fgets(path, sizeof path, stdin) || ls_library_abi() != LS_ABI) {
        fprintf(stderr, "reader: no path, or a library of another LS_ABI than %d\n", LS_ABI);
        return 2;
    }
    path[strcspn(path, "\r\n")] = 0;
    ls_status status = ls_program_create(ls_sim_export(), &program, &error);
    if (status == LS_OK) {
        status = read_file(path, program);
        ls_program_destroy(program);
    }
    if (status != LS_OK)
        fprintf(stderr, "reader: %s\n", error.text);
    return status != LS_OK;
}
