#include "cli/watch/watch_view.h"

#include "cli/common/inspect.h"
#include "cli/common/json_fold.h"
#include "cli/module/describe.h"
#include "core/schedule/value_text.h"

#include <curses.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Sizes of the parts. Smaller terminals show less of each part. */
enum {
    INSPECTOR_COLUMNS = 30,
    COLUMNS_BESIDE = 50, /* from this width on the inspector is at the side, otherwise below */
    ROWS_BELOW = 16,
    ROWS_AROUND = 5,
    LINE_ROWS_MAX = 4,
    ARRAY_BYTES = 44, /* two rows of the inspector */
    CELL_ARRAY_BYTES = 12,
    COLOURS = 6
};

struct area {
    int row, column, rows, columns;
};

static int colour_of(uint32_t lane)
{
    return COLOR_PAIR((int)(lane % COLOURS) + 1);
}

static char letter_of(uint32_t lane)
{
    static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    return letters[lane % (sizeof letters - 1)];
}

/* Puts a line, cut with a mark where the area ends. The rest of the row is already empty. */
static void put_line(int row, int column, int columns, const char *text)
{
    if (columns <= 0)
        return;
    mvaddnstr(row, column, text, columns);
    if (text[strnlen(text, (size_t)columns)])
        mvaddch(row, column + columns - 1, '>');
}

ls_entity *ls_watch_entities(const ls_world *world, uint32_t *count)
{
    const ls_term all[1] = {{NULL, LS_INCLUDE, LS_ACCESS_READ, 0}};
    ls_entity *entities = ls_alloc(sizeof(ls_entity) * ((size_t)ls_world_entity_count(world) + 1));
    ls_world_walk walk;
    *count = 0;
    ls_world_walk_begin(world, all, &walk);
    while (ls_world_walk_next(&walk)) {
        for (uint32_t i = 0; i < walk.span.count; i++)
            entities[(*count)++] = ls_span_entity(&walk.span, i);
    }
    return entities;
}

enum { TITLE_NAME, TITLE_PLACE, TITLE_TIME, TITLE_MOTION, TITLE_ROOT, TITLE_PARTS };

/* Leaves out parts of the title until the rest fits. */
static void fit_title(char parts[TITLE_PARTS][96])
{
    static const int least_needed[] = {TITLE_ROOT, TITLE_TIME, TITLE_NAME, TITLE_MOTION};
    for (uint32_t i = 0; i < LS_COUNT_OF(least_needed); i++) {
        size_t columns = strlen("ok");
        for (uint32_t part = 0; part < TITLE_PARTS; part++)
            columns += strlen(parts[part]);
        if (columns <= (size_t)COLS)
            return;
        parts[least_needed[i]][0] = 0;
    }
}

static void draw_title(const ls_watch *watch)
{
    char parts[TITLE_PARTS][96];
    ls_replay_player *player = watch->playback.player;
    uint64_t tick = ls_replay_player_tick(player), recorded,
             own = ls_world_root(ls_replay_player_world(player));
    double seconds = (double)tick / ls_replay_player_header(player)->match.tick_rate;
    bool is_proved = ls_replay_player_root(player, tick, &recorded) && recorded == own;
    unsigned minutes = (unsigned)(seconds / 60);
    snprintf(parts[TITLE_NAME], sizeof parts[0], " %s ",
             ls_program_sim(watch->playback.loaded.program)->name);
    snprintf(parts[TITLE_PLACE], sizeof parts[0], " tick %" PRIu64 " of %" PRIu64 " ", tick,
             ls_replay_player_last(player));
    snprintf(parts[TITLE_TIME], sizeof parts[0], " %02u:%05.2f ", minutes, seconds - 60 * minutes);
    snprintf(parts[TITLE_MOTION], sizeof parts[0], " %s x%g ",
             watch->is_playing ? "playing" : "paused", watch->speed_16ths / 16.0);
    snprintf(parts[TITLE_ROOT], sizeof parts[0], " root %016" PRIx64 " ", own);
    fit_title(parts);
    attron(A_REVERSE);
    mvhline(0, 0, ' ', COLS);
    move(0, 0);
    for (uint32_t part = 0; part < TITLE_PARTS; part++)
        addnstr(parts[part], COLS - getcurx(stdscr));
    addnstr(is_proved ? "ok" : "?", COLS - getcurx(stdscr));
    attroff(A_REVERSE);
}

/* Draws the map; returns the lanes on it as bits. Lanes over 63 do not appear in the legend. */
static uint64_t draw_map(const ls_watch *watch, struct area area)
{
    const ls_world *world = ls_replay_player_world(watch->playback.player);
    const ls_component *component = watch->map.component;
    const ls_term terms[2] = {{component, LS_INCLUDE, LS_ACCESS_READ, 0}};
    ls_world_walk walk;
    uint64_t lanes = 0;
    ls_world_walk_begin(world, terms, &walk);
    while (ls_world_walk_next(&walk)) {
        const uint8_t *cells = walk.span.const_cells[0];
        uint32_t lane = ls_entity_lane(ls_span_entity(&walk.span, 0));
        lanes |= lane < 64 ? UINT64_C(1) << lane : 0;
        attrset(colour_of(lane));
        for (uint32_t i = 0; i < walk.span.count; i++, cells += component->bytes) {
            ls_watch_spot spot =
                ls_watch_map_spot(&watch->map, cells, (uint32_t)area.columns, (uint32_t)area.rows);
            mvaddch(area.row + (int)spot.row, area.column + (int)spot.column,
                    (chtype)letter_of(lane));
        }
    }
    const void *chosen =
        watch->chosen == LS_ENTITY_NULL ? NULL : ls_world_cell(world, component, watch->chosen);
    if (chosen) {
        ls_watch_spot spot =
            ls_watch_map_spot(&watch->map, chosen, (uint32_t)area.columns, (uint32_t)area.rows);
        attrset(A_REVERSE | A_BOLD);
        mvaddch(area.row + (int)spot.row, area.column + (int)spot.column, '@');
    }
    attrset(A_NORMAL);
    return lanes;
}

static void draw_entity(const ls_watch *watch, ls_entity entity, int row, const struct area *area)
{
    ls_builder text = {0}, name = {0};
    const ls_world *world = ls_replay_player_world(watch->playback.player);
    const ls_inspect inspect = {.entity = entity};
    ls_entity_print(&name, watch->playback.loaded.program, entity);
    ls_inspect_text(&inspect, world, &text);
    ls_builder line = {0};
    ls_builder_add(&line, "%-14s", name.data);
    /* Each line of the text begins with the entity, which is skipped. */
    for (char *from = text.data; from && *from;) {
        char *end = strchr(from, '\n');
        *end = 0;
        ls_builder_add(&line, " ");
        ls_json_fold_arrays(from + name.count + 1, CELL_ARRAY_BYTES, &line);
        from = end + 1;
    }
    attrset(entity == watch->chosen ? (int)A_REVERSE : colour_of(ls_entity_lane(entity)));
    put_line(row, area->column, area->columns, line.data);
    attrset(A_NORMAL);
    ls_free(line.data);
    ls_free(name.data);
    ls_free(text.data);
}

static void draw_table(ls_watch *watch, struct area area)
{
    uint32_t count, rows = (uint32_t)area.rows;
    ls_entity *entities = ls_watch_entities(ls_replay_player_world(watch->playback.player), &count);
    for (uint32_t i = 0; i < count; i++) {
        if (entities[i] != watch->chosen)
            continue;
        if (i < watch->first_row)
            watch->first_row = i;
        if (i >= watch->first_row + rows)
            watch->first_row = i - rows + 1;
    }
    if (watch->first_row >= count)
        watch->first_row = 0;
    for (uint32_t i = 0; i < rows && watch->first_row + i < count; i++)
        draw_entity(watch, entities[watch->first_row + i], area.row + (int)i, &area);
    ls_free(entities);
}

/* Splits `Name {"a": 1, "b": [2, 3]}` into a line for the name and one for each member. */
static void add_cell_lines(ls_builder *lines, const char *line)
{
    int depth = 0;
    bool is_text = false;
    for (; *line; line++) {
        is_text ^= *line == '"';
        bool opens = !is_text && (*line == '{' || *line == '[');
        bool closes = !is_text && (*line == '}' || *line == ']');
        depth += opens;
        bool breaks = depth == 1 && !is_text && (opens || *line == ',');
        if (breaks)
            ls_builder_add(lines, "\n ");
        else if (!(closes && depth == 1) && *line != '"' &&
                 !(*line == ' ' && lines->count && lines->data[lines->count - 1] == ' '))
            ls_builder_put(lines, line, 1);
        depth -= closes;
    }
    ls_builder_add(lines, "\n");
}

/* Draws lines. The rest of a long line continues below, indented, in LINE_ROWS_MAX rows at most. */
static void draw_lines(const char *lines, uint32_t first_line, struct area area)
{
    int row = -(int)first_line;
    for (const char *from = lines; row < area.rows && *from;) {
        const char *end = strchr(from, '\n');
        attrset(*from == ' ' ? A_NORMAL : A_BOLD);
        const int last_row = row + LINE_ROWS_MAX;
        for (int indent = 0; (from < end || indent == 0) && row < last_row; indent = 3, row++) {
            int room = area.columns - indent;
            int length = end - from < room ? (int)(end - from) : room;
            if (row >= 0 && row < area.rows)
                mvaddnstr(area.row + row, area.column + indent, from, length);
            from += length;
        }
        from = end + 1;
    }
    attrset(A_NORMAL);
}

static void add_cells(const ls_watch *watch, const ls_inspect *inspect, size_t prefix,
                      ls_builder *lines)
{
    ls_builder text = {0};
    ls_inspect_text(inspect, ls_replay_player_world(watch->playback.player), &text);
    for (char *from = text.data; from && *from;) {
        char *end = strchr(from, '\n');
        *end = 0;
        ls_builder folded = {0};
        ls_json_fold_arrays(from + prefix, ARRAY_BYTES, &folded);
        add_cell_lines(lines, folded.data ? folded.data : "");
        ls_free(folded.data);
        from = end + 1;
    }
    ls_free(text.data);
}

static void draw_inspector(const ls_watch *watch, struct area area)
{
    const ls_program *program = watch->playback.loaded.program;
    ls_builder lines = {0}, name = {0};
    ls_inspect inspect = {.entity = watch->chosen};
    if (watch->chosen != LS_ENTITY_NULL) {
        ls_entity_print(&name, program, watch->chosen);
        ls_builder_add(&lines, "%s\n", name.data);
        bool lives =
            ls_world_is_alive(ls_replay_player_world(watch->playback.player), watch->chosen);
        add_cells(watch, &inspect, lives ? name.count + 1 : name.count, &lines);
    } else {
        ls_builder_add(&lines, "the world: %" PRIu64 " entities\n",
                       ls_world_entity_count(ls_replay_player_world(watch->playback.player)));
        for (uint32_t i = 0; i < ls_program_column_count(program); i++) {
            inspect.component = ls_program_component(program, i);
            if (inspect.component->is_singleton)
                add_cells(watch, &inspect, 0, &lines);
        }
    }
    if (area.column > 0)
        mvvline(area.row, area.column - 1, '|', area.rows);
    else
        mvhline(area.row - 1, 0, '-', area.columns);
    draw_lines(lines.data, watch->first_line, area);
    ls_free(lines.data);
    ls_free(name.data);
}

/* Draws the position within the recording. */
static void draw_timeline(const ls_watch *watch, int row)
{
    uint64_t first = ls_replay_player_first(watch->playback.player);
    uint64_t range = ls_replay_player_last(watch->playback.player) - first;
    uint64_t at = ls_replay_player_tick(watch->playback.player) - first;
    int columns = COLS - 2;
    if (columns <= 0)
        return;
    int done = range ? (int)((double)at / (double)range * (columns - 1)) : 0;
    mvaddch(row, 0, '[');
    mvhline(row, 1, '=', done);
    mvaddch(row, 1 + done, '>');
    if (done + 1 < columns)
        mvhline(row, 2 + done, '-', columns - done - 1);
    mvaddch(row, 1 + columns, ']');
}

static void put_plain(const char *text)
{
    put_line(LINES - 3, 0, COLS, text);
}

static void put_bold(const char *text)
{
    attron(A_BOLD);
    put_plain(text);
    attroff(A_BOLD);
}

static void draw_foot(const ls_watch *watch)
{
    static const char all_keys[] =
        "space play  arrows step, choose  +- speed  PgUp/Dn 10 s  g jump  ? help  q quit";
    char text[512] = "";
    const ls_world *world = ls_replay_player_world(watch->playback.player);
    ls_error line;
    if (watch->message.text[0]) {
        put_bold(watch->message.text);
    } else if (watch->live.feed) {
        ls_watch_live_print(&watch->live, &watch->playback, &line);
        (watch->live.status ? put_bold : put_plain)(line.text);
    } else {
        (void)ls_describe(world, text, NULL);
        put_plain(text);
    }
    draw_timeline(watch, LINES - 2);
    if (watch->is_asking)
        snprintf(text, sizeof text, "jump to tick: %s_", watch->answer);
    else
        snprintf(text, sizeof text, "%s",
                 COLS >= (int)sizeof all_keys - 1 ? all_keys
                                                  : "space play  +- speed  ? help  q quit");
    put_line(LINES - 1, 0, COLS, text);
}

static void draw_help(void)
{
    static const char *const lines[] = {
        "space        play, pause",           "left, right  one tick back, on",
        "+  -         faster, slower",        "PgUp, PgDn   ten seconds back, on",
        "Home, End    first tick, last tick", "g            jump to a tick: number",
        "Tab, n       next entity",           "p            previous entity",
        "down, up     next, previous entity", "w, Esc       values of the world",
        "[ ]          scroll the values",     "m            map or table",
        "l            newest ticks (live)",   "q            quit",
    };
    for (int i = 0; i < (int)LS_COUNT_OF(lines); i++)
        put_line(2 + i, 3, COLS - 3, lines[i]);
}

/* Draws each lane's letter on the map with its name; lane 0 has none. */
static void draw_legend(const ls_watch *watch, uint64_t lanes, int row, int columns)
{
    const ls_sim *sim = ls_program_sim(watch->playback.loaded.program);
    int column = 0;
    for (uint32_t lane = 1; lane <= sim->lane_count && lane < 64 && column < columns; lane++) {
        char text[64];
        if (!(lanes >> lane & 1))
            continue;
        snprintf(text, sizeof text, "%c %s  ", letter_of(lane), sim->lanes[lane - 1]);
        attrset(colour_of(lane));
        put_line(row, column, columns - column, text);
        column += (int)strlen(text);
    }
    attrset(A_NORMAL);
}

void ls_watch_draw(ls_watch *watch)
{
    erase();
    if (LINES <= ROWS_AROUND) {
        put_line(0, 0, COLS, "too small a terminal");
        refresh();
        return;
    }
    int rows = LINES - ROWS_AROUND, columns = COLS;
    struct area inspector = {1, 0, 0, COLS};
    if (COLS >= COLUMNS_BESIDE) {
        inspector = (struct area){1, COLS - INSPECTOR_COLUMNS, LINES - 4, INSPECTOR_COLUMNS};
        columns -= INSPECTOR_COLUMNS + 1;
    } else if (LINES >= ROWS_BELOW) {
        inspector.rows = rows / 2;
        rows -= inspector.rows + 1;
        inspector.row = 2 + rows + 1;
    }
    struct area main = {1, 0, rows, columns};
    draw_title(watch);
    if (watch->shows_help)
        draw_help();
    else if (watch->shows_map)
        draw_legend(watch, draw_map(watch, main), 1 + rows, columns);
    else
        draw_table(watch, main);
    if (inspector.rows > 0 && !watch->shows_help)
        draw_inspector(watch, inspector);
    draw_foot(watch);
    refresh();
}
