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
