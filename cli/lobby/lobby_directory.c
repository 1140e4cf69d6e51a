#include "cli/lobby/lobby_directory.h"

#include "cli/common/clock.h"
#include "core/base/grow.h"
#include "core/base/json_writer.h"

#include <stdlib.h>
#include <string.h>

/* A room while the rooms are sorted. */
struct named {
    const char *name, *address;
    ls_lobby_place place;
};

void ls_lobby_directory_reset(ls_lobby_directory *directory)
{
    for (uint32_t i = 0; i < directory->count; i++)
        ls_lobby_entry_reset(&directory->servers[i]);
    ls_free(directory->servers);
    ls_free(directory->places);
    ls_free(directory->list.data);
    *directory = (ls_lobby_directory){0};
}

void ls_lobby_directory_add(ls_lobby_directory *directory, ls_lobby_entry *entry)
{
    if (directory->count == LS_LOBBY_SERVERS_MAX) {
        ls_lobby_entry_reset(entry);
        return;
    }
    directory->servers = ls_grow(directory->servers, directory->count, &directory->capacity,
                                 sizeof *directory->servers);
    directory->servers[directory->count++] = *entry;
    *entry = (ls_lobby_entry){0};
}

static int compare(const void *a, const void *b)
{
    const struct named *first = a, *second = b;
    int order = strcmp(first->name, second->name);
    if (!order)
        order = strcmp(first->address, second->address);
    if (order)
        return order;
    return first->place.room < second->place.room ? -1 : first->place.room > second->place.room;
}

static void sort(ls_lobby_directory *directory)
{
    uint32_t count = 0, at = 0;
    for (uint32_t i = 0; i < directory->count; i++)
        count += directory->servers[i].room_count;
    struct named *all = ls_alloc((count + 1) * sizeof *all);
    for (uint32_t i = 0; i < directory->count; i++)
        for (uint32_t j = 0; j < directory->servers[i].room_count; j++)
            all[at++] = (struct named){.name = directory->servers[i].rooms[j].name,
                                       .address = directory->servers[i].address,
                                       .place = {i, j}};
    qsort(all, count, sizeof *all, compare);
    directory->places = ls_alloc((count + 1) * sizeof *directory->places);
    directory->place_count = count;
    for (uint32_t i = 0; i < count; i++)
        directory->places[i] = all[i].place;
    ls_free(all);
}

static const ls_lobby_room *room_of(const ls_lobby_directory *directory,
                                    const ls_lobby_place *place)
{
    return &directory->servers[place->server].rooms[place->room];
}

void ls_lobby_directory_print(const ls_lobby_directory *directory, const ls_lobby_place *place,
                              ls_builder *text)
{
    const ls_lobby_room *room = room_of(directory, place);
    ls_json_open(text, NULL, '{');
    ls_json_string(text, "room", room->name);
    ls_json_string(text, "server", directory->servers[place->server].address);
    ls_json_string(text, "sim", directory->servers[place->server].sim);
    ls_json_string(text, "state", room->state);
    ls_json_u64(text, "players", room->players);
    ls_json_u64(text, "seats", room->seats);
    ls_json_bool(text, "tokens", room->requires_token);
    ls_json_close(text, '}');
}

void ls_lobby_directory_finish(ls_lobby_directory *directory)
{
    ls_builder *list = &directory->list;
    uint32_t open = 0;
    sort(directory);
    ls_json_open(list, NULL, '{');
    ls_json_open(list, "rooms", '[');
    for (uint32_t i = 0; i < directory->place_count; i++) {
        if (!ls_lobby_room_is_open(room_of(directory, &directory->places[i])) ||
            ++open > LS_LOBBY_LIST_MAX)
            continue;
        ls_json_line(list, 1);
        ls_lobby_directory_print(directory, &directory->places[i], list);
    }
    ls_json_close_lines(list, 0, ']');
    ls_json_u64(list, "left_off", open > LS_LOBBY_LIST_MAX ? open - LS_LOBBY_LIST_MAX : 0);
    ls_json_u64(list, "servers", directory->count);
    ls_json_close(list, '}');
    ls_builder_add(list, "\n");
}

/* The index of the first room that is not before this name. */
static uint32_t first_of(const ls_lobby_directory *directory, const char *name)
{
    uint32_t from = 0, to = directory->place_count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (strcmp(room_of(directory, &directory->places[middle])->name, name) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

const ls_lobby_place *ls_lobby_directory_find(const ls_lobby_directory *directory, const char *room,
                                              const char *server)
{
    const ls_lobby_place *found = NULL;
    for (uint32_t i = first_of(directory, room); i < directory->place_count; i++) {
        const ls_lobby_place *place = &directory->places[i];
        if (strcmp(room_of(directory, place)->name, room) != 0)
            break;
        if (server && strcmp(directory->servers[place->server].address, server) != 0)
            continue;
        if (ls_lobby_room_is_open(room_of(directory, place)))
            return place;
        if (!found)
            found = place;
    }
    return found;
}

ls_lobby_entry *ls_lobby_directory_server(const ls_lobby_directory *directory, const char *address)
{
    for (uint32_t i = 0; i < directory->count; i++)
        if (strcmp(directory->servers[i].address, address) == 0)
            return &directory->servers[i];
    return NULL;
}

void ls_lobby_directory_keep_promises(ls_lobby_directory *directory, const ls_lobby_directory *last,
                                      uint64_t now_ns)
{
    for (uint32_t i = 0; i < last->count; i++) {
        const ls_lobby_entry *before = &last->servers[i];
        if (!before->promised || now_ns - before->promised_ns > LS_LOBBY_PROMISE_S * LS_SECOND_NS)
            continue;
        ls_lobby_entry *now = ls_lobby_directory_server(directory, before->address);
        if (!now)
            continue;
        uint32_t listed =
            now->room_count > before->room_count ? now->room_count - before->room_count : 0;
        now->promised = before->promised > listed ? before->promised - listed : 0;
        now->promised_ns = before->promised_ns;
    }
}

static uint64_t taken_of(const ls_lobby_entry *entry)
{
    return (uint64_t)entry->room_count + entry->promised;
}

ls_lobby_entry *ls_lobby_directory_choose(const ls_lobby_directory *directory, const char *sim)
{
    ls_lobby_entry *best = NULL;
    for (uint32_t i = 0; i < directory->count; i++) {
        ls_lobby_entry *entry = &directory->servers[i];
        if (entry->is_draining || taken_of(entry) >= entry->rooms_max ||
            (sim && strcmp(entry->sim, sim) != 0))
            continue;
        if (!best || taken_of(entry) * best->rooms_max < taken_of(best) * entry->rooms_max)
            best = entry;
    }
    return best;
}
