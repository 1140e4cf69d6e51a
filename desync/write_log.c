#include "desync/write_log.h"

#include "core/base/grow.h"
#include "core/run/run.h"
#include "core/schedule/value_text.h"
#include "core/state/table.h"
#include "desync/cell_search.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A page is watched from its presence bits on; the cells follow after a gap. */
enum { HEAD_BYTES = LS_PAGE_CELLS_OFFSET - offsetof(ls_page, present) };

struct watch {
    const ls_suspect *suspect;
    uint32_t position, column, lane, page;
    ls_write_watch *write_watch;
    ls_status status;
    ls_error *error;
    ls_stores *stores;
    const ls_tick_probe *tick_probe;
    const uint8_t *region;
};

static const ls_page_source *source_of(const struct watch *watch)
{
    return &watch->tick_probe->world->sources[watch->column];
}

/* Creates and unshares the page before the system runs, so that it does not move while it is
 * watched. */
static uint8_t *open_page(struct watch *watch, ls_world *world, size_t *bytes)
{
    const ls_page_source *source = source_of(watch);
    ls_table **table = ls_world_table(world, watch->column, watch->lane);
    ls_table_own(table, watch->page + 1, source);
    ls_page *page = ls_table_write(*table, watch->page, source);
    *bytes = HEAD_BYTES + source->cell_bytes * source->cells;
    return (uint8_t *)page->present;
}

/* Zeroes the system's command buffers, so that traces of the earlier run have no effect. The
 * buffers exist and are large enough, because the tick ran before. */
static uint8_t *clear_commands(const struct watch *watch, const ls_run *run, size_t *bytes)
{
    if (!run->commands.buffers)
        return NULL;
    const ls_commands_buffer *buffer = &run->commands.buffers[0][watch->suspect->stream];
    *bytes = buffer->capacity;
    if (buffer->data)
        memset(buffer->data, 0, buffer->capacity);
    return buffer->data;
}

static uint8_t *find_region(struct watch *watch, const ls_tick_probe *tick_probe, size_t *bytes)
{
    ls_world *world = tick_probe->world;
    uint32_t position = watch->position;
    ls_despawn_marks *marks = &world->base->scratch->marks[0];
    switch (watch->suspect->site) {
    case LS_SITE_CELL:
    case LS_SITE_UNDECLARED:
    case LS_SITE_LIVENESS:
        return open_page(watch, world, bytes);
    case LS_SITE_COMMANDS:
        return clear_commands(watch, &world->scratch->runs[position], bytes);
    case LS_SITE_MARKS:
        *bytes = sizeof *marks->entities * (marks->capacity - marks->count);
        return *bytes ? memset(&marks->entities[marks->count], 0, *bytes) : NULL;
    default:
        *bytes = sizeof world->scratch->gates->decision;
        return (uint8_t *)&world->scratch->gates[position - ls_plan_first_gate(world->program)]
            .decision;
    }
}

static void begin(void *argument, ls_tick_probe *tick_probe)
{
    struct watch *watch = argument;
    size_t bytes = 0;
    watch->tick_probe = tick_probe;
    uint8_t *region = find_region(watch, tick_probe, &bytes);
    watch->region = region;
    if (region && bytes)
        watch->status = ls_write_watch_begin(region, bytes, &watch->write_watch, watch->error);
    else
        watch->status =
            ls_error_set(watch->error, LS_ERROR_NOT_FOUND,
                         "system \"%s\" left nothing there when run again", watch->suspect->system);
}

static ls_write_log *add_store(ls_stores *stores, const ls_write_watch_store *seen, uint32_t at,
                               uint32_t bytes)
{
    stores->list = ls_grow(stores->list, stores->count, &stores->capacity, sizeof *stores->list);
    ls_write_log *store = &stores->list[stores->count];
    *store = (ls_write_log){.at = at, .bytes = bytes, .frame_count = seen->frame_count};
    memcpy(store->frames, seen->frames, sizeof store->frames);
    if (at < seen->window || at + bytes > seen->window + seen->window_bytes)
        return NULL; /* the value is wider than the bytes that were kept around the store */
    memcpy(store->old, seen->old + (at - seen->window), bytes);
    memcpy(store->now, seen->now + (at - seen->window), bytes);
    store->is_silent = memcmp(store->old, store->now, bytes) == 0;
    stores->count++;
    return store;
}

static void set_texts(const struct watch *watch, ls_write_log *store)
{
    ls_builder text = {0};
    for (uint32_t i = 0; i < 2; i++) {
        uint8_t *value = i ? store->now : store->old;
        char *to = i ? store->now_text : store->old_text;
        text.count = 0;
        if (store->field)
            ls_value_text_print(&text, watch->tick_probe->world->program, store->field, value);
        else if (store->bytes == 8)
            ls_builder_add(&text, "%016" PRIx64, ls_value_read(LS_TYPE_U64, value));
        else
            ls_builder_add(&text, "%s", value[0] ? "present" : "absent");
        snprintf(to, LS_WRITE_LOG_TEXT_BYTES, "%s", text.data);
    }
    ls_free(text.data);
}

static const ls_field *field_at(const ls_component *component, size_t offset)
{
    for (uint32_t i = 0; i < component->field_count; i++) {
        const ls_field *field = &component->fields[i];
        if (offset >= field->offset && offset < field->offset + field->bytes)
            return field;
    }
    return NULL;
}

static ls_entity entity_at(const struct watch *watch, uint32_t slot)
{
    const ls_world *world = watch->tick_probe->world;
    const ls_page *lives = ls_world_page(world, ls_liveness(world), watch->lane, watch->page);
    if (source_of(watch)->cells == 1 || !lives)
        return LS_ENTITY_NULL;
    return ls_entity_make(watch->lane, watch->page * LS_PAGE_SLOTS + slot,
                          ls_page_generations(lives)[slot]);
}

static void add_presence(struct watch *watch, const ls_write_watch_store *seen, uint32_t byte)
{
    uint8_t old = seen->old[byte - seen->window], now = seen->now[byte - seen->window];
    for (uint32_t bit = 0; bit < 8; bit++) {
        if (!((old ^ now) >> bit & 1))
            continue;
        ls_write_log *store = add_store(watch->stores, seen, byte, 1);
        store->bit = bit;
        store->component = source_of(watch)->component;
        store->old[0] = old >> bit & 1;
        store->now[0] = now >> bit & 1;
        store->entity = entity_at(watch, byte * 8 + bit);
        set_texts(watch, store);
    }
}

/* Adds the item that holds the byte; returns the offset of the next item. */
static uint32_t add_cell_item(struct watch *watch, const ls_write_watch_store *seen, uint32_t byte)
{
    const ls_page_source *source = source_of(watch);
    size_t cell = (byte - HEAD_BYTES) / source->cell_bytes;
    size_t offset = (byte - HEAD_BYTES) % source->cell_bytes;
    const ls_field *field = field_at(source->component, offset);
    if (!field)
        return byte + 1;
    uint32_t unit = ls_type_bytes(field->type);
    uint32_t item = (uint32_t)(offset - field->offset) / unit;
    uint32_t at = HEAD_BYTES + (uint32_t)(cell * source->cell_bytes) + field->offset + unit * item;
    ls_write_log *store = add_store(watch->stores, seen, at, unit);
    if (store) {
        store->component = source->component;
        store->field = field;
        store->item = item;
        store->entity = entity_at(watch, (uint32_t)cell);
        set_texts(watch, store);
    }
    return at + unit;
}

/* Finds the record that holds the byte: returns its offset, and its index in `record`. */
static uint32_t find_record(const struct watch *watch, uint32_t byte, uint32_t *record,
                            ls_entry *entry)
{
    uint32_t at = 0;
    for (*record = 0;; ++*record) {
        memcpy(entry, watch->region + at, sizeof *entry);
        uint32_t size = (uint32_t)ls_entry_size(entry);
        if (byte < at + size)
            return at;
        at += size;
    }
}

static uint32_t add_commands_item(struct watch *watch, const ls_write_watch_store *seen,
                                  uint32_t byte)
{
    const ls_program *program = watch->tick_probe->world->program;
    const ls_plan_system *plan = watch->tick_probe->plan;
    uint32_t record;
    ls_entry entry;
    uint32_t at = find_record(watch, byte, &record, &entry), in = byte - at;
    uint32_t item_at = at + in / 8 * 8, unit = 8;
    const ls_component *component = NULL;
    const ls_field *field = NULL;
    if (in >= sizeof entry && entry.kind != LS_ENTRY_SPAWN) {
        const ls_plan_term *term = &plan->terms[entry.at];
        component = term->kind == LS_EVENTS ? program->events[term->column]
                                            : program->components[term->column];
        field = field_at(component, in - sizeof entry);
    }
    uint32_t item = 0;
    if (field) {
        unit = ls_type_bytes(field->type);
        item = (uint32_t)(in - sizeof entry - field->offset) / unit;
        item_at = at + (uint32_t)sizeof entry + field->offset + unit * item;
    }
    ls_write_log *store = add_store(watch->stores, seen, item_at, unit);
    if (store) {
        store->component = component;
        store->field = field;
        store->item = item;
        store->record = record;
        store->entity = entry.entity >> 62 ? LS_ENTITY_NULL : entry.entity;
        set_texts(watch, store);
    }
    return item_at + unit;
}

static uint32_t add_plain_item(struct watch *watch, const ls_write_watch_store *seen, uint32_t byte)
{
    uint32_t unit = watch->suspect->site == LS_SITE_MARKS ? 8 : 4;
    ls_write_log *store = add_store(watch->stores, seen, byte / unit * unit, unit);
    if (store && unit == 8) {
        memcpy(&store->entity, store->now, sizeof store->entity);
        set_texts(watch, store);
    } else if (store) {
        snprintf(store->old_text, sizeof store->old_text, "%u", store->old[0]);
        snprintf(store->now_text, sizeof store->now_text, "%u", store->now[0]);
    }
    return byte / unit * unit + unit;
}

static uint32_t add_item(struct watch *watch, const ls_write_watch_store *seen, uint32_t byte)
{
    ls_difference_site site = watch->suspect->site;
    if (site == LS_SITE_COMMANDS)
        return add_commands_item(watch, seen, byte);
    if (site == LS_SITE_MARKS || site == LS_SITE_DECISION)
        return add_plain_item(watch, seen, byte);
    if (byte >= HEAD_BYTES)
        return add_cell_item(watch, seen, byte);
    if (byte < sizeof((ls_page *)NULL)->present)
        add_presence(watch, seen, byte);
    return byte + 1;
}

static void end(void *argument, ls_tick_probe *tick_probe)
{
    struct watch *watch = argument;
    uint32_t count = 0;
    (void)tick_probe;
    if (!watch->write_watch)
        return;
    ls_write_watch_end(watch->write_watch);
    const ls_write_watch_store *stores = ls_write_watch_stores(watch->write_watch, &count);
    watch->stores->left_out = ls_write_watch_left_out(watch->write_watch);
    for (uint32_t i = 0; i < count; i++) {
        /* In a page, bytes that were stored with an equal value count too. In a command buffer only
         * changed bytes count, because only they show which record was written. */
        bool is_cell = watch->suspect->site == LS_SITE_CELL ||
                       watch->suspect->site == LS_SITE_UNDECLARED ||
                       watch->suspect->site == LS_SITE_LIVENESS;
        uint32_t first = is_cell ? stores[i].stored : stores[i].changed;
        uint32_t last = is_cell ? stores[i].stored_end : stores[i].changed_end;
        last += last == first; /* a store of an equal value: take the item in which it begins */
        for (uint32_t byte = first; byte < last;)
            byte = add_item(watch, &stores[i], byte);
    }
    ls_write_watch_destroy(watch->write_watch);
    watch->write_watch = NULL;
}

static ls_status check(const ls_run_variant *variant, uint32_t side, const ls_frame *frame,
                       const ls_suspect *suspect, ls_error *error)
{
    if (side > 1 || frame->tick != variant->world->state.tick)
        return ls_error_set(error, LS_ERROR_USAGE, "the frame is for another tick");
    if (suspect->blame != LS_BLAME_SYSTEM || !suspect->has_values ||
        suspect->positions[side] == UINT32_MAX)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "there is no system whose stores could be watched");
    return LS_OK;
}

ls_status ls_desync_watch(const ls_run_variant *variant, uint32_t side, const ls_frame *frame,
                          const ls_suspect *suspect, ls_stores *stores, ls_error *error)
{
    *stores = (ls_stores){.site = suspect->site};
    ls_status status = check(variant, side, frame, suspect, error);
    ls_variant_runner runner;
    if (status == LS_OK)
        status = ls_run_variant_begin(variant, &runner, error);
    if (status != LS_OK)
        return status;
    uint32_t position = suspect->positions[side];
    stores->function = ls_run_function(ls_plan_at(variant->world->program, position)->system);
    struct watch watch = {.suspect = suspect,
                          .position = position,
                          .column = suspect->column,
                          .lane = ls_entity_lane(suspect->entity),
                          .page = ls_entity_slot(suspect->entity) / LS_PAGE_SLOTS,
                          .error = error,
                          .stores = stores};
    ls_halt halt = {.kind = LS_POINT_RAN,
                    .position = position,
                    .nth = suspect->nth,
                    .begin = begin,
                    .look = end,
                    .argument = &watch};
    ls_tick_trace_visit(&runner, frame, &halt);
    ls_write_watch_destroy(watch.write_watch);
    ls_run_variant_end(&runner);
    if (watch.status == LS_OK && !halt.is_reached)
        return ls_error_set(error, LS_ERROR_NOT_FOUND, "system \"%s\" did not run again",
                            suspect->system);
    return watch.status;
}

void ls_stores_reset(ls_stores *stores)
{
    ls_free(stores->list);
    *stores = (ls_stores){0};
}
