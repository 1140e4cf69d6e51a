#include "server_log.h"

#include "server_node.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Removes the quotes that the log puts around values that are not plain names. */
static void strip_quotes(char *text)
{
    size_t bytes = strlen(text);
    if (bytes < 2 || text[0] != '"' || text[bytes - 1] != '"')
        return;
    memmove(text, text + 1, bytes - 2);
    text[bytes - 2] = 0;
}

/* Reads the lines in which the server names the differing cell of a world, or says why it
 * cannot. */
static void receive_evidence(struct server_node *self, const char *line)
{
    unsigned long long tick;
    unsigned index, life;
    struct player_finding found = {.tick = 0};
    char component[64], entity[64], field[64], why[128];
    if (sscanf(line,
               "desync_cell tick=%llu peer=%*u player=%*d name=\"p%u.%u\" component=%63s "
               "entity=%63s field=%63s server=%63s client=%63s differences=%u",
               &tick, &index, &life, component, entity, field, found.cell.server, found.cell.client,
               &found.differences) == 9) {
        bool is_single = strcmp(entity, "-") == 0;
        found.tick = tick;
        strip_quotes(found.cell.server);
        strip_quotes(found.cell.client);
        snprintf(found.cell.place, sizeof found.cell.place, "%s.%s%s%s", component, field,
                 is_single ? "" : " of ", is_single ? "" : entity);
        player_hear_cell(&self->players[index], life, &found);
    } else if (sscanf(line,
                      "desync_unexplained tick=%llu peer=%*u player=%*d name=\"p%u.%u\" "
                      "reason=\"%127[^\"]",
                      &tick, &index, &life, why) == 4) {
        player_hear_nothing(&self->players[index], life, tick, why);
    }
}

void server_log_line(void *context, const char *line)
{
    struct server_node *self = context;
    unsigned long long tick;
    unsigned index, life;
    verdict_note(&self->shared->verdict, "server %s", line);
    const char *name = strstr(line, "name=\"p");
    receive_evidence(self, line);
    if (sscanf(line, "desync tick=%llu ", &tick) != 1 || !name ||
        sscanf(name, "name=\"p%u.%u\"", &index, &life) != 2)
        return;
    self->shared->desync_ns = self->shared->now_ns;
    unsigned long long from = tick;
    const char *unheard = strstr(name, " unreported_from=");
    if (unheard)
        (void)sscanf(unheard, " unreported_from=%llu", &from);
    player_hear_desync(&self->players[index], life, tick, from);
}
