#include "server/room_timing.h"

#include "server/room_state.h"

const ls_histogram *ls_room_lateness(const ls_room *room)
{
    return &room->late;
}

const ls_histogram *ls_room_durations(const ls_room *room)
{
    return &room->took;
}

const ls_histogram *ls_room_syncs(const ls_room *room)
{
    return &room->recording.syncs;
}

const ls_client_times *ls_room_clients(const ls_room *room)
{
    return &room->clients;
}
