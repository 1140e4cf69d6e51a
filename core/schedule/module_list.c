#include "core/schedule/module_list.h"

#include "core/base/builder.h"
#include "core/schedule/lists.h"
#include "core/schedule/schedule_report_internal.h"
#include "core/schedule/sim_check.h"
#include "core/schema/codec.h"

#include <string.h>

typedef struct lister {
    ls_part_list *list;
    ls_schedule_report *report;
    ls_status status;
} lister;

#define FAULT(self, name, code, ...)                                                               \
    do {                                                                                           \
        ls_error reason_;                                                                          \
        ls_status status_ = ls_error_set(&reason_, code, __VA_ARGS__);                             \
        ls_schedule_report_note((self)->report, name, status_, &reason_, &(self)->status);         \
    } while (0)

static const char *title_of(const ls_part *part)
{
    return part->user ? part->path : part->module.name;
}

const ls_module *ls_part_module(const ls_part *part, const char *name, size_t bytes)
{
    for (uint32_t i = 0; i < part->module.module_count; i++) {
        const ls_module *module = part->module.modules[i];
        if (module && module->name && strlen(module->name) == bytes &&
            memcmp(module->name, name, bytes) == 0)
            return module;
    }
    return NULL;
}

static ls_module own_lists(const ls_sim *sim)
{
    ls_module own = {.name = sim->name,
                     .schedule = sim->schedule,
                     .modules = sim->modules,
                     .module_count = sim->module_count};
#define COPY(list, counted) own.list = sim->list, own.counted = sim->counted
    LS_MODULE_LISTS(COPY);
    own.setup_count = ls_sim_setup_count(sim);
    return own;
}

static const ls_part *find_part(const ls_part_list *list, const ls_module *module)
{
    for (uint32_t i = 1; i < list->count; i++) {
        if (list->parts[i].is == module)
            return &list->parts[i];
    }
    return NULL;
}

/* Checks the module at this index of the list of `user`. False if it has a fault, which is
 * reported. */
static bool check_module(lister *self, const ls_part *user, uint32_t index)
{
    const ls_module *module = user->module.modules[index];
    const char *title = title_of(user);
    if (!module || ls_sim_is_nameless(module->name)) {
        FAULT(self, NULL, LS_ERROR_USAGE, "module %u of %u of \"%s\" has no name; give it one",
              index, user->module.module_count, title);
        return false;
    }
    if (strchr(module->name, '.') || !ls_name_is_listable(module->name)) {
        FAULT(self, module->name, LS_ERROR_USAGE,
              "module \"%s\" has a dot, a comma or a blank in its name; rename it", module->name);
        return false;
    }
    const ls_part *earlier = find_part(self->list, module);
    if (earlier) {
        FAULT(self, module->name, LS_ERROR_USAGE,
              "module \"%s\" is listed twice, by \"%s\" and by \"%s\"; let the simulation alone "
              "list it",
              module->name, title_of(earlier->user), title);
        return false;
    }
    for (uint32_t i = 0; i < index; i++) {
        const ls_module *other = user->module.modules[i];
        if (other && other->name && strcmp(other->name, module->name) == 0) {
            FAULT(self, module->name, LS_ERROR_USAGE,
                  "two modules of \"%s\" are named \"%s\"; rename one", title, module->name);
            return false;
        }
    }
    return true;
}

/* Recursive: no module is listed twice, so LS_MODULES_MAX bounds the depth. */
static void add_modules(lister *self, ls_part *user)
{
    ls_part_list *list = self->list;
    for (uint32_t i = 0; i < user->module.module_count; i++) {
        if (!check_module(self, user, i))
            continue;
        const ls_module *module = user->module.modules[i];
        if (list->count > LS_MODULES_MAX) {
            FAULT(self, module->name, LS_ERROR_LIMIT,
                  "simulation \"%s\" uses more than %d modules; merge some of them",
                  list->parts[0].module.name, LS_MODULES_MAX);
            break;
        }
        ls_builder path = {0};
        ls_builder_add(&path, "%s%s%s", user->path, user->user ? "." : "", module->name);
        ls_part *part = &list->parts[list->count++];
        *part = (ls_part){.module = *module, .is = module, .path = path.data, .user = user};
        if (module->setup && !module->setup_count)
            part->module.setup_count = 1;
        add_modules(self, part);
    }
    uint32_t settled = 0;
    while (list->setup_order[settled])
        settled++;
    list->setup_order[settled] = (uint32_t)(user - list->parts);
}

static void check_name(lister *self, const ls_part *part, const char *kind, const char *name)
{
    if (!name)
        return;
    if (strchr(name, '.'))
        FAULT(self, name, LS_ERROR_USAGE,
              "%s \"%s\" of \"%s\" has a dot in its name, which separates a module's name from "
              "those of its parts; rename it",
              kind, name, title_of(part));
    else if (ls_part_module(part, name, strlen(name)) && strcmp(kind, "stage") != 0 &&
             strcmp(kind, "set") != 0)
        FAULT(self, name, LS_ERROR_USAGE,
              "a %s and a module of \"%s\" are named \"%s\"; rename one", kind, title_of(part),
              name);
}

static void check_names(lister *self, const ls_part *part)
{
    const ls_module *own = &part->module;
    for (uint32_t i = 0; i < own->component_count; i++)
        check_name(self, part, "component", own->components[i] ? own->components[i]->name : NULL);
    for (uint32_t i = 0; i < own->table_count; i++)
        check_name(self, part, "table", own->tables[i].row ? own->tables[i].row->name : NULL);
    for (uint32_t i = 0; i < own->lane_count; i++)
        check_name(self, part, "lane", own->lanes[i]);
    for (uint32_t i = 0; i < own->option_count; i++)
        check_name(self, part, "option", own->options[i].name);
    for (uint32_t i = 0; i < own->system_count; i++)
        check_name(self, part, "system", own->systems[i].name);
    for (uint32_t i = 0; i < own->setup_count; i++)
        check_name(self, part, "setup", own->setup[i].name);
    for (uint32_t i = 0; i < own->stage_count; i++)
        check_name(self, part, "stage", own->stages[i].name);
    for (uint32_t i = 0; i < own->set_count; i++)
        check_name(self, part, "set", own->sets[i].name);
    for (uint32_t i = 0; i < own->par_count; i++)
        check_name(self, part, "par", own->pars[i].name);
}

bool ls_part_has_stage(const ls_part *part, const char *name)
{
    for (uint32_t i = 0; i < part->module.stage_count; i++) {
        if (part->module.stages[i].name && strcmp(part->module.stages[i].name, name) == 0)
            return true;
    }
    return false;
}

static void check_stages(lister *self, const ls_part *part)
{
    const char *name = part->module.name;
    if (part->user && part->module.stage_count && !ls_part_has_stage(part->user, name))
        FAULT(self, name, LS_ERROR_USAGE,
              "module \"%s\" has stages, which nest in a stage \"%s\" that \"%s\" does not list; "
              "add it to its stages",
              part->path, name, title_of(part->user));
}

/* Reports a component that two parts list with the same fields. A term finds its component by name
 * and fields, because each file has a copy of the component's table, so it could mean either. */
static void check_twins(lister *self, const ls_part *part, const ls_component *component)
{
    for (const ls_part *other = self->list->parts; other < part; other++) {
        for (uint32_t i = 0; i < other->module.component_count; i++) {
            const ls_component *twin = other->module.components[i];
            if (twin && ls_component_is_twin(twin, component))
                FAULT(
                    self, component->name, LS_ERROR_USAGE,
                    "\"%s\" and \"%s\" both list a component \"%s\" with the same fields; list it "
                    "in one of them if it is one, otherwise rename one",
                    title_of(other), title_of(part), component->name);
        }
    }
}

ls_status ls_part_list_init(ls_part_list *list, const ls_sim *sim, ls_schedule_report *report)
{
    lister self = {list, report, LS_OK};
    *list = (ls_part_list){.count = 1};
    list->parts[0] = (ls_part){.module = own_lists(sim), .path = ""};
    add_modules(&self, &list->parts[0]);
    for (uint32_t i = 0; i < list->count; i++) {
        const ls_part *part = &list->parts[i];
        check_names(&self, part);
        check_stages(&self, part);
        for (uint32_t j = 0; j < part->module.component_count; j++) {
            if (part->module.components[j])
                check_twins(&self, part, part->module.components[j]);
        }
    }
    return self.status;
}

void ls_part_list_reset(ls_part_list *list)
{
    for (uint32_t i = 1; i < list->count; i++)
        ls_free((char *)(uintptr_t)list->parts[i].path);
    *list = (ls_part_list){0};
}
