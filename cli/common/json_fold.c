#include "cli/common/json_fold.h"

/* The state of a pass over the text. */
typedef struct fold {
    ls_builder *text;
    uint32_t bytes_max;
    uint32_t depth, cut_depth; /* the cut array's depth; 0: nothing is being left out */
    uint64_t left_out;         /* commas of the cut array since the cut: the items left out */
    bool is_array[LS_JSON_FOLD_DEPTH_MAX + 1]; /* by depth */
    size_t begin[LS_JSON_FOLD_DEPTH_MAX + 1];  /* by depth: where its text begins in the result */
} fold;

static bool is_in_array(const fold *self)
{
    return self->depth <= LS_JSON_FOLD_DEPTH_MAX && self->is_array[self->depth];
}

static void open_level(fold *self, bool is_array)
{
    self->depth++;
    if (self->depth > LS_JSON_FOLD_DEPTH_MAX)
        return;
    self->is_array[self->depth] = is_array;
    self->begin[self->depth] = self->text->count + 1;
}

static void close_level(fold *self)
{
    if (self->cut_depth && self->cut_depth == self->depth) {
        ls_builder_add(self->text, ", +%llu more", (unsigned long long)self->left_out);
        self->cut_depth = 0;
    }
    self->depth -= self->depth > 0;
}

static void take_comma(fold *self)
{
    if (self->cut_depth) {
        self->left_out += self->cut_depth == self->depth;
    } else if (is_in_array(self) &&
               self->text->count - self->begin[self->depth] >= self->bytes_max) {
        self->cut_depth = self->depth;
        self->left_out = 1;
    }
}

void ls_json_fold_arrays(const char *json, uint32_t bytes_max, ls_builder *text)
{
    fold self = {.text = text, .bytes_max = bytes_max};
    bool is_string = false, is_escaped = false;
    for (; *json; json++) {
        bool ends_string = *json == '"' && !is_escaped;
        is_escaped = is_string && *json == '\\' && !is_escaped;
        if (ends_string)
            is_string = !is_string;
        else if (!is_string && (*json == '[' || *json == '{'))
            open_level(&self, *json == '[');
        else if (!is_string && (*json == ']' || *json == '}'))
            close_level(&self);
        else if (!is_string && *json == ',')
            take_comma(&self);
        if (!self.cut_depth)
            ls_builder_put(text, json, 1);
    }
}
