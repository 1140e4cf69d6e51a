/* A user's client, linked with liblockstep.so: joins the server at HOST PORT with its built-in
 * simulation, gives orders, and ends with the match. Prints whether its roots agreed. */
#define _POSIX_C_SOURCE 200809L
#include <lockstep/link_enet.h>
#include <lockstep/lockstep.h>
#include <lockstep/session.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

extern const ls_sim *ls_sim_export(void);

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void expect(ls_status status, const ls_error *error)
{
    if (status != LS_OK) {
        fprintf(stderr, "%s\n", error->text);
        exit(EXIT_FAILURE);
    }
}

static void play(ls_session *session)
{
    static const struct timespec pause = {.tv_nsec = 5000000};
    ls_client *client = ls_session_client(session);
    for (uint64_t start = now_ns();
         now_ns() - start < 240000000000u && !ls_client_is_final(client);) {
        ls_session_update(session, now_ns());
        (void)!ls_session_submit(session, (const uint8_t[]){1}, 1);
        nanosleep(&pause, NULL);
    }
}

int main(int count, char **arguments)
{
    ls_program *program;
    ls_link *link;
    ls_session *session;
    ls_error error;
    if (count != 3 || ls_library_abi() != LS_ABI)
        return EXIT_FAILURE;
    expect(ls_program_create(ls_sim_export(), &program, &error), &error);
    expect(ls_link_enet_open(arguments[1], (uint16_t)atoi(arguments[2]), &link, &error), &error);
    ls_client_config config = ls_client_config_default();
    config.program = program;
    config.link = link;
    config.unix_s = (uint64_t)time(NULL);
    expect(ls_session_create(&config, 4, &session, &error), &error);

    play(session);
    ls_client *client = ls_session_client(session);
    ls_client_stats stats = ls_client_get_stats(client);
    printf("%s tick=%u acked=%d diverged=%d\n", ls_client_state_name(ls_client_get_state(client)),
           (unsigned)stats.tick, stats.inputs_acked > 0, stats.has_diverged);
    ls_session_destroy(session);
    ls_link_destroy(link);
    ls_program_destroy(program);
    return EXIT_SUCCESS;
}
