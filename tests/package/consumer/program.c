/* A user's program: runs a world for ten ticks. It uses a symbol of every part of the library,
 * which proves that linking is complete. */
#include <lockstep/client.h>
#include <lockstep/identity.h>
#include <lockstep/lockstep.h>
#include <lockstep/recording.h>
#include <lockstep/server.h>

#include <stdio.h>
#include <stdlib.h>

extern const ls_sim *ls_sim_export(void);

static void expect(ls_status status, const ls_error *error)
{
    if (status != LS_OK) {
        fprintf(stderr, "%s\n", error->text);
        exit(EXIT_FAILURE);
    }
}

static void run(const ls_program *program)
{
    ls_match match = ls_program_match(program, 7);
    ls_world *world;
    ls_error error;
    expect(ls_world_create(program, &match, &world, &error), &error);
    for (uint64_t tick = 0; tick < 10; tick++) {
        ls_frame frame = {.tick = tick};
        expect(ls_world_advance(world, &frame, NULL, &error), &error);
    }
    printf("tick=%u entities=%u root=%016llx\n", (unsigned)ls_world_tick(world),
           (unsigned)ls_world_entity_count(world), (unsigned long long)ls_world_root(world));
    ls_world_destroy(world);
}

int main(void)
{
    ls_program *program;
    ls_error error;
    expect(ls_program_create(ls_sim_export(), &program, &error), &error);
    run(program);
    ls_program_destroy(program);

    ls_recording *recording;
    if (ls_recording_open("/nowhere.lsr", &recording, &error) != LS_ERROR_NOT_FOUND)
        return EXIT_FAILURE;
    ls_server_config server = ls_server_config_default();
    ls_client_config client = ls_client_config_default();
    printf("peers=%u is_bot=%d\n", (unsigned)server.peers_max, client.is_bot);
    return EXIT_SUCCESS;
}
